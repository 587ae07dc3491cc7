import type { DatabaseGap } from '../../database.ts'
import { isMadeAgain } from '../repairs/recreated-object.ts'
import { ALL_TOPICS, byWords, type Statement } from './statement.ts'

/** What a statement that cannot be parsed may have changed. */
export function lostWith(s: Statement, statements: Iterable<Statement>): DatabaseGap['touches'] {
  const code = withoutCommentLines(s.text)
  if (/^`{3}\s*$/.test(code)) return []
  if (isBodyFragment(code)) return isBare(s, statements) || (isOnlyWords(code) && isAlone(s, statements)) ? [] : [{ topic: 'function' }]
  if (isMadeAgain(s, statements)) return []
  return ofKnownKind(code) ?? byWords(s.text, ALL_TOPICS)
}

/**
 * Of a single statement that names its kind by its first words, however its rest is written. Text with more than one end or with quoted bodies may
 * hold others that an open quote swallowed.
 */
function ofKnownKind(code: string): DatabaseGap['touches'] | undefined {
  if (/;\s*\S|\$\w*\$/.test(code) || /\bstorage\s*\./i.test(code)) return undefined
  // as where they parse: rules for the rows of a table, kept beside its policies
  if (/^create\s+(?:or\s+replace\s+)?(?:constraint\s+)?trigger\b/i.test(code)) return [{ topic: 'policy' }]
  const changed =
    /^(?:create\s+(?:unique\s+)?index|insert\s+into|update|delete\s+from|comment\s+on|reindex|analyze|vacuum|refresh\s+materialized|notify)\b/i.test(code)
  return changed || isCondition(code) ? [] : undefined
}

/** Adds what the values of a table have to fulfil; a foreign key says whose rows they are. */
function isCondition(code: string): boolean {
  const words = [/^alter\s+table\b/i, /\badd\s+constraint\b/i, /\b(?:check|unique|primary\s+key)\b/i]
  return words.every((w) => w.test(code)) && !/\b(?:references|security|column|drop|owner|rename|set)\b/i.test(code)
}

/** A message written after the statements of a script, where none can stand. */
const isOnlyWords = (code: string): boolean => /^raise\s+(?:notice|info|log|warning|debug)\b/i.test(code)

/** Control statements written where none can stand, in a script that quotes no body from which they could have fallen. */
function isBare(s: Statement, statements: Iterable<Statement>): boolean {
  for (const other of statements) if (other.path === s.path && /\$\w*\$|\blanguage\b/i.test(other.text)) return false
  return true
}

/** A body that broke apart leaves its end behind as well (for the parser another word for COMMIT). */
function isAlone(s: Statement, statements: Iterable<Statement>): boolean {
  for (const other of statements) if (other !== s && other.path === s.path && (other.kind === '' || /^\s*end\b/i.test(other.text))) return false
  return true
}

/** What is left of a procedural body whose quotes end too early (`$$` inside `$$`): control statements that define nothing. */
function isBodyFragment(code: string): boolean {
  return (
    /^(?:return|end|if|elsif|else|declare|raise|perform|exception|loop|exit|continue)\b|^[a-z_][a-z0-9_]*\s*:=/i.test(code) &&
    !/\b(?:create|alter(?!\s+publication\b)|drop|grant|revoke|execute)\b/i.test(code)
  )
}

function withoutCommentLines(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^\s*(?:--|$)/.test(line))
    .join('\n')
    .trimStart()
}
