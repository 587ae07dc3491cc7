import type { Table } from '../database.ts'

const SEEN_BY_OTHERS =
  /profile|post|comment|repl(y|ies)|review|like|follow|rating|reaction|vote|listing|article|blog|question|answer|public|leaderboard|badge|achievement|tweet|thread|topic|forum|endorsement|event|recipe|photo|video|song|track|playlist|project|portfolio|product|shop|store|restaurant|venue|course|lesson|job|pet|creator|author|communit|categor|tag/i
const PRIVATE_TABLE =
  /order|payment|invoice|message|chat|document|note|health|medic|booking|(^|_)logs?($|_)|transaction|subscription|(^|_)session|token|secret|invit|application|draft|setting|credential|diary|journal|submission|private|bank|salary|patient|receipt/i
const SAYS_PUBLIC = /public|every(one|body)|any(one|body)|world|viewable by all|all users/i

/** Rows by which people say what they think of somebody else's. */
const VOTES = /(^|_)(up)?(votes?|likes?|ratings?|reactions?)$/i

/** Whether a table's rows are plainly meant to be seen by others; the name of the policy that opens it speaks too, and so does a table of votes on it among `all`. */
export function isMeantToBeSeen(table: Table, policy = '', all: readonly Table[] = []): boolean {
  if ((table.userData?.personalColumns.length ?? 0) > 0 || PRIVATE_TABLE.test(table.name)) return false
  const name = `${table.schema}.${table.name}`
  return SEEN_BY_OTHERS.test(table.name) || SAYS_PUBLIC.test(policy) || all.some((t) => VOTES.test(t.name) && t.foreignKeys.some((f) => f.references === name))
}
