import type { Expr, FunctionIR, JavaScriptFacts } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { unlessEmpty } from '../../lib/memo/collect-by-file.ts'
import { calleeText, childrenOf, exprsOf, statements, stringOf } from '../frameworks/walk.ts'
import type { EnvRead } from './env.ts'

/** The variable that an expression reads: `process.env.X`, `import.meta.env.X`, `Deno.env.get('X')`, `Bun.env.X`, `env('X')`. */
export function envNameOf(e: Expr): string | undefined {
  if (e.k === 'mem') return isEnvObject(e.of) ? e.name : undefined
  if (e.k === 'idx') return isEnvObject(e.of) ? stringOf(e.index) : undefined
  if (e.k !== 'call') return undefined
  const callee = calleeText(e.fn)
  const first = stringOf(e.args[0])
  if (first === undefined || !/^[A-Z][A-Z0-9_]{2,}$/.test(first)) return undefined
  return /(^|\.)env\.get$|env/i.test(callee) ? first : undefined
}

/** `process.env`, `import.meta.env`, `Deno.env`, `Bun.env`, `globalThis.process.env`. */
export function isEnvObject(e: Expr): boolean {
  if (e.k !== 'mem' || e.name !== 'env') return false
  const of = e.of
  if (of.k === 'id') return of.name === 'process' || of.name === 'Deno' || of.name === 'Bun' || of.name === 'import'
  return of.k === 'mem' && ((of.name === 'meta' && of.of.k === 'id' && of.of.name === 'import') || of.name === 'process')
}

const SVELTE_ENV = /^\$env\/(?:static|dynamic)\/(?:public|private)$/

/** Every variable that a file reads. */
export const envReads = collectByCodeFile((path, js: JavaScriptFacts) => {
  const reads: EnvRead[] = []
  for (const i of js.imports) {
    if (!SVELTE_ENV.test(i.from) && !/^astro:env\//.test(i.from)) continue
    for (const b of i.bindings) if (/^[A-Z][A-Z0-9_]+$/.test(b.imported)) reads.push({ name: b.imported, path, line: i.l })
  }
  const dynamic = new Set(js.imports.filter((i) => SVELTE_ENV.test(i.from)).flatMap((i) => i.bindings.filter((b) => b.imported === 'env').map((b) => b.local)))
  for (const fn of js.functions) readsOf(fn, path, dynamic, reads)
  return unlessEmpty(reads.sort((a, b) => a.line - b.line))
})

function readsOf(fn: FunctionIR, path: string, dynamic: ReadonlySet<string>, reads: EnvRead[]): void {
  const visit = (e: Expr, flag: boolean): void => {
    const name = envNameOf(e) ?? (e.k === 'mem' && e.of.k === 'id' && dynamic.has(e.of.name) ? e.name : undefined)
    if (name && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) reads.push({ name, path, line: e.l, ...(flag ? { flag } : {}) })
    const switching =
      (e.k === 'bin' &&
        /^[!=]==?$/.test(e.op) &&
        [e.a, e.b].some((x) => x.k === 'lit' && /^(?:true|false|1|0|on|off|yes|no|undefined|null)$/i.test(String(x.v)))) ||
      (e.k === 'call' && e.fn.k === 'id' && e.fn.name === 'Boolean')
    const denied = e.k === 'un' && e.op === '!'
    for (const child of childrenOf(e)) visit(child, switching || (denied && e.k === 'un' && e.of === child && e.of.k === 'un'))
  }
  for (const s of statements(fn.body)) {
    // const { A, B: c } = process.env
    if (s.k === 'let' && s.to.k === 'object' && s.init && isEnvObject(s.init)) for (const p of s.to.props) reads.push({ name: p.key, path, line: s.l })
    for (const e of exprsOf(s)) visit(e, false)
  }
}
