import type { Expr, FunctionIR, JavaScriptFacts, Stmt } from '../../../facts/javascript.ts'
import { boundNames, calleeText, statements, straight, subExpressions } from '../../frameworks/walk.ts'
import type { Route } from '../routes.ts'
import { asksSessionless } from '../sessions/client-without-session.ts'
import type { Surroundings } from './code-context-model.ts'
import { namesIn, printExpr, printPattern } from './print-expression.ts'

/** Names that every program has. */
const GLOBAL = /^(?:Deno|process|Request|Response|Headers|URL|JSON|String|Number|Boolean|Array|Object|Buffer|undefined|Date|Error|crypto|TextEncoder)$/
/** A check that takes more statements is no example to write after. */
const MAX_STATEMENTS = 8

/**
 * The check of one handler, as code for another one: the statements that establish the caller and turn strangers away, with the imports that they
 * need. Undefined where the facts do not hold all of it, or where it rests on something that only its own handler has.
 */
export function guardAsWritten(
  example: Route,
  target: Route,
  around: Surroundings,
  refuse: (status: 401 | 403) => string,
  { throwing = false }: { /** Also a helper that throws where the example's own `catch` answers for it. */ readonly throwing?: boolean } = {},
): string | undefined {
  const { guard } = example
  const js = around.code(example.path)
  if (!guard || !js || guard.trust !== 'verified' || guard.opensWithout || guard.equalsUnset || guard.refusal.nothing) return undefined
  const last: 401 | 403 = guard.who === 'admin' ? 403 : 401
  if (isVainCheck(example, around)) return undefined
  const found = guard.at.path === example.path ? ownStatements(js, guard.at.line) : helperCall(js, example, around, throwing)
  return found && written<401 | 403>(found, example, target, around, refuse, last)
}

/** Whether the check of a handler turns everybody away, since what it asks was given no session. */
export function isVainCheck({ guard, path }: Route, around: Surroundings): boolean {
  const js = around.code(path)
  const found = guard && js && guard.at.path === path ? ownStatements(js, guard.at.line) : undefined
  return js !== undefined && found !== undefined && asksSessionless(found.statements, js, path, around)
}

/** How one handler counts who calls how often, as code for another one; undefined where that stands in something that only its own handler has. */
export function limiterAsWritten(example: Route, target: Route, around: Surroundings, refuse: (status: 429) => string): string | undefined {
  const js = around.code(example.path)
  const fn = js && handlerAt(js, example)
  if (!js || !fn) return undefined
  const all = straight(fn.body)
  const counted = all.findIndex(
    (s) => s.k === 'let' && s.init && subExpressions(s.init).some((e) => e.k === 'call' && RATE_LIMITER_CALL.test(calleeText(e.fn))),
  )
  const call = all[counted]
  if (call?.k !== 'let') return undefined
  const at = all.findIndex((s, i) => i > counted && i < counted + 3 && s.k === 'if' && ends(s) && [...namesOf(s)].some((n) => boundNames(call.to).includes(n)))
  const kept = at < 0 ? [] : needed(all, at)
  // what counts those who are signed in, or is named after one address, is no limit for another one
  const isOthers = kept.some(
    (s) => (s.k === 'if' && s !== all[at]) || (s.k === 'let' && s.init && (CALLER_WORD.test([...namesOf(s)].join(' ')) || isNamed(s.init))),
  )
  return kept.length && !isOthers ? written({ fn, statements: kept }, example, target, around, () => refuse(429), 429) : undefined
}

const CALLER_WORD = /user|session|account|caller/i

/** `rateLimit(ip, 'contact', 5)`. */
const isNamed = (e: Expr): boolean =>
  subExpressions(e).some((x) => x.k === 'call' && RATE_LIMITER_CALL.test(calleeText(x.fn)) && x.args.some((a) => a.k === 'lit' || a.k === 'tpl'))

const RATE_LIMITER_CALL = /(?:^|\.)\w{0,20}rate_?limit\w{0,20}$|limiters?(?:\.\w+)?\.(?:limit|check|consume)$/i

/** The outermost function within the lines of a handler. */
const handlerAt = (js: JavaScriptFacts, { line, endLine = line }: Route): FunctionIR | undefined =>
  js.functions.filter((f) => f.id !== 0 && f.l >= line && f.l <= endLine).sort((a, b) => a.l - b.l || a.id - b.id)[0]

/** Statements as code for another handler, with what they need. */
function written<S extends number>(
  found: Found,
  example: Route,
  target: Route,
  around: Surroundings,
  refuse: (status: S | 401) => string,
  last: S,
): string | undefined {
  const js = around.code(example.path)
  if (!js || found.statements.length > MAX_STATEMENTS) return undefined
  const lines: string[] = []
  const bound = new Set<string>()
  const free = new Set<string>()
  for (const s of found.statements) {
    // a body is read once, and what it says of one handler it says of no other
    if (subExpressionsOf(s).some((e) => e.k === 'call' && READS_BODY.test(calleeText(e.fn)))) return undefined
    if (s.k === 'let' && s.init && lacksAwait(s.init, js, example, around)) return undefined
    const text = s.k === 'let' ? declaration(s) : s.k === 'if' ? test(s, s === found.statements.at(-1) ? refuse(last) : refuse(401)) : expression(s)
    if (text === undefined) return undefined
    for (const name of namesOf(s)) if (!bound.has(name)) free.add(name)
    if (s.k === 'let') for (const name of boundNames(s.to)) bound.add(name)
    lines.push(text)
  }
  const taken = around.locals(target)
  if ([...bound].some((name) => taken.has(name))) return undefined
  const imports: string[] = []
  const known = around.names(target.path)
  const renamed = new Map<string, string>()
  for (const name of free) {
    if (GLOBAL.test(name)) continue
    const parameter = found.fn.params.findIndex((p) => boundNames(p).includes(name))
    if (parameter > 0) return undefined
    if (parameter === 0) {
      const own = around.parameters(target)
      if (found.fn.params[0]?.k === 'name' && own.length === 1) renamed.set(name, own[0] as string)
      else if (!own.includes(name)) return undefined
      continue
    }
    if (example.path === target.path && known.has(name)) continue
    const line = importLine(js, name, example, target, around)
    if (line !== undefined && known.has(name) && around.meansSame(name, example.path, target.path)) continue
    if (line === undefined || known.has(name)) return undefined
    imports.push(line)
  }
  const code = [...renamed].reduce(
    (text, [from, to]) => (from === to ? text : text.replace(new RegExp(`(?<![\\w$.'"])${from}\\b(?!['"])`, 'g'), to)),
    lines.join('\n'),
  )
  return imports.length ? `${[...new Set(imports)].join('\n')}\n\n${code}` : code
}

const READS_BODY = /^(?:\w*req\w*|c\.req|event)\.(?:json|formData|text|arrayBuffer|blob|parseBody)$|^(?:readBody|readValidatedBody)$/i

interface Found {
  readonly fn: FunctionIR
  readonly statements: readonly Stmt[]
}

/** The `if` at a line of a handler, with what the names in it were declared by. */
function ownStatements(js: JavaScriptFacts, line: number): Found | undefined {
  const fn = js.functions.filter((f) => f.id !== 0 && f.l <= line && line <= f.e).sort((a, b) => a.e - a.l - (b.e - b.l))[0]
  if (!fn) return undefined
  const all = straight(fn.body)
  const at = all.findLastIndex((s) => s.k === 'if' && s.l <= line && line <= (s.e ?? s.l) && ends(s))
  if (at < 0) return undefined
  return { fn, statements: needed(all, at) }
}

/** The statement at an index with those before it that it rests on. */
function needed(all: readonly Stmt[], at: number): readonly Stmt[] {
  const names = new Set<string>(namesOf(all[at] as Stmt))
  // what is asked of the request alone (its method) is no part of the check
  const declared = new Set(all.flatMap((s) => (s.k === 'let' ? boundNames(s.to) : [])))
  const kept: Stmt[] = [all[at] as Stmt]
  for (const s of all.slice(0, at).reverse()) {
    const declares = s.k === 'let' && boundNames(s.to).some((n) => names.has(n))
    const asks = s.k === 'if' && ends(s) && [...namesOf(s)].some((n) => names.has(n) && declared.has(n))
    if (!declares && !asks) continue
    for (const n of namesOf(s)) names.add(n)
    kept.unshift(s)
  }
  return kept
}

/** `const supabase = createClient()`, where the function of the repository is an asynchronous one: what the example does fails, and would here. */
function lacksAwait(e: Expr, js: JavaScriptFacts, example: Route, around: Surroundings): boolean {
  return e.k === 'call' && e.fn.k === 'id' && importedFunction(e.fn.name, js, example, around)?.async === true
}

/** The function of the repository that a file imports under a name. */
function importedFunction(name: string, js: JavaScriptFacts, example: Route, around: Surroundings): FunctionIR | undefined {
  const [imported] = js.imports.flatMap((i) =>
    i.bindings.flatMap((b) => (b.local === name ? [{ name: b.imported, from: around.resolve(example.path, i.from) }] : [])),
  )
  if (imported?.from === undefined) return undefined
  return around.exported(new RegExp(`^${imported.name.replace(/[$*]/g, '\\$&')}$`)).find((x) => x.path === imported.from)?.fn
}

const ends = (s: Extract<Stmt, { k: 'if' }>): boolean => !s.else && /^(?:return|throw)$/.test(s.then.at(-1)?.k ?? '')

/** The statement of a handler that calls the function in which the check stands, and what is done with its answer. */
function helperCall(js: JavaScriptFacts, example: Route, around: Surroundings, throwing: boolean): Found | undefined {
  const helper = example.guard?.at.path
  const locals = new Set(js.imports.flatMap((i) => (around.resolve(example.path, i.from) === helper ? i.bindings.map((b) => b.local) : [])))
  if (!locals.size) return undefined
  for (const fn of js.functions) {
    if (fn.id === 0 || fn.l < example.line || fn.e > (example.endLine ?? fn.e)) continue
    const all = straight(fn.body)
    const at = all.findIndex(
      (s) => (s.k === 'let' || s.k === 'expr') && subExpressionsOf(s).some((e) => e.k === 'call' && e.fn.k === 'id' && locals.has(e.fn.name)),
    )
    if (at < 0) continue
    const call = all[at] as Stmt
    const refuses = /^(?:throw|redirect|not-found)$/.test(example.guard?.refusal.how ?? '') || (throwing && throws(call, locals, js, example, around))
    const asked =
      call.k === 'let'
        ? all.slice(at + 1, at + 3).find((s) => s.k === 'if' && ends(s) && [...namesOf(s)].some((n) => boundNames(call.to).includes(n)))
        : undefined
    if (asked) return { fn, statements: [call, asked] }
    return refuses ? { fn, statements: [call] } : undefined
  }
  return undefined
}

/** Whether a statement calls one of these imported functions, and it throws. */
const throws = (call: Stmt, locals: ReadonlySet<string>, js: JavaScriptFacts, example: Route, around: Surroundings): boolean =>
  subExpressionsOf(call).some(
    (e) =>
      e.k === 'call' &&
      e.fn.k === 'id' &&
      locals.has(e.fn.name) &&
      statements(importedFunction(e.fn.name, js, example, around)?.body ?? []).some((s) => s.k === 'throw'),
  )

const subExpressionsOf = (s: Stmt): readonly Expr[] => (s.k === 'let' && s.init ? subExpressions(s.init) : s.k === 'expr' ? subExpressions(s.expr) : [])

function namesOf(s: Stmt): ReadonlySet<string> {
  if (s.k === 'let' && s.init) return namesIn(s.init)
  if (s.k === 'if') return namesIn(s.test)
  return s.k === 'expr' ? namesIn(s.expr) : new Set()
}

function declaration(s: Extract<Stmt, { k: 'let' }>): string | undefined {
  const [to, value] = [printPattern(s.to), s.init && printExpr(s.init)]
  return to === undefined || value === undefined ? undefined : `${s.how} ${to} = ${value}`
}

function test(s: Extract<Stmt, { k: 'if' }>, refusal: string): string | undefined {
  // what the helper has made is what it is answered with
  const [only] = s.then
  const answer = s.then.length === 1 && only?.k === 'return' && only.value && /^(?:mem|id)$/.test(only.value.k) ? printExpr(only.value) : undefined
  const asked = printExpr(s.test)
  const kept = answer && only?.k === 'return' && (only.value?.k === 'mem' || namesIn(s.test).has(answer))
  return asked === undefined ? undefined : `if (${asked}) ${kept ? `return ${answer}` : refusal}`
}

function expression(s: Stmt): string | undefined {
  return s.k === 'expr' ? printExpr(s.expr) : undefined
}

/** How another file gets what a name means here. */
export function importLine(js: JavaScriptFacts, name: string, example: Route, target: Route, around: Surroundings): string | undefined {
  for (const i of js.imports) {
    const b = i.bindings.find((x) => x.local === name)
    if (!b || i.typeOnly || i.how === 'dynamic') continue
    const from = specifierFor(i.from, example.path, target.path, around)
    const what = b.imported === '*' ? `* as ${name}` : b.imported === 'default' ? name : b.imported === name ? `{ ${name} }` : `{ ${b.imported} as ${name} }`
    return i.how === 'require'
      ? `const ${b.imported === 'default' || b.imported === '*' ? name : what.replace(' as ', ': ')} = require('${from}')`
      : `import ${what} from '${from}'`
  }
  // declared in the module itself: whoever needs it elsewhere makes it there
  const declared = statements(js.functions[0]?.body ?? []).find((s) => s.k === 'let' && boundNames(s.to).includes(name))
  if (declared?.k !== 'let' || !declared.init || [...namesIn(declared.init)].some((n) => !GLOBAL.test(n) && !around.names(target.path).has(n))) return undefined
  return declaration(declared)
}

/** A relative specifier, as it reads from another file. */
function specifierFor(from: string, here: string, there: string, around: Surroundings): string {
  const file = from.startsWith('.') ? around.resolve(here, from) : undefined
  return file === undefined ? from : relativeSpecifier(there, file, /\.\w+$/.test(from.split('/').at(-1) ?? ''))
}

/** How a file imports another one of the repository. */
export function relativeSpecifier(there: string, file: string, withExtension = false): string {
  const [source, target] = [there.split('/').slice(0, -1), file.split('/')]
  let shared = 0
  while (shared < source.length && shared < target.length - 1 && source[shared] === target[shared]) shared++
  const path = `${'../'.repeat(source.length - shared) || './'}${target.slice(shared).join('/')}`
  return withExtension ? path : path.replace(/(?:\/index)?\.[cm]?[jt]sx?$/, '')
}
