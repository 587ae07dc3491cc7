import { lastPart } from '../../../lib/last-part.ts'
import { says } from '../../../lib/snake-case.ts'
import { isCallers } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Query, Value } from '../../../model/behaviour/types.ts'
import { transfersTo } from './balanced-transfer.ts'

/** Rows that are written for whoever receives them. */
const NOTICES = /(?:^|_)(?:notifications?|notices?|alerts?|notificaciones|notificacoes|notifiche)$/i
/** Who wrote something is not whom it is for. */
const WRITER = /author|creator|created|sender|sent_by|from/i
const MESSAGE_TEXT_COLUMN = /^(?:title|subject|message|body|content|text|description|titulo|mensaje|mensagem|titolo|messaggio)$/i

/**
 * Whether a new row tells somebody else something, and says it in the server's words: a notice for whoever is written to, or the receipt of what
 * the caller's row gave, which names the caller beside the receiver. What the request says word for word is the caller's speech in the application's name.
 */
export function tellsAnother(e: Query, column: string, whom: Value, row: Readonly<Record<string, Value>>, behaviour: Behaviour): boolean {
  if (e.op !== 'insert' || says(WRITER, column)) return false
  const columns = Object.entries(row)
  if (says(NOTICES, lastPart(e.table))) return !columns.some(([name, value]) => says(MESSAGE_TEXT_COLUMN, name) && value.v === 'request')
  return columns.some(([, value]) => isCallers(value, behaviour)) && transfersTo(whom, behaviour)
}
