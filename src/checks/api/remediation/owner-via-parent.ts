import { tablesCalled } from '../../../database/called-table.ts'
import type { Table } from '../../../database/database.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { snakeCase } from '../../../lib/snake-case.ts'
import type { Route } from '../../../model/routes/routes.ts'
import type { Fix } from '../../define-check.ts'
import { isOfSeveral } from '../messages/object-level.ts'
import type { OwnershipBreach } from '../shared/violation.ts'
import type { Known } from './fix-context.ts'
import { refusal } from './refusal-response.ts'

/** No column of a row says whose it is, and the row that it belongs to does, or the one that that belongs to: that one is compared with the caller. */
export function byParent(b: OwnershipBreach, fix: Fix, known: Known, route: Route): Fix {
  if (!b.table || !isOfSeveral(fix)) return fix
  const found = ownersRow(b.table, known)
  if (!found) return fix
  const caller = b.callerAs ?? 'user.id'
  const key = /`(?:[\w.]{1,60}\.)?(\w{1,60})`/.exec(b.by ?? '')?.[1]
  const { steps, owner } = found
  const last = steps.at(-1) as Step
  const where =
    steps.length === 1
      ? `${last.to.name}.${owner} of the row that its ${last.column} names does`
      : `${last.to.name}.${owner} does, at the end of ${steps.map((s) => `${s.from.name}.${s.column}`).join(' and ')}`
  const text = `No column of ${b.table} says whose a row is, but ${where}. Where rows are for their owner alone, compare that with the caller and answer 404 where it is another; where others work with them as well, ask for what makes them one of those.`
  const code = key === undefined ? undefined : lookUp(b, found, key, caller)
  const { code: _, language: __, ...rest } = fix
  return { ...rest, text, ...(code === undefined ? {} : { language: 'ts', code: `${code}\nif (!own) ${refusal(route, 404)}` }) }
}

/** What the request names is the row itself, or the one that it belongs to: from there the question goes on to the row that names its owner. */
function lookUp({ library, column }: OwnershipBreach, { steps, owner }: OwnersRow, key: string, caller: string): string | undefined {
  const [first] = steps
  // a list of ids is compared otherwise
  if (!first || column === undefined) return undefined
  const atParent = snakeCase(key) === snakeCase(first.column)
  if (!atParent && column !== 'id') return undefined
  const way = atParent ? steps.slice(1) : steps
  const start = atParent ? first.to : first.from
  if (library === 'prisma')
    return way.length
      ? undefined
      : `const own = await prisma.${start.name[0]?.toLowerCase()}${start.name.slice(1)}.findFirst({ where: { id: ${key}, ${owner}: ${caller} }, select: { id: true } })`
  // two keys between the same tables, and the API asks which is meant
  if (library !== 'supabase' || way.some(({ from, to }) => keysTo(from, to).length > 1 || keysTo(to, from).length)) return undefined
  const embedded = way.reduceRight((inner, { to }) => `${to.name}!inner(${inner})`, owner)
  const path = [...way.map(({ to }) => to.name), owner].join('.')
  const columns = way.length ? `id, ${embedded}` : 'id'
  return `const { data: own } = await supabase.from('${start.name}').select('${columns}').eq('id', ${key}).eq('${path}', ${caller}).maybeSingle()`
}

/** A foreign key that leads from a row to the one that it belongs to. */
interface Step {
  readonly from: Table
  readonly column: string
  readonly to: Table
}

interface OwnersRow {
  readonly steps: readonly Step[]
  readonly owner: string
}

const keysTo = (from: Table, to: Table) => from.foreignKeys.filter((f) => f.references === `${to.schema}.${to.name}`)

/** A lesson belongs to a module, that to a product, and the product says whose it is. */
const FARTHEST = 4

/** The row that a row belongs to, directly or through others, where a column of that says whose it is. */
function ownersRow(name: string, { schema }: Known): OwnersRow | undefined {
  let ways: readonly (readonly Step[])[] = tablesCalled(lastPart(name), schema.tables).flatMap((table) => stepsFrom(table, schema.tables).map((s) => [s]))
  for (let far = 1; far <= FARTHEST && ways.length; far++) {
    const found = ways.flatMap((steps) => {
      const { to } = steps.at(-1) as Step
      const owner = to.userData?.ownerColumns.find((c) => !to.primaryKey.includes(c))
      return owner === undefined ? [] : [{ steps, owner }]
    })
    // what belongs to two parties is each one's
    if (found.length) return found.length === 1 ? found[0] : undefined
    ways = ways.flatMap((steps) => {
      const seen = new Set(steps.map((s) => s.from))
      return stepsFrom((steps.at(-1) as Step).to, schema.tables).flatMap((s) => (seen.has(s.to) ? [] : [[...steps, s]]))
    })
  }
  return undefined
}

const stepsFrom = (from: Table, tables: readonly Table[]): readonly Step[] =>
  from.foreignKeys.flatMap((f) => {
    const to = tables.find((t) => t.name === lastPart(f.references) && t !== from)
    const [column] = f.columns
    return to && column && f.columns.length === 1 && f.referencedColumns[0] === 'id' ? [{ from, column, to }] : []
  })
