import type { Expr, FunctionId, FunctionIR, JavaScriptFacts } from '../../../facts/javascript.ts'
import { boundNames, expressions, statements, subExpressions } from '../../frameworks/walk.ts'
import type { Val } from '../domain/abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'

/** What is assigned that is looked at for what it connects. */
const MAX_FOUND = 4

/**
 * `let db` of a module, which `connect()` sets before the server listens: whoever handles a request finds it connected. Only what a library or a class
 * makes counts (what a function keeps for one request is nobody's who comes later), and only where others than the one who connects ask for it: a
 * function that connects when it is first asked does so in every run. `evaluate` gives the value of an expression inside a function.
 */
export function connectedLater(it: Interpreter, path: string, name: string, evaluate: (value: Expr, inside: FunctionId) => Val | undefined): Val | undefined {
  const facts = it.program.facts(path)
  const assigning = facts?.functions.slice(1).filter((fn) => assignedIn(fn, name).length > 0 && !isOwnName(facts, fn, name)) ?? []
  if (!facts || !assigning.length || ![name, ...madeOf(assigning, name)].some((n) => isAskedElsewhere(facts, n, assigning))) return undefined
  const made = assigning
    .flatMap((fn) => assignedIn(fn, name).map((value) => [value, fn.id] as const))
    .slice(0, MAX_FOUND)
    .flatMap(([value, inside]) => evaluate(value, inside) ?? [])
    .filter(isConnection)
  return made.length ? it.alternatives(made.map((value) => ({ value, under: [] }))) : undefined
}

/** What the body of a function assigns to a name. */
function assignedIn(fn: FunctionIR, name: string): readonly Expr[] {
  return expressions(fn).flatMap((e) => (e.k === 'assign' && /^(?:=|\?\?=|\|\|=)$/.test(e.op) && e.to.k === 'name' && e.to.name === name ? [e.value] : []))
}

/** What the same functions make of it: `db = client.db('shop')`. */
const madeOf = (assigning: readonly FunctionIR[], name: string): readonly string[] =>
  assigning.flatMap((fn) =>
    expressions(fn).flatMap((e) =>
      e.k === 'assign' && e.to.k === 'name' && e.to.name !== name && subExpressions(e.value).some((x) => x.k === 'id' && x.name === name) ? [e.to.name] : [],
    ),
  )

/** A function and those around it, innermost first. */
function* around(facts: JavaScriptFacts, fn: FunctionIR): Generator<FunctionIR> {
  for (let at: FunctionIR | undefined = fn; at && at.id !== 0; at = facts.functions[at.parent ?? 0]) yield at
}

/** Whether the function, or one around it, has something of its own under that name. */
const isOwnName = (facts: JavaScriptFacts, fn: FunctionIR, name: string): boolean =>
  [...around(facts, fn)].some(
    (f) => f.params.some((p) => boundNames(p).includes(name)) || statements(f.body).some((s) => s.k === 'let' && boundNames(s.to).includes(name)),
  )

/** Whether a function that does not connect by itself, or another module, takes it that somebody has. */
function isAskedElsewhere(facts: JavaScriptFacts, name: string, assigning: readonly FunctionIR[]): boolean {
  if (facts.exports.some((e) => e.local === name && e.from === undefined)) return true
  return facts.functions
    .slice(1)
    .some(
      (fn) =>
        expressions(fn).some((e) => e.k === 'id' && e.name === name) &&
        ![...around(facts, fn)].some((f) => assigning.includes(f)) &&
        !isOwnName(facts, fn, name),
    )
}

/** Something that a library made, or an instance of a class of the application. */
function isConnection(value: Val): boolean {
  if (value.v === 'chain') return value.root.v === 'client' || value.root.v === 'lib'
  return value.v === 'client' || value.v === 'instance'
}
