/** Rows that are there to be looked at by others than their owner, so that a handler which reads them by an id of the request tells nobody anything new. */
import type { AccessMatrix } from '../../../database/database.ts'
import { lastPart } from '../../../lib/last-part.ts'
import type { Query } from '../../../model/behaviour/types.ts'
import { isShownAnyway, isWare } from '../../../model/routes/exposure/public-rows.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { tableOf } from '../shared/violation.ts'

/** Profiles and posts that others look at: read only, and nothing personal is known to be in them. */
export function shownToOthers(e: Query, schema: Pick<SchemaModel, 'tables'>): boolean {
  const name = lastPart(e.table).toLowerCase()
  if (
    !/^(?:(?:public_?)?profiles?|posts?|comments?|reviews?|likes?|users?|articles?|(?:blog|news|help|knowledge|kb|wiki)_(?:posts?|articles?|sections?|categories)|marketplace_\w{1,40}|\w{1,40}_(?:gallery|showcase)|news|announcements?|faqs?)$/.test(
      name,
    )
  )
    return false
  const personal = tableOf(e, schema)?.userData?.personalColumns ?? []
  if (e.columns?.length && !e.columns.includes('*'))
    return !e.columns.some((c) => personal.includes(c) || /mail|phone|address|password|token|birth|stripe/i.test(c))
  return personal.length === 0 && !/^users?$/.test(name)
}

/** Products and the like, where no policy says who may see them. */
export function showsWares(e: Query, schema: Pick<SchemaModel, 'tables'>): boolean {
  const table = tableOf(e, schema)
  return table !== undefined && isWare(table, e.columns ?? [])
}

/** Columns that say nothing personal, of rows that every signed-in user can read without the handler. */
export function showsAnyway(e: Query, schema: Pick<SchemaModel, 'tables'>, access: AccessMatrix): boolean {
  const table = tableOf(e, schema)
  return table?.rls.enabled === true && isShownAnyway(table, e.columns ?? [], access, true)
}
