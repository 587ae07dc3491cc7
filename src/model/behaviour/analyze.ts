import type { Place } from '../../lib/place.ts'
import { callFunction, callMethod, callValue, construct, maybe, settle, unknownCall } from './calls/calls.ts'
import { classValue } from './calls/classes.ts'
import { assignTo, bind } from './control-flow/assignment.ts'
import { Signal } from './control-flow/completion.ts'
import { evaluate, functionValue, lookup } from './control-flow/evaluate.ts'
import { execute } from './control-flow/execute.ts'
import { commonPath } from './control-flow/path-condition.ts'
import { type Alt, type Cond, isNullish, object, Scope, UNKNOWN, type Val } from './domain/abstract-value.ts'
import { member, request } from './domain/members.ts'
import { alternativesOf, narrowTo } from './domain/narrowing.ts'
import { forgetKeys } from './domain/structural-hash.ts'
import { Interpreter } from './interpreter.ts'
import { settleChain, taggedTemplate } from './libraries/index.ts'
import { shaped } from './libraries/validation.ts'
import { bindAround, ownerOf } from './modules/dependency-injection.ts'
import { acceptedInput, seedValue, sharedBag } from './modules/entry-parameters.ts'
import { evaluateAlone, exportedValue, moduleScope, quietly, scopeOfFunction, withInterpreter } from './modules/module-scope.ts'
import { holderOf, type Program } from './modules/program.ts'
import { install } from './operations.ts'
import { finishedBehaviour } from './output/effect-summary.ts'
import { hostMember } from './platform/host-objects.ts'
import { host } from './platform/host-value.ts'
import { statusIn } from './platform/responses.ts'
import { RewriteLog } from './platform/url-rewrites.ts'
import type { Behaviour, Entry, Runnable, Seed } from './types.ts'

install({
  evaluate,
  functionValue,
  classValue,
  lookup,
  execute,
  bind,
  assignTo,
  settle,
  callValue,
  callMethod,
  callFunction,
  construct,
  unknownCall,
  maybe,
  hostMember,
  settleChain,
  taggedTemplate,
  exportedValue,
})

/** Nodes of code that one entry may take; a large handler with its helpers needs a few thousand. */
const FUEL = 60_000
/** What an entry may still take when the others have used up what all have together; its behaviour says so if that is too little. */
const LEAST_FUEL = 3_000

/** What an entry may take of what is left for all. */
export const fuelFor = (left: number): number => Math.max(LEAST_FUEL, Math.min(FUEL, left))

/**
 * What an entry does. Total: code that cannot be followed leaves a gap, never an exception.
 *
 *     analyse({ path: 'app/api/notes/route.ts', name: 'GET', seeds: ['web-request', 'next-context'] }, program)
 *     analyse({ path: 'server.ts', expression: handler, seeds: ['express-req', 'express-res', 'next-function'],
 *               before: [{ path: 'server.ts', expression: requireAuth, seeds: ['express-req', 'express-res', 'next-function'] }] }, program)
 */
export function analyse(entry: Entry, program: Program): Behaviour {
  const fuel = fuelFor(program.budget.left)
  for (const g of entry.given ?? []) program.given.set(`${g.path} ${g.fn}`, g)
  const it = new Interpreter(program, fuel, entry.request)
  forgetKeys()
  return withInterpreter(it, () => {
    // a branch, so that what it wrote to module variables is taken back
    it.branch(undefined, () => {
      try {
        run(it, entry)
      } catch (error) {
        // an entry that throws whatever happens; what the framework makes of it is noted
        if (error instanceof Signal) return
        // what was found so far stays
        it.gap({ path: entry.path, line: 1 }, error instanceof RangeError ? 'the code is nested too deeply to follow' : faultOf(error))
      }
    })
    program.budget.left -= fuel - it.fuel
    const done = finishedBehaviour(it)
    return [...(entry.before ?? []), entry].some((r) => r.seeds.some(isOfNode)) ? { ...done, unsent: 'undefined' } : done
  })
}

/** What frameworks pass that read a header or a parameter which is not sent as undefined. */
const OF_NODE: ReadonlySet<unknown> = new Set([
  'express-req',
  'fastify-request',
  'koa-context',
  'hono-context',
  'h3-event',
  'lambda-event',
  'nest-context',
  'pages-context',
] satisfies Seed[])
const isOfNode = (seed: Seed): boolean => OF_NODE.has(seed)

/** What the report says of code on which this program itself fails: one handler is lost by it, not the audit. */
export const OWN_FAULT = 'following the code failed by a fault of this program'
const faultOf = (error: unknown): string => `${OWN_FAULT} (${String(error instanceof Error ? error.message : error).slice(0, 120)})`

function run(it: Interpreter, entry: Entry): void {
  const chain: readonly Runnable[] = [...(entry.before ?? []), entry]
  const shared = it.hosts
  const { through } = entry
  if (through) it.through = []
  // middleware alone: what is behind it, whatever path is requested
  if (entry.before?.length && !entry.request) it.rewrites = new RewriteLog()
  it.frames.push({ key: 'entry', name: undefined, path: entry.path, base: [], returns: [], open: [], openSteps: 0, async: true, tries: 0 })
  const step = (i: number, at: Place): Val => {
    const r = chain[i]
    if (!r) return UNKNOWN
    const fn = resolve(it, r)
    if (!fn) {
      it.gap(at, 'the handler could not be found')
      return i < chain.length - 1 ? step(i + 1, at) : UNKNOWN
    }
    if (r.schema) {
      acceptInput(it, fn, at)
      return step(i + 1, at)
    }
    if (r.carried !== undefined) {
      // an object that wraps a client in ways of its own says less than what the handler does with it
      if (fn.v === 'client') it.write(sharedBag('ctx', shared).props, r.carried, fn)
      return step(i + 1, at)
    }
    let passed = 0
    let behind: Val = UNKNOWN
    if (i === chain.length - 1 && isNoHandler(fn)) it.gap({ path: r.path, line: r.expression?.l ?? at.line }, 'the handler could not be found')
    const { sendingEnds } = it
    const next = (_: Interpreter, __: readonly Val[], place: Place): Val => {
      it.sendingEnds = false
      if (++passed > 3) return UNKNOWN
      behind = step(i + 1, place)
      it.beforeHandler = true
      it.everywhere = r.everywhere === true
      return behind
    }
    it.sendingEnds = i < chain.length - 1 && r.seeds.includes('fastify-reply')
    const args = r.seeds.map((seed, n) => (seed === 'input' ? argument(it, fn, n) : seedValue(seed, i < chain.length - 1 ? next : undefined, shared)))
    it.beforeHandler = i < chain.length - 1
    it.everywhere = r.everywhere === true
    const given = settle(it, callValue(it, inFrontmatter(r, handlerOf(fn), args[0]), args, at), at)
    const value = passed > 0 && r.seeds[0] === 'hono-context' ? orWhatIsBehind(it, given, behind) : given
    it.beforeHandler = i < chain.length - 1
    it.sendingEnds = sendingEnds
    if (r.gate) {
      it.require(value, placeOf(it, r, at), { ends: true, how: 'respond', status: 403 })
      return step(i + 1, at)
    }
    // One that never calls `next` itself hands it to something that is not followed, or is not handed one at all.
    if (i < chain.length - 1 && passed === 0) {
      const rewritten = r.everywhere && it.request?.page !== undefined
      return goOn(it, value, at, rewritten ? arrives : (x) => passes(x, r.loads === true), () => step(i + 1, at))
    }
    if (through && i === chain.length - 1) passThrough(it, value, at, through)
    return value
  }
  const place = { path: entry.path, line: 1 }
  const value = step(0, place)
  answer(it, value, place)
}

/** Whether a value is nothing that code of the repository or a library could run: a member of something unknown, a text. */
const isNoHandler = (fn: Val): boolean =>
  fn.v === 'unknown' ||
  fn.v === 'const' ||
  fn.v === 'array' ||
  (fn.v === 'chain' && (fn.root.v === 'unknown' || fn.root.v === 'const')) ||
  (fn.v === 'call' && (fn.args.length === 0 || fn.name === 'eval'))

/** Hono answers with what the handler gave where a middleware that waited for it (`await next()`) gives nothing itself. */
function orWhatIsBehind(it: Interpreter, given: Val, behind: Val): Val {
  if (given.v === 'any') return it.distribute(given, (value) => orWhatIsBehind(it, value, behind))
  return isNullish(given) ? behind : given
}

/** Runs what is behind the entry where `value` lets pass; the entry itself goes on as if it had not. */
function passThrough(it: Interpreter, value: Val, at: Place, through: Runnable): void {
  const { steps } = it
  it.steps = [...steps]
  it.branch(undefined, () => {
    goOn(
      it,
      value,
      at,
      (x) => passes(x, through.loads === true),
      () => {
        const fn = resolve(it, through)
        return fn ? callValue(it, fn, [], at) : UNKNOWN
      },
    )
  })
  it.through?.push(...it.steps.slice(steps.length))
  it.steps = steps
}

/** The input that a schema, or a validator function, lets through; several of them together make up its form. */
function acceptInput(it: Interpreter, schema: Val, at: Place): void {
  const sent = acceptedInput(it.hosts)
  const given =
    schema.v === 'fn' ? settle(it, callValue(it, schema, [sent], at), at) : shaped({ it, at }, schema, it.hosts.has('input') ? request('body') : sent)
  const accepted = sent.v === 'object' && given.v === 'object' ? object({ ...sent.props, ...given.props }) : given
  it.hosts.set('input', host('input', undefined, { accepted }))
}

/** The body of an Astro page knows the request by the name `Astro`. */
function inFrontmatter(r: Runnable, fn: Val, context: Val | undefined): Val {
  if (fn.v !== 'fn' || r.functionId !== 0 || r.seeds[0] !== 'astro-context' || !context) return fn
  const scope = new Scope(r.path, fn.scope)
  scope.vars.set('Astro', context)
  return { ...fn, scope }
}

/** Where a runnable is written. */
function placeOf(it: Interpreter, r: Runnable, otherwise: Place): Place {
  const fn = r.functionId === undefined ? undefined : it.program.function(r.path, r.functionId)
  return fn ? { path: r.path, line: fn.l } : otherwise
}

/** True when a middleware that returns this lets the request pass; for loaders of pages an answer with content does. */
const passes = (value: Val, loads: boolean): boolean =>
  (loads && value.v === 'response' && value.how !== 'redirect' && value.how !== 'not-found' && (value.status ?? 200) < 300) ||
  (value.v === 'object' ? !value.props.redirect && !value.props.notFound : value.v !== 'response' || value.how === 'next')

/**
 * The ways past a middleware that answers whom it refuses, without those that are open only after an exception nobody asked for: `catch { return
 * NextResponse.next() }` around the look-up of the user. Where it refuses by throwing, an exception is what the check says.
 */
function asMeant<W extends Way>(ways: readonly W[]): readonly W[] {
  const regular = ways.filter((w) => !w.under.some((c) => c.test.v === 'error' && c.test.of === -1 && !c.negated))
  return regular.length && !regular.some((w) => w.under.some((c) => c.otherwise.thrown)) ? regular : ways
}

/** True when a middleware that returns this rewrites the request to the page that is asked about. */
const arrives = (value: Val): boolean => value.v === 'response' && value.arrives === true

/** What follows a middleware that is not handed a `next`: it runs unless the middleware answered. */
function goOn(it: Interpreter, value: Val, at: Place, leadsOn: (value: Val) => boolean, rest: () => Val): Val {
  if (value.v !== 'any') return leadsOn(value) ? rest() : value
  const ways = value.alts.flatMap((of) => waysOf(it, of.value, of.under).map((way) => ({ ...way, of })))
  const through = ways.filter((w) => leadsOn(w.value) && !isTurnedAway(w))
  if (!through.length) return value
  if (through.length === ways.length) return rest()
  const passing = asMeant(through)
  const pc = it.pc
  for (const w of ways) {
    if (through.includes(w)) continue
    it.pc = [...pc, ...w.under.filter((c) => !pc.includes(c))]
    answer(it, w.value, at)
  }
  it.pc = commonPath(
    pc,
    passing.map((w) => w.under.filter((c) => !pc.includes(c))),
    'ended',
  )
  it.narrowed = narrowTo(it.narrowed, value.choice, alternativesOf(passing.map((w) => w.of)))
  return rest()
}

/** One of the values that a middleware may return, and what it stands under. */
type Way = Pick<Alt, 'value' | 'under'>

/** What a middleware may return, each alternative of an alternative told apart. */
function waysOf(it: Interpreter, value: Val, under: readonly Cond[]): readonly Way[] {
  const possible = it.narrow(value)
  return possible.v === 'any' ? possible.alts.flatMap((a) => waysOf(it, a.value, [...under, ...a.under])) : [{ value: possible, under }]
}

/** What a library answered, handed on where it says itself that it sends elsewhere or refuses: `if (answer.status >= 300) return answer`. */
const isTurnedAway = ({ value, under }: Way): boolean => value.v !== 'response' && under.some(({ test, negated }) => saysElsewhere(test, !negated, 0))

/** Whether a test of an answer holds only where it does not let the request pass. */
function saysElsewhere(test: Val, holds: boolean, depth: number): boolean {
  if (depth > 4) return false
  if (test.v === 'chain') {
    const [of, last] = test.links.slice(-2)
    if (!holds) return last?.name === 'ok'
    if (last?.name === 'redirected') return true
    const [header] = last?.args ?? []
    return of?.name === 'headers' && (last?.name === 'get' || last?.name === 'has') && header?.v === 'const' && /^location$/i.test(String(header.value))
  }
  if (test.v !== 'op') return false
  const [a, b] = test.of
  if (test.op === '!') return a !== undefined && saysElsewhere(a, !holds, depth + 1)
  if (test.op === '||' || test.op === '&&') {
    const says = (x: Val) => saysElsewhere(x, holds, depth + 1)
    return (test.op === '&&') === holds ? test.of.some(says) : test.of.every(says)
  }
  if (a?.v !== 'chain' || a.links.at(-1)?.name !== 'status' || b?.v !== 'const' || typeof b.value !== 'number') return false
  if (test.op === '>=' || test.op === '>') return holds && b.value >= 299
  if (!/^[!=]==?$/.test(test.op)) return false
  return holds === test.op.startsWith('=') ? b.value >= 300 : b.value === 200
}

/** The function of a runnable. */
function resolve(it: Interpreter, r: Runnable): Val | undefined {
  if (r.expression) {
    bindAround(it, r.path, r.scope)
    const scope = scopeOfFunction(it, r.path, r.scope ?? 0)
    const expression = r.expression
    return scope ? quietly(it, () => evaluateAlone(it, expression, scope)) : undefined
  }
  if (r.functionId !== undefined) {
    const fn = it.program.function(r.path, r.functionId)
    if (fn) bindAround(it, r.path, fn.parent)
    const scope = fn ? scopeOfFunction(it, r.path, fn.parent ?? 0) : undefined
    const owner = scope && ownerOf(it, r.path, r.functionId)
    return scope ? functionValue(it, r.path, r.functionId, scope, owner?.self, owner?.home) : undefined
  }
  if (r.name !== undefined) {
    const [head = '', ...rest] = r.name.split('.')
    const scope = moduleScope(it, r.path)
    let value = exportedValue(it, r.path, head) ?? (scope && holderOf(it.program, head, scope) ? lookup(it, head, scope) : undefined)
    for (const n of rest) value = value && member(it, value, n, { path: r.path, line: 1 })
    return value
  }
  return undefined
}

/** What a caller passes to an action; one that is called an id goes by that name, so that ids are told from one another. */
function argument(it: Interpreter, fn: Val, index: number): Val {
  const param = fn.v === 'fn' ? it.program.function(fn.path, fn.id)?.params[index] : undefined
  return request('body', param?.k === 'name' && /(?:^|_)(?:id|uuid|uid)$|[a-z](?:Id|ID|Uuid|Uid)$/.test(param.name) ? param.name : undefined)
}

function handlerOf(fn: Val): Val {
  if (fn.v === 'array') return fn.items[fn.items.length - 1] ?? UNKNOWN
  return fn
}

/** Notes the answers that the entry returns. */
function answer(it: Interpreter, value: Val, place: Place): void {
  if (value.v === 'response') {
    if (!value.sent)
      it.emit(
        { kind: 'respond', how: value.how, ...(value.status !== undefined ? { status: value.status } : {}), ...(value.body ? { body: value.body } : {}) },
        value.at ?? place,
      )
    return
  }
  if (value.v === 'any') {
    // each alternative says itself what it stands under
    const pc = it.pc.filter((c) => !(c.test.v === 'op' && c.test.op === '||' && !c.negated))
    for (const a of value.alts) {
      it.pc = [...pc, ...a.under.filter((c) => !pc.includes(c))]
      answer(it, a.value, place)
    }
    it.pc = pc
    return
  }
  const status = value.v === 'object' ? statusIn(value.props.statusCode) : undefined
  if (value.v !== 'const' && value.v !== 'unknown') it.emit({ kind: 'respond', how: 'other', ...(status === undefined ? {} : { status }), body: value }, place)
}
