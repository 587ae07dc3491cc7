import type { Table } from '../../database.ts'
import type { Way } from '../expression/disjunct.ts'

const GRANTOR_COLUMN = /owner|admin|invit|grant|host|manager|(^|_)by(_|$)|creator|parent/i
const GRANTEE_COLUMN =
  /(^|_)(user|member|contributor|collaborator|invitee|invited|guest|delegate|employee|staff|grantee|viewer|editor|recipient)(_user|_profile)?(_?id|_?email)$|^email$/i

/** What has an address of its own, at which its customers write to it. */
const REACHED_AT_ITS_OWN =
  /(^|_)(gym|salon|clinic|restaurant|business|studio|school|academy|hotel|dealership|firm|company|organi[sz]ation|org|agency|store|shop|workspace|tenant|merchant|vendor|seller|negocio|empresa|azienda)(s|es)?$|(^|_)(companies|agencies|academies)$/i

/** Whether a row is how its owner gives a standing to somebody else whom it names: what he grants is his to grant. */
export function appointsOthers(table: Table, ways: readonly Way[]): boolean {
  const bound = new Set(ways.filter((w) => w.outcome === 'owner').flatMap((w) => w.ownerColumns))
  return (
    bound.size > 0 &&
    [...bound].every((c) => GRANTOR_COLUMN.test(c)) &&
    table.columns.some((c) => GRANTEE_COLUMN.test(c.name) && !bound.has(c.name) && !(/^email$/i.test(c.name) && REACHED_AT_ITS_OWN.test(table.name)))
  )
}
