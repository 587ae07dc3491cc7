import type { Table } from '../../database.ts'

/** Who attests, allows or looks after what somebody else entered. */
const ATTESTS = /witness|author[iy][sz]|approv|manager|supervis|review|verif|assign|second|counter_?sign|co_?sign|handled|resolved/i

/** Of the columns that name users, the one that says who entered a row: who attests or allows it is somebody else, and has to be. */
export function authorOf(columns: readonly string[], table: Pick<Table, 'userData'>): string | undefined {
  const owners = columns.filter((c) => table.userData?.ownerColumns.includes(c))
  return owners.find((c) => !ATTESTS.test(c)) ?? owners[0]
}

const PARTICIPANT_TABLE = /member|participant|collaborator|attendee|guest|(?:^|_)users?$/i

/** Whether each person has one row at most for each parent (a vote, a rating), so that nobody else has anything to correct there. */
export const isOnesOwn = ({ name, primaryKey, uniques }: Pick<Table, 'name' | 'primaryKey' | 'uniques'>, author: string): boolean =>
  !PARTICIPANT_TABLE.test(name) &&
  [primaryKey, ...uniques.filter((u) => !u.partial).map((u) => u.columns)].some((key) => key.length > 1 && key.includes(author))
