/**
 * The condition that ties a statement to the caller, written as the application's own library has it: a fix that can be pasted is taken, one in another
 * dialect is not.
 */
import { alsoEqual } from '../../../lib/rewrite-javascript.ts'
import type { Route } from '../../../model/routes/routes.ts'
import type { Fix } from '../../define-check.ts'
import type { OwnershipBreach } from '../shared/violation.ts'

/** The query with the condition added, where the handler itself makes it and its owner column is certain. */
export function boundQuery(route: Route, b: OwnershipBreach): Pick<Fix, 'rewrite'> {
  if (b.library !== 'supabase' || !b.ownerColumn || !b.ownerKnown || !b.callerAs || b.at.path !== route.path || b.at.line <= route.line) return {}
  const above = b.at.line - route.line
  return { rewrite: { path: route.path, line: route.line, endLine: b.at.line + 12, apply: alsoEqual(b.ownerColumn, b.callerAs, above) } }
}

/** The condition that keeps a statement to the caller's rows, in the words of the library that the handler uses. */
export function ownRows(b: OwnershipBreach): string {
  const column = b.ownerColumn ?? 'user_id'
  const caller = b.callerAs ?? 'user.id'
  switch (b.library) {
    case 'drizzle':
      return `.where(eq(${tableOf(b)}.${camelCase(column)}, ${caller}))`
    case 'mongoose':
      return `{ ${column}: ${caller} }`
    case 'prisma':
    case 'sequelize':
    case 'typeorm':
      return `where: { ${column}: ${caller} }`
    case 'knex':
      return `.where({ ${column}: ${caller} })`
    case 'pg':
      return `where ${column} = $1   -- [${caller}]`
    default:
      return filterCode(b)
  }
}

/** The missing condition in the words of the library that the handler uses, beside the one by which the query finds its rows. */
export function filterCode(b: OwnershipBreach): string {
  const column = b.ownerColumn ?? 'user_id'
  const caller = b.callerAs ?? 'user.id'
  const key = /^\w{1,60}$/.test(b.column ?? '') && b.column !== column ? (b.column as string) : 'id'
  const named = key === 'id' ? 'id' : `${key}: id`
  switch (b.library) {
    case 'drizzle':
      return `.where(and(eq(${tableOf(b)}.${camelCase(key)}, ${idOf(b)}), eq(${tableOf(b)}.${camelCase(column)}, ${caller})))`
    case 'mongoose':
      return `{ ${key === 'id' ? '_id: id' : named}, ${column}: ${caller} }`
    case 'prisma':
    case 'sequelize':
    case 'typeorm':
      return `where: { ${named}, ${column}: ${caller} }`
    case 'knex':
      return `.where({ ${named}, ${column}: ${caller} })`
    case 'kysely':
      return `.where('${column}', '=', ${caller})`
    case 'pg':
      return `where ${key} = $1 and ${column} = $2   -- [id, ${caller}]`
    default:
      return `.eq('${column}', ${caller})`
  }
}

/** Drizzle's tables are called in code as in SQL, written in its way. */
const tableOf = ({ table = 'table' }: OwnershipBreach): string => camelCase(table.slice(table.lastIndexOf('.') + 1))

/** The name under which handlers have what the request names the row by. */
const idOf = ({ by }: OwnershipBreach): string => /`(?:[\w.]{1,60}\.)?([A-Za-z_]\w{0,40}id)`/i.exec(by ?? '')?.[1] ?? 'id'

/** Drizzle's tables are objects of the code, and so are named their columns. */
const camelCase = (column: string): string => column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
