import type { Expr, FunctionIR, JavaScriptFacts } from '../../../facts/javascript.ts'
import { statements } from '../../frameworks/walk.ts'
import type { Route } from '../routes.ts'
import type { Surroundings } from './code-context-model.ts'
import { importLine } from './guard-source.ts'
import { printExpr, printPattern } from './print-expression.ts'

/**
 * The check of one handler that stands in a function around it (`export const GET = withUser(async (request) => …)`, or
 * `return withUser(async (request) => …)(request)` inside it), as code around another one, with the import that it needs. Undefined where the check
 * does not stand there, or cannot be written down as it is.
 */
export function wrapperAsWritten(example: Route, target: Route, around: Surroundings): string | undefined {
  const js = around.code(example.path)
  if (!js || target.framework !== 'Next.js' || target.kind !== 'api' || !target.method) return undefined
  const found = wrapped(js, example, around)
  if (!found) return undefined
  const name = importedName(found.wrapper, js, example, target, around)
  const parameters = found.handler.params.map((p) => printPattern(p))
  const options = found.options.map((o) => printExpr(o))
  if (name === undefined || [...parameters, ...options].includes(undefined)) return undefined
  const make = (body: string, indent: string) =>
    `${found.wrapper}(async (${parameters.join(', ')}) => {\n${indent}  ${body}\n${indent}}${['', ...options].join(', ')})`
  const [request] = around.parameters(target)
  // a handler of a path with parameters is given them beside the request, which the wrapper may not hand on
  const inside = found.inside || (target.route.includes('[') && parameters.length < 2)
  const code = inside
    ? `// in ${target.method}, around what it does now\nreturn ${make('…', '')}(${request ?? 'request'})`
    : `export const ${target.method} = ${make(`… // what ${target.method} does now`, '')}`
  return name === '' ? code : `${name}\n\n${code}`
}

interface Wrapped {
  readonly wrapper: string
  readonly handler: FunctionIR
  /** What the wrapper is given beside the handler. */
  readonly options: readonly Expr[]
  /** It is called inside the handler, with the request, instead of making what is exported. */
  readonly inside: boolean
}

function wrapped(js: JavaScriptFacts, example: Route, around: Surroundings): Wrapped | undefined {
  const home = example.guard?.at.path
  if (home === undefined || home === example.path) return undefined
  const wrappers = new Set(js.imports.flatMap((i) => (around.resolve(example.path, i.from) === home ? i.bindings.map((b) => b.local) : [])))
  const from = (e: Expr | undefined, inside: boolean): Wrapped | undefined => {
    if (e?.k !== 'call' || e.fn.k !== 'id' || !wrappers.has(e.fn.name)) return undefined
    const [first, ...options] = e.args
    const handler = first?.k === 'fn' ? js.functions[first.fn] : undefined
    return handler && { wrapper: e.fn.name, handler, options, inside }
  }
  for (const s of js.functions[0]?.body ?? []) if (s.k === 'let' && s.to.k === 'name' && s.to.name === example.method) return from(s.init, false)
  const own = js.functions.find((f) => f.id !== 0 && f.name === example.method)
  for (const s of own ? statements(own.body) : []) {
    const found = s.k === 'return' && s.value?.k === 'call' ? from(s.value.fn, true) : undefined
    if (found) return found
  }
  return undefined
}

/** The line by which a file gets the wrapper, empty where it has it; undefined where the name means something else there. */
function importedName(wrapper: string, js: JavaScriptFacts, example: Route, target: Route, around: Surroundings): string | undefined {
  if (around.names(target.path).has(wrapper)) return around.meansSame(wrapper, example.path, target.path) ? '' : undefined
  return importLine(js, wrapper, example, target, around)
}
