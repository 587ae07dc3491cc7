import { namesClosedTenant } from '../../database/access/chosen-tenants.ts'
import { isOwnAddress } from '../../database/access/joining-columns.ts'
import { decidesAccess } from '../../database/access/power-columns.ts'
import type { Hole } from '../../database/database.ts'
import type { AppModel } from '../../model/app-model.ts'
import { defineCheck, failed, type Issue, notApplicable, type Outcome, passed, type Severity } from '../define-check.ts'
import { appointmentIssue, isRowAtSignUp } from './appointment-issue.ts'
import { boughtIssues, notBought } from './bought-rows.ts'
import { type FoundIn, oneForEachHelper } from './shared-helper.ts'
import {
  aboveWords,
  anyone,
  assumption,
  everybody,
  exposedTables,
  fixOf,
  functionLints,
  listed,
  memberWords,
  openTables,
  policiesOf,
  policySubject,
  qualifiedName,
  refusedLater,
  tableOf,
  undecidedPolicies,
  unseenTables,
  whoGetsIn,
  why,
  withoutSchema,
} from './words.ts'

type Model = Pick<AppModel, 'schema' | 'access' | 'declared' | 'payments' | 'gaps'>

const DEPENDED_ON =
  /price|plan|product|setting|config|avail|room|inventory|stock|feature|flag|discount|coupon|promo|schedule|slot|service|menu|rule|role|permission|template|prompt|tax|shipping|currenc|limit|quota|banner|announce|calendar|hour|page|content|course|question/i

export default defineCheck({
  number: 4,
  id: 'rls/write-owner',
  category: 'RLS',
  rule: 'UPDATE and DELETE policies check ownership.',
  needs: ['schema', 'access', 'declared', 'payments', 'gaps'],
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
    const found = byPolicy(notBought(holes, bought)).map((group) => ({ hole: group[0] as Hole, issue: issueOf(model, group) }))
    const issues = [...oneForEachHelper(oneForEachPrivilege(found), 4, holes), ...bought]
    const judged = exposedTables(model).filter((t) => t.rls.enabled)
    const policies = judged.flatMap((t) => policiesOf(schema, t)).filter((p) => p.command !== 'select' && p.command !== 'insert')
    const functions = schema.functions.filter((f) => f.securityDefiner && !f.isTrigger && !f.stub && f.executableBy.some((r) => r !== 'service_role'))
    const evidence = [
      `${policies.length} policies that allow UPDATE or DELETE on ${judged.length} tables with row level security and ${functions.length} SECURITY DEFINER functions that browsers may call looked at`,
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
  if (hole.kind === 'function-write') return functionIssue(model, hole)
  const table = tableOf(model.schema, hole.object)
  const name = table?.name ?? hole.object
  const base = {
    subject: policySubject(hole.object, hole.policy ?? ''),
    at: hole.at,
    proof: holes.some((h) => h.proof === 'executed') ? ('executed' as const) : ('inferred' as const),
    ...assumption(table, hole.columns),
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
      : hole.because === 'asked'
        ? ', which other policies ask for before they let somebody in'
        : hole.because === 'approval'
          ? ', by which somebody else says that the user was let in'
          : moderated
            ? ', by which others say that what the user sent in may be shown'
            : hole.because === 'price'
              ? ', which says what was paid, and nothing that the row says was bought'
              : hole.because === 'requested'
                ? ', by which somebody else grants what the row asks for'
                : hole.because === 'pay'
                  ? ', by which those who keep such rows say what they pay the user'
                  : hole.because === 'settled'
                    ? ', which waits until the money has arrived'
                    : hole.because === 'placement'
                      ? ', by which a row stands before the others for a time, as somebody else sells or grants it'
                      : invitation
                        ? ', by which somebody else says as what and into what the invited person comes'
                        : ''
    const moved = holes.find((h) => h.kind === 'owner-change')
    return {
      ...base,
      severity: (grants && !invitation) || address ? 'Critical' : 'High',
      title: `Users can change their own ${listed(columns)}`,
      message: `The policy "${hole.policy}" lets users change ${table?.userData?.ownerColumns.length || invitation ? 'their own row' : 'the rows of what they belong to'} in ${hole.object}, but every column of it: nothing (no column privilege, no trigger) protects ${listed(columns)}${asked}.${moved ? ` The owner column may be changed as well.` : ''}${belonging ? ` ${letsIn(belonging)}.` : ''}`,
      attack: `A signed-in user sends one request with the own session and sets ${columns[0]} ${hole.because === 'price' ? 'and what was bought to whatever pleases' : address ? "to the administrator's address, which nobody proves there" : grants ? 'to whatever gives more rights, a paid plan or money' : moderated ? 'to approved: it is shown although nobody looked at it' : hole.because === 'requested' ? 'as if somebody had agreed' : hole.because === 'settled' ? 'as if it had' : 'as wanted'}.`,
      fix: fixOf(
        hole,
        `Take browsers the privilege to change ${listed([...columns, ...(hole.withheld ?? [])])}; the server changes them with the service role.${moderated ? ' Where moderators do so in the browser, let a trigger refuse it to everybody else instead.' : ''}`,
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
    return {
      ...base,
      severity: 'High',
      title: `Rows of ${name} can be pushed to other users`,
      message: `The policy "${hole.policy}" binds the row before the change, but its WITH CHECK lets ${listed(hole.columns ?? [])} become somebody else.`,
      attack: `A signed-in user gives the own rows to another user's account, where they look like that user's.`,
      fix: fixOf(hole, 'Let WITH CHECK require the same as USING.'),
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
      attack: `${cap(whoGetsIn(anon ? 'anon' : hole.who))} can ${verbs} every row of ${name} that has no ${empty} yet${commands.includes('update') ? ', or write an own id into it and keep the row' : ''}.`,
      fix: fixOf(
        hole,
        'Bind the policy to the owner of the row. Who takes over a row that has none proves it to the server (a token of the row, a paid order), which writes the owner with the service role.',
      ),
      aliases: ['CWE-639'],
    }
  }
  const severity: Severity = anon || (table?.userData?.ownerColumns.length ?? 0) > 0 || table?.userData || DEPENDED_ON.test(name) ? 'Critical' : 'High'
  const also = [2, 3].filter((n) =>
    model.access.holes?.some(
      (h) =>
        h.kind === 'policy' &&
        h.object === hole.object &&
        h.policy === hole.policy &&
        h.command === (n === 2 ? 'select' : 'insert') &&
        (n === 3 || table?.userData),
    ),
  )
  return {
    ...base,
    severity,
    title: `${anyone(anon ? 'anon' : hole.who)} can change ${name}`,
    message: `The policy "${hole.policy}" allows ${listed(commands.map((c) => c.toUpperCase()))} on rows of ${hole.object} that do not belong to the caller: ${why(hole)}.`,
    attack: `${cap(whoGetsIn(anon ? 'anon' : hole.who))} can ${listed(commands.map((c) => (c === 'update' ? 'change' : c)))} ${table?.userData ? "other users' rows" : 'the rows that everybody depends on'} in ${name}.`,
    fix: fixOf(
      hole,
      table?.userData?.ownerColumns.length ? 'Bind the policy to the owner of the row.' : 'Let only administrators or the server change these rows.',
    ),
    aliases: [...(hole.cause === 'always' ? ['splinter:0024'] : []), ...(hole.cause === 'user-metadata' ? ['splinter:0015'] : []), 'CWE-639'],
    ...(also.length ? { alsoFails: also } : {}),
  }
}

/** The owner or tenant column that has to be empty for the policy to let everybody in; undefined where it lets them at others' rows as well. */
function emptyOwner(hole: Hole, table: ReturnType<typeof tableOf>): string | undefined {
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

function functionIssue(model: Model, hole: Hole): Issue {
  if (hole.because === 'sign-up' || hole.because === 'appointment') return appointmentIssue(model, hole)
  if (hole.because === 'admits') return admittingIssue(model, hole)
  const tables = hole.tables ?? []
  const touched = listed([...new Set(tables.map((t) => t.table))])
  const matters = (name: string) => tableOf(model.schema, name)?.userData !== undefined || DEPENDED_ON.test(name) || !name.startsWith('public.')
  const worst = tables.some((t) => !t.mild && (t.grants || (t.command !== 'insert' && matters(t.table))))
  const maintenance = hole.because === 'maintenance'
  const counter =
    hole.because === 'counter' ||
    tables.every((t) => t.mild || (!t.grants && (t.command === 'insert' || /usage|count|view|log|limit|stat|metric|hit|download/i.test(t.table))))
  const self = hole.because === 'self'
  const does = listed([
    ...new Set(tables.map((t) => (t.command === 'insert' ? 'add rows to' : t.command === 'update' ? 'change rows of' : 'delete rows from'))),
  ])
  return {
    subject: `function ${hole.object}`,
    severity: (self ? tables.some((t) => t.grants) : worst && !maintenance && !counter) ? 'Critical' : 'High',
    title: `${hole.object} changes rows for ${hole.who === 'anon' ? 'anyone' : 'anyone who is signed in'}`,
    message: self
      ? `${hole.object} is SECURITY DEFINER and writes ${listed(hole.columns ?? [])} of the caller's own row in ${touched} with a value that the caller passes.`
      : `${hole.object} is SECURITY DEFINER: it runs past row level security, ${hole.who === 'anon' ? 'anon' : 'every signed-in user'} may execute it, and it writes ${touched} without tying the rows to auth.uid()${hole.cause === 'null-slips-through' ? ' (its check lets a caller without a session through, for whom auth.uid() is NULL)' : ''}.${refusedLater(model, hole)}`,
    attack: self
      ? hole.columns?.every(namesClosedTenant)
        ? `A signed-in user calls it through the API with the id of any tenant (ids are no secrets: links, invitations and shared rows show them) and is in it, with what its members may read and do.`
        : 'A signed-in user calls it through the API and grants himself what he likes.'
      : `${cap(whoGetsIn(hole.who))} can call it through the API ${HOW[takesNothing(hole) ? 'job' : counter ? 'counter' : 'chosen']} ${does} ${touched}${takesNothing(hole) ? ': which rows, the function decides by itself' : ''}.`,
    fix: fixOf(
      hole,
      hole.cause === 'null-slips-through' && hole.who === 'anon'
        ? 'Take anon the privilege to execute it, and let its check refuse a caller without a session: if auth.uid() is null or ... then raise exception. REVOKE FROM PUBLIC alone is not enough: anon has a grant of its own.'
        : 'Let only the service role execute it, or compare auth.uid() with the owner before it writes. REVOKE FROM PUBLIC alone is not enough: anon and authenticated have their own grants.',
    ),
    at: hole.at,
    proof: hole.proof,
    aliases: [...functionLints(model.schema, hole), 'CWE-862'],
  }
}

/** A function that says of whoever calls what somebody else was to say. */
function admittingIssue(model: Model, hole: Hole): Issue {
  const table = hole.tables?.[0]?.table ?? ''
  const columns = listed(hole.columns ?? [])
  return {
    subject: `function ${hole.object}`,
    severity: 'Critical',
    title: `${hole.object} lets in whoever calls it`,
    message: `The policies on ${table} take a new row of a user's only while ${columns} waits for somebody who has a role. ${hole.object} is SECURITY DEFINER, every signed-in user may execute it, and it ends the waiting of the caller's own row without asking anything: conditions that only the page looks at bind nobody.`,
    attack: `A signed-in user adds a row of his own to ${table}, calls the function through the API and is let in, with what the application gives to those whom somebody has approved.`,
    fix: fixOf(hole, 'Let only the server execute it, after it has looked at what the page looks at now; or let the function itself look.'),
    at: hole.at,
    proof: hole.proof,
    aliases: [...functionLints(model.schema, hole), 'CWE-269'],
  }
}

/** Somebody who calls a function without arguments decides only when it runs. */
const takesNothing = (hole: Hole): boolean => hole.object.endsWith('()')

const HOW = {
  job: 'at any time, as often as they like, and so',
  counter: 'as often as they like, and so',
  chosen: 'and',
} as const

const cap = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
