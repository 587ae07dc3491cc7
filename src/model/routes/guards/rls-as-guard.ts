import type { AccessMatrix, AccessObject, Command } from '../../../database/database.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Behaviour, Condition, Effect, Step, Value } from '../../behaviour/types.ts'
import type { SchemaModel } from '../../schema/schema-model.ts'
import type { Guard } from './guard-model.ts'

/**
 * The guard that row level security is for a step: it comes only after a row that the caller's own client found, which nobody sees without a
 * session. What the same client does next says nothing of itself by that; the database decides there once more.
 */
export function guardByPolicies({ effect, under }: Step, behaviour: Behaviour, schema: Policed, access: AccessMatrix): Guard | undefined {
  if ('client' in effect && effect.client.rights !== 'service') return undefined
  for (const condition of under) {
    const found = rowBehind(condition, behaviour)
    if (found && isKeptFromVisitors(found, schema, access))
      return { who: 'user', at: condition.at, trust: 'verified', how: `a row of ${found.table} that the caller's client found`, refusal: {} }
  }
  return undefined
}

type Policed = Pick<SchemaModel, 'tables' | 'policies'>
type Query = Extract<Effect, { kind: 'db' }>

function rowBehind({ test, negated }: Condition, behaviour: Behaviour): Query | undefined {
  const index = stepFound(test, !negated, behaviour, 0)
  const effect = index === undefined ? undefined : behaviour.steps[index]?.effect
  return effect?.kind === 'db' && effect.client.rights === 'caller' && effect.client.library === 'supabase' ? effect : undefined
}

/** The query that gave a row where `test` is `truthy`. */
function stepFound(test: Value, truthy: boolean, behaviour: Behaviour, depth: number): number | undefined {
  if (depth > 8) return undefined
  const next = (x: Value | undefined, t: boolean) => x && stepFound(x, t, behaviour, depth + 1)
  switch (test.v) {
    case 'row':
      // an empty list is there as well
      return truthy && (!test.many || test.field !== undefined) ? test.step : undefined
    case 'error':
      return truthy ? undefined : failedWithout(test.of, behaviour)
    case 'any': {
      const ways = test.of.filter((x) => !(x.v === 'const' && Boolean(x.value) !== truthy)).map((x) => next(x, truthy))
      return ways.length && ways.every((w) => w === ways[0]) ? ways[0] : undefined
    }
    case 'call':
      return truthy && /^(?:get|has)$/.test(test.name) ? keptIn(test.args[0]) : undefined
    case 'op': {
      const [a, b] = test.of
      if (test.op === '!') return next(a, !truthy)
      if (test.op === '&&' || test.op === '||')
        return (test.op === '&&') === truthy ? test.of.map((x) => next(x, truthy)).find((w) => w !== undefined) : undefined
      const listed = a?.v === 'op' && a.op === 'length' && a.of[0]?.v === 'row' ? a.of[0].step : undefined
      if (test.op === 'length') return truthy && a?.v === 'row' ? a.step : undefined
      if (b?.v !== 'const') return undefined
      if (listed !== undefined) return isSome(test.op, b.value) === truthy ? listed : undefined
      if (b.value === null || b.value === undefined) return /^[!=]==?$/.test(test.op) ? next(a, test.op.startsWith('!') === truthy) : undefined
      return undefined
    }
    default:
      return undefined
  }
}

/** Whether a number of rows compared so is at least one, where that is so or none at all. */
function isSome(op: string, than: unknown): boolean | undefined {
  const compared = `${op.replace(/^([!=]=)=$/, '$1')} ${than}`
  return /^(?:!= 0|> 0|>= 1)$/.test(compared) ? true : /^(?:== 0|< 1|<= 0)$/.test(compared) ? false : undefined
}

/** A query that fails where there is no row: `.single()`, and what the policies do not let anybody add. */
function failedWithout(index: number, { steps }: Behaviour): number | undefined {
  const effect = steps[index]?.effect
  return effect?.kind === 'db' && (effect.failsWithout || effect.op === 'insert') ? index : undefined
}

/** The query whose rows, and nothing else, stand in a map: `new Map(rows.map((r) => [r.id, r]))`. */
function keptIn(map: Value | undefined): number | undefined {
  const lists = map?.v === 'call' && map.name === 'Map' ? map.args.flatMap((x) => (x.v === 'any' ? x.of : [x])) : []
  const rows = lists.flatMap((x) => (x.v === 'array' ? x.items.map((entry) => (entry.v === 'array' ? entry.items[1] : undefined)) : [undefined]))
  const [first] = rows
  return first?.v === 'row' && rows.every((x) => x?.v === 'row' && x.step === first.step) ? first.step : undefined
}

const COMMAND_BY_OPERATION: Readonly<Record<Query['op'], Command>> = {
  select: 'select',
  insert: 'insert',
  update: 'update',
  delete: 'delete',
  upsert: 'insert',
}

/** Whether it was tried without a session and refused, for whatever is called so, and no policy lets visitors at rows in some state (`status = 'active'`). */
function isKeptFromVisitors({ table, op }: Query, schema: Policed, access: AccessMatrix): boolean {
  const name = lastPart(table)
  const tables = schema.tables.filter((t) => t.name === name)
  if (!tables.length || tables.some((t) => t.stub || t.outlined)) return false
  const command = COMMAND_BY_OPERATION[op]
  const open = schema.policies.some(
    (p) => p.table === name && p.permissive && (p.command === command || p.command === 'all') && p.roles.some(isVisitors) && !asksWhoCalls(p.using ?? p.check),
  )
  if (open) return false
  return (objectsByName(access).get(name) ?? []).every(({ kind, rls, cells }) => {
    const tried = cells.filter((c) => c.role === 'anon' && c.command === command)
    return kind === 'table' && rls === true && tried.length > 0 && tried.every((c) => c.result === 'refused')
  })
}

const isVisitors = (role: string): boolean => role === 'anon' || role === 'public'

/** Whether each side of what a policy says asks for the session, or leaves it to a function, which was tried. */
const asksWhoCalls = (says: string | undefined): boolean =>
  says === undefined || says === 'false' || says.split(/\bOR\b/i).every((side) => CALLER_CONDITION_SQL.test(side))
const CALLER_CONDITION_SQL = /\bauth\.|\bcurrent_setting\b|\b(?!lower|upper|coalesce|date_)[a-z_]\w{2,62}\([^()]{0,200}\b\w+\b/i

const objectsByName = rememberFor(
  ({ objects }: AccessMatrix): ReadonlyMap<string, readonly AccessObject[]> =>
    Map.groupBy(
      objects.filter((o) => o.kind === 'table' || o.kind === 'view'),
      (o) => lastPart(o.object),
    ),
)
