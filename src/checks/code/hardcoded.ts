import { lazily } from '../../lib/memo/lazy.ts'
import { plural } from '../../lib/plural.ts'
import { snakeCase } from '../../lib/snake-case.ts'
import type { CodeModel, HardcodedIdentity, HardcodedSecret, Marker } from '../../model/code/code.ts'
import type { PaymentsModel } from '../../model/payments/payments.ts'
import { defineCheck, failed, type Issue, notApplicable, passed } from '../define-check.ts'
import { administratorFix } from './administrator-fix.ts'
import { clientPasswordIssue } from './client-password-issue.ts'
import { isDisplayedPassword, isOfAccount, madeAccountIssue, shownPasswordIssue } from './displayed-password-issue.ts'
import { defaultIssue, fixedKeyIssue } from './fixed-key-issues.ts'
import { accountIssue, fixedUserIssue, identityIssue, mailIssue, payerIssue } from './fixed-person-issues.ts'
import { openDoorIssue } from './open-door-issue.ts'
import { NAME_BASED_OR_POWERFUL_KINDS, secretIssue } from './secret-issue.ts'
import { debugIssue, switchIssue } from './switch-issues.ts'

export default defineCheck({
  number: 25,
  id: 'code/hardcoded',
  category: 'Code and dependencies',
  rule: 'Code is reviewed for hardcoded values and they are removed or moved to environment variables.',
  needs: ['code', 'modules', 'payments', 'routes', 'schema', 'env'],
  doubtedBy: ['source-text'],
  run({ code, modules, payments, routes, schema, env }) {
    const known = new Set(verifiedByText(payments))
    const under5 = code.secrets.flatMap((s) => (s.reportedAsServiceRole ? [[5, s.reportedAsServiceRole] as const] : []))
    const passwordFiles = new Set(code.clientPasswords.flatMap((p) => (p.code || p.development ? [] : [p.path])))
    // what only a build for development compares is nobody's password and nobody's right
    const development = new Set(code.clientPasswords.flatMap((p) => (p.development ? [`${p.path}:${p.line}`] : [])))
    const isReal = (at: { path: string; line: number }) => !development.has(`${at.path}:${at.line}`)
    // what stands in for a variable is said to do so
    const standsIn = (s: HardcodedSecret) => code.defaults.some((d) => d.path === s.path && d.line === s.line && isPartOfName(d.name, s.name ?? ''))
    const administrators = lazily(() => administratorFix(routes, schema))
    const asksNoPassword = (i: HardcodedIdentity) => code.openDoors.some((d) => d.how === 'no-password' && d.path === i.path)
    const spoken = new Set([...code.identities.map((i) => i.path), ...passwordFiles])
    const issues = [
      ...code.secrets
        .filter((s) => !(s.name && !s.also.length && NAME_BASED_OR_POWERFUL_KINDS.has(s.kind) && standsIn(s)))
        .filter((s) => !s.reportedAsServiceRole && !(s.kind.endsWith('password') && s.kind !== 'url-password' && (passwordFiles.has(s.path) || !isReal(s))))
        .filter((s) => !(s.kind.endsWith('password') && beside(code.openDoors, s)))
        .map((s) => (isDisplayedPassword(s) ? shownPasswordIssue(s, modules) : isOfAccount(s) ? madeAccountIssue(s, modules) : secretIssue(s, modules))),
      ...code.clientPasswords.filter((p) => !p.development).map(clientPasswordIssue),
      ...code.identities
        .filter((i) => (i.grants || i.owner) && !passwordFiles.has(i.path) && isReal(i) && !asksNoPassword(i))
        .map((i) => identityIssue(i, administrators())),
      ...code.defaults
        .filter((d) => !known.has(d.name) && !(/PASS/.test(d.name) && code.secrets.some((s) => s.kind === 'sign-in-password' && s.path === d.path)))
        .map((d) => defaultIssue(d, modules)),
      ...code.fixedKeys.map((k) => fixedKeyIssue(k, modules)),
      ...code.switches.map((s) => switchIssue(s, s.how === 'request' && (s.onPage === true || modules.inBrowser(s.path, s.line)))),
      // a page that compares a password with a literal is said to do so
      ...code.openDoors
        .filter((d) => !passwordFiles.has(d.path) && !(d.unless && env.demanded.includes(d.unless)))
        .map((d) => openDoorIssue(d, modules.inBrowser(d.path, d.line))),
      ...code.sqlAccounts.map(accountIssue),
      ...code.fixedUsers.filter((u) => !spoken.has(u.path)).map(fixedUserIssue),
      ...code.ownerMails.filter((m) => !spoken.has(m.path)).map((m) => mailIssue(m, modules)),
      ...code.debugLogs.map(debugIssue),
      ...code.fixedPayers.map(payerIssue),
      ...code.markers.filter((m) => !beside([...code.openDoors, ...code.secrets, ...code.fixedKeys, ...code.switches], m)).map(markerIssue),
    ]
    const evidence = describe(code)
    if (issues.length || under5.length) return failed(issues, evidence, under5)
    return code.searched.files ? passed(...evidence) : notApplicable('the repository holds no text file')
  },
})

/** Variables of webhooks' secrets for which check 20 says that a text takes their place. */
const verifiedByText = ({ webhooks, otherWebhooks, libraries }: PaymentsModel): string[] =>
  [...webhooks.flatMap((w) => w.verification), ...otherWebhooks.flatMap((w) => w.problem ?? []), ...(libraries ?? []).flatMap((l) => l.problem ?? [])].flatMap(
    (p) => (p.kind === 'literal-secret' && p.variable ? [p.variable] : []),
  )

/** Where the same few lines are reported for what they do, what a comment says of them is no second cause. */
const beside = (all: readonly { path: string; line: number }[], at: { path: string; line: number }): boolean =>
  all.some((o) => o.path === at.path && Math.abs(o.line - at.line) <= 6)

/** `APP_SECRET` of `WHATSAPP_APP_SECRET`: the column or constant that is asked after the variable is called after it. */
const isPartOfName = (variable: string, name: string): boolean => snakeCase(variable).endsWith(snakeCase(name))

function markerIssue(m: Marker): Issue {
  return {
    subject: `file ${m.path}`,
    discriminator: 'marker',
    severity: 'Medium',
    title: 'Unfinished work beside access or payment code',
    message: `“${m.text}” stands beside \`${m.beside}\`: a decision about access or money was left for later.`,
    attack: 'The comment tells a reader of the repository which check is not there yet.',
    fix: { text: 'Finish it before launch, or move it into an issue and say in the code why it is safe as it is.' },
    at: { path: m.path, line: m.line },
    related: m.also.slice(0, 20).map((p) => ({ ...p, what: 'another marker' })),
    proof: 'inferred',
    aliases: ['CWE-546'],
  }
}

function describe(code: CodeModel): string[] {
  const { files, markers } = code.searched
  return [
    `${plural(files, 'text file')} searched for secrets`,
    `${markers} TODO or FIXME comment${markers === 1 ? '' : 's'}, ${code.markers.length} file${code.markers.length === 1 ? '' : 's'} with one beside authentication, permission or payment code`,
  ]
}
