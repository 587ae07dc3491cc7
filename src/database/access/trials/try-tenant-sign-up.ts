import type { Catalog } from '../../database.ts'
import { functionObject } from '../functions/security-definer.ts'
import type { Hole } from '../hole.ts'
import { type Membership, tenancyOf } from '../owners/tenancy.ts'
import { nameOf, type Reading } from '../policies/read-policies.ts'
import { ident, identOf, literal, readableName } from '../sql.ts'
import type { AccessSession } from './access-session.ts'
import type { Seeded } from './seed-rows.ts'
import { NEWCOMER, otherFields, readersOfSignUp, readerThatWrites, simulateSignUp } from './simulate-sign-up.ts'

/** Below this many milliseconds no more trials begin. */
const RESERVE_MS = 900
/** Fields of the metadata that may name a tenant. */
const TENANT_FIELD =
  /compan|empres|organi[sz]|(?:^|_)orgs?(?:_|$)|tenant|workspace|team|equip|clinic|school|escola|escuela|store|shop|loja|tienda|agenc|firm|business|negocio|group|grupo|household|famil|church|igreja|club|gym|academ|condom|hotel|restaur|franch|branch|filial|unidad|dealer|studio|practice|site|property/i

/** A membership table, and the tenant that B is in. */
interface Entry extends Membership {
  readonly other: string
}

/**
 * Lets a newcomer name the tenant of somebody else at sign-up. What a visitor sends (`raw_user_meta_data`) is his own word: a trigger that puts it into the
 * column by which policies let members in, lets in everybody. What is found of a function that makes administrators in the same way stands beside that.
 */
export async function trySignUpsIntoTenants(
  session: AccessSession,
  catalog: Catalog,
  seeded: Seeded,
  readings: ReadonlyMap<string, readonly Reading[]>,
  appointed: readonly Hole[],
): Promise<readonly Hole[]> {
  const readers = readersOfSignUp(catalog)
  const entries = tenancyOf(catalog, readings).memberships.flatMap((m): Entry[] => {
    const other = tenantOfB(m, seeded)
    return other === undefined ? [] : [{ ...m, other }]
  })
  const fields = [...new Set(readers.flatMap((r) => r.fields))]
  const named = fields.filter((f) => TENANT_FIELD.test(f) || entries.some((e) => e.tenant === f))
  if (!entries.length || !named.length || session.remainingMs() < RESERVE_MS) return appointed
  const entered = (await session.attempt('tenant at sign-up', () => tryEntering(session, entries, fields, named))) ?? []
  const [entry] = entered
  const reader = entry && readerThatWrites(readers, entry.table.name, entry.tenant)
  if (!entry || !reader) return appointed
  const object = functionObject(reader.fn)
  const state = { table: nameOf(entry.table), column: entry.tenant, op: '=' as const, value: entry.other }
  const same = appointed.find((h) => h.because === 'sign-up' && h.object === object)
  if (same) return appointed.map((h) => (h === same ? { ...h, states: [...(h.states ?? []), state] } : h))
  const field = named.find((f) => reader.fields.includes(f)) ?? entry.tenant
  return [
    ...appointed,
    {
      kind: 'function-write',
      object,
      command: 'execute',
      who: 'authenticated',
      cause: 'user-metadata',
      because: 'sign-up',
      columns: [entry.tenant],
      states: [state],
      tables: [{ table: state.table, command: reader.at, grants: true }],
      at: reader.fn.at,
      proof: 'executed',
      fix: {
        code: `-- in ${readableName(`${reader.fn.schema}.${reader.fn.name}`)}(), instead of new.raw_user_meta_data ->> '${field}': what the server alone sets for whom it invites\nnew.raw_app_meta_data ->> '${field}'`,
        proved: false,
      },
    },
  ]
}

/** The tenant in which B is, or that is B's. */
function tenantOfB({ table, tenant }: Membership, { rows }: Seeded): string | undefined {
  const key = table.foreignKeys.find((f) => f.columns.length === 1 && f.columns[0] === tenant)
  const values = [rows.get(nameOf(table))?.B?.values[tenant], key && rows.get(key.references)?.B?.values[key.referencedColumns[0] ?? 'id']]
  // as literals of SQL
  return values.flatMap((v) => /^'([^']+)'/.exec(v ?? '')?.[1] ?? [])[0]
}

/** The memberships that a newcomer gets by naming a tenant, and does not get without. */
async function tryEntering(session: AccessSession, entries: readonly Entry[], fields: readonly string[], named: readonly string[]): Promise<readonly Entry[]> {
  const inspect = entries
    .map(
      (e, i) =>
        `select ${i} as entry from ${identOf(nameOf(e.table))} where ${ident(e.user)}::text = ${literal(NEWCOMER.id)} and ${ident(e.tenant)}::text = ${literal(e.other)}`,
    )
    .join(' union all ')
  const others = [...new Set(entries.map((e) => e.other))]
  for (const rest of otherFields(fields, named)) {
    const usual = await simulateSignUp(session, 'select 1', rest, inspect)
    const before = new Set((usual ?? []).map((r) => Number(r['entry'])))
    for (const other of others) {
      const found = await simulateSignUp(session, 'select 1', { ...rest, ...Object.fromEntries(named.map((f) => [f, other])) }, inspect)
      const entered = (found ?? []).map((r) => Number(r['entry'])).filter((i) => !before.has(i))
      if (entered.length) return entered.flatMap((i) => entries[i] ?? [])
    }
  }
  return []
}
