import type { Expr, FunctionId, ImportFact, JavaScriptFacts, Pattern, Stmt } from '../../facts/javascript.ts'
import { walkExpressions } from './walk.ts'

/** The part of a module that is sent to the browser: its imports and lines; everything when absent. */
export interface ClientView {
  readonly imports: ReadonlySet<ImportFact>
  readonly lines: readonly (readonly [number, number])[]
  /** Lines inside `lines` that are stripped after all. */
  readonly without: readonly (readonly [number, number])[]
}

/**
 * What remains of a module when a compiler strips exports and function bodies that run on the server, and then everything that only
 * they used: Next.js data functions, Remix loaders and actions, TanStack server functions.
 */
export function clientView(
  js: JavaScriptFacts,
  stripped: { readonly exports?: ReadonlySet<string>; readonly functions?: ReadonlySet<FunctionId> },
): ClientView {
  const dropped = stripped.exports ?? new Set()
  const skip = stripped.functions ?? new Set()
  const body = js.functions[0]?.body ?? []
  const declared = new Map<string, Stmt[]>()
  for (const s of body) for (const name of declares(s)) declared.set(name, [...(declared.get(name) ?? []), s])
  const serverLocals = new Set(js.exports.flatMap((e) => (dropped.has(e.name) && e.local !== undefined ? [e.local] : [])))

  const live = new Set<Stmt>()
  const names = new Set<string>()
  const specifiers = new Set<string>()
  const queue: unknown[] = []
  for (const s of body) {
    if (declares(s).length > 0) continue
    live.add(s)
    queue.push(s)
  }
  const lines: [number, number][] = []
  for (const e of js.exports) {
    if (dropped.has(e.name)) continue
    if (e.value) {
      queue.push(e.value)
      lines.push([e.value.l, e.value.e ?? e.value.l])
    }
    if (e.local !== undefined) need(e.local)
  }
  while (queue.length > 0) {
    walkExpressions(
      js,
      queue.pop(),
      (e: Expr) => {
        if (e.k === 'id') need(e.name)
        const from = e.k === 'import' ? e.from : e.k === 'call' && e.fn.k === 'id' && e.fn.name === 'require' ? e.args[0] : undefined
        if (from?.k === 'lit' && typeof from.v === 'string') specifiers.add(from.v)
      },
      skip,
    )
  }
  for (const s of live) lines.push([s.l, s.e ?? s.l])
  return {
    imports: new Set(
      js.imports.filter((i) => (i.how === 'static' ? i.bindings.length === 0 || i.bindings.some((b) => names.has(b.local)) : specifiers.has(i.from))),
    ),
    lines,
    without: [...skip].flatMap((id) => {
      const f = js.functions[id]
      return f ? [[f.l, f.e] as const] : []
    }),
  }

  function need(name: string): void {
    if (names.has(name)) return
    names.add(name)
    for (const s of declared.get(name) ?? []) {
      // A stripped export that the component also calls stays stripped.
      if (live.has(s) || serverLocals.has(name)) continue
      live.add(s)
      queue.push(s)
    }
  }
}

/** Names that a statement of the module body declares; empty for statements that do something. */
function declares(s: Stmt): string[] {
  if (s.k === 'function') return [s.name]
  if (s.k === 'class') return s.name ? [s.name] : []
  return s.k === 'let' ? bound(s.to) : []
}

function bound(p: Pattern): string[] {
  if (p.k === 'name') return [p.name]
  if (p.k === 'object') return [...p.props.flatMap((x) => bound(x.to)), ...(p.rest ? [p.rest] : [])]
  if (p.k === 'array') return [...p.items.flatMap((x) => (x ? bound(x) : [])), ...(p.rest ? [p.rest] : [])]
  return p.k === 'rest' ? bound(p.to) : []
}
