import { tablesCalled } from '../../../../database/called-table.ts'
import { lastPart } from '../../../../lib/last-part.ts'
import { snakeCase } from '../../../../lib/snake-case.ts'
import type { Effect, Step, Value } from '../../../behaviour/types.ts'
import type { SchemaModel } from '../../../schema/schema-model.ts'
import type { Guard } from '../guard-model.ts'

/** ORMs that leave a condition out whose value is undefined: what was meant to find nothing finds everything. */
export const DROPS_UNDEFINED: ReadonlySet<string> = new Set(['prisma', 'typeorm'])

type Caller = Extract<Value, { v: 'caller' }>

/**
 * A query for what belongs to whoever calls that is made without asking whether anybody does: where nobody is signed in it looks for the rows of nobody
 * (`session?.user?.id ?? ''`, null) and finds none.
 */
export function ofCallerOrNobody({ effect: e, at }: Step, schema: Pick<SchemaModel, 'tables'>): Guard | undefined {
  if (e.kind !== 'db' || e.op === 'upsert') return undefined
  if (e.op === 'insert') {
    const owner = ownerOfAll(e, schema)
    return owner && { who: 'user', at, trust: 'verified', how: owner.how, ...(owner.at ? { identifiedAt: owner.at } : {}), refusal: { how: 'throw' as const } }
  }
  const caller = e.filters.map((f) => (f.op === 'eq' && !f.sometimes ? boundTo(f.value, e) : undefined)).find((c) => c !== undefined)
  if (!caller) return undefined
  const refusal =
    e.byKey && !e.filters.some((f) => f.value.v === 'any')
      ? { how: 'throw' as const }
      : e.filters.some((f) => saysToken(f.value))
        ? {}
        : { nothing: true as const }
  return { who: 'user', at, trust: 'verified', how: caller.how, ...(caller.at ? { identifiedAt: caller.at } : {}), refusal }
}

/** Whoever it is of several ways, a token whose signature was right says so: each of them is left by an exception where it is wrong. */
const saysToken = (value: Value): boolean =>
  value.v === 'any' && value.of.every((v) => v.v === 'caller' && v.trust === 'verified' && v.how.includes('of a JSON Web Token'))

/** The caller, where the value is nothing but his or a constant that is nobody's. */
function boundTo(value: Value, { client, byKey }: Extract<Effect, { kind: 'db' }>): Caller | undefined {
  const ways = value.v === 'any' ? value.of : [value]
  const caller = ways.find((v) => v.v === 'caller')
  if (caller?.v !== 'caller' || caller.trust !== 'verified' || !PRINCIPAL_ID_FIELD.test(caller.field ?? '')) return undefined
  const drops = DROPS_UNDEFINED.has(client.library)
  // undefined may stand for a condition that is not there at all
  const isNobodys = (v: Value): boolean =>
    v.v === 'const' && (v.value === '' || v.value === null || ((byKey === true || client.library === 'drizzle') && v.value === undefined))
  if (!ways.every((v) => (v.v === 'caller' && v.trust === 'verified') || isNobodys(v))) return undefined
  // where something stands in for who is missing, or the library says so by null, nothing is undefined
  return !drops || byKey || ways.some(isNobodys) || /^Clerk /.test(caller.how) ? caller : undefined
}

/** The caller under whose id every new row is kept, in a column that takes nothing else: the database refuses the row of nobody. */
function ownerOfAll(e: Extract<Effect, { kind: 'db' }>, schema: Pick<SchemaModel, 'tables'>): Caller | undefined {
  const rows = e.payload?.v === 'array' ? e.payload.items : e.payload ? [e.payload] : []
  const tables = tablesCalled(lastPart(e.table), schema.tables)
  if (!rows.length || !tables.length) return undefined
  const owners = rows.map((row) =>
    row.v === 'object' ? Object.entries(row.props).find(([name, value]) => isFilledByCaller(name, value, tables))?.[1] : undefined,
  )
  const [first] = owners
  if (!first || owners.some((o) => !o)) return undefined
  return (first.v === 'any' ? first.of : [first]).find((v): v is Caller => v.v === 'caller')
}

function isFilledByCaller(name: string, value: Value, tables: SchemaModel['tables']): boolean {
  const ways = value.v === 'any' ? value.of : [value]
  const callers = ways.filter((v) => v.v === 'caller')
  if (!callers.length || callers.some((c) => c.trust !== 'verified' || !PRINCIPAL_ID_FIELD.test(c.field ?? ''))) return false
  const others = ways.filter((v) => v.v !== 'caller')
  return tables.every((t) => {
    const column = t.columns.find((c) => snakeCase(c.name) === snakeCase(name))
    if (!column || column.stub || column.default !== undefined || !column.notNull) return false
    return others.every((v) => v.v === 'const' && (v.value === null || v.value === undefined || (v.value === '' && column.type === 'uuid')))
  })
}

/** By which somebody is told from everybody else. */
const PRINCIPAL_ID_FIELD = /(?:^|[._])(?:id|sub|uid|e_?mail)$/i
