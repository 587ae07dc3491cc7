import type { Policy } from '../../../database/database.ts'

/** A condition that asks what somebody is, and nothing of the row. */
const ROLE_ALONE = /\brole\b|_role\b|admin|staff/i

/** Whether a policy lets in those who have a role, whatever the row, and nobody else. */
export const asksRole = ({ using, check }: Policy): boolean => {
  const text = using ?? check ?? ''
  return ROLE_ALONE.test(text) && !/\bOR\b/.test(text)
}
