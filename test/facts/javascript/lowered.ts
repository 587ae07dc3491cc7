import { javascript } from '../../../src/facts/extractors/javascript/javascript.ts'
import type { JavaScriptFacts, Stmt } from '../../../src/facts/javascript.ts'

/** Facts of a text; fails the test when the extractor reports a problem. */
export function facts(text: string, path = 'file.ts'): JavaScriptFacts {
  const { facts, problems } = javascript.extract(text, path)
  if (problems.length > 0) throw new Error(JSON.stringify(problems))
  return facts
}

/** Without lines and without what is undefined: the structure alone. */
export function shape(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, v) => (key === 'l' || key === 'e' ? undefined : v)))
}

/** The module body of a text, without lines. */
export function body(text: string, path?: string): unknown {
  return shape(facts(text, path).functions[0]?.body)
}

/** The expression of a text that is one expression statement. */
export function expression(text: string, path?: string): unknown {
  const statement = facts(text, path).functions[0]?.body[0] as Stmt
  if (statement?.k !== 'expr') throw new Error(`no expression: ${text}`)
  return shape(statement.expr)
}
