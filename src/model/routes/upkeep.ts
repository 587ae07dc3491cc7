import type { Table } from '../../database/database.ts'
import type { Effect } from '../behaviour/behaviour.ts'
import { fromRequest } from './from-request.ts'

const KEPT = /^(?:access|refresh|id|bearer|api|auth)?_?(?:token|secret|key)$|^token_?type$/i

/**
 * The application keeps its own token of another service and writes a new one when it has run out: the row is nobody's, and whoever calls
 * chooses neither which nor what.
 */
export function renewsOwnToken(e: Extract<Effect, { kind: 'db' }>, table: Table | undefined): boolean {
  const user = table?.userData
  if (!user || user.ownerColumns.length || user.tenantColumns.length || !user.personalColumns.length || !user.personalColumns.every((c) => KEPT.test(c)))
    return false
  if ((e.op !== 'insert' && e.op !== 'update' && e.op !== 'upsert') || e.unread || e.payload?.v !== 'object' || e.payload.rest) return false
  return [...Object.values(e.payload.props), ...e.filters.map((f) => f.value)].every((v) => !fromRequest(v))
}

const CACHE = /(?:^|_)cached?(?:_|$)/i
/** What a cached answer is found by. */
const FOUND_BY = /(?:^|_)(?:id|key|hash|slug|query|url|place|lang|locale|language)$/i

/** What another service answered is kept for the next time: the caller says what is looked up, not what is kept. */
export function fillsCache(e: Extract<Effect, { kind: 'db' }>): boolean {
  if (!CACHE.test(e.table) || e.op === 'select' || e.op === 'delete' || e.unread || e.payload?.v !== 'object' || e.payload.rest) return false
  return Object.entries(e.payload.props).every(([column, v]) => !fromRequest(v) || FOUND_BY.test(column))
}
