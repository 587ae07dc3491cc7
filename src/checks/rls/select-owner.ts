import { WHO_TAKES_PART } from '../../database/access/fixes/enable-rls.ts'
import { namesOwner } from '../../database/access/owners/caller-id-column.ts'
import { asReadableBy } from '../../database/access/policies/readable-columns.ts'
import { bearerColumns } from '../../database/access/row-audience/bearer-code.ts'
import { isWhere } from '../../database/access/row-audience/for-sale.ts'
import { tellsEachRow } from '../../database/access/row-audience/identifying-group.ts'
import { isContactOfBusiness, isMeantToBeSeen, moneyColumns } from '../../database/access/row-audience/public-content.ts'
import { isPublication } from '../../database/access/row-audience/published-state.ts'
import type { Hole, Table } from '../../database/database.ts'
import { lastPart } from '../../lib/last-part.ts'
import { rememberFor } from '../../lib/memo/memoize-by-object.ts'
import type { Place } from '../../lib/place.ts'
import { plural } from '../../lib/plural.ts'
import { withCapital } from '../../lib/with-capital.ts'
import type { AppModel } from '../../model/app-model.ts'
import type { Behaviour, Effect } from '../../model/behaviour/types.ts'
import { defineCheck, failed, type Issue, notApplicable, type Outcome, passed } from '../define-check.ts'
import { isSeen, isToldByWrites, readingIssue } from './issues/security-definer-function.ts'
import {
  alsoFailedBy,
  assumption,
  everybody,
  exposedTables,
  fixOf,
  isDeclaredPublic,
  letsStaffIn,
  listed,
  openTables,
  policySubject,
  qualifiedName,
  STAFF_ONLY,
  tableOfHole,
  undecidedPolicies,
  unseenTables,
  whoGetsIn,
  why,
  withoutSchema,
} from './messages/rls.ts'
import { withStoppedCode } from './remediation/code-broken-by-fix.ts'
import { viewFix } from './remediation/view-fix.ts'
import { oneForEachFix } from './shared/merge-by-fix.ts'
import { oneForEachHelper } from './shared/merge-by-helper.ts'
import { isPartOfShown } from './shared/part-of-public-parent.ts'
import { listedInState } from './shared/publicly-listed-state.ts'
import { isOwnerOnlyGuessed } from './shared/unconfirmed-owner.ts'

type Model = Pick<AppModel, 'schema' | 'access' | 'declared' | 'routes' | 'modules' | 'gaps'>

export default defineCheck({
  number: 2,
  id: 'rls/select-owner',
  category: 'RLS',
  rule: "Every table holding user data has at least one SELECT policy: a row is visible only when the current authenticated user id equals the row's user_id column.",
  needs: ['schema', 'access', 'declared', 'routes', 'modules', 'gaps'],
  doubtedBy: ['table', 'rls', 'policy', 'function', 'view'],
  commands: ['select'],
  run(model): Outcome {
    const { schema } = model
    const missing = withoutSchema(schema, 'who may read which rows')
    if (missing) return missing
    if (!schema.exposedToBrowsers) return notApplicable(schema.exposedBecause || 'no data platform that browsers can reach directly is used')
    const open = new Set(openTables(model).map(qualifiedName))
    const holes = model.access.holes ?? []
    const found = holes.flatMap((hole) => {
      const issue = isToldByWrites(hole, holes) ? undefined : issueOf(model, hole)
      return issue ? [{ hole, issue }] : []
    })
    const issues = oneForEachHelper(oneForEachFix(found), 2, holes, model.schema)
    const judged = exposedTables(model).filter((t) => t.userData && t.rls.enabled)
    const evidence = [
      `${plural(judged.length, 'table')} with user data and row level security looked at${judged.length ? `: ${listed(judged.map((t) => t.name))}` : ''}`,
    ]
    const reportedBy = [
      ...exposedTables(model)
        .filter((t) => t.userData && open.has(qualifiedName(t)))
        .map((t) => [1, `table ${qualifiedName(t)}`] as const),
      ...holes.filter((h) => isToldByWrites(h, holes) && issueOf(model, h)).map((h) => [4, `function ${h.object}`] as const),
    ]
    if (issues.length || reportedBy.length) return failed(issues, evidence, reportedBy)
    const unseen = unseenTables(schema)
    if (!judged.length) return unseen ?? notApplicable('no table holds user data')
    const undecided = undecidedPolicies(model, ['select'], evidence)
    if (undecided) return undecided
    return passed(...evidence)
  },
})

function issueOf(model: Model, hole: Hole): Issue | undefined {
  if (hole.object.startsWith('storage.')) return undefined
  if (hole.kind === 'policy' && hole.command === 'select') return policyIssue(model, hole)
  if (hole.kind === 'view') return viewIssue(model, hole)
  if (hole.kind === 'function-read') return readingIssue(model, hole)
  if (hole.kind === 'locked') return hole.because === 'recursion' ? recursionIssue(hole) : lockedIssue(model, hole)
  return undefined
}

/** What is to be done about a policy, by what the code of its fix does. */
function repairOf(hole: Hole, hasCodes: boolean, hasOwners: boolean): string {
  const code = hole.fix?.code
  if (hasCodes) return 'Drop the policy: whether a code is good is asked of the server, which is told the code and looks it up with the service role.'
  if (letsStaffIn(hole)) return STAFF_ONLY
  if (code && /: th(?:is policy lets|ese policies let) in whom/.test(code)) return 'Drop the policy: another one lets in those whom the rows are for.'
  if (code?.includes('(participants)')) return 'Replace the policy by one that lets in those who take part in the conversation.'
  if (code?.endsWith(WHO_TAKES_PART))
    return 'Drop the policy. A row says who wrote it, and nothing says who takes part in the conversation: keep that in a table of its own, a row for each who does, which a policy then asks. Until then let the server read it.'
  if (hasOwners)
    return code && /\n-- reading then goes through the server/.test(code) && !code.includes('create policy')
      ? 'Drop the policy, and let the server, which asks whose a row is, read such rows with the service role.'
      : 'Replace the policy by one that compares the caller with the owner of the row.'
  return code !== undefined && !/\bcreate policy\b|\bstays\b/.test(code)
    ? 'Drop the policy: nothing in such a row says whose it is. Where users are to see rows of their own, a column has to say so first, which a policy compares with the caller.'
    : 'Replace the policy by one that ties the row to the caller.'
}

function policyIssue(model: Model, hole: Hole): Issue | undefined {
  const whole = tableOfHole(model.schema, hole.object)
  if (!whole?.userData || isDeclaredPublic(model.declared, hole.object) || isOwnerOnlyGuessed(model, whole)) return undefined
  const table = asReadableBy(whole, hole.who)
  if (isPartOfShown(model, table, hole)) return undefined
  const personal = table.userData?.personalColumns ?? []
  const listing = table.userData?.personalColumns.length ? undefined : listedInState(model, hole)
  const codes = bearerColumns(table)
  // of what can be read, what says most about whom it belongs to
  const kept = [...personal, ...moneyColumns(table).filter((c) => !personal.includes(c)), ...codes.filter((c) => !personal.includes(c))]
  const seen = listing !== undefined || (kept.length === personal.length && isMeantToBeSeen(table, namesOf(model, hole), model.schema.tables))
  const owners = namesOwner(table, model.schema)
  // rows that are open because nobody owns them tell of nobody
  const named = owners.filter((c) => !hole.states?.some((s) => s.column === c && s.op === 'is null'))
  const approved = (hole.states ?? []).some(isPublication)
  const columns = table.partly ? 'every column that the API roles may select' : 'every column of every row'
  const repair = repairOf(hole, codes.length > 0, owners.length > 0)
  const view = approved && personal.length ? ` What strangers are to see of such rows belongs into a view of its own, without ${listed(personal)}.` : ''
  return {
    subject: policySubject(hole.object, hole.policy ?? ''),
    severity: seen ? 'High' : 'Critical',
    title: `${withCapital(everybody(hole.who))} can read ${table.name}`,
    message: `The policy "${hole.policy}" shows rows of ${hole.object} to people who do not own them: ${why(hole)}. ${ownership(table, owners)}${seen ? ` ${meant(listing, personal)}` : ''}`,
    attack: seen
      ? `${withCapital(whoGetsIn(model.schema, hole.who))} can copy all of ${table.name}${hole.states?.length ? ' in that state' : ''}, ${columns}${named.length ? `, with ${listed(named)} to tell whose it is` : ''}: what a column holds that no page shows is out as well.`
      : `${withCapital(whoGetsIn(model.schema, hole.who))} can read every user's rows in ${table.name}${hole.states?.length ? ' in that state' : ''}${kept.length ? `, with ${listed(kept)}` : ''}${codes.length ? `, and use what is meant for others` : ''}.`,
    fix: withStoppedCode(
      model,
      hole,
      fixOf(
        hole,
        seen ? `${repair} When ${everybody(hole.who)} is meant to read them, put the table under public.tables in .github/prelaunch.yml.` : `${repair}${view}`,
      ),
    ),
    at: hole.at,
    proof: hole.proof,
    aliases: [...(hole.cause === 'user-metadata' ? ['splinter:0015'] : []), 'CWE-639'],
    ...assumption(table),
    ...alsoFailedBy(model, hole, 2),
  }
}

/** The names of all policies that open the table to the same people: what one of them says is said of the rows. */
function namesOf(model: Model, hole: Hole): string {
  const alike = model.access.holes?.filter(
    (h) => h.kind === 'policy' && h.command === 'select' && h.object === hole.object && h.cause === hole.cause && (h.who === hole.who || h.who === 'anon'),
  )
  return [hole.policy, ...(alike ?? []).map((h) => h.policy)].join(' ')
}

/** Why a table that everybody can read is not Critical, and what to do when that is right. */
function meant(listing: Place | undefined, personal: readonly string[]): string {
  const because = listing
    ? `The application lists such rows itself (${listing.path}:${listing.line})`
    : 'By the names, such rows are written for others to read'
  const where = personal.filter(isWhere)
  const harmless = where.length ? `${listed(where)} ${where.length > 1 ? 'say' : 'says'} where the thing stands` : 'no column that can be read is personal'
  return `${because} and ${harmless}, so this may be meant: then say so under public.tables in .github/prelaunch.yml.`
}

function ownership(table: Table, owners: readonly string[]): string {
  return owners.length
    ? `A row belongs to the user in ${listed(owners)}.`
    : table.userData?.because
      ? `These rows are user data: ${table.userData.because}.`
      : ''
}

/** A view that is made to be shown, by its name. */
const PUBLIC_VIEW_NAME = /[._]public(_|$)/i

/** A view of totals that users are shown of each other. */
const AGGREGATE_VIEW_NAME = /leader_?board|ranking|rating|review|top_|score/i

/** What is left for those who are to read the view, its author has to say. */
const withoutColumns = (hole: Hole, tables: readonly string[], shown: readonly string[], who: string): string =>
  `Make the view again without ${listed(shown)}, as long as somebody else than their owners may read it, or take ${who} the privilege (revoke select on ${hole.object} from ${hole.who === 'anon' ? 'anon, authenticated' : 'authenticated'}). With security_invoker alone the view refuses ${who} altogether, because the privilege on ${listed(tables)} is revoked.`

function viewIssue(model: Model, hole: Hole): Issue | undefined {
  if (isDeclaredPublic(model.declared, hole.object)) return undefined
  const tables = (hole.tables ?? []).map((t) => t.table)
  const personal = new Set(tables.flatMap((t) => tableOfHole(model.schema, t)?.userData?.personalColumns ?? []))
  const overTheDoor = (c: string) => PUBLIC_VIEW_NAME.test(hole.object) && tables.every((t) => isContactOfBusiness({ name: lastPart(t) }, c))
  const shown = (hole.columns ?? []).filter(
    (c) =>
      hole.because === 'withheld' || (personal.has(c) && !overTheDoor(c)) || (tables.includes('auth.users') && c !== 'id') || (c === '*' && personal.size > 0),
  )
  const oneByOne =
    hole.because === 'grouped' &&
    tables.some((t) => tellsEachRow(hole.columns ?? [], tableOfHole(model.schema, t)) || (hole.columns ?? []).some((c) => namesPerson(model.schema, t, c)))
  const meant = tables.every((t) => {
    const table = tableOfHole(model.schema, t)
    return table !== undefined && (isSeen(table) || PUBLIC_VIEW_NAME.test(hole.object))
  })
  const compared = hole.because === 'grouped' && (!oneByOne || AGGREGATE_VIEW_NAME.test(hole.object))
  const harmless = shown.length === 0 && (meant || compared)
  const materialized = hole.because === 'materialized'
  const who = hole.who === 'anon' ? 'visitors' : 'signed-in users'
  return {
    subject: `view ${hole.object}`,
    severity: harmless ? 'High' : 'Critical',
    title: `The view ${hole.object} shows everybody's rows`,
    message: materialized
      ? `The materialized view ${hole.object} holds a copy of ${listed(tables)}, and row level security does not apply to materialized views.`
      : hole.because === 'withheld'
        ? `The view ${hole.object} runs with the rights of its owner and shows columns that ${who} may not select of ${listed(tables)}: ${listed(hole.columns ?? [])}.`
        : `The view ${hole.object} runs with the rights of its owner, so row level security of ${listed(tables)} does not apply to who reads it.`,
    attack:
      oneByOne && !shown.length
        ? `${withCapital(whoGetsIn(model.schema, hole.who))} can read through the view what it adds up for each user, one by one.`
        : hole.because === 'grouped' && !shown.length
          ? `${withCapital(whoGetsIn(model.schema, hole.who))} can read through the view what it adds up from everybody's rows, group by group; single rows do not appear.`
          : `${withCapital(whoGetsIn(model.schema, hole.who))} can read every user's rows through the view${shown.length ? `, with ${listed(shown)}` : ''}.`,
    fix: hole.because === 'withheld' ? { text: withoutColumns(hole, tables, shown, who) } : viewFix(model, hole, tables),
    at: hole.at,
    related: tables.flatMap((t) => {
      const table = tableOfHole(model.schema, t)
      return table ? [{ ...table.at, subject: `table ${t}`, what: 'the table whose rows are shown' }] : []
    }),
    proof: hole.proof,
    aliases: [...(materialized ? ['splinter:0016'] : ['splinter:0010']), ...(tables.includes('auth.users') ? ['splinter:0002'] : []), 'CWE-639'],
  }
}

function recursionIssue(hole: Hole): Issue {
  const others = (hole.tables ?? []).map((t) => t.table)
  return {
    subject: policySubject(hole.object, hole.policy ?? ''),
    discriminator: 'recursion',
    severity: 'Medium',
    title: `Nobody can read ${hole.object}: its policy asks ${hole.object} itself`,
    message: `The policy "${hole.policy}" has a query on ${hole.object} in it, to which the same policy applies: PostgreSQL refuses every query with "infinite recursion detected in policy"${others.length ? `, also on ${listed(others)}, whose policies ask ${hole.object}` : ''}. Their owners read nothing either.`,
    attack: 'Nothing leaks; but the usual hurried repair is to switch row level security off or a policy that is always true, and those would.',
    fix: fixOf(hole, 'Ask a SECURITY DEFINER function instead, which reads the row past row level security and gives back only what the policy compares.'),
    at: hole.at,
    proof: hole.proof,
  }
}

function lockedIssue(model: Model, hole: Hole): Issue | undefined {
  const table = tableOfHole(model.schema, hole.object)
  if (!table || isDeclaredPublic(model.declared, hole.object) || hole.because || isClosed(table)) return undefined
  const readers = readersOf(model, table)
  if (readers === 'server alone') return undefined
  const lost = model.gaps.filter((g) => g.touches.some((t) => t.topic === 'policy' && t.object === hole.object))
  // whoever wrote one that cannot be parsed takes it for there
  const refused = lost.find((g) => /cannot parse/.test(g.because))
  // one that could not be tried here, for want of what it stands on, may let the owner in
  if (lost.some((g) => !/cannot parse/.test(g.because))) return undefined
  return {
    subject: `table ${hole.object}`,
    severity: 'Medium',
    title: `Nobody can read ${table.name}`,
    message: `${hole.object} holds user data and has row level security, but no policy lets its owner read a row: ${readers === 'users' ? 'the queries in your code come back empty' : 'for browsers the table is empty'}.${refused ? ` The one at ${refused.path}:${refused.line ?? 1} is not there: ${refused.because}.` : ''}`,
    attack: 'Nothing leaks; but the usual hurried repair is a policy that is always true, and that one would.',
    fix: fixOf(hole, 'Add a policy that shows each user the own rows, or read the table on the server alone.'),
    at: hole.at,
    proof: hole.proof,
    aliases: ['splinter:0008'],
  }
}

/** The table of an effect; Prisma's client calls tables by their models. */
function calledTable(effect: { readonly table: string; readonly client: { readonly library?: string } }, schema: Model['schema']): string {
  return (effect.client.library === 'prisma' && schema.accessors?.get(effect.table.toLowerCase())) || effect.table
}

/** The queries of a behaviour, one for each table and client. */
const askedBy = rememberFor(({ steps }: Behaviour): readonly Extract<Effect, { kind: 'db' }>[] => {
  const queries = new Map<string, Extract<Effect, { kind: 'db' }>>()
  for (const { effect: e } of steps) if (e.kind === 'db') queries.set(`${e.table} ${e.client.library} ${e.client.rights}`, e)
  return [...queries.values()]
})

/** Who queries a table: code with a user's rights, code past row level security alone, or nothing that is seen. */
function readersOf(model: Model, table: Table): 'users' | 'server alone' | 'nobody' {
  const names = [table.name, qualifiedName(table)]
  const queries = (model.schema.queries ?? []).filter((q) => names.includes(q.table))
  // who only sends rows in has nothing to read
  const asked = queries.filter((q) => !q.addsOnly)
  if (asked.some((q) => model.modules.inBrowser(q.path, q.line))) return 'users'
  const effects = model.routes.routes
    .flatMap((r) => (r.behaviour ? askedBy(r.behaviour) : []))
    .flatMap((e) => (names.includes(calledTable(e, model.schema)) ? [e.client.rights] : []))
  if (effects.some((rights) => rights === 'caller' || rights === 'anon')) return 'users'
  if (effects.includes('service')) return 'server alone'
  const elsewhere = asked.filter((q) => !q.onServer && !/(?:^|\/)(?:supabase\/functions|scripts?)\//.test(q.path))
  if (asked.length) return elsewhere.length ? 'users' : 'server alone'
  return isReadInSql(model.schema, table) ? 'server alone' : 'nobody'
}

/** The privilege to read it was taken from browsers as well: it is meant for the server. */
const isClosed = (table: Table): boolean =>
  !table.grants.some((g) => g.privilege === 'select' && (g.role === 'authenticated' || g.role === 'anon' || g.role.toLowerCase() === 'public'))

/** A function or view with rights of its own looks rows up in it, so it is in use although no browser sees it. */
function isReadInSql({ functions, views }: Model['schema'], table: Table): boolean {
  const plain = (text: string) => text.replace(/\W/g, '.')
  const name = `(?:"?${plain(table.schema)}"?\\.)?"?${plain(table.name)}"?(?!\\w)`
  // what is counted up where it stands already is read as well
  const reads = new RegExp(`\\b(?:from|join|update)\\s+(?:only\\s+)?${name}|\\binsert\\s+into\\s+${name}[^;]{1,2000}\\b(?:do\\s+update|returning)\\b`, 'i')
  return (
    functions.some((f) => f.securityDefiner && !f.stub && reads.test(f.body)) || views.some((v) => !v.securityInvoker && v.reads.includes(qualifiedName(table)))
  )
}

/** Whether a column says which user a row is about: his id, or that of the one row that he has somewhere else. */
function namesPerson(schema: Model['schema'], name: string, column: string): boolean {
  const table = tableOfHole(schema, name)
  if (!table) return false
  const perUser = (t: typeof table) => {
    const owners = t.userData?.ownerColumns ?? []
    return owners.some((o) => t.primaryKey.join() === o || t.uniques.some((u) => !u.partial && u.columns.join() === o))
  }
  if (table.userData?.ownerColumns.includes(column) || (table.primaryKey.join() === column && perUser(table))) return true
  return table.foreignKeys.some((f) => {
    const parent = f.columns.join() === column ? tableOfHole(schema, f.references) : undefined
    return parent !== undefined && perUser(parent)
  })
}
