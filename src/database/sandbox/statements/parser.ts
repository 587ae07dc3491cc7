import { loadModule, parsePlPgSQLSync, parseSync } from 'libpg-query'
import type { Node, ParsedSql } from '../../access/trials/access-session.ts'
import { EngineDied } from '../engine.ts'

/** PostgreSQL's own parser. */
export interface Parser {
  /** Undefined when PostgreSQL would refuse the text; a damaged parser throws `EngineDied`. */
  parse(sql: string): ParsedSql | undefined
  parseExpression(sql: string): Node | undefined
  parsePlPgSql(sql: string): unknown
}

/** Loads the parser's module. */
export async function loadParser(): Promise<Parser> {
  await loadModule()
  const parse = (sql: string) => (/\S/.test(sql) ? guard(() => parseSync(sql.replaceAll('\0', ' ')) as unknown as ParsedSql) : { stmts: [] })
  return {
    parse,
    parseExpression: (sql) => {
      const select = parse(`select (${sql})`)?.stmts[0]?.stmt['SelectStmt'] as { targetList?: { ResTarget?: { val?: Node } }[] } | undefined
      return select?.targetList?.[0]?.ResTarget?.val
    },
    parsePlPgSql: (sql) => guard(() => parsePlPgSQLSync(sql.replaceAll('\0', ' '))),
  }
}

/** Refusals give undefined; an exception of the engine below means that the parser's memory is damaged and must not be used again. */
function guard<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    if (!isDamage(error)) return undefined
    throw new EngineDied(`the SQL parser stopped (${error.message.slice(0, 80)})`)
  }
}

function isDamage(error: unknown): error is Error {
  return (
    error instanceof RangeError ||
    (error instanceof Error && (error.name === 'RuntimeError' || /memory access|unreachable|out of bounds|call stack|aborted|table index/i.test(error.message)))
  )
}
