import { hasSqlDetails, loadModule, parsePlPgSQLSync, parseSync } from 'libpg-query'
import type { Node, ParsedSql } from '../access/session.ts'
import { EngineDied } from './engine.ts'

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

/** Anything but a clean refusal means that the parser's memory is damaged: it must not be used again. */
function guard<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch (error) {
    if (hasSqlDetails(error) || (error instanceof Error && error.name === 'SqlError')) return undefined
    if (error instanceof SyntaxError || (error instanceof Error && /^(No parse tree|Query cannot be|Parse|syntax error)/i.test(error.message))) return undefined
    throw new EngineDied(`the SQL parser stopped (${error instanceof Error ? error.message.slice(0, 80) : 'unknown error'})`)
  }
}
