import { holdsWithSession } from '../../../database/access/fixes/fix-for-hole.ts'
import { functionOf } from '../../../database/access/functions/security-definer.ts'
import { isExposed } from '../../../database/access/policies/exposed-table.ts'
import { withUserData } from '../../../database/access/row-audience/user-data-by-name.ts'
import type { Hole, Policy, Table } from '../../../database/database.ts'
import type { AppModel } from '../../../model/app-model.ts'
import type { Fix, HowToVerify, Issue, Outcome } from '../../define-check.ts'
import { unverified } from '../../define-check.ts'

type Schema = AppModel['schema']

export const qualifiedName = (object: { readonly schema: string; readonly name: string }): string => `${object.schema}.${object.name}`

export const policySubject = (object: string, policy: string): string => `policy ${object} "${policy}"`

/** Who gets in, in words that need no knowledge of Postgres roles. */
export function whoGetsIn({ keyOnServerAlone }: Pick<Schema, 'keyOnServerAlone'>, who: Hole['who']): string {
  if (who !== 'anon') return 'anyone who signs up for an account'
  return `anyone with the anon key, which is ${keyOnServerAlone ? 'made to be public and no secret' : 'in your web page'},`
}

/** The same people where a sentence counts them all: an account is no secret to have, and yet not everybody has one. */
export function everybody(who: Hole['who']): string {
  return who === 'anon' ? 'everybody' : 'everybody who is signed in'
}

/** Any one of them, at the head of a title. */
export function anyone(who: Hole['who']): string {
  return who === 'anon' ? 'Anyone' : 'Anyone who is signed in'
}

/** Why a policy lets them in, as the end of a sentence about the policy. */
export function why(hole: Hole): string {
  const rows = hole.states?.length ? ` for rows with ${statesText(hole.states)}` : ''
  switch (hole.cause) {
    case 'always':
      return `its condition is always true${rows}`
    case 'signed-in':
      return `it only asks whether somebody is signed in, not who${rows}`
    case 'tautology':
      return 'it compares a value with itself, which is always true'
    case 'not-tied':
      return `its sub-query is not tied to the row${hole.because ? `: it holds for anyone who has any row in ${hole.because}` : ': it holds as soon as any matching row exists'}`
    case 'no-caller':
      return 'it looks at rows that belong to this one and never at who is asking'
    case 'inverted':
      return `the comparison is turned round: it admits ${everybody(hole.who)} except the owner`
    case 'null-slips-through':
      return 'without a session auth.uid() is NULL, and the condition lets NULL through'
    case 'secret-null':
      return 'whoever passes NULL gets past its comparison with a secret'
    case 'user-metadata':
      return `it trusts user_metadata${hole.because ? ` (${hole.because})` : ''}, which every user can edit in the own account`
    case 'captured-name':
      return `\`name\` in its sub-query is the column of ${hole.because}, not the name of the file, so the path is not asked about at all`
    case 'row-state':
      return hole.states?.length ? `it looks only at ${statesText(hole.states)} and never at who is asking` : 'it never compares the row with the caller'
    default:
      return 'nothing in it binds the row to the caller'
  }
}

function statesText(states: NonNullable<Hole['states']>): string {
  const rest = states.length - 5
  return `${states.slice(0, 5).map(stateText).join(' and ')}${rest > 0 ? ` and ${rest} more of its columns` : ''}`
}

function stateText(state: NonNullable<Hole['states']>[number]): string {
  if (state.oneOf) return `${state.column} in (${state.oneOf.slice(0, 4).map(valueText).join(', ')}${state.oneOf.length > 4 ? ', …' : ''})`
  const what = state.counted ? `${state.counted}(${state.column})` : state.column
  return state.value === undefined ? `${what} ${state.op.startsWith('is ') ? state.op : `${state.op} now`}` : `${what} ${state.op} ${valueText(state.value)}`
}

const valueText = (value: string | number | boolean): string => (typeof value === 'string' ? `'${value}'` : `${value}`)

export function listed(names: readonly string[]): string {
  const shown = names.slice(0, 5)
  const rest = names.length - shown.length
  if (rest > 0) return `${shown.join(', ')} and ${rest} more`
  return shown.length < 2 ? (shown[0] ?? '') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}

const FOR_THE_SIGNED_IN =
  'Give the policy to those who are signed in: whoever has no session has no auth.uid() either. If a function says yes to NULL, mend it too: every policy that asks it is open.'

/** The fix of a hole as code when the sandbox did not disprove it. */
export function fixOf(hole: Hole, otherwise: string): Fix {
  const covered = hole.command !== 'select' && hole.fix?.code.endsWith('binds the owner stays') === true && !hole.fix.code.includes('create policy')
  const text = holdsWithSession(hole) && hole.kind === 'policy' ? FOR_THE_SIGNED_IN : covered ? COVERED : otherwise
  if (!hole.fix) return { text }
  const { code, proved, from } = hole.fix
  return { text, language: 'sql', code, ...(proved ? { proved: true as const } : {}), ...(from ? { from } : {}) }
}

const COVERED = 'Drop the policy: another one lets owners in already, and this one lets in everybody beside them.'

/** The commands that each of the three checks of row level security judges. */
export const COMMANDS_BY_CHECK: Readonly<Record<2 | 3 | 4, readonly Hole['command'][]>> = { 2: ['select'], 3: ['insert'], 4: ['update', 'delete'] }

/** The checks of rows that one policy fails beside this one, where the same change closes all, and that change: a policy for everything is told once. */
export function alsoFailedBy(
  model: Pick<AppModel, 'schema' | 'access' | 'declared'>,
  hole: Hole,
  check: 2 | 3 | 4,
): { readonly alsoFails?: number[]; readonly cause?: string } {
  const isRead = tableOfHole(model.schema, hole.object)?.userData !== undefined && !isDeclaredPublic(model.declared, hole.object)
  const isClosedWith = (h: Hole) =>
    h.rootCause === hole.rootCause && ((h.kind === 'policy' && hole.kind === 'policy') || (h.fix !== undefined && h.fix.code === hole.fix?.code))
  const also = ([2, 3, 4] as const).filter(
    (n) =>
      n !== check &&
      (n !== 2 || isRead) &&
      model.access.holes?.some((h) => h.object === hole.object && h.policy === hole.policy && COMMANDS_BY_CHECK[n].includes(h.command) && isClosedWith(h)),
  )
  return { ...(also.length ? { alsoFails: also } : {}), ...(hole.rootCause ? { cause: hole.rootCause } : {}) }
}

/** Table of a hole, whatever its kind. */
export function tableOfHole(schema: Schema, name: string): Table | undefined {
  const table = schema.tables.find((t) => qualifiedName(t) === name)
  return table && withUserData(table)
}

/** Tables that checks 1 to 4 speak of: those that browsers reach. */
export function exposedTables({ schema, access }: Pick<AppModel, 'schema' | 'access'>): readonly Table[] {
  const exposed = new Set(access.exposedSchemas ?? ['public'])
  return schema.tables.filter((t) => isExposed(t, exposed) && !t.extension).map(withUserData)
}

const BOOKKEEPING =
  /^(_prisma_migrations|__drizzle_migrations|drizzle_migrations|schema_migrations|knex_migrations(_lock)?|_migrations|migrations|flyway_schema_history|spatial_ref_sys|pgmigrations|kysely_migration(_lock)?|typeorm_metadata|sequelizemeta)$/i

/** Tables of migration tools. */
export function isBookkeeping(table: Table): boolean {
  return BOOKKEEPING.test(table.name)
}

/** Tables without row level security that check 1 reports, those of the dashboard only where the SQL switches it off; checks 2 to 4 leave them to it. */
export function openTables(model: Pick<AppModel, 'schema' | 'access'>): readonly Table[] {
  return exposedTables(model).filter((t) => !t.rls.enabled && (!(t.stub || t.outlined) || t.rls.at) && !(t.kind === 'partition' && isClosed(t)))
}

/** Whether neither role of browsers holds a privilege on rows. */
export function isClosed(table: Table): boolean {
  return !table.grants.some(
    (g) =>
      (g.role === 'anon' || g.role === 'authenticated' || g.role.toLowerCase() === 'public') && ['select', 'insert', 'update', 'delete'].includes(g.privilege),
  )
}

export const policiesOf = (schema: Schema, table: Table): readonly Policy[] =>
  schema.policies.filter((p) => p.schema === table.schema && p.table === table.name)

const DASHBOARD: HowToVerify = {
  where: 'the Supabase dashboard, Database > Tables (a shield marks row level security) and Authentication > Policies',
  attest: 'that every table has row level security and that its policies bind rows to their owners',
}

/** The answer when the repository shows no schema at all; undefined when it does. */
export function withoutSchema(schema: Schema, what: string): Outcome | undefined {
  if (schema.tables.length) return undefined
  if (!schema.exposedToBrowsers)
    return { status: 'not-applicable', because: schema.exposedBecause || 'no data platform that browsers can reach directly is used' }
  const tables = [...new Set(schema.queriedButNotCreated.map((q) => q.table))]
  const { length } = schema.files
  const because = length
    ? `no table stands at the end of the repository's SQL (${length} file${length === 1 ? '' : 's'}), so nothing shows ${what}`
    : `no SQL in the repository shows ${what}`
  return unverified(`${because}${tables.length ? `; the code queries ${listed(tables)}` : ''}`, DASHBOARD)
}

/** The sentence about tables that code queries and no SQL creates. */
export function unseenTables(schema: Schema): Outcome | undefined {
  const tables = [...new Set(schema.queriedButNotCreated.map((q) => q.table))].sort()
  return tables.length
    ? unverified(`the code queries ${listed(tables)}, which no SQL in the repository creates${exported(schema)}`, {
        ...DASHBOARD,
        attest: `that ${listed(tables)} have row level security and policies that bind rows to their owners`,
      })
    : undefined
}

/** Why an export for reading does not count: half a sentence. */
export function exported(schema: Schema): string {
  const from = [...new Set(schema.tables.flatMap((t) => (t.outlined ? [t.at.path] : [])))].sort()
  return from.length
    ? `; ${listed(from)} ${from.length > 1 ? 'are exports' : 'is an export'} for context, which never shows row level security or policies`
    : ''
}

/** The sentence about policies that rest on functions which the repository does not show. */
export function undecidedPolicies(model: Pick<AppModel, 'schema' | 'access'>, commands: readonly string[], evidence: readonly string[]): Outcome | undefined {
  const open = (model.access.undecided ?? []).filter(
    (u) => commands.includes(u.command) && (u.command !== 'select' || tableOfHole(model.schema, u.object)?.userData),
  )
  if (!open.length) return undefined
  const tables = [...new Set(open.map((u) => u.object))].sort()
  const functions = [...new Set(open.map((u) => `${u.function}()`))].sort()
  return unverified(
    `policies on ${listed(tables)} rest on ${listed(functions)}, which no SQL in the repository defines: whom they let in is not known`,
    {
      where: 'the Supabase dashboard, Database > Functions',
      attest: `that ${listed(functions)} ${functions.length === 1 ? 'lets' : 'let'} nobody at rows of others`,
    },
    evidence,
  )
}

export function isDeclaredPublic(declared: AppModel['declared'], table: string): boolean {
  return declared.public.tables.some((t) => t.name === table || `public.${t.name}` === table)
}

/**
 * What a finding about a policy rests on when no SQL creates the table and no statement enables row level security on it, or when no SQL creates the
 * columns that it is about and a policy or a function asks for them all the same.
 */
export function assumption(table: Table | undefined, columns: readonly string[] = []): { readonly assumes?: string } {
  if (!table) return {}
  const madeUp = table.stub ? [] : columns.filter((name) => table.columns.some((c) => c.name === name && c.stub))
  const assumed = [
    ...(table.rls.assumed
      ? [`that row level security is on for ${qualifiedName(table)}, which no SQL in the repository creates; while it is off, the table is open altogether`]
      : []),
    ...(madeUp.length ? [`that ${qualifiedName(table)} has ${listed(madeUp)}, for which the SQL asks and which no SQL in the repository creates`] : []),
  ]
  return assumed.length ? { assumes: assumed.join('; ') } : {}
}

/** What a plain member of a tenant can do, in words. */
export function memberWords(hole: Hole, table: string): { readonly title: string; readonly message: string; readonly attack: string } {
  const columns = listed(hole.columns ?? [])
  const policy = `The policy "${hole.policy}" asks only whether the caller belongs to the tenant, not as what`
  if (hole.command === 'insert')
    return {
      title: `Any member can appoint administrators through ${table}`,
      message: `${policy}, and leaves ${columns} of the new row free.`,
      attack: `A plain member ${hole.because === 'invitation' ? 'invites' : 'adds'} a second account of the own with ${columns} set to what the owner has, and rules the tenant with it.`,
    }
  if (hole.because === 'membership')
    return {
      title: hole.command === 'delete' ? `Any member can remove the owner through ${table}` : `Any member can raise himself through ${table}`,
      message:
        hole.command === 'delete' ? `${policy}, before it lets rows of ${table} be deleted.` : `${policy}, and every member's ${columns} may be changed.`,
      attack:
        hole.command === 'delete'
          ? 'A plain member throws everybody else out of the tenant, its owner included.'
          : `A plain member sets ${columns} of the own row to what the owner has.`,
    }
  return {
    title: hole.command === 'delete' ? `Any member can delete rows of ${table}` : `Any member can take over rows of ${table}`,
    message:
      hole.command === 'delete'
        ? `${policy}, before it lets the tenant itself be deleted.`
        : `${policy}, and ${columns} may be changed, which says whose the tenant is.`,
    attack:
      hole.command === 'delete'
        ? 'A plain member deletes the tenant with everything in it.'
        : `A plain member writes the own id into ${columns} and owns the tenant.`,
  }
}

/** Lints of the platform's own advisor that a callable SECURITY DEFINER function also meets. */
export function functionLints(schema: Schema, hole: Hole): string[] {
  const fn = functionOf(schema, hole.object)
  return [hole.who === 'anon' ? 'splinter:0028' : 'splinter:0029', ...(fn && !fn.setsSearchPath ? ['splinter:0011'] : [])]
}

/** What is to be said of a later definition of the function that PostgreSQL refuses, so that the one that the finding shows is in force. */
export function refusedLater({ gaps, schema }: Pick<AppModel, 'gaps' | 'schema'>, hole: Hole): string {
  const name = hole.object.split('(')[0] ?? ''
  // of two that differ in what they take, it is not known which was to be replaced
  if (schema.functions.filter((f) => qualifiedName(f) === name).length > 1) return ''
  const refused = gaps.findLast((g) => /^failed: cannot change /.test(g.because) && g.touches.some((t) => t.topic === 'function' && t.object === name))
  if (!refused) return ''
  return ` The later definition at ${refused.path}:${refused.line ?? 1} is not in force: PostgreSQL refuses it (${refused.because.replace(/^failed: /, '')}) unless the function is dropped first.`
}

/** What a tenant's administrator makes of himself or of a second account, in words. */
export function aboveWords(hole: Hole, table: string): Pick<Issue, 'severity' | 'title' | 'message' | 'attack' | 'fix'> {
  const { column, value } = hole.states?.[0] ?? { column: hole.columns?.[0] ?? 'role', value: 'an administrator' }
  const given = `'${value}'`
  const what = hole.command === 'insert' ? 'add rows' : 'change rows'
  return {
    severity: 'Critical',
    title: `A tenant's administrator can make himself ${value} in ${table}`,
    message: `The policy "${hole.policy}" lets those who administer a tenant ${what} in ${hole.object} within it, and leaves ${column} free: ${given}, by which other policies let its holder in at every tenant, is taken like any other value.`,
    attack: `Somebody who administers one tenant (his own, where anybody may found one) ${hole.command === 'insert' ? `adds a second account with ${column} = ${given}` : `sets ${column} of the own row to ${given}`} and reads and changes what belongs to all the others.`,
    fix: fixOf(hole, `Refuse ${given} to everybody but the server, which appoints with the service role.`),
  }
}

/** Whether a fix opens a table to those alone who work with the application. */
export const letsStaffIn = (hole: Hole): boolean => / \(staff\)" on /.test(hole.fix?.code ?? '')
export const STAFF_ONLY =
  'Let in those alone who work with such rows: the condition below is the one by which other policies of yours do so; leave out of it whoever is not to get at these.'

/** Whether a fix leaves rows of rights to those who administer. */
export const givesRightsByFix = ({ fix }: Hole): boolean => / \(administrators( \w+)?\)" on |gives himself rights/.test(fix?.code ?? '')

/** How a policy is to be bound, by what its fix does. */
export function bindTo(hole: Hole): string {
  if (letsStaffIn(hole)) return STAFF_ONLY
  return givesRightsByFix(hole)
    ? 'Such rows give rights: let nobody write his own, but those who administer, or the server.'
    : 'Bind the policy to the owner of the row.'
}
