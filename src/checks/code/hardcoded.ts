import { replaceLiteral, swap } from '../../lib/rewrite.ts'
import { requireVariable } from '../../lib/rewrite-javascript.ts'
import { snakeCase, underscored } from '../../lib/snake-case.ts'
import type {
  CodeModel,
  DebugLog,
  DefaultSecret,
  FixedKey,
  FixedPayer,
  HardcodedIdentity,
  HardcodedSecret,
  Marker,
  OwnerMail,
  SqlAccount,
  Switch,
} from '../../model/code/code.ts'
import type { FixedUser } from '../../model/code/fixed-users.ts'
import type { ModulesModel } from '../../model/modules/modules.ts'
import type { PaymentsModel } from '../../model/payments/payments.ts'
import { defineCheck, type Fix, failed, type Issue, notApplicable, passed, type Severity } from '../define-check.ts'
import { clientPasswordIssue } from './client-password-issue.ts'
import { openDoorIssue } from './open-door-issue.ts'
import { isShown, shownPasswordIssue } from './shown-password-issue.ts'

export default defineCheck({
  number: 25,
  id: 'code/hardcoded',
  category: 'Code and dependencies',
  rule: 'Code is reviewed for hardcoded values and they are removed or moved to environment variables.',
  needs: ['code', 'modules', 'payments'],
  doubtedBy: ['source-text'],
  run({ code, modules, payments }) {
    const known = new Set(verifiedByText(payments))
    const under5 = code.secrets.flatMap((s) => (s.reportedAsServiceRole ? [[5, s.reportedAsServiceRole] as const] : []))
    const passwordFiles = new Set(code.clientPasswords.flatMap((p) => (p.code || p.development ? [] : [p.path])))
    // what only a build for development compares is nobody's password and nobody's right
    const development = new Set(code.clientPasswords.flatMap((p) => (p.development ? [`${p.path}:${p.line}`] : [])))
    const isReal = (at: { path: string; line: number }) => !development.has(`${at.path}:${at.line}`)
    // what stands in for a variable is said to do so
    const standsIn = (s: HardcodedSecret) => code.defaults.some((d) => d.path === s.path && d.line === s.line && isPartOfName(d.name, s.name ?? ''))
    const spoken = new Set([...code.identities.map((i) => i.path), ...passwordFiles])
    const issues = [
      ...code.secrets
        .filter((s) => !(s.name && !s.also.length && BY_NAME.has(s.kind) && standsIn(s)))
        .filter((s) => !s.reportedAsServiceRole && !(s.kind.endsWith('password') && s.kind !== 'url-password' && (passwordFiles.has(s.path) || !isReal(s))))
        .filter((s) => !(s.kind.endsWith('password') && beside(code.openDoors, s)))
        .map((s) => (isShown(s) ? shownPasswordIssue(s) : secretIssue(s, modules))),
      ...code.clientPasswords.filter((p) => !p.development).map(clientPasswordIssue),
      ...code.identities.filter((i) => (i.grants || i.owner) && !passwordFiles.has(i.path) && isReal(i)).map(identityIssue),
      ...code.defaults
        .filter((d) => !known.has(d.name) && !(/PASS/.test(d.name) && code.secrets.some((s) => s.kind === 'sign-in-password' && s.path === d.path)))
        .map(defaultIssue),
      ...code.fixedKeys.map((k) => fixedKeyIssue(k, k.use === 'signatures' && modules.inBrowser(k.path, k.line))),
      ...code.switches.map((s) => switchIssue(s, s.how === 'request' && (s.onPage === true || modules.inBrowser(s.path, s.line)))),
      // a page that compares a password with a literal is said to do so
      ...code.openDoors.filter((d) => !passwordFiles.has(d.path)).map((d) => openDoorIssue(d, modules.inBrowser(d.path, d.line))),
      ...code.sqlAccounts.map(accountIssue),
      ...code.fixedUsers.filter((u) => !spoken.has(u.path)).map(fixedUserIssue),
      ...code.ownerMails.filter((m) => !spoken.has(m.path)).map(mailIssue),
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

/** Formats that act on somebody else's service with the owner's rights as soon as they are known. */
const BY_NAME = new Set(['generic-secret', 'password', 'sign-in-password', 'default-secret', 'jwt', 'webhook-secret', 'url-password', 'aws-access-key-id'])

/** `APP_SECRET` of `WHATSAPP_APP_SECRET`: the column or constant that is asked after the variable is called after it. */
const isPartOfName = (variable: string, name: string): boolean => snakeCase(variable).endsWith(snakeCase(name))

function secretIssue(s: HardcodedSecret, modules: ModulesModel): Issue {
  const severity: Severity = s.live === 'test' || BY_NAME.has(s.kind) ? 'High' : 'Critical'
  const name = s.name ? ` as \`${s.name}\`` : ''
  const inBrowser = modules.clientChain(s.path) !== undefined
  return {
    subject: `file ${s.path}`,
    discriminator: `${s.kind} ${s.hash.length > 3 ? s.hash : (s.name ?? '')}`,
    severity,
    title: s.live === 'test' ? 'Test key in the repository' : 'Secret in the repository',
    message: `${s.label.charAt(0).toUpperCase()}${s.label.slice(1)} (${s.redacted}, ${s.length} characters) stands here${name}${s.also.length ? `, and in ${s.also.length} more place${s.also.length === 1 ? '' : 's'}` : ''}.`,
    attack:
      s.live === 'test'
        ? 'Whoever reads the repository works in the test account, sees its data, and learns how the live one is built.'
        : inBrowser
          ? 'Whoever opens the page reads the value in its scripts and uses it in the owner’s name.'
          : 'Whoever reads the repository, a fork, an old clone or a build log uses the value in the owner’s name.',
    fix: secretFix(s, inBrowser, modules),
    at: { path: s.path, line: s.line },
    related: s.also.slice(0, 30).map((p) => ({ ...p, subject: `file ${p.path}`, what: 'the same value' })),
    proof: 'inferred',
    aliases: ['CWE-798'],
  }
}

const REPLACE = 'Replace the value where it was issued (it stays in the history), and'

/** Where the new value goes: a variable helps only where one can be read and nobody else reads it. */
function secretFix(s: HardcodedSecret, inBrowser: boolean, modules: ModulesModel): Fix {
  if (/\.sql$/i.test(s.path)) return { text: `${REPLACE} take the statement out of the file: it runs once, by hand, or reads the value from the vault.` }
  if (inBrowser)
    return {
      text: `${REPLACE} take it out of the page: what a browser holds, every visitor reads, variables of the build included. Let the server use it, or make up a random one each time.`,
    }
  const variable = variableName(s)
  if (/(?:^|\/)supabase\/config\.toml$/.test(s.path))
    return { text: `${REPLACE} let the configuration name a variable.`, language: 'toml', code: `${s.name ?? 'secret'} = "env(${variable})"` }
  if (/(?:^|\/)wrangler\.(?:toml|jsonc?)$/.test(s.path))
    return {
      text: `${REPLACE} take it out of the file and give it to Wrangler as a secret.`,
      language: 'sh',
      code: `npx wrangler secret put ${s.name ?? variable}`,
    }
  const deno = /(?:^|\/)supabase\/functions\//.test(s.path)
  return {
    text: `${REPLACE} read the new one from the environment.`,
    language: 'ts',
    code: `const ${camel(variable)} = ${deno ? `Deno.env.get('${variable}')` : `process.env.${variable}`}`,
    ...fromEnvironment(s, variable, modules),
  }
}

/** In server code that stands in one place the literal itself becomes the read; in code for browsers that would publish the variable instead. */
function fromEnvironment(s: HardcodedSecret, variable: string, modules: ModulesModel): Pick<Fix, 'rewrite'> {
  const deno = /(?:^|\/)supabase\/functions\//.test(s.path)
  if (s.also.length || !/\.[cm]?[jt]s$/.test(s.path) || modules.clientChain(s.path) !== undefined) return {}
  // What is not part of the module graph may be a script of a page.
  if (!deno && !modules.files.includes(s.path)) return {}
  const typed = /ts$/.test(s.path) ? '!' : ''
  const read = deno ? `Deno.env.get('${variable}')${typed}` : `process.env.${variable}${typed}`
  return { rewrite: { path: s.path, line: s.line, apply: replaceLiteral(s.column, s.endColumn, read) } }
}

function variableName(s: HardcodedSecret): string {
  const own = underscored(s.name ?? '')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase()
  if (own && own.length > 3 && /SECRET|KEY|TOKEN|PASS|URL/.test(own)) return own.replace(/^(?:NEXT_PUBLIC|VITE|REACT_APP|EXPO_PUBLIC)_/, '')
  return s.kind.replace(/-/g, '_').toUpperCase()
}

function camel(name: string): string {
  return name.toLowerCase().replace(/_{1,50}([a-z0-9])/g, (_, c: string) => c.toUpperCase())
}

function identityIssue(i: HardcodedIdentity): Issue {
  const critical = i.origin === 'claimed' && i.grants
  const whose = i.owner
    ? 'the owner’s e-mail address'
    : i.what === 'email'
      ? 'a fixed e-mail address'
      : i.what === 'phone'
        ? 'a fixed telephone number'
        : 'a fixed user id'
  return {
    subject: i.subject,
    discriminator: `identity ${i.what}`,
    severity: critical ? 'Critical' : 'Medium',
    title: critical ? 'Bypass for a fixed identity' : 'Fixed identity decides about access',
    message: critical
      ? `Access is decided by comparing ${whose} (${i.shown}) with a value that the caller supplies or can edit.`
      : `${whose[0]?.toUpperCase()}${whose.slice(1)} (${i.shown}) is written into the code that decides about access.`,
    attack: critical
      ? 'An attacker sends or enters this value and is treated as that person: authentication, authorisation or payment is skipped.'
      : 'The code names the account worth taking over, and nobody can be added or removed without a deployment; when the mailbox changes hands, so does the access.',
    fix: {
      text: critical
        ? 'Take the identity from a verified session only, and the right from a role that the server keeps.'
        : 'Keep the role in the database (or in a claim that only the server sets), and check the role.',
      language: i.subject.startsWith('file') ? 'ts' : 'sql',
      code: i.subject.startsWith('file')
        ? `const { data: { user } } = await supabase.auth.getUser()\nconst isAdmin = user?.app_metadata.role === 'admin'`
        : `(auth.jwt() -> 'app_metadata' ->> 'role') = 'admin'`,
    },
    at: { path: i.path, line: i.line },
    related: i.uses
      .filter((u) => u.path !== i.path || u.line !== i.line)
      .slice(0, 30)
      .map((u) => ({ path: u.path, line: u.line, subject: u.subject ?? `file ${u.path}`, what: 'compared here' })),
    proof: 'inferred',
    aliases: ['CWE-547', ...(critical ? ['CWE-290'] : [])],
  }
}

function defaultIssue(d: DefaultSecret): Issue {
  return {
    subject: `file ${d.path}`,
    discriminator: `default ${d.name}`,
    severity: 'High',
    title: 'Default for a secret',
    message: `When \`${d.name}\` is not set, a word from the source code takes its place.`,
    attack: 'On any deployment where the variable is missing, whoever has read the source signs tokens or calls the endpoint with the default.',
    fix: {
      text: 'Refuse to start without the variable.',
      language: 'ts',
      code: `const secret = process.env.${d.name}\nif (!secret) throw new Error('${d.name} is not set')`,
      rewrite: { path: d.path, line: d.line, apply: requireVariable(d.name) },
    },
    at: { path: d.path, line: d.line },
    proof: 'inferred',
    aliases: ['CWE-1188', 'CWE-798'],
  }
}

const USES: Readonly<Record<FixedKey['use'], readonly [string, string]>> = {
  tokens: ['signs and checks tokens', 'signs a token for any account, administrators included'],
  sessions: ['signs sessions', 'signs a session cookie for any account'],
  signatures: ['makes signatures', 'signs what the application believes'],
  encryption: ['encrypts', 'reads what is encrypted with it'],
  password: ['is the password', 'signs in with it'],
  code: ['is the code that is taken for a proof of who somebody is', 'sends it and passes for anybody'],
}

/** A code of every deployment proves nothing; one of each occasion does. */
const CODE_FIX: Fix = {
  text: 'Make up a code for each occasion, keep its hash with an end, send the code to the person, compare, count the attempts and delete it.',
  language: 'ts',
  code: "const code = crypto.randomInt(100_000, 1_000_000).toString()\nawait admin.from('codes').insert({ user_id: user.id, hash: sha256(code), expires_at: new Date(Date.now() + 10 * 60_000).toISOString() })",
}

function fixedKeyIssue(k: FixedKey, shown: boolean): Issue {
  const [does, can] = USES[k.use]
  const elsewhere = k.at.path !== k.path || k.at.line !== k.line
  return {
    subject: `file ${k.path}`,
    discriminator: `fixed key ${k.use}`,
    severity: shown ? 'Critical' : 'High',
    title: 'A text of the source code is the key',
    message: `The text that stands here ${does}${elsewhere ? ` (${k.at.path}:${k.at.line})` : ''}: every deployment uses the same, and it is in the repository${shown ? ' and in the bundle of every visitor' : ''}.`,
    attack: `Whoever has read the source, or guesses the word, ${can}.`,
    fix:
      k.use === 'code'
        ? CODE_FIX
        : {
            text: 'Read it from the environment, refuse to start without it, and take a new random value.',
            language: 'ts',
            code: "const secret = process.env.APP_SECRET // openssl rand -base64 32\nif (!secret) throw new Error('APP_SECRET is not set')",
          },
    at: { path: k.path, line: k.line },
    related: elsewhere ? [{ ...k.at, what: 'used here' }] : [],
    proof: 'inferred',
    aliases: ['CWE-321', 'CWE-798'],
  }
}

function switchIssue(s: Switch, onPage: boolean): Issue {
  return {
    subject: `file ${s.path}`,
    discriminator: `switch ${s.name}`,
    severity: onPage ? 'Medium' : s.how === 'request' ? 'Critical' : s.development ? 'Medium' : 'High',
    title: `Switch that skips ${s.skips}`,
    ...(onPage ? pageSwitchWords(s) : switchWords(s)),
    fix: {
      text: 'Remove the switch. For local work sign in with a seeded test account; for tests replace the module in the test runner.',
      ...(s.how === 'constant' && /^\w+$/.test(s.name)
        ? { language: 'ts', rewrite: { path: s.path, line: s.line, apply: swap(new RegExp(`\\b(const ${s.name}(?:: boolean)? = )true\\b`), '$1false') } }
        : {}),
    },
    at: { path: s.path, line: s.line },
    proof: 'inferred',
    aliases: ['CWE-489'],
  }
}

/** In the browser nothing is let in that the server refuses: what a page leaves out, everybody can leave out of a page. */
const pageSwitchWords = (s: Switch): Pick<Issue, 'message' | 'attack'> => ({
  message: `The page takes another way when its address has the parameter \`${s.name}\`, which sounds like one past ${s.skips}.`,
  attack: 'Whoever knows the parameter sees what the page shows there; the data behind it is as safe as row level security and the server keep it.',
})

function switchWords(s: Switch): Pick<Issue, 'message' | 'attack'> {
  const off = s.skips === 'payment' ? 'Payment' : 'Authentication'
  if (s.how === 'request')
    return { message: `The request parameter \`${s.name}\` turns ${s.skips} off.`, attack: 'Anyone adds the parameter to a request and is let in.' }
  if (s.development)
    return {
      message: `${off} is skipped in every process that runs for development, unless \`${s.name}\` is set to '${s.unless}'.`,
      attack:
        'Whoever finds a preview, a shared workspace or a server that was started with the development command is let in, with whatever database it uses.',
    }
  if (s.unless !== undefined)
    return {
      message: `${off} is skipped unless \`${s.name}\` is set to '${s.unless}': also wherever nobody ever set it.`,
      attack: `A deployment that does not know the variable opens everything behind ${s.skips}.`,
    }
  return {
    message:
      s.how === 'constant'
        ? `The constant \`${s.name}\` is on and turns ${s.skips} off.`
        : `The variable \`${s.name}\` turns ${s.skips} off wherever it is set.`,
    attack: `One wrong value in a deployment, or one pull request that sets it, opens everything behind ${s.skips}.`,
  }
}

function accountIssue(a: SqlAccount): Issue {
  const password = a.what === 'password'
  return {
    subject: `file ${a.path}`,
    discriminator: `sql ${a.what}`,
    severity: password ? 'High' : 'Medium',
    title: password ? 'Account with a fixed password' : 'Fixed person gets power',
    message: password
      ? 'The SQL gives an account a password that is written here, in every database it runs on.'
      : 'The SQL gives a role to a fixed person, in every database it runs on.',
    attack: password
      ? 'Whoever has read the repository signs in with this account until its password is changed.'
      : 'The grant comes back with every new database, and fails or reaches a stranger where the id or address means somebody else.',
    fix: password
      ? { text: 'Take the account and its password out of the migration, give it another password, and make accounts through the sign-up or an invitation.' }
      : {
          text: 'Take the grant out of the migration and give the role once, by hand or by a script that reads the address from the environment.',
          language: 'sql',
          code: `-- run once, not in a migration\nupdate public.profiles set role = 'admin' where email = :'admin_email';`,
        },
    at: { path: a.path, line: a.line },
    related: a.related.slice(0, 20).map((p) => ({ ...p, subject: `file ${p.path}`, what: 'another fixed value' })),
    proof: 'inferred',
    aliases: ['CWE-798'],
  }
}

function fixedUserIssue({ name, path, line }: FixedUser): Issue {
  return {
    subject: `file ${path}`,
    discriminator: `fixed user ${name}`,
    severity: 'Medium',
    title: 'The id of one user in code',
    message: `\`${name}\` is the id of one row, and the code acts for that user whoever calls.`,
    attack:
      'What anybody does here is written down as that one user’s: the account of a try-out takes what belongs to somebody else, and nobody else can have the own.',
    fix: {
      text: 'Take the id from the verified session.',
      language: 'ts',
      code: 'const { data: { user } } = await supabase.auth.getUser()\nif (!user) return new Response(null, { status: 401 })',
    },
    at: { path, line },
    proof: 'inferred',
    aliases: ['CWE-547'],
  }
}

function mailIssue(m: OwnerMail): Issue {
  return {
    subject: `file ${m.path}`,
    discriminator: 'owner mail',
    severity: 'Medium',
    title: 'The owner’s e-mail address in code',
    message: `A person’s own address (${m.shown}) is a fixed recipient or administrator here.`,
    attack:
      'The code publishes the address that runs the application: a target for phishing, and a mailbox that goes on receiving users’ data when responsibilities change.',
    fix: { text: 'Read the address from the environment.', language: 'ts', code: 'const to = process.env.NOTIFICATION_EMAIL' },
    at: { path: m.path, line: m.line },
    related: m.uses.slice(0, 20).map((u) => ({ ...u, what: 'again here' })),
    proof: 'inferred',
    aliases: ['CWE-547'],
  }
}

function debugIssue(d: DebugLog): Issue {
  return {
    subject: `file ${d.path}`,
    discriminator: `debug ${d.library}`,
    severity: 'Medium',
    title: 'Sessions are written to the log',
    message: `\`debug: true\` of ${d.library} stands here whatever the environment: it logs sessions, tokens and what the providers answer.`,
    attack: 'Whoever reads the log of the deployment, or of a service that collects it, finds sessions and tokens of users in it.',
    fix: {
      text: 'Switch it on in development alone.',
      language: 'ts',
      code: "debug: process.env.NODE_ENV === 'development',",
      rewrite: { path: d.path, line: d.line, apply: swap(/\bdebug:\s{0,3}true\b/, "debug: process.env.NODE_ENV === 'development'") },
    },
    at: { path: d.path, line: d.line },
    proof: 'inferred',
    aliases: ['CWE-489', 'CWE-532'],
  }
}

function payerIssue(p: FixedPayer): Issue {
  return {
    subject: `file ${p.path}`,
    discriminator: 'fixed payer',
    severity: 'Medium',
    title: 'Every payment is made out to one address',
    message: `The address ${p.shown} stands here as the one who pays, in every payment of every customer.`,
    attack: 'Receipts and disputes of real customers go to an address of a try-out, and the processor takes them all for one person.',
    fix: { text: 'Pass the address of the customer who pays.', language: 'ts', code: 'payer: { email: user.email },' },
    at: { path: p.path, line: p.line },
    proof: 'inferred',
    aliases: ['CWE-547'],
  }
}

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
    `${files} text files searched for secrets`,
    `${markers} TODO or FIXME comment${markers === 1 ? '' : 's'}, ${code.markers.length} file${code.markers.length === 1 ? '' : 's'} with one beside authentication, permission or payment code`,
  ]
}
