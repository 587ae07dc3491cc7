import { withoutSqlComments } from '../../lib/sql-comments.ts'

/** The words with which the platform's dashboard begins the schema that it exports for reading. */
const FOR_CONTEXT = /^(?:\s|--[^\n]*\n)*?--[ \t]*warning:[ \t]*this schema is for context only/i
const SECURITY = /\b(?:row\s+level\s+security|create\s+policy|grant|revoke)\b/i

/** A type that PostgreSQL does not know and only the export writes: with such a line the script never ran anywhere. */
const UNWRITTEN = /^[ \t]*"?\w+"?[ \t]+(?:ARRAY|USER-DEFINED)(?=[ \t]*(?:,|$|DEFAULT|NOT|NULL|CHECK|UNIQUE))/m

/**
 * Whether a file is the schema that the platform's dashboard exports "for context only": tables and columns, and never row level security, policies or
 * privileges, whatever the project has; also without its heading. One that somebody wrote security into is a script like any other.
 */
export function isContextExport(text: string): boolean {
  return (FOR_CONTEXT.test(text.slice(0, 2000)) || UNWRITTEN.test(text)) && !SECURITY.test(withoutSqlComments(text))
}

/** The comments at the head of a file. */
const HEAD = /^(?:\s|--[^\n]*\n)*/
const NO_SCRIPT = /\b(?:not\s+a\s+migration|(?:do\s+not|don't|never)\s+(?:run|execute|apply)\b)/i
const FOR_READING = /\b(?:reference|snapshot|for\s+reading|documentation|baseline)\b/i

/** Whether a script says of itself that it is a record of a schema, kept for reading, and never to be run: what other files say of a table comes after it. */
export function isForReading(text: string): boolean {
  const head = (HEAD.exec(text.slice(0, 2000))?.[0] ?? '').replace(/\n\s*-*\s*/g, ' ')
  return NO_SCRIPT.test(head) && FOR_READING.test(head)
}

/** The export as PostgreSQL reads it: it writes ARRAY and USER-DEFINED where it does not know how a type is called. Lines stay. */
export function readableExport(text: string): string {
  return text.replace(/(\s)ARRAY(?=[\s,])/g, '$1text[]').replace(/\bUSER-DEFINED\b/g, 'text')
}
