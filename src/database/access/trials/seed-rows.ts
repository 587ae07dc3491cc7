import type { Catalog, Table } from '../../database.ts'
import { grantsPower } from '../column-authority/privilege-columns.ts'
import type { JudgeWorld, RowState } from '../expression/disjunct.ts'
import { isRoleGate } from '../expression/role-gates.ts'
import { nameOf, type Reading } from '../policies/read-policies.ts'
import { SeedGuard } from '../seed-guard.ts'
import { ident, identOf, literal } from '../sql.ts'
import { type AccessSession, SqlFailure } from './access-session.ts'
import { madeUpValue, rowUuid, type SeededRow, USERS, type User } from './seed-values.ts'

/** What was put into the database: one row of each user in each table. Values are SQL literals. */
export interface Seeded {
  readonly rows: ReadonlyMap<string, Readonly<Partial<Record<User, SeededRow>>>>
  /** Tables in which no row could be made, and why. */
  readonly failures: ReadonlyMap<string, string>
  readonly granting: ReadonlySet<string>
  readonly gates: readonly RowState[]
  /** Tables in which a row alone makes its user an administrator: neither A nor B stands there. */
  readonly powerTables: ReadonlySet<string>
}

/** A CHECK constraint that was in the way of a made-up row. */
export interface DroppedConstraint {
  readonly table: string
  readonly name: string
  readonly definition: string
}

const MAX_TABLES = 250

/** Whose row is newer must not hang on whether the clock moved between the two: B's are. */
const NEXT_TICK = 'do $$ declare since timestamptz := clock_timestamp(); begin while clock_timestamp() <= since loop end loop; end $$'

/** Inserts rows for users A and B everywhere, constraints and triggers out of the way, then puts them back. */
export async function seed(session: AccessSession, catalog: Catalog, readings: ReadonlyMap<string, readonly Reading[]>, world: JudgeWorld): Promise<Seeded> {
  const asked = [...readings.values()].flat().flatMap((r) => r.ways.flatMap((w) => w.gates))
  // what tells some users from others stays unmet; the rest (an active membership) every user meets
  const gates = asked.filter((g) => !isRoleGate(g, world))
  const granting = new Set<string>(['admin', 'owner', 'superadmin', 'super_admin', 'moderator', 'staff', 'pro', 'premium', 'enterprise'])
  for (const gate of asked)
    if (gate.value !== undefined && (isRoleGate(gate, world) || grantsPower(gate.column) || /type|level/i.test(gate.column))) granting.add(String(gate.value))
  // where a condition on a row says who is somebody, a row of another table that is asked for beside it says nothing of the kind
  const saysWho = (g: RowState) => isRoleGate(g, world) || granting.has(String(g.value))
  const alone = [...readings.values()].flat().flatMap((r) => r.ways.filter((w) => w.outcome === 'role' && !w.fixed && !w.gates.some(saysWho)))
  // of several that are joined, that of the users is none: everybody has a row there, and sees it
  const isOfUsers = (name: string) =>
    readings.get(name)?.some((r) => r.command === 'select' && r.ways.some((w) => w.outcome === 'owner' && !w.needsRole)) ?? false
  const powerTables = new Set(alone.flatMap(({ tables }) => (tables.length > 1 ? tables.filter((t) => !isOfUsers(t)) : tables)))
  const rows = new Map<string, Partial<Record<User, SeededRow>>>()
  const failures = new Map<string, string>()
  const dropped: DroppedConstraint[] = []
  await session.exec('set session_replication_role = replica')
  const guard = await SeedGuard.begin(session, 'seed rows')
  try {
    const tables = parentsFirst(catalog.tables)
      .slice(0, MAX_TABLES)
      .filter((t) => t.kind !== 'foreign' && t.kind !== 'partition')
    for (const user of ['A', 'B'] as const) {
      await seedAccount(session, user)
      for (const table of tables) {
        const name = nameOf(table)
        if (session.remainingMs() < 1500) {
          failures.set(name, 'no time left')
          continue
        }
        const values = rowValues(table, user, catalog, rows, { granting, gates, powerTables })
        const answer = await guard.around(table, () => insertRow(session, table, values, dropped))
        if (typeof answer === 'string') failures.set(name, answer)
        const made = typeof answer === 'string' ? {} : { [user]: { ctid: answer.ctid, values: { ...values, ...answer.stored } } }
        rows.set(name, { ...rows.get(name), ...made })
      }
      await session.exec(NEXT_TICK)
    }
    // a table that takes one row only: that row is everybody's
    for (const table of tables) {
      const made = rows.get(nameOf(table))
      if (made?.A && !made.B && !table.userData?.ownerColumns.length) rows.set(nameOf(table), { A: made.A, B: made.A })
    }
    await guard.end()
    for (const [name, because] of await guard.vanished(rows)) {
      rows.delete(name)
      failures.set(name, because)
    }
  } finally {
    await putBack(session, dropped)
    await session.exec('set session_replication_role = origin')
  }
  return { rows, failures, granting, gates, powerTables }
}

/** An account, as the platform's sign-up leaves it. */
export async function seedAccount(session: AccessSession, user: User): Promise<void> {
  const { id, email } = USERS[user]
  await session.exec(
    `insert into auth.users (id, aud, role, email, raw_app_meta_data, raw_user_meta_data, created_at, email_confirmed_at) values (${literal(id)}, 'authenticated', 'authenticated', ${literal(email)}, '{"provider": "email"}', '{}', now(), now()) on conflict (id) do nothing`,
  )
}

/** Values of one user's row: references lead to the same user's rows, the rest is made up or left to defaults. */
export function rowValues(
  table: Table,
  user: User,
  catalog: Catalog,
  rows: ReadonlyMap<string, Partial<Record<User, SeededRow>>>,
  { granting, gates, powerTables }: Pick<Seeded, 'granting' | 'gates' | 'powerTables'>,
  salt = 0,
): Record<string, string> {
  const values: Record<string, string> = {}
  const name = nameOf(table)
  const owners = new Set(table.userData?.ownerColumns ?? [])
  const id = literal(powerTables.has(name) ? rowUuid(`stranger.${name}`, user) : USERS[user].id)
  for (const column of table.columns) {
    if (column.generated || column.identity === 'always') continue
    const key = table.foreignKeys.find((f) => f.columns.includes(column.name))
    if (key && !owners.has(column.name) && !column.notNull && isAskedToBeEmpty(table, column.name, catalog)) continue
    if (key) {
      const referenced = key.referencedColumns[key.columns.indexOf(column.name)] ?? 'id'
      const parent =
        key.references === 'auth.users'
          ? referenced === 'id'
            ? id
            : undefined
          : key.references === name
            ? undefined
            : rows.get(key.references)?.[user]?.values[referenced]
      if (parent !== undefined && !(powerTables.has(name) && owners.has(column.name))) {
        values[column.name] = parent
        continue
      }
      if (key.references === name && !column.notNull) continue
    }
    if (owners.has(column.name) && /uuid|text|char/.test(column.type)) {
      values[column.name] = id
      continue
    }
    // a tenant that no key names is the same one in every table
    if (table.userData?.tenantColumns.includes(column.name) && column.type === 'uuid' && !key) {
      values[column.name] = literal(rowUuid(`tenant.${column.name}`, user === 'C' ? 'B' : user))
      continue
    }
    const gate = gates.find((g) => g.table === name && g.column === column.name && !grantsPower(g.column) && !/type|level/i.test(g.column))
    if (gate && gate.op === '=' && gate.value !== undefined) {
      values[column.name] = literal(String(gate.value))
      continue
    }
    const isKey = table.primaryKey.includes(column.name) || table.uniques.some((u) => u.columns.includes(column.name))
    if (column.default !== undefined && !isKey) continue
    if (column.identity && !isKey) continue
    if (!column.notNull && !isKey && !/e?mail/i.test(column.name)) continue
    const made = madeUpValue(column, table, user, catalog, granting, salt)
    if (made !== undefined) values[column.name] = made
  }
  return values
}

/** Whether a policy asks that a row does not name anybody there yet: who looked at it, who checked it at the door. */
const isAskedToBeEmpty = (table: Table, column: string, { policies }: Catalog): boolean =>
  policies.some((p) => p.schema === table.schema && p.table === table.name && [p.using, p.check].some((text) => text?.includes(`(${column} IS NULL)`)))

export async function insertRow(
  session: AccessSession,
  table: Table,
  values: Readonly<Record<string, string>>,
  dropped: DroppedConstraint[],
): Promise<{ readonly ctid: string; readonly stored: Readonly<Record<string, string>> } | string> {
  const name = nameOf(table)
  // a time is another one whenever it is asked for: later statements find the row by what was stored
  const times = Object.keys(values).filter((c) => values[c]?.includes('now()'))
  const returned = ['ctid::text as ctid', ...times.map((c, i) => `${ident(c)}::text as time_${i}`)].join(', ')
  for (let attempt = 0; attempt < 8; attempt++) {
    try {
      const { rows } = await session.exec(insertSql(name, values, `returning ${returned}`))
      return { ctid: String(rows[0]?.['ctid']), stored: Object.fromEntries(times.map((c, i) => [c, literal(String(rows[0]?.[`time_${i}`]))])) }
    } catch (error) {
      if (!(error instanceof SqlFailure)) throw error
      const constraint = error.code === '23514' ? /check constraint "(.+)"$/.exec(error.message)?.[1] : undefined
      if (!constraint) return `${error.code} ${error.message}`.slice(0, 160)
      const { rows } = await session.query(
        'select pg_get_constraintdef(oid) as d from pg_catalog.pg_constraint where conrelid = $1::regclass and conname = $2',
        [identOf(name), constraint],
      )
      const definition = rows[0]?.['d']
      if (typeof definition !== 'string') return error.message.slice(0, 160)
      await session.exec(`alter table ${identOf(name)} drop constraint ${ident(constraint)}`)
      dropped.push({ table: name, name: constraint, definition })
    }
  }
  return 'too many constraints'
}

/** Constraints in force again, for new rows. */
export async function putBack(session: AccessSession, dropped: readonly DroppedConstraint[]): Promise<void> {
  for (const d of dropped)
    await session.exec(`alter table ${identOf(d.table)} add constraint ${ident(d.name)} ${d.definition} not valid`).catch(() => undefined)
}

/** INSERT of literals; `overriding` lets identity columns be given. */
export function insertSql(table: string, values: Readonly<Record<string, string>>, tail = ''): string {
  const columns = Object.keys(values)
  if (!columns.length) return `insert into ${identOf(table)} default values ${tail}`
  return `insert into ${identOf(table)} (${columns.map(ident).join(', ')}) values (${columns.map((c) => values[c]).join(', ')}) ${tail}`
}

/** Tables in an order in which every reference leads backwards, where that is possible. */
export function parentsFirst(tables: readonly Table[]): Table[] {
  const byName = new Map(tables.map((t) => [nameOf(t), t]))
  const done = new Set<string>()
  const ordered: Table[] = []
  const visit = (table: Table, path: ReadonlySet<string>) => {
    const name = nameOf(table)
    if (done.has(name) || path.has(name)) return
    for (const key of table.foreignKeys) {
      const parent = byName.get(key.references)
      if (parent) visit(parent, new Set([...path, name]))
    }
    if (done.has(name)) return
    done.add(name)
    ordered.push(table)
  }
  for (const table of tables) visit(table, new Set())
  return ordered
}
