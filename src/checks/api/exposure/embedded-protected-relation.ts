import type { AccessMatrix, Table } from '../../../database/database.ts'
import { says, snakeCase } from '../../../lib/snake-case.ts'
import { requestName } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Query, Step } from '../../../model/behaviour/types.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { unprotectedUse } from '../binding/check-after-load.ts'
import type { Ties } from '../binding/ownership-binding.ts'
import { aboutQuery, directly, isRequestControlled, type OwnershipBreach } from '../shared/violation.ts'
import { reachesResponse } from './row-flow-to-response.ts'

/** What a row is kept back for: what it holds, where it lies, and how somebody is reached; names, pictures and the order of a list are on its cover. */
const PROTECTED_CONTENT_COLUMN =
  /^(?:content|body|text|message|notes?|transcript|answers?|correct_answer|solution|e_?mail|phone|address|\*)$|(?:^|_)(?:content|video|file|audio|document|download|media)_(?:url|path|link|key|text)$/

/**
 * `products(…, modules(…, lessons(content_url)))`: everybody may see the product that the request names, and what comes along are rows that their own
 * policies keep for those who have bought it. Read with the service role, whoever is signed in gets them.
 */
export function keptAlong(
  step: Step,
  index: number,
  e: Query,
  behaviour: Behaviour,
  ties: Ties,
  schema: Pick<SchemaModel, 'tables'>,
  access: AccessMatrix,
): OwnershipBreach[] {
  if (e.op !== 'select' || e.client.rights !== 'service' || e.client.library !== 'supabase' || e.countOnly) return []
  const along = (e.columns ?? [])
    .flatMap(relationsOf)
    .find((r) => r.columns.some((c) => says(PROTECTED_CONTENT_COLUMN, c)) && isKeptFromOthers(r.name, schema, access))
  const chosen = along && e.filters.find((f) => f.op === 'eq' && directly(f.value) && isRequestControlled(f.value, behaviour))
  if (
    !along ||
    !chosen ||
    ties.byFilter(e) ||
    ties.byCondition(step) ||
    !reachesResponse(index, behaviour) ||
    unprotectedUse(index, behaviour, ties) === 'none'
  )
    return []
  const by = requestName(chosen.value) ?? 'a value of the request'
  const what = `loads ${along.name} along with ${e.table} by ${chosen.column} = ${by}`
  return [{ kind: 'row', severity: 'Critical', ...aboutQuery(step, e, behaviour), by, brings: along.name, byPolicy: true, what }]
}

interface Relation {
  readonly name: string
  readonly columns: readonly string[]
}

/** The relations of a selection, each with the columns that are taken of it: `modules(id, lessons(id, content_url))`. */
function relationsOf(selection: string): readonly Relation[] {
  if (selection.length > 4000 || !selection.includes('(')) return []
  const found: Relation[] = []
  let last = ''
  const open: { name: string; columns: string[] }[] = []
  for (const part of selection.match(/[^(),]+|[(),]/g) ?? []) {
    const text = part.trim()
    if (text === ')') {
      const done = open.pop()
      if (done?.name) found.push(done)
    } else if (text === '(') open.push({ name: nameOf(open.at(-1)?.columns.pop() ?? last), columns: [] })
    else if (text !== ',' && text) {
      last = text
      open.at(-1)?.columns.push(text)
    }
  }
  return found
}

/** `author:profiles!fk`: the table behind what the query calls it. */
const nameOf = (relation: string): string => /^(?:\w+\s*:\s*)?(\w+)/.exec(relation)?.[1] ?? ''

const plain = (name: string): string => snakeCase(name).replace(/_/g, '').replace(/s$/, '')

function isKeptFromOthers(name: string, { tables }: Pick<SchemaModel, 'tables'>, { objects }: AccessMatrix): boolean {
  const table = tables.find((t): t is Table => t.schema === 'public' && !t.stub && plain(t.name) === plain(name))
  if (!table || table.primaryKey.some((c) => table.userData?.ownerColumns.includes(c))) return false
  const cells = objects.find((o) => o.kind === 'table' && o.object === `${table.schema}.${table.name}`)?.cells ?? []
  const seen = (row: string, result: string) => cells.some((c) => c.role === 'A' && c.command === 'select' && c.row === row && c.result === result)
  return seen('other', 'refused') && seen('own', 'allowed')
}
