import type { Expr, JavaScriptFacts } from '../../../facts/javascript.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { expressions, statements, stringOf } from '../../frameworks/walk.ts'

/** What a file takes of the modules that it loads while it runs, by how it names them; `*` for what is not seen. */
export const loadedNames = rememberFor((js: JavaScriptFacts): ReadonlyMap<string, ReadonlySet<string>> => {
  const taken = new Map<string, Set<string>>()
  const take = (specifier: string, name: string) => {
    const names = taken.get(specifier) ?? new Set()
    taken.set(specifier, names.add(name))
  }
  const seen = new Set<Expr>()
  for (const fn of js.functions) {
    // `const { send } = await import('./mail')`
    for (const s of statements(fn.body)) {
      const loaded = s.k === 'let' && s.to.k === 'object' && s.to.rest === undefined && s.init ? loadedBy(s.init) : undefined
      if (!loaded || s.k !== 'let' || s.to.k !== 'object') continue
      seen.add(loaded.by)
      for (const { key } of s.to.props) take(loaded.specifier, key)
    }
    // `(await import('./mail')).send()`
    for (const e of expressions(fn)) {
      const loaded = e.k === 'mem' ? loadedBy(e.of) : undefined
      if (!loaded || e.k !== 'mem') continue
      seen.add(loaded.by)
      take(loaded.specifier, e.name)
    }
  }
  for (const fn of js.functions)
    for (const e of expressions(fn)) {
      const specifier = e.k === 'import' && !seen.has(e) ? stringOf(e.from) : undefined
      if (specifier !== undefined) take(specifier, '*')
    }
  return taken
})

/** What is waited for: a promise itself (`import('./mail').then(…)`) hands on all of the module. */
function loadedBy(e: Expr): { readonly by: Expr; readonly specifier: string } | undefined {
  const specifier = e.k === 'await' && e.of.k === 'import' ? stringOf(e.of.from) : undefined
  return e.k === 'await' && specifier !== undefined ? { by: e.of, specifier } : undefined
}
