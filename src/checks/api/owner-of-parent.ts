import { tablesCalled } from '../../database/called-table.ts'
import type { Table } from '../../database/database.ts'
import { lastPart } from '../../lib/last-part.ts'
import { snakeCase } from '../../lib/snake-case.ts'
import type { Route } from '../../model/routes/routes.ts'
import type { Fix } from '../define-check.ts'
import type { Known } from './known.ts'
import type { OwnershipBreach } from './ownership-breach.ts'
import { refusal } from './refusal.ts'
import { isOfSeveral } from './row-words.ts'

/** No column of a row says whose it is, and the row that it belongs to does: that one is compared with the caller. */
export function byParent(b: OwnershipBreach, fix: Fix, known: Known, route: Route): Fix {
  if (!b.table || !isOfSeveral(fix)) return fix
  const found = ownedParent(b.table, known)
  if (!found) return fix
  const { parent, owner, column } = found
  const caller = b.callerAs ?? 'user.id'
  const key = /`(?:[\w.]{1,60}\.)?(\w{1,60})`/.exec(b.by ?? '')?.[1]
  const text = `No column of ${b.table} says whose a row is, but ${lastPart(parent.name)}.${owner} of the row that its ${column} names does. Where rows are for their owner alone, compare that with the caller and answer 404 where it is another; where others work with them as well, ask for what makes them one of those.`
  // only what the request names the parent by leads to it without a second look-up
  const code = key !== undefined && snakeCase(key) === snakeCase(column) ? lookUp(b, parent, owner, key, caller) : undefined
  const { code: _, language: __, ...rest } = fix
  return { ...rest, text, ...(code === undefined ? {} : { language: 'ts', code: `${code}\nif (!own) ${refusal(route, 404)}` }) }
}

function lookUp({ library }: OwnershipBreach, parent: Table, owner: string, key: string, caller: string): string | undefined {
  const name = lastPart(parent.name)
  if (library === 'prisma')
    return `const own = await prisma.${name[0]?.toLowerCase()}${name.slice(1)}.findFirst({ where: { id: ${key}, ${owner}: ${caller} }, select: { id: true } })`
  if (library === 'supabase')
    return `const { data: own } = await supabase.from('${name}').select('id').eq('id', ${key}).eq('${owner}', ${caller}).maybeSingle()`
  return undefined
}

/** The row that a row belongs to, where a column of that says whose it is. */
function ownedParent(name: string, { schema }: Known): { readonly parent: Table; readonly owner: string; readonly column: string } | undefined {
  const found = tablesCalled(lastPart(name), schema.tables).flatMap((table) =>
    table.foreignKeys.flatMap((f) => {
      const parent = schema.tables.find((t) => t.name === lastPart(f.references) && t !== table)
      const owner = parent?.userData?.ownerColumns.find((c) => !parent.primaryKey.includes(c))
      return parent && owner && f.columns[0] && f.referencedColumns[0] === 'id' ? [{ parent, owner, column: f.columns[0] }] : []
    }),
  )
  // what belongs to two parties is each one's
  return found.length === 1 ? found[0] : undefined
}
