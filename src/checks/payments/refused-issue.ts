import type { Handling, RefusedState, Webhook } from '../../model/payments/payments.ts'
import type { Issue } from '../define-check.ts'
import { casePlace } from './event-handling.ts'

/** The event is handled, by a write that the database never takes. */
export function refusedIssue(w: Webhook, h: Handling, refused: RefusedState): Issue {
  const { table, column, value, at } = refused
  return {
    subject: `event ${h.event}`,
    severity: 'High',
    title: `The database refuses what ${h.event} stores`,
    message: `On ${h.event} ${w.subject} stores '${value}' in ${table}.${column}, which is none of the states that the column takes (${at.path}:${at.line}). The write fails every time, and the row stays as it was.`,
    attack: 'A customer stops paying and keeps what is no longer paid for: the state that would end it is never stored.',
    fix: {
      text: 'Let the column take what the processor says, or translate the state before it is stored. Answer 500 when a write fails, so that the event comes again.',
      language: 'sql',
      code: wider(refused),
    },
    at: h.at ?? casePlace(w),
    related: [
      { path: w.path, line: w.line, subject: w.subject, what: 'the webhook endpoint' },
      { ...at, what: `${table}.${column} takes other states only` },
    ],
    proof: 'inferred',
    ...(w.workspace ? { workspace: w.workspace } : {}),
  }
}

/** The column takes the state as well; a CHECK that was given no name is called after its column. */
function wider({ table, column, value, enum: type, taken }: RefusedState): string {
  if (type) return `alter type ${type} add value '${value}';`
  const list = [...taken, value].map((x) => `'${x.replaceAll("'", "''")}'`).join(', ')
  const name = `${table.replace(/^.*\./, '')}_${column}_check`
  return `alter table ${table} drop constraint ${name};\nalter table ${table} add constraint ${name} check (${column} in (${list}));`
}
