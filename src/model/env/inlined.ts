import type { Expr, JavaScriptFacts } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { describeValue } from '../../facts/secrets/describe-value.ts'
import { unlessEmpty } from '../../lib/memo/collect-by-file.ts'
import { expressions, propOf, statements, stringOf, stringsOf, subExpressions } from '../frameworks/walk.ts'
import { envNameOf, isEnvObject } from './code-reads.ts'
import type { EnvDefinition } from './env.ts'

interface Inlining {
  readonly file: RegExp
  readonly keys: readonly string[]
  readonly how: string
}

/** Where a configuration file names values that its bundler writes into the bundle. */
const INLINING: readonly Inlining[] = [
  { file: /(^|\/)next\.config\.[cm]?[jt]s$/, keys: ['env'], how: '`env` in the Next.js configuration' },
  { file: /(^|\/)next\.config\.[cm]?[jt]s$/, keys: ['publicRuntimeConfig'], how: '`publicRuntimeConfig` in the Next.js configuration' },
  { file: /(^|\/)(vite|vitest|astro|svelte|remix|electron\.vite)\.config\.[cm]?[jt]s$/, keys: ['define'], how: '`define` in the Vite configuration' },
  { file: /(^|\/)nuxt\.config\.[cm]?[jt]s$/, keys: ['runtimeConfig', 'public'], how: '`runtimeConfig.public` in the Nuxt configuration' },
  { file: /(^|\/)app\.config\.[cm]?[jt]s$/, keys: ['extra'], how: '`extra` in the Expo configuration' },
]

/** Values that a bundler's configuration inlines. */
export const inlinedDefinitions = collectByCodeFile((path, js: JavaScriptFacts) => {
  const out: EnvDefinition[] = []
  for (const rule of INLINING) {
    if (!rule.file.test(path)) continue
    for (const object of objectsAt(js, rule.keys)) collect(object, path, rule.how, out, 0)
  }
  return unlessEmpty(out)
})

/** Prefixes that a Vite configuration adds. */
export const envPrefixes = collectByCodeFile((path, js: JavaScriptFacts) => {
  if (!/(^|\/)(vite|astro|electron\.vite)\.config\.[cm]?[jt]s$/.test(path)) return undefined
  const prefixes = everyObject(js).flatMap((o) => stringsOf(propOf(o, 'envPrefix')))
  return unlessEmpty(prefixes.filter((p) => /^[A-Z][A-Z0-9_]*$/.test(p)))
})

function collect(object: Expr, path: string, how: string, out: EnvDefinition[], depth: number): void {
  if (object.k !== 'obj' || depth > 4) return
  for (const p of object.props) {
    if (p.spread) continue
    const value = p.value.k === 'call' && p.value.args[0] ? p.value.args[0] : p.value
    const read = [...subExpressions(value)].map((e) => readIn(e)).find((n) => n !== undefined)
    const key = (p.key ?? stringOf(p.computed) ?? '').replace(/^(?:process\.env|import\.meta\.env)\.?/, '')
    // define: { 'process.env': process.env } writes the whole build environment into the bundle
    if (key === '' && p.key !== '' && (isEnvObject(value) || (value.k === 'id' && value.name === 'env')))
      out.push({
        name: 'process.env',
        path,
        line: p.l,
        value: '',
        kind: 'whole-environment',
        hash: '',
        source: 'build-config',
        environment: 'shared',
        inlinedBy: how,
      })
    else if (value.k === 'obj') collect(value, path, how, out, depth + 1)
    else if (read || key || stringOf(value) !== undefined) {
      // What is computed (a call, a function called at once) is inlined under its key as well.
      const literal = stringOf(value)
      const secret = value.k === 'lit' ? value.secret : undefined
      const fact = secret
        ? { value: String(value.k === 'lit' ? value.v : ''), kind: secret, hash: '', live: 'live' as const }
        : literal === undefined
          ? { value: '', kind: 'reference', hash: '' }
          : describeValue(key, literal)
      out.push({ name: read ?? key, path, line: p.l, ...fact, source: 'build-config', environment: 'shared', inlinedBy: how })
    }
  }
}

/** `process.env.X`, and `env.X` of `loadEnv`. */
function readIn(e: Expr): string | undefined {
  const known = envNameOf(e)
  if (known) return known
  return e.k === 'mem' && e.of.k === 'id' && e.of.name === 'env' && /^[A-Z][A-Z0-9_]+$/.test(e.name) ? e.name : undefined
}

function everyObject(js: JavaScriptFacts): Expr[] {
  const roots: Expr[] = js.exports.flatMap((e) => (e.value ? [...subExpressions(e.value)] : []))
  for (const fn of js.functions) {
    roots.push(...expressions(fn))
    for (const s of statements(fn.body)) if (s.k === 'let' && s.init) roots.push(s.init)
  }
  return [...new Set(roots)].filter((e) => e.k === 'obj')
}

/** Objects under the given path of keys, wherever the configuration object is written. */
function objectsAt(js: JavaScriptFacts, keys: readonly string[]): Expr[] {
  const [first = '', ...rest] = keys
  const found = everyObject(js).flatMap((o) => propOf(o, first) ?? [])
  return [...new Set(rest.reduce<Expr[]>((objects, key) => objects.flatMap((o) => propOf(o, key) ?? []), found))]
}
