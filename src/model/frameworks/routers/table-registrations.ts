/**
 * Routes that a loop registers, one for each row of a table (`for (const { method, path, handler } of ROUTES) app[method](path, handler)`). No call says
 * such a route by itself: each row is put in for what the body of the loop reads of it.
 */
import type { Expr, FunctionIR, Pattern, Stmt } from '../../../facts/javascript.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Place } from '../../../lib/place.ts'
import type { Before } from '../entry.ts'
import type { Following, Here } from './registration-context.ts'
import { callsInLoop, fieldsOf, fitting, ofRow, pairsOfObject, readsRow, routeTableRows, textOfRow, type Written } from './route-tables.ts'
import { ROUTER_METHODS, type Router } from './router.ts'
import { writtenPaths } from './written-paths.ts'

type Call = Extract<Expr, { k: 'call' }>

/** Registers each row of a table as the body of a loop over it says (`here`: the body); false where it says nothing of the kind. */
export function registerTable(follow: Following, over: Written, here: Here, to: Pattern, body: readonly Stmt[]): boolean {
  const keys = to.k === 'name' ? keysOf(over.expr) : undefined
  const fields = keys && to.k === 'name' ? ofKeys(keys, to.name, body) : fieldsOf(to, body)
  return registerRows(follow, () => routeTableRows(follow.program, over, (w) => argument(follow, w)), here, fields, body)
}

/** The name of the table in `Object.keys(TABLE)`. */
function keysOf(e: Expr): string | undefined {
  const [of] = e.k === 'call' && e.fn.k === 'mem' && e.fn.name === 'keys' && e.fn.of.k === 'id' && e.fn.of.name === 'Object' ? e.args : []
  return of?.k === 'id' ? of.name : undefined
}

/** What a body reads of pairs of names and values that it is given the names of: `key` and `TABLE[key]`. */
const ofKeys = (table: string, key: string, body: readonly Stmt[]): ReadonlyMap<string, string> =>
  new Map([...fieldsOf({ k: 'array', items: [{ k: 'name', name: key }] }, body), [`${table}[${key}]`, '1']])

/**
 * A loop of one of the other kinds over a table: `for (const key in TABLE)`, `for (let i = 0; i < TABLE.length; i++)`. Its body reads the row as
 * `TABLE[key]` or `TABLE[i]`.
 */
export function registerIndexed(follow: Following, here: Here, loop: Extract<Stmt, { k: 'loop' }>): boolean {
  const { path, scope } = here
  if (loop.how === 'in' && loop.to?.k === 'name' && loop.over?.k === 'id') {
    const expr = loop.over
    return registerRows(follow, () => pairsOfObject(follow.program, { path, scope, expr }), here, ofKeys(expr.name, loop.to.name, loop.body), loop.body)
  }
  const counter = loop.init?.find((s) => s.k === 'let')
  const over = loop.test?.k === 'bin' && loop.test.b.k === 'mem' && loop.test.b.name === 'length' ? loop.test.b.of : undefined
  if (loop.how !== 'for' || counter?.k !== 'let' || counter.to.k !== 'name' || over?.k !== 'id') return false
  const fields = fieldsOf({ k: 'name', name: `${over.name}[${counter.to.name}]` }, loop.body)
  return registerRows(follow, () => routeTableRows(follow.program, { path, scope, expr: over }, (w) => argument(follow, w)), here, fields, loop.body)
}

/** A call of a function that registers what it is given (`add(app, '/orders', list)`): the call is a table of one row. */
export function registerCall(follow: Following, call: Call, here: Here, fn: FunctionIR, inside: Here): boolean {
  const props = fn.params.flatMap((p, i) => (p.k === 'name' && call.args[i] ? [{ key: p.name, value: call.args[i] as Expr, l: call.l }] : []))
  const row: Written = { path: here.path, scope: here.scope, expr: { k: 'obj', props, l: call.l, ...(call.e ? { e: call.e } : {}) } }
  const to: Pattern = { k: 'object', props: props.map((p) => ({ key: p.key, to: { k: 'name', name: p.key } })) }
  return registerRows(follow, () => [row], inside, fieldsOf(to, fn.body), fn.body)
}

/** Whether a function registers a route under an address that it is given. */
export const registersParameters = rememberFor((fn: FunctionIR): boolean => {
  const names = new Set(fn.params.flatMap((p) => (p.k === 'name' ? [p.name] : [])))
  if (!names.size) return false
  const fields = new Map([...names].map((n) => [n, n]))
  return callsInLoop(fn.body).some(
    (c) =>
      (c.fn.k === 'idx' || (c.fn.k === 'mem' && c.fn.name in ROUTER_METHODS)) && c.args.length > 1 && c.args[0] !== undefined && readsRow(c.args[0], fields),
  )
})

function registerRows(
  follow: Following,
  table: () => readonly Written[] | undefined,
  here: Here,
  fields: ReadonlyMap<string, string>,
  body: readonly Stmt[],
): boolean {
  const groups = new Map<string, { on: Router; calls: Call[] }>()
  for (const call of callsInLoop(body)) {
    const { fn } = call
    // by the name of the method; `app[method](…)` has none
    const verb = fn.k === 'idx' ? '' : fn.k === 'mem' && (fn.name in ROUTER_METHODS || fn.name === 'all' || fn.name === 'use') ? fn.name : undefined
    if (verb === undefined || (fn.k !== 'idx' && fn.k !== 'mem') || !(call.args[0] && readsRow(call.args[0], fields))) continue
    const on = follow.router({ ...here, depth: here.depth + 1 }, fn.of)
    if (on) groups.set(verb, { on, calls: [...(groups.get(verb)?.calls ?? []), call] })
  }
  const rows = groups.size ? table() : undefined
  for (const row of rows ?? [])
    for (const { on, calls } of groups.values()) {
      const call = fitting(calls, row, fields)
      if (call) registerRow(follow, on, call, row, fields, here)
    }
  return rows !== undefined
}

/** What the one call of a function gives for its parameter. */
function argument({ program, givens }: Following, { path, scope, expr }: Written): Written | undefined {
  const m = program.meaning(path, scope, expr)
  return m?.k === 'param' ? givens.argument(m.path, m.scope, m.index) : undefined
}

/** Registers one row by the call that fits it best. */
function registerRow(follow: Following, on: Router, call: Call, row: Written, fields: ReadonlyMap<string, string>, here: Here): void {
  const { path, scope } = here
  const body = { path, scope }
  const target = on.of ?? on
  const method = call.fn.k === 'idx' ? textOfRow(call.fn.index, row, fields, body)?.toLowerCase() : call.fn.k === 'mem' ? call.fn.name : undefined
  const url = call.args[0] && pathOfRow(follow, call.args[0], row, fields, body)
  if (method === undefined || url === undefined) {
    follow.unfollowed(body, { path: row.path, line: row.expr.l }, 'a route of a table whose address or method is not written there')
    return
  }
  const befores: Before[] = []
  for (const w of call.args.slice(1).flatMap((a) => ofRow(a, row, fields, body) ?? [])) {
    const mounted = method === 'use' ? follow.router({ ...here, path: w.path, scope: w.scope, depth: here.depth + 1 }, w.expr) : undefined
    if (mounted && mounted !== target) {
      mounted.mounted = true
      target.registrations.push({ k: 'mount', paths: [url], router: mounted, befores: [...befores], upTo: mounted.registrations.length })
      return
    }
    befores.push(...follow.handlers.of(w.path, w.scope, w.expr, target))
  }
  const at: Place = { path: row.path, line: row.expr.l, ...(row.expr.e ? { endLine: row.expr.e } : {}) }
  if (method === 'use') {
    if (befores.length) target.registrations.push({ k: 'use', paths: [url], befores })
  } else if ((method in ROUTER_METHODS || method === 'all') && befores.length)
    target.registrations.push({ k: 'route', methods: [ROUTER_METHODS[method]], path: url, handlers: befores, at })
}

/** The address of a row, written there or kept under a name. */
function pathOfRow(follow: Following, e: Expr, row: Written, fields: ReadonlyMap<string, string>, body: Omit<Written, 'expr'>): string | undefined {
  const written = textOfRow(e, row, fields, body)
  if (written !== undefined) return written
  const of = ofRow(e, row, fields, body)
  return of && writtenPaths(follow.program, of.path, of.scope, of.expr)[0]
}
