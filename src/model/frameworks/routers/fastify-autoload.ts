import type { Expr } from '../../../facts/javascript.ts'
import type { Meaning, Program } from '../program.ts'
import { childrenOf, propOf } from '../walk.ts'

/** A plug-in that `@fastify/autoload` finds by its folder, and the prefix that the folder gives it. */
export interface Autoloaded {
  readonly meaning: Meaning
  readonly prefix: string
}

/** The plug-ins of `register(autoload, { dir: join(import.meta.dirname, 'routes') })`, in the order of their paths. */
export function autoloaded(program: Program, path: string, options: Expr | undefined): readonly Autoloaded[] {
  const dir = propOf(options, 'dir')
  const folder = dir && folderOf(path, literals(dir, 0))
  if (!folder) return []
  return program.paths.flatMap((file): Autoloaded[] => {
    if (!file.startsWith(`${folder}/`) || /\.(?:test|spec)\.|autohooks\./.test(file)) return []
    const meaning = program.exported(file, 'default')
    if (!meaning) return []
    const own = program.exported(file, 'autoPrefix') ?? program.exported(file, 'prefixOverride')
    const inside = file
      .slice(folder.length + 1)
      .split('/')
      .slice(0, -1)
    const prefix = own?.k === 'expr' && own.expr.k === 'lit' ? String(own.expr.v) : `/${inside.map((s) => s.replace(/^_+(?=\w)/, ':')).join('/')}`
    return [{ meaning, prefix }]
  })
}

/** The strings of `path.join(__dirname, 'a', 'b')`, `` `${dir}/a` `` or `new URL('./a', import.meta.url)`, in order. */
function literals(e: Expr, depth: number): readonly string[] {
  if (depth > 6) return []
  if (e.k === 'lit') return typeof e.v === 'string' ? [e.v] : []
  if (e.k === 'tpl') return e.quasis
  return childrenOf(e).flatMap((c) => literals(c, depth + 1))
}

/** The folder that relative segments mean, seen from a file. */
function folderOf(path: string, segments: readonly string[]): string | undefined {
  const out = path.split('/').slice(0, -1)
  const parts = segments.flatMap((s) => s.split('/')).filter((s) => s !== '' && s !== '.')
  if (!parts.length) return undefined
  for (const p of parts)
    if (p === '..') out.pop()
    else out.push(p)
  return out.join('/')
}
