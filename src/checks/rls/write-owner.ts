import { isOwnAddress } from '../../database/access/column-authority/membership-columns.ts'
import { decidesAccess } from '../../database/access/column-authority/privilege-columns.ts'
import { isDecidedByOthers } from '../../database/access/fixes/column-privileges.ts'
import { protectedByTrigger } from '../../database/access/functions/column-protecting-trigger.ts'
import type { Hole, Table } from '../../database/database.ts'
import { plural } from '../../lib/plural.ts'
import { withCapital } from '../../lib/with-capital.ts'
import type { AppModel } from '../../model/app-model.ts'
import { defineCheck, failed, type Issue, notApplicable, type Outcome, passed, type Severity } from '../define-check.ts'
import { idleTrigger } from './issues/ineffective-trigger.ts'
import { isRowAtSignUp } from './issues/privilege-granting-function.ts'
import { boughtIssues, notBought } from './issues/processor-owned-rows.ts'
import { writingIssue } from './issues/security-definer-function.ts'
import {
  aboveWords,
  alsoFailedBy,
  anyone,
  assumption,
  bindTo,
  everybody,
  exposedTables,
  fixOf,
  listed,
  memberWords,
  openTables,
  policiesOf,
  policySubject,
  qualifiedName,
  tableOfHole,
  undecidedPolicies,
  unseenTables,
  whoGetsIn,
  why,
  withoutSchema,
} from './messages/rls.ts'
import { withStoppedCode } from './remediation/code-broken-by-fix.ts'
import { oneForEachFix } from './shared/merge-by-fix.ts'
import { type FoundIn, oneForEachHelper } from './shared/merge-by-helper.ts'
import { charged, dependedOn, WRITTEN_DOWN } from './shared/shared-business-data.ts'

type Model = Pick<AppModel, 'schema' | 'access' | 'declared' | 'payments' | 'gaps' | 'modules' | 'routes'>

export default defineCheck({
  number: 4,
  id: 'rls/write-owner',
  category: 'RLS',
  rule: 'UPDATE and DELETE policies check ownership.',
  needs: ['schema', 'access', 'declared', 'payments', 'gaps', 'modules', 'routes'],
  doubtedBy: ['table', 'rls', 'policy', 'grant', 'function'],
  commands: ['update', 'delete'],
  run(model): Outcome {
    const { schema } = model
    const holes = (model.access.holes ?? []).filter((h) => !h.object.startsWith('storage.'))
    // a function says by itself whose rows it changes, also where the dashboard holds the tables
    const missing = holes.length ? undefined : withoutSchema(schema, 'who may change or delete rows')
    if (missing) return missing
    if (!schema.exposedToBrowsers) return notApplicable(schema.exposedBecause || 'no data platform that browsers can reach directly is used')
    const bought = boughtIssues(model, 'update')
    const found = byPolicy(notBought(holes, bought)).map((group) => {
      const issue = issueOf(model, group)
      const hole = group[0] as Hole
      return { hole, issue: { ...issue, fix: withStoppedCode(model, hole, issue.fix) } }
    })
    const issues = [...oneForEachHelper(oneForEachFix(oneForEachPrivilege(found)), 4, holes, model.schema), ...bought]
    const judged = exposedTables(model).filter((t) => t.rls.enabled)
    const policies = judged.flatMap((t) => policiesOf(schema, t)).filter((p) => p.command !== 'select' && p.command !== 'insert')
    const functions = schema.functions.filter((f) => f.securityDefiner && !f.isTrigger && !f.stub && f.executableBy.some((r) => r !== 'service_role'))
    const evidence = [
      `${plural(policies.length, 'policy', 'policies')} for UPDATE or DELETE on ${plural(judged.length, 'table')} with row level security and ${plural(functions.length, 'SECURITY DEFINER function')} that browsers may call looked at`,
    ]
    // where row level security is off, the policies that the rule speaks of have no effect: check 1 reports the table
    const inert = openTables(model).filter((t) => !judged.length || policiesOf(schema, t).some((p) => p.command !== 'select' && p.command !== 'insert'))
    const reportedBy = inert.map((t) => [1, `table ${qualifiedName(t)}`] as const)
    if (issues.length || reportedBy.length) return failed(issues, evidence, reportedBy)
    const unseen = unseenTables(schema)
    if (!judged.length && unseen) return unseen
    const undecided = undecidedPolicies(model, ['update', 'delete'], evidence)
    if (undecided) return undecided
    return passed(...evidence)
  },
})

/** Policies of one table beside each other that leave the same columns free are one finding: one column privilege, which no policy has, closes all. */
function oneForEachPrivilege(found: readonly FoundIn[]): FoundIn[] {
  const privilegeOf = ({ hole }: FoundIn) =>
    hole.kind === 'escalation' && hole.because !== 'held' && hole.fix ? `${hole.object} ${hole.because ?? ''} ${hole.fix.code}` : undefined
  const groups = Map.groupBy(found, (f) => privilegeOf(f) ?? f)
  return [...groups.values()].map((group) => {
    const [first, ...others] = group as [FoundIn, ...FoundIn[]]
    if (!others.length) return first
    const related = others.map(({ issue }) => ({ ...issue.at, subject: issue.subject, what: 'a policy that leaves the same free' }))
    return { ...first, issue: { ...first.issue, related: [...(first.issue.related ?? []), ...related] } }
  })
}

/** One policy is one finding, whether it opens UPDATE, DELETE or both; an escalation on an open policy is part of it. */
function byPolicy(holes: readonly Hole[]): Hole[][] {
  const groups = new Map<string, Hole[]>()
  for (const hole of holes) {
    const relevant =
      (hole.kind === 'function-write' && !isRowAtSignUp(hole)) ||
      (['policy', 'escalation', 'member', 'rewrite', 'owner-change'].includes(hole.kind) && (hole.command === 'update' || hole.command === 'delete'))
    if (!relevant) continue
    const key = hole.kind === 'function-write' ? hole.object : `${hole.object} ${hole.policy}`
    groups.set(key, [...(groups.get(key) ?? []), hole])
  }
  const rank = { policy: 0, escalation: 1, member: 2, rewrite: 3, 'owner-change': 4 } as Record<string, number>
  return [...groups.values()].map((group) => group.sort((a, b) => (rank[a.kind] ?? 0) - (rank[b.kind] ?? 0)))
}

function issueOf(model: Model, holes: readonly Hole[]): Issue {
  const [hole] = holes as [Hole]
  if (hole.kind === 'function-write') return writingIssue(model, hole)
  const table = tableOfHole(model.schema, hole.object)
  const name = table?.name ?? hole.object
  const base = {
    subject: policySubject(hole.object, hole.policy ?? ''),
    at: hole.at,
    proof: holes.some((h) => h.proof === 'executed') ? ('executed' as const) : ('inferred' as const),
    ...assumption(table, hole.columns),
    ...alsoFailedBy(model, hole, 4),
  }
  if (hole.kind === 'escalation' && hole.because === 'tenant') {
    const columns = hole.columns ?? []
    return {
      ...base,
      severity: 'Critical',
      title: `Customers can change what they have paid for in ${name}`,
      message: `The policy "${hole.policy}" lets whoever administers a tenant, or belongs to it, change the tenant's row in ${hole.object}, and every column of it: nothing (no column privilege, no trigger) protects ${listed(columns)}. Those who administer a tenant are its customers, and what was paid is the payment processor's to say.`,
      attack: `A customer sends one request with the own session and sets ${columns[0]} as if it had been paid.`,
      fix: fixOf(hole, `Take browsers the privilege to change ${listed(columns)}; the server changes them with the service role.`),
      aliases: ['CWE-915', 'CWE-269'],
    }
  }
  if (hole.kind === 'escalation' && hole.because === 'above') return { ...base, ...aboveWords(hole, name), aliases: ['CWE-269', 'CWE-915'] }
  const belonging = holes.find((h) => h.because === 'belonging')
  if (hole === belonging) {
    const columns = listed(hole.columns ?? [])
    const addressed = hole.columns?.some(isOwnAddress)
    return {
      ...base,
      severity: 'Critical',
      title: addressed
        ? `Users can say in ${name} that somebody else's ${hole.columns?.[0]} is theirs`
        : `Users can move themselves into any ${(hole.columns?.[0] ?? '').replace(/_?(id|uuid|uid)$/i, '') || 'group'} through ${name}`,
      message: `The policy "${hole.policy}" lets users change their own row in ${hole.object}, and every column of it. ${letsIn(hole)}, and nothing (no column privilege, no trigger, no WITH CHECK) keeps ${columns} as it is.`,
      attack: `A signed-in user sends one request with the own session, sets ${columns} to somebody else's (${addressed ? 'which nobody proves there' : 'ids are no secrets: links, invitations and shared rows show them'}), and has what the policies give to ${addressed ? 'whoever has it' : 'those who belong there'}.`,
      fix: fixOf(hole, `Take browsers the privilege to change ${columns}; the server changes it with the service role.`),
      aliases: ['CWE-639', 'CWE-915'],
    }
  }
  if (hole.kind === 'escalation' && hole.because === 'held') {
    const columns = listed(hole.columns ?? [])
    const state = listed((hole.states ?? []).map((s) => `'${s.value}'`))
    return {
      ...base,
      severity: 'High',
      title: `Users decide themselves what becomes of their rows in ${name}`,
      message: `The policy "${hole.policy}" lets users change their own rows in ${hole.object} as long as ${columns} is ${state}, but its WITH CHECK does not say that it stays so, and nothing else (no column privilege, no trigger) does.`,
      attack: `A signed-in user sets ${columns} of the own row to what others are to say, before anybody has looked at it.`,
      fix: fixOf(hole, 'Let WITH CHECK ask the same of the new row.'),
      aliases: ['CWE-915', 'CWE-841'],
    }
  }
  if (hole.kind === 'escalation') {
    const columns = hole.columns ?? []
    const grants = decidesAccess(name, columns)
    const address = hole.because === 'address'
    const moderated = hole.because === 'moderation'
    const invitation = hole.because === 'invitation'
    const asked = address
      ? ': other policies compare it with one fixed address, and whoever has that address in the own row administers'
      : ((hole.because && BY_WHICH[hole.because]) ?? '')
    const moved = holes.find((h) => h.kind === 'owner-change')
    const idle = idleTrigger(model.schema, hole.object, columns[0] ?? '')
    return {
      ...base,
      severity: (grants && !invitation) || address ? 'Critical' : 'High',
      title: `Users can change their own ${listed(columns)}`,
      message: `The policy "${hole.policy}" lets users change ${table?.userData?.ownerColumns.length || invitation ? 'their own row' : 'the rows of what they belong to'} in ${hole.object}, but every column of it: nothing (no column privilege, no trigger) protects ${listed(columns)}${asked}.${idle.told}${hole.because === undefined ? alsoDecided(model, table, columns) : ''}${moved ? ` The owner column may be changed as well.` : ''}${belonging ? ` ${letsIn(belonging)}.` : ''}`,
      attack: `A signed-in user sends one request with the own session and sets ${columns[0]} ${hole.because === 'price' ? 'and what was bought to whatever pleases' : address ? "to the administrator's address, which nobody proves there" : grants ? 'to whatever gives more rights, a paid plan or money' : moderated ? 'to approved: it is shown although nobody looked at it' : hole.because === 'requested' ? 'as if somebody had agreed' : hole.because === 'settled' ? 'as if it had' : 'as wanted'}.`,
      fix: fixOf(
        hole,
        `Take browsers the privilege to change ${listed([...columns, ...(hole.withheld ?? [])])}; the server changes them with the service role.${idle.mend}${moderated ? ' Where moderators do so in the browser, let a trigger refuse it to everybody else instead.' : ''}`,
      ),
      aliases: ['CWE-915', 'CWE-269'],
    }
  }
  if (hole.kind === 'member') {
    const worst = holes.find((h) => h.kind === 'member' && h.command === 'update') ?? hole
    return {
      ...base,
      severity: worst.command === 'update' ? 'Critical' : 'High',
      ...memberWords(worst, name),
      fix: fixOf(worst, 'Leave it to those who administer the tenant.'),
      aliases: ['CWE-269'],
    }
  }
  if (hole.kind === 'rewrite') return { ...base, ...rewriteWords(hole, name), aliases: ['CWE-639', 'CWE-915'] }
  if (hole.kind === 'owner-change' && hole.because === 'either') {
    return {
      ...base,
      severity: 'High',
      title: `Rows of ${name} can be pinned on other users`,
      message: `The policy "${hole.policy}" lets each of the people in ${listed(table?.userData?.ownerColumns ?? [])} change the row, and nothing keeps ${listed(hole.columns ?? [])} as ${(hole.columns ?? []).length === 1 ? 'it is' : 'they are'}.`,
      attack: `A signed-in user who is named in one column puts somebody else into another, as if that user had taken part.`,
      fix: fixOf(hole, `Take browsers the privilege to change ${listed(hole.columns ?? [])}.`),
      aliases: ['CWE-639'],
    }
  }
  if (hole.kind === 'owner-change' && hole.because === 'party') {
    const columns = listed(hole.columns ?? [])
    return {
      ...base,
      severity: 'High',
      title: `Rows of ${name} can be pinned on other users`,
      message: `A new row of ${hole.object} takes nobody but the caller in ${columns}. The policy "${hole.policy}" lets another party of the row change it, and nothing (no column privilege, no trigger, no WITH CHECK) keeps ${columns} as it was.`,
      attack: `A signed-in user whom the policy lets in writes somebody else's id into ${columns}: the row then says that this user entered it.`,
      fix: fixOf(hole, `Take browsers the privilege to change ${columns}.`),
      aliases: ['CWE-639'],
    }
  }
  if (hole.kind === 'owner-change' && hole.because === 'stored') {
    const columns = hole.columns ?? []
    return {
      ...base,
      severity: 'High',
      title: `Rows of ${name} can be pushed to other users`,
      message: `The policy "${hole.policy}" looks the row up in ${hole.object} by its key. While a row is changed that finds it as it was: what the new row says in ${listed(columns)} is not looked at.`,
      attack: `A signed-in user whom the policy lets in puts somebody else into ${listed(columns)}: the row then counts as that user's wherever the owner is asked for.`,
      fix: fixOf(hole, `Take browsers the privilege to change ${listed(columns)}, or compare ${columns.length > 1 ? 'them' : 'it'} in WITH CHECK itself.`),
      aliases: ['CWE-639'],
    }
  }
  if (hole.kind === 'owner-change') {
    const columns = listed(hole.columns ?? [])
    const kept = hole.fix?.code.startsWith('revoke update')
    return {
      ...base,
      severity: 'High',
      title: `Rows of ${name} can be pushed to other users`,
      message: `The policy "${hole.policy}" binds the row before the change, but its WITH CHECK lets ${columns} become somebody else.`,
      attack: kept
        ? `A signed-in user whom the policy lets in writes somebody else's id into ${columns}: the row then looks like that user's.`
        : `A signed-in user gives the own rows to another user's account, where they look like that user's.`,
      fix: fixOf(
        hole,
        kept ? `Take browsers the privilege to change ${columns}; what WITH CHECK asks of the new row stays.` : 'Let WITH CHECK require the same as USING.',
      ),
      aliases: ['CWE-639'],
    }
  }
  const commands = [...new Set(holes.filter((h) => h.kind === 'policy').map((h) => h.command))]
  const anon = holes.some((h) => h.kind === 'policy' && h.who === 'anon')
  const empty = emptyOwner(hole, table)
  if (empty && holes.every((h) => h.kind !== 'policy' || emptyOwner(h, table) === empty)) {
    const verbs = listed(commands.map((c) => (c === 'update' ? 'change' : c)))
    return {
      ...base,
      severity: anon ? 'Critical' : 'High',
      title: `Rows of ${name} that have no owner are open to ${everybody(anon ? 'anon' : hole.who)}`,
      message: `The policy "${hole.policy}" allows ${listed(commands.map((c) => c.toUpperCase()))} on every row of ${hole.object} whose ${empty} is empty, to ${everybody(anon ? 'anon' : hole.who)}: nothing ties such a row to the caller.`,
      attack: `${withCapital(whoGetsIn(model.schema, anon ? 'anon' : hole.who))} can ${verbs} every row of ${name} that has no ${empty} yet${commands.includes('update') ? ', or write an own id into it and keep the row' : ''}.`,
      fix: fixOf(
        hole,
        'Bind the policy to the owner of the row. Who takes over a row that has none proves it to the server (a token of the row, a paid order), which writes the owner with the service role.',
      ),
      aliases: ['CWE-639'],
    }
  }
  const depended = dependedOn(table ?? { name, columns: [] })
  const severity: Severity = table?.userData || depended || (anon && !WRITTEN_DOWN.test(name)) ? 'Critical' : 'High'
  return {
    ...base,
    severity,
    title: `${anyone(anon ? 'anon' : hole.who)} can change ${name}`,
    message: `The policy "${hole.policy}" allows ${listed(commands.map((c) => c.toUpperCase()))} on rows of ${hole.object} that do not belong to the caller: ${why(hole)}.`,
    attack: `${withCapital(whoGetsIn(model.schema, anon ? 'anon' : hole.who))} can ${listed(commands.map((c) => (c === 'update' ? 'change' : c)))} ${table?.userData ? "other users' rows" : depended ? 'the rows that everybody depends on' : 'every row'} in ${name}${charged(table)}.`,
    fix: fixOf(
      hole,
      hole.fix?.code.includes('the service role needs no policy')
        ? 'Drop the policy: by its name it is for the server, which writes with the service role and needs none.'
        : table?.userData?.ownerColumns.length
          ? bindTo(hole)
          : 'Let only administrators or the server change these rows.',
    ),
    aliases: [...(hole.cause === 'always' ? ['splinter:0024'] : []), ...(hole.cause === 'user-metadata' ? ['splinter:0015'] : []), 'CWE-639'],
  }
}

/** What else of the row nobody protects and somebody else than its owner seems to decide. */
function alsoDecided(model: Model, table: Table | undefined, columns: readonly string[]): string {
  if (!table) return ''
  const here = table.grants.filter((g) => g.privilege === 'update' && (g.role === 'authenticated' || g.role.toLowerCase() === 'public'))
  const free = (name: string) =>
    here.some((g) => !g.columns || g.columns.includes(name)) && !protectedByTrigger(model.schema, qualifiedName(table), name, 'update')
  const kept = [...columns, ...table.primaryKey, ...(table.userData?.ownerColumns ?? [])]
  const others = table.columns.filter((c) => !kept.includes(c.name) && !c.generated && isDecidedByOthers(table, c) && free(c.name)).map((c) => c.name)
  return others.length ? ` By ${others.length > 1 ? 'their names' : 'its name'} the same goes for ${listed(others)}.` : ''
}

/** The owner or tenant column that has to be empty for the policy to let everybody in; undefined where it lets them at others' rows as well. */
function emptyOwner(hole: Hole, table: ReturnType<typeof tableOfHole>): string | undefined {
  const owned = [...(table?.userData?.ownerColumns ?? []), ...(table?.userData?.tenantColumns ?? [])]
  return hole.states?.find((s) => s.op === 'is null' && owned.includes(s.column))?.column
}

/** What depends on the columns by which policies let in. */
const letsIn = ({ columns = [], tables = [] }: Hole): string =>
  `By ${listed(columns)} of that row the policies of ${listed(tables.map((t) => t.table))} decide whose rows somebody gets at`

/** One party of a row that rewrites what another one wrote, or what the deal between them is. */
function rewriteWords(hole: Hole, name: string): Pick<Issue, 'severity' | 'title' | 'message' | 'attack' | 'fix'> {
  const columns = listed(hole.columns ?? [])
  const [first = ''] = hole.columns ?? []
  if (hole.because === 'terms' || hole.because === 'paid') {
    const paid = hole.because === 'paid'
    return {
      severity: paid ? 'Critical' : 'High',
      title: paid ? `Buyers can mark rows of ${name} as paid` : `Buyers can change what they owe in ${name}`,
      message: `The policy "${hole.policy}" lets the buyer change the row in ${hole.object}, and nothing (no column privilege, no trigger, no WITH CHECK) keeps ${columns} as ${(hole.columns ?? []).length === 1 ? 'it is' : 'they are'}.`,
      attack: `A buyer sends one request with the own session and sets ${first} ${paid ? 'as if the money had arrived' : 'to next to nothing'}; whoever carries the deal out believes the row.`,
      fix: fixOf(hole, `Keep browsers from changing ${columns}; the server changes them with the service role.`),
    }
  }
  const what = { message: 'messages', review: 'reviews', offer: 'offers' }[hole.because ?? ''] ?? 'rows'
  return {
    severity: 'High',
    title: `Others can rewrite what somebody wrote in ${name}`,
    message: `The policy "${hole.policy}" lets somebody else than ${hole.author} change the row in ${hole.object}, and every column of it: nothing (no column privilege, no trigger, no WITH CHECK) keeps ${columns} as ${hole.author} wrote ${(hole.columns ?? []).length === 1 ? 'it' : 'them'}.`,
    attack: `A signed-in user sends one request with the own session and changes ${first} of ${what} that another user wrote, whose words they still seem to be.`,
    fix: fixOf(hole, `Keep everybody but their author from changing ${columns}.`),
  }
}

/** What a column that its owner may change is for, by why it is told. */
const BY_WHICH: Partial<Record<NonNullable<Hole['because']>, string>> = {
  asked: ', which other policies ask for before they let somebody in',
  approval: ', by which somebody else says that the user was let in',
  price: ', which says what was paid, and nothing that the row says was bought',
  requested: ', by which somebody else grants what the row asks for',
  admission: ', by which whoever sells it says what the ticket is for',
  pay: ', by which those who keep such rows say what they pay the user',
  settled: ', which waits until the money has arrived',
  placement: ', by which a row stands before the others for a time, as somebody else sells or grants it',
  moderation: ', by which others say that what the user sent in may be shown',
  invitation: ', by which somebody else says as what and into what the invited person comes',
}
