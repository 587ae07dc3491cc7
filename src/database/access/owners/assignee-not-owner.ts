import type { Table } from '../../database.ts'

const LOOKS_AFTER = /^assigned_(to|\w+_id)$|^assignee(_id)?$|^(handled|processed|answered|responded|resolved|closed)_by(_id|_user_id)?$/i
const CONTACT_COLUMN = /(^|_)(e?mail(_address)?|phone(_number)?)$/i

/**
 * Whether the rows come from people who leave their address, and the only user they name is who looks after them: an enquiry that is assigned to
 * somebody is not that person's.
 */
export function isLookedAfter(table: Table): boolean {
  const user = table.userData
  return !!user?.ownerColumns.length && user.ownerColumns.every((c) => LOOKS_AFTER.test(c)) && user.personalColumns.some((c) => CONTACT_COLUMN.test(c))
}
