/**
 * Routes that a loop registers, one for each row of a table (`for (const { method, path, handler } of ROUTES) app[method](path, handler)`). No call says
 * such a route by itself: each row is put in for what the body of the loop reads of it.
 */
import type { Expr, Pattern, Stmt } from '../../../facts/javascript.ts'
import type { Place } from '../../../lib/place.ts'
import type { Before } from '../entry.ts'
import type { Following, Here } from './registration-context.ts'
import { callsInLoop, fieldsOf, fitting, ofRow, readsRow, routeTableRows, textOfRow, type Written } from './route-tables.ts'
import { ROUTER_METHODS, type Router } from './router.ts'

type Call = Extract<Expr, { k: 'call' }>

/** Registers each row of a table as the body of a loop over it says (`here`: the body); false where it says nothing of the kind. */
export function registerTable(follow: Following, over: Written, here: Here, to: Pattern, body: readonly Stmt[]): boolean {
  const fields = fieldsOf(to, body)
  const groups = new Map<string, { on: Router; calls: Call[] }>()
  for (const call of callsInLoop(body)) {
    const { fn } = call
    // by the name of the method; `app[method](…)` has none
    const verb = fn.k === 'idx' ? '' : fn.k === 'mem' && (fn.name in ROUTER_METHODS || fn.name === 'all' || fn.name === 'use') ? fn.name : undefined
    if (verb === undefined || (fn.k !== 'idx' && fn.k !== 'mem') || !(call.args[0] && readsRow(call.args[0], fields))) continue
    const on = follow.router({ ...here, depth: here.depth + 1 }, fn.of)
    if (on) groups.set(verb, { on, calls: [...(groups.get(verb)?.calls ?? []), call] })
  }
  const rows = groups.size ? routeTableRows(follow.program, over, (w) => argument(follow, w)) : undefined
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
  const url = call.args[0] && textOfRow(call.args[0], row, fields, body)
  if (method === undefined || url === undefined) return
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
