import type { Expr, FunctionIR, JavaScriptFacts } from '../../../facts/javascript.ts'
import { inEdgeFunctions } from '../../../lib/edge-function.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Place } from '../../../lib/place.ts'
import { calleeText, expressions } from '../../frameworks/walk.ts'
import type { ModulesModel } from '../../modules/modules.ts'
import { membersRead } from '../code-context/member-reads.ts'

type Modules = Pick<ModulesModel, 'importers' | 'resolve'>
type Sources = ReadonlyMap<string, JavaScriptFacts>

/** More is walked for no place. */
const MOST = 200

/** The components that reach a place in the browser's code: what a helper, a hook or a context does there, those do who use it under that very name. */
export function componentsUsing(places: readonly Place[], modules: Modules, sources: Sources): readonly string[] {
  const found = new Set<string>()
  const seen = new Set<string>()
  const queue: { readonly path: string; readonly names: readonly string[] }[] = []
  const reach = (path: string, lines: readonly number[]) => {
    const js = sources.get(path)
    if (!js || inEdgeFunctions(path)) return
    if (isComponent(path)) found.add(path)
    else queue.push({ path, names: namesAround(js, lines) })
  }
  for (const { path, line } of places) reach(path, [line])
  for (const { path, names } of queue) {
    const key = `${path} ${names.join()}`
    if (seen.has(key) || seen.size > MOST) continue
    seen.add(key)
    for (const { path: importer } of modules.importers(path)) {
      const js = sources.get(importer)
      if (!js) continue
      if (js.exports.some((e) => e.from !== undefined && modules.resolve(importer, e.from) === path)) queue.push({ path: importer, names })
      const lines = linesUsing(js, names, (from) => modules.resolve(importer, from) === path)
      if (lines.length) reach(importer, lines)
    }
  }
  return [...found]
}

/** What is drawn; a hook or a context is called by what is drawn, whatever the ending of its file. */
const isComponent = (path: string): boolean => /x$/.test(path) && !/(?:^|\/)use[A-Z-][^/]*$|(?:Provider|Context|-provider|-context)\.[jt]sx$/.test(path)

/** The names of the functions around a line, and of those of the same file that call one of them. */
function namesAround(js: JavaScriptFacts, lines: readonly number[]): readonly string[] {
  const names = new Set(js.functions.flatMap((f) => (f.id !== 0 && lines.some((l) => f.l <= l && l <= f.e) ? (namesOf(js).get(f.id) ?? []) : [])))
  for (const name of names) for (const caller of callersIn(js).get(name) ?? []) for (const own of namesOf(js).get(caller) ?? []) names.add(own)
  // whoever draws a provider gives to others what it does
  return [...names].filter((n) => !/Provider$/.test(n))
}

/** What functions are called: where they are declared, put under a name, or put into an object. */
export const namesOf = rememberFor((js: JavaScriptFacts): ReadonlyMap<number, readonly string[]> => {
  const found = new Map<number, string[]>()
  const add = (fn: number, name: string) => found.set(fn, [...(found.get(fn) ?? []), name])
  for (const f of js.functions) if (f.name) add(f.id, f.name)
  const under = (name: string, e: Expr | undefined) => {
    if (e?.k === 'fn') add(e.fn, name)
    // `useCallback(async () => …)`
    if (e?.k === 'call' && e.args[0]?.k === 'fn') add(e.args[0].fn, name)
  }
  for (const f of js.functions) {
    for (const s of f.body) if (s.k === 'let' && s.to.k === 'name') under(s.to.name, s.init)
    for (const e of expressions(f)) if (e.k === 'obj') for (const prop of e.props) if (typeof prop.key === 'string') under(prop.key, prop.value)
  }
  for (const e of js.exports)
    if (e.name !== 'default' && e.local !== undefined && e.local !== e.name) for (const [fn, names] of found) if (names.includes(e.local)) add(fn, e.name)
  return found
})

/** The functions of a file that call something, by the last name of what they call. */
const callersIn = rememberFor((js: JavaScriptFacts): ReadonlyMap<string, readonly number[]> => {
  const found = new Map<string, number[]>()
  for (const f of js.functions) for (const name of namesUsed(f)) found.set(name, [...(found.get(name) ?? []), ...withParents(js, f)])
  return found
})

const withParents = (js: JavaScriptFacts, f: FunctionIR): number[] => {
  const out: number[] = []
  for (let at: FunctionIR | undefined = f; at && at.id !== 0; at = at.parent === undefined ? undefined : js.functions[at.parent]) out.push(at.id)
  return out
}

const namesUsed = (f: FunctionIR): readonly string[] => expressions(f).flatMap((e) => (e.k === 'call' ? (calleeText(e.fn).split('.').at(-1) ?? []) : []))

/** The lines on which a file uses one of the names that it imports, or takes out of what it imports. */
function linesUsing(js: JavaScriptFacts, names: readonly string[], isFrom: (specifier: string) => boolean): readonly number[] {
  const bindings = js.imports.flatMap((i) => (!i.typeOnly && isFrom(i.from) ? i.bindings : []))
  if (!bindings.length) return []
  const locals = new Set(bindings.filter((b) => names.includes(b.imported) || b.imported === 'default').map((b) => b.local))
  // what a context or a hook gives is taken out of it by its name
  const taken = names.filter((n) => membersRead(js).has(n))
  if (!locals.size && !taken.length) return []
  return js.functions.flatMap((f) =>
    expressions(f).flatMap((e) => ((e.k === 'id' && (locals.has(e.name) || taken.includes(e.name))) || (e.k === 'mem' && taken.includes(e.name)) ? [e.l] : [])),
  )
}
