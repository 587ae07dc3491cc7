import type { FactsIndex } from '../../facts/facts.ts'
import type { Expr, JavaScriptFacts } from '../../facts/javascript.ts'
import { dirname, join } from './paths.ts'
import { stringsIn, walkExpressions } from './walk.ts'

/** `find` is replaced by the folder or file `target`. */
export interface BundlerAlias {
  readonly find: string
  readonly target: string
}

const CONFIG =
  /(^|\/)(vite|vitest|svelte|nuxt|astro|webpack|next|babel|metro|rollup|electron\.vite|rspack|rsbuild|quasar|app|vue|craco|react-router)\.config\.[cm]?[jt]s$|(^|\/)(babel\.config|\.babelrc)\.[cm]?js$/

/** Aliases that bundler configurations declare (`resolve.alias`, `kit.alias`, `alias`), by the folder of the configuration. */
export function readBundlerAliases(facts: FactsIndex): ReadonlyMap<string, readonly BundlerAlias[]> {
  const byDir = new Map<string, BundlerAlias[]>()
  for (const [path, js] of facts.of('javascript')) {
    if (!CONFIG.test(path)) continue
    const dir = dirname(path)
    const found: BundlerAlias[] = []
    walkExpressions(js, js.functions[0]?.body ?? [], (e) => {
      if (e.k !== 'obj') return
      for (const p of e.props) if (p.key === 'alias') found.push(...entries(js, p.value, dir))
    })
    // Aliases are often assigned after the fact: `config.resolve.alias['@'] = …`.
    if (found.length > 0) byDir.set(dir, [...(byDir.get(dir) ?? []), ...found])
  }
  return byDir
}

function entries(js: JavaScriptFacts, value: Expr, dir: string): BundlerAlias[] {
  const pairs: [string, Expr][] = []
  if (value.k === 'obj') for (const p of value.props) if (p.key !== undefined) pairs.push([p.key, p.value])
  if (value.k === 'arr') {
    for (const item of value.items) {
      if (item.k !== 'obj') continue
      const find = item.props.find((p) => p.key === 'find')?.value
      const replacement = item.props.find((p) => p.key === 'replacement')?.value
      if (find?.k === 'lit' && typeof find.v === 'string' && replacement) pairs.push([find.v, replacement])
    }
  }
  return pairs.flatMap(([find, expr]) => {
    const target = targetOf(js, expr, dir)
    return target === undefined ? [] : [{ find: find.replace(/\/\*$/, '').replace(/\$$/, ''), target }]
  })
}

/** `path.resolve(__dirname, './src')`, `fileURLToPath(new URL('./src', import.meta.url))`, `'/src'`: the literals say it. */
function targetOf(js: JavaScriptFacts, expr: Expr, dir: string): string | undefined {
  const texts =
    expr.k === 'lit'
      ? typeof expr.v === 'string'
        ? [expr.v]
        : []
      : expr.k === 'call' && expr.fn.k === 'mem'
        ? expr.args.flatMap((a) => (a.k === 'lit' && typeof a.v === 'string' ? [a.v] : []))
        : stringsIn(js, expr)
  if (texts.length === 0 || texts.some((t) => /^[\w@][^/]*$/.test(t) && texts.length === 1)) {
    // A single bare word beside `__dirname` is a folder; alone it is a package.
    if (expr.k === 'lit' || texts.length === 0) return undefined
  }
  return join(dir, texts.map((t) => t.replace(/\/\*$/, '').replace(/^\//, '')).join('/'))
}

/** Where the aliases send a specifier; the longest match speaks. */
export function bundlerTarget(aliases: readonly BundlerAlias[], specifier: string): string | undefined {
  let best: BundlerAlias | undefined
  for (const a of aliases) {
    if (specifier !== a.find && !specifier.startsWith(a.find.endsWith('/') ? a.find : `${a.find}/`)) continue
    if (!best || a.find.length > best.find.length) best = a
  }
  return best ? join(best.target, specifier.slice(best.find.length)) : undefined
}
