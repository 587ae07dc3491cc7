import type { Handling, RefusedState, Webhook } from '../../model/payments/payments.ts'
import type { Issue } from '../define-check.ts'
import { casePlace } from './event-handling.ts'

/** The event is handled, by a write that the database never takes. */
export function refusedIssue(w: Webhook, h: Handling, { table, column, value, at }: RefusedState): Issue {
  return {
    subject: `event ${h.event}`,
    severity: 'High',
    title: `The database refuses what ${h.event} stores`,
    message: `On ${h.event} ${w.subject} stores '${value}' in ${table}.${column}, which is none of the states that the column takes (${at.path}:${at.line}). The client returns the error instead of throwing it, so the row stays as it was.`,
    attack: 'A customer stops paying and keeps what is no longer paid for: the state that would end it is never stored.',
    fix: {
      text: `Let the column take what the processor says (a CHECK takes a new list, an enum \`alter type … add value '${value}'\`), or translate the state before it is stored; and answer 500 when the write fails, so that the event comes again.`,
      language: 'ts',
      code: `if (error) return new Response(null, { status: 500 })`,
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
