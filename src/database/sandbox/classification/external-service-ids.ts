import { says } from '../../../lib/snake-case.ts'
import type { Column, Policy, Table } from '../../database.ts'

/** Services that have users of their own, in the name of a table that keeps what happened there. */
const SERVICE =
  /^(?:slack|discord|telegram|whats_?app|groupme|messenger|facebook|instagram|twitter|tiktok|linkedin|youtube|twitch|github|gitlab|jira|zoom|(?:ms_?|microsoft_)?teams|line|reddit)(?:_|$)/i
/** What such a table keeps, and not which of the own users is connected. */
const SERVICE_EVENT_TABLE = /message|event|comment|post|repl(?:y|ies)|reaction|mention|thread|member|user|author|chat|dm|webhook|update|interaction/i

/** `slack_messages.user_id text`: the id that the other service gave, which no session of this application has. A policy that asks for it would know better. */
export function isIdOfAnotherService(table: Table, { name, type }: Column, policies: readonly Policy[]): boolean {
  if (!/^(?:text|character|varchar|bigint)/.test(type) || !says(SERVICE, table.name) || !says(SERVICE_EVENT_TABLE, table.name)) return false
  if (table.foreignKeys.some((f) => f.columns.includes(name))) return false
  const asked = new RegExp(`(?<![\\w.])${name.replace(/\W/g, '.')}(?!\\w)`)
  return !policies.some((p) => p.schema === table.schema && p.table === table.name && [p.using, p.check].some((text) => text !== undefined && asked.test(text)))
}
