import type { Table } from '../../database.ts'

/** Who says what a row says; whoever a task is given to says nothing. */
const SPEAKER =
  /^(sender|author|commenter|poster|writer|from|remitente|remetente|mittente|expediteur|absender|autor|auteur|autore)(_(user|profile))?_?(id|uid)?$/i
const BY_USER = /^(user|usuario|utente|utilisateur)_?(id|uid)?$/i
/** Rows that are words of somebody. */
const SPEECH = /message|chat|comment|repl(y|ies)|review|answer|mensaje|mensage[mn]|messaggi|nachricht|coment[aá]ri|comenta|kommentar|rese[nñ]a|avalia/i

/** Columns that say who speaks in a row of a table of messages, comments or reviews. */
export function speakersOf(table: Table): readonly string[] {
  if (!SPEECH.test(table.name)) return []
  const owners = table.userData?.ownerColumns ?? []
  const named = owners.filter((c) => SPEAKER.test(c))
  return named.length ? named : owners.filter((c) => BY_USER.test(c))
}
