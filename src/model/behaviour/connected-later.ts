import type { Expr, FunctionIR, JavaScriptFacts } from '../../facts/javascript.ts'
import { boundNames, expressions, statements } from '../frameworks/walk.ts'
import type { Val } from './abstract-value.ts'
import type { Interpreter } from './interpreter.ts'
import { evaluateAlone, scopeOfFunction } from './module-values.ts'

/** Functions of a file that are looked at for what they connect. */
const MAX_FOUND = 4

/**
 * `let db` of a module, which `connect()` sets before the server listens: whoever handles a request finds it connected. Only what a library or a class
 * makes counts; what a function keeps for one request is nobody's who comes later.
 */
export function connectedLater(it: Interpreter, path: string, name: string): Val | undefined {
  const facts = it.program.facts(path)
  if (!facts) return undefined
  const made: Val[] = []
  for (const fn of facts.functions.slice(1)) {
    for (const value of assignedIn(fn, name)) {
      if (made.length >= MAX_FOUND || isOwnName(facts, fn, name)) break
      const scope = scopeOfFunction(it, path, fn.id)
      const found = scope && valueOf(it, value, scope)
      if (found && isConnection(found)) made.push(found)
    }
  }
  return made.length ? it.alternatives(made.map((value) => ({ value, under: [] }))) : undefined
}

/** What the body of a function assigns to a name. */
function assignedIn(fn: FunctionIR, name: string): readonly Expr[] {
  return expressions(fn).flatMap((e) => (e.k === 'assign' && /^(?:=|\?\?=|\|\|=)$/.test(e.op) && e.to.k === 'name' && e.to.name === name ? [e.value] : []))
}

/** Whether the function, or one around it, has something of its own under that name. */
function isOwnName(facts: JavaScriptFacts, fn: FunctionIR, name: string): boolean {
  for (let at: FunctionIR | undefined = fn; at && at.id !== 0; at = facts.functions[at.parent ?? 0]) {
    const own = [...at.params.flatMap(boundNames), ...statements(at.body).flatMap((s) => (s.k === 'let' ? boundNames(s.to) : []))]
    if (own.includes(name)) return true
  }
  return false
}

function valueOf(it: Interpreter, value: Expr, scope: NonNullable<ReturnType<typeof scopeOfFunction>>): Val | undefined {
  try {
    return evaluateAlone(it, value, scope)
  } catch {
    return undefined
  }
}

/** Something that a library made, or an instance of a class of the application. */
function isConnection(value: Val): boolean {
  if (value.v === 'chain') return value.root.v === 'client' || value.root.v === 'lib'
  return value.v === 'client' || value.v === 'instance'
}
