import type { Expr, FunctionId, FunctionIR, JavaScriptFacts, Pattern, Stmt } from '../../facts/javascript.ts'
import type { Place } from '../../lib/place.ts'
import { rememberFor } from '../../lib/remember-for.ts'
import { blocksOf, boundNames, calleeText, expressions, propOf, statements, stringOf, subExpressions } from '../frameworks/walk.ts'
import type { ModulesModel } from '../modules/modules.ts'

/** A piece of a URL as far as the source shows it. */
export type UrlPart =
  | { readonly k: 'text'; readonly text: string; readonly at: Place }
  | { readonly k: 'env'; readonly name: string }
  /** The origin or host of the running page or of the incoming request. */
  | { readonly k: 'origin' /** Taken from a request header, which the caller writes. */; readonly header?: true }
  /** A value that the caller chose: a query parameter, a field of the body or of an unsigned `state`. */
  | { readonly k: 'param'; readonly name: string; readonly at: Place }
  /** `new URL(a, base)`: `a` may bring its own host. */
  | { readonly k: 'resolved' }
  | { readonly k: 'other' }

/** One way in which a URL can come out. */
export interface UrlValue {
  readonly parts: readonly UrlPart[]
  /** Taken only when something else is missing: the right side of `||`, the last branch of a condition on the environment. */
  readonly fallback: boolean
}

/** The scope in which an expression stands. */
export interface Site {
  readonly path: string
  readonly fn: FunctionId
}

const MAX_VALUES = 24
const MAX_DEPTH = 12

/** Follows the parts of URLs through variables, helpers and modules, without running anything. Bounded; what it cannot follow is `other`. */
export class UrlReader {
  private readonly files: ReadonlyMap<string, JavaScriptFacts>
  private readonly modules: ModulesModel
  /** How often somebody asked for something. */
  asked = 0

  constructor(files: ReadonlyMap<string, JavaScriptFacts>, modules: ModulesModel) {
    this.files = files
    this.modules = modules
  }

  read(e: Expr | undefined, site: Site, bound: ReadonlyMap<string, readonly UrlValue[]> = new Map(), depth = 0): readonly UrlValue[] {
    this.asked++
    if (!e || depth > MAX_DEPTH) return OTHER
    const next = (x: Expr | undefined) => this.read(x, site, bound, depth + 1)
    switch (e.k) {
      case 'lit':
        return typeof e.v === 'string' ? [text(e.v, site, e.l)] : typeof e.v === 'number' ? [text(String(e.v), site, e.l)] : OTHER
      case 'tpl': {
        let values: readonly UrlValue[] = [text(e.quasis[0] ?? '', site, e.l)]
        e.exprs.forEach((x, i) => {
          values = concat(concat(values, next(x)), [text(e.quasis[i + 1] ?? '', site, e.l)])
        })
        return values
      }
      case 'bin':
        return e.op === '+' ? concat(next(e.a), next(e.b)) : OTHER
      case 'logic':
        // `a && b` is b or falsy; of `a || b` b counts only when a is missing.
        return e.op === '&&'
          ? next(e.b)
          : union(
              next(e.a),
              next(e.b).map((v) => ({ ...v, fallback: true })),
            )
      case 'cond':
        return this.condition(e, site, bound, depth)
      case 'await':
        return next(e.of)
      case 'assign':
        return next(e.value)
      case 'id':
        return bound.get(e.name) ?? this.runtimeConfig(e, site, depth) ?? this.variable(e.name, site, bound, depth)
      case 'mem':
        return this.member(e, site, bound, depth)
      case 'new':
        if (calleeText(e.fn) === 'URL') return e.args.length > 1 ? resolveAgainst(next(e.args[0])) : next(e.args[0])
        return OTHER
      case 'call':
        return this.call(e, site, bound, depth)
      default:
        return OTHER
    }
  }

  private condition(e: Extract<Expr, { k: 'cond' }>, site: Site, bound: ReadonlyMap<string, readonly UrlValue[]>, depth: number): readonly UrlValue[] {
    const then = () => this.read(e.then, site, bound, depth + 1)
    const otherwise = () => this.read(e.else, site, bound, depth + 1)
    const stage = stageTest(e.test)
    if (stage) return stage === 'development' ? otherwise() : then()
    if (isBrowserTest(e.test) && this.modules.side(site.path) !== 'server') return then()
    return union(
      then(),
      otherwise().map((v) => ({ ...v, fallback: true })),
    )
  }

  private member(e: Extract<Expr, { k: 'mem' }>, site: Site, bound: ReadonlyMap<string, readonly UrlValue[]>, depth: number): readonly UrlValue[] {
    const whole = calleeText(e)
    const env = envName(whole)
    if (env) return [{ parts: [{ k: 'env', name: env }], fallback: false }]
    if (/\.headers\.(origin|host|referer)$/.test(whole)) return HEADER_ORIGIN
    if (/(^|\.)(location|url|nextUrl|requestUrl|reqUrl|currentUrl|URL)\.(origin|host|hostname)$/i.test(whole) || e.name === 'origin') return ORIGIN
    if (/(^|\.)(searchParams|query|params)\.[\w$]+$/.test(whole) && !/^(window|document)\./.test(whole)) return [param(e.name, site, e.l)]
    const configured = this.runtimeConfig(e, site, depth)
    if (configured) return configured
    if (e.name === 'href' || e.name === 'pathname') return this.read(e.of, site, bound, depth + 1)
    if (e.of.k === 'id') {
      const property = propOf(this.initOf(e.of.name, site), e.name)
      if (property) return this.read(property, site, bound, depth + 1)
      if (this.isDecodedState(e.of.name, site)) return [param(e.name, site, e.l)]
    }
    return OTHER
  }

  /** `useRuntimeConfig().public.siteUrl`: what `runtimeConfig` in the Nuxt configuration says, unless `NUXT_PUBLIC_SITE_URL` is set. */
  private runtimeConfig(e: Expr, site: Site, depth: number): readonly UrlValue[] | undefined {
    const keys: string[] = []
    let of: Expr | undefined = e
    for (let n = 0; of && n < 8; n++) {
      if (of.k === 'mem') {
        keys.unshift(of.name)
        of = of.of
      } else if (of.k === 'id') {
        const found = this.takenFrom(of.name, site)
        if (!found) return undefined
        keys.unshift(...found.keys)
        of = found.from
      } else break
    }
    if (of?.k !== 'call' || of.fn.k !== 'id' || of.fn.name !== 'useRuntimeConfig' || !keys.length) return undefined
    const config = this.nuxtConfig(site.path)
    let value: Expr | undefined = config?.config
    for (const key of ['runtimeConfig', ...keys]) value = propOf(value, key)
    if (!config || !value) return undefined
    const name = `NUXT_${keys.map((k) => k.replace(/([a-z\d])([A-Z])/g, '$1_$2').toUpperCase()).join('_')}`
    return union(
      [{ parts: [{ k: 'env', name }], fallback: false }],
      this.read(value, { path: config.path, fn: 0 }, new Map(), depth + 1).map((v) => ({ ...v, fallback: true })),
    )
  }

  /** What a variable around the site is taken from, and the keys on the way: `const { public: config } = useRuntimeConfig()`. */
  private takenFrom(name: string, site: Site): { readonly from: Expr; readonly keys: readonly string[] } | undefined {
    const js = this.files.get(site.path)
    for (let id: FunctionId | undefined = site.fn; js && id !== undefined; id = js.functions[id]?.parent)
      for (const s of statements((js.functions[id] as FunctionIR).body)) {
        if (s.k !== 'let' || !s.init) continue
        const keys = keysTo(s.to, name)
        if (keys) return { from: s.init.k === 'await' ? s.init.of : s.init, keys }
      }
    return undefined
  }

  /** The object that the nearest Nuxt configuration exports. */
  private nuxtConfig(path: string): { readonly path: string; readonly config: Expr } | undefined {
    let best: { path: string; config: Expr } | undefined
    for (const [file, js] of this.files) {
      const folder = /^(.*\/)?nuxt\.config\.[cm]?[jt]s$/.exec(file)
      if (!folder || !path.startsWith(folder[1] ?? '') || (best && best.path.length > file.length)) continue
      const exported = js.exports.find((x) => x.name === 'default')?.value
      const config = exported?.k === 'call' ? exported.args[0] : exported
      if (config) best = { path: file, config }
    }
    return best
  }

  private call(e: Extract<Expr, { k: 'call' }>, site: Site, bound: ReadonlyMap<string, readonly UrlValue[]>, depth: number): readonly UrlValue[] {
    const callee = calleeText(e.fn)
    const first = stringOf(e.args[0])
    if (
      /(^|\.)(searchParams|params|query|formData|form)(\(\))?\.get$/i.test(callee) ||
      /\buseSearchParams\(\)\.get$/.test(callee) ||
      this.asksParameters(e, site)
    )
      return first === undefined ? OTHER : [param(first, site, e.l)]
    if (callee === 'Deno.env.get' && first) return [{ parts: [{ k: 'env', name: first }], fallback: false }]
    if (/(^|\.)headers(\(\))?\.get$|(^|\.)header$|(^|\.)req(?:uest)?\.get$/.test(callee) && first && /^(origin|host|x-forwarded-host|referer)$/i.test(first))
      return HEADER_ORIGIN
    if (e.fn.k === 'mem') {
      if (SAME_TEXT.has(e.fn.name)) return this.read(e.fn.of, site, bound, depth + 1)
      if (e.fn.name === 'concat') return concat(this.read(e.fn.of, site, bound, depth + 1), this.read(e.args[0], site, bound, depth + 1))
    }
    if (callee === 'String' || callee === 'decodeURIComponent' || callee === 'decodeURI') return this.read(e.args[0], site, bound, depth + 1)
    if (e.fn.k !== 'id' && e.fn.k !== 'mem') return OTHER
    const target = e.fn.k === 'id' ? this.functionNamed(e.fn.name, site) : this.functionOfModule(e.fn, site)
    if (!target) return (e.fn.k === 'id' ? envHelper(e.fn.name, first) : undefined) ?? OTHER
    return this.returns(
      target,
      e.args.map((a) => this.read(a, site, bound, depth + 1)),
      depth,
    )
  }

  /** `sp.get('next')`, where `sp` is what the address asks for under another name. */
  private asksParameters(e: Extract<Expr, { k: 'call' }>, site: Site): boolean {
    if (e.fn.k !== 'mem' || e.fn.name !== 'get' || e.fn.of.k !== 'id') return false
    const source = this.takenFrom(e.fn.of.name, site)
    if (!source) return false
    if (source.keys.length) return source.keys.at(-1) === 'searchParams'
    return /(^|\.)searchParams$|(^|\.)(useSearchParams|formData)\(\)$|^URLSearchParams$/.test(
      calleeText(source.from.k === 'new' ? source.from.fn : source.from),
    )
  }

  /** What a function gives back, its parameters bound. */
  private returns(target: { readonly path: string; readonly fn: FunctionIR }, args: readonly (readonly UrlValue[])[], depth: number): readonly UrlValue[] {
    const inner: Site = { path: target.path, fn: target.fn.id }
    const bound = new Map<string, readonly UrlValue[]>()
    target.fn.params.forEach((p, i) => {
      if (p.k === 'name') bound.set(p.name, args[i] ?? (p.init ? this.read(p.init, inner, new Map(), depth + 1) : OTHER))
    })
    let values: readonly UrlValue[] = []
    for (const s of outsideDevelopment(target.fn.body)) {
      if (s.k !== 'return' || !s.value) continue
      const later = values.length > 0
      values = union(
        values,
        this.read(s.value, inner, bound, depth + 1).map((v) => (later && v.parts.every((p) => p.k === 'text') ? { ...v, fallback: true } : v)),
      )
    }
    if (!values.length) return OTHER
    // A helper that looks at its argument before it gives it back is taken to check it.
    return testsItsParameters(target.fn) ? values.map((v) => ({ ...v, parts: v.parts.map((p): UrlPart => (p.k === 'param' ? { k: 'other' } : p)) })) : values
  }

  /** Every value that is given to a variable in the functions around the site, otherwise what the name is imported as. */
  private variable(name: string, site: Site, bound: ReadonlyMap<string, readonly UrlValue[]>, depth: number): readonly UrlValue[] {
    const js = this.files.get(site.path)
    if (!js) return OTHER
    for (let id: FunctionId | undefined = site.fn; id !== undefined; id = js.functions[id]?.parent) {
      const fn = js.functions[id] as FunctionIR
      const here: Site = { path: site.path, fn: id }
      let values: readonly UrlValue[] = []
      let declared = fn.params.some((p) => boundNames(p).includes(name))
      for (const p of fn.params) values = union(values, this.destructured(p, undefined, name, here))
      for (const s of outsideDevelopment(fn.body)) {
        if (s.k === 'let' && boundNames(s.to).includes(name)) {
          declared = true
          if (s.init)
            values = union(values, s.to.k === 'name' ? this.read(s.init, here, without(bound, name), depth + 1) : this.destructured(s.to, s.init, name, here))
        }
        if (s.k === 'expr' && s.expr.k === 'assign' && s.expr.to.k === 'name' && s.expr.to.name === name && (s.expr.op === '=' || s.expr.op.endsWith('?='))) {
          values = union(values, this.read(s.expr.value, here, new Map([...bound, [name, SELF]]), depth + 1))
        }
      }
      if (declared) return values.length ? settle(besideVariables(values)) : OTHER
    }
    const imported = importOf(js, name)
    if (!imported) return OTHER
    if (/^\$env\//.test(imported.from)) return [{ parts: [{ k: 'env', name: imported.imported }], fallback: false }]
    const file = this.modules.resolve(site.path, imported.from)
    const definition = file ? this.modules.definition(file, imported.imported) : undefined
    if (!definition) return OTHER
    return this.variable(definition.local, { path: definition.path, fn: 0 }, new Map(), depth + 1)
  }

  /** `const { origin, searchParams } = new URL(request.url)`, `({ url: { origin } })`, `const { next } = req.query`. */
  private destructured(p: Pattern, from: Expr | undefined, name: string, site: Site): readonly UrlValue[] {
    if (p.k !== 'object') return []
    for (const { key, to } of p.props) {
      if (!boundNames(to).includes(name)) continue
      if (to.k === 'name' && to.name === name) {
        if (key === 'origin' || key === 'host') return ORIGIN
        const source = from ? calleeText(from) : ''
        if (/(^|\.)(query|searchParams|body)$|\.json\(\)$/.test(source)) return [param(key, site, from?.l ?? 1)]
        return OTHER
      }
      const inner = this.destructured(to, from ? { k: 'mem', of: from, name: key, l: from.l } : undefined, name, site)
      if (inner.length) return key === 'searchParams' || key === 'query' ? [param(name, site, from?.l ?? 1)] : inner
    }
    return []
  }

  /** The function at the site; an empty one when the file is not known. */
  functionAt(site: Site): FunctionIR {
    return this.files.get(site.path)?.functions[site.fn] ?? { id: site.fn, params: [], body: [], l: 1, e: 1 }
  }

  /** Everything that a variable around the site is set to: its initialiser and what is assigned later. */
  valuesSet(name: string, site: Site): readonly Expr[] {
    const js = this.files.get(site.path)
    const values: Expr[] = []
    for (let id: FunctionId | undefined = site.fn; js && id !== undefined; id = js.functions[id]?.parent) {
      for (const s of statements((js.functions[id] as FunctionIR).body)) {
        if (s.k === 'let' && s.to.k === 'name' && s.to.name === name && s.init) values.push(s.init)
        if (s.k === 'expr' && s.expr.k === 'assign' && s.expr.to.k === 'name' && s.expr.to.name === name) values.push(s.expr.value)
      }
    }
    return values
  }

  /** The initialiser of a variable around the site. */
  initOf(name: string, site: Site): Expr | undefined {
    const js = this.files.get(site.path)
    for (let id: FunctionId | undefined = site.fn; js && id !== undefined; id = js.functions[id]?.parent) {
      for (const s of statements((js.functions[id] as FunctionIR).body)) if (s.k === 'let' && s.to.k === 'name' && s.to.name === name && s.init) return s.init
    }
    return undefined
  }

  /** A variable that holds an unsigned, decoded `state` or cookie-less JSON of the request. */
  private isDecodedState(name: string, site: Site): boolean {
    const init = this.initOf(name, site)
    if (init?.k !== 'call' || calleeText(init.fn) !== 'JSON.parse') return false
    const text = JSON.stringify(init.args)
    return /base64|atob|decodeURIComponent|"state"/.test(text)
  }

  /** The function that a name stands for in a file: one of its own, or an imported one. */
  functionNamed(name: string, site: Site): { path: string; fn: FunctionIR } | undefined {
    const js = this.files.get(site.path)
    if (!js) return undefined
    const local = localFunction(js, name)
    if (local) return { path: site.path, fn: local }
    const imported = importOf(js, name)
    return imported && this.functionFrom(imported.from, imported.imported, site)
  }

  /** `urls.getURL` of `import * as urls from './urls'`. */
  private functionOfModule({ of, name }: Extract<Expr, { k: 'mem' }>, site: Site): { path: string; fn: FunctionIR } | undefined {
    const js = this.files.get(site.path)
    const imported = js && of.k === 'id' ? importOf(js, of.name) : undefined
    return imported?.imported === '*' ? this.functionFrom(imported.from, name, site) : undefined
  }

  private functionFrom(from: string, name: string, site: Site): { path: string; fn: FunctionIR } | undefined {
    const file = this.modules.resolve(site.path, from)
    const definition = file ? this.modules.definition(file, name) : undefined
    const target = definition && this.files.get(definition.path)
    const fn = target && definition ? localFunction(target, definition.local) : undefined
    return fn && definition ? { path: definition.path, fn } : undefined
  }
}

/** The keys that lead to a name in a pattern; empty for the name itself. */
function keysTo(p: Pattern, name: string): readonly string[] | undefined {
  if (p.k === 'name') return p.name === name ? [] : undefined
  if (p.k !== 'object') return undefined
  for (const { key, to } of p.props) {
    const rest = keysTo(to, name)
    if (rest) return [key, ...rest]
  }
  return undefined
}

/** Of what a variable is given in several places (`if (HOST) url = … else url = 'http://localhost'`), written text counts where the environment says nothing. */
const besideVariables = (values: readonly UrlValue[]): readonly UrlValue[] =>
  values.some((v) => v.parts.some((p) => p.k === 'env')) ? values.map((v) => (v.parts.every((p) => p.k === 'text') ? { ...v, fallback: true } : v)) : values

/** A function of a module by the name it is declared with or assigned to. */
export function localFunction(js: JavaScriptFacts, name: string): FunctionIR | undefined {
  for (const f of js.functions) {
    for (const s of f.body) {
      if (s.k === 'function' && s.name === name) return js.functions[s.fn]
      if (s.k === 'let' && s.to.k === 'name' && s.to.name === name && s.init?.k === 'fn') return js.functions[s.init.fn]
    }
  }
  return undefined
}

/** What a local name was imported as. */
export function importOf(js: JavaScriptFacts, name: string): { readonly from: string; readonly imported: string } | undefined {
  for (const i of js.imports) for (const b of i.bindings) if (b.local === name) return { from: i.from, imported: b.imported }
  return undefined
}

function testsItsParameters(fn: FunctionIR): boolean {
  const names = new Set(fn.params.flatMap((p) => boundNames(p)))
  const mentions = (test: Expr) => [...subExpressions(test)].some((e) => e.k === 'id' && names.has(e.name))
  for (const s of statements(fn.body)) if (s.k === 'if' && mentions(s.test)) return true
  for (const e of expressions(fn)) if (e.k === 'cond' && mentions(e.test)) return true
  return false
}

/** Statements, those left out that run in development only. */
function* outsideDevelopment(body: readonly Stmt[]): Generator<Stmt> {
  for (const s of body) {
    yield s
    if (s.k === 'if') {
      const stage = stageTest(s.test)
      if (stage !== 'development') yield* outsideDevelopment(s.then)
      if (stage !== 'production') yield* outsideDevelopment(s.else ?? [])
    } else for (const b of blocksOf(s)) yield* outsideDevelopment(b)
  }
}

/** Which stage a test asks for: `NODE_ENV === 'development'`, `import.meta.env.DEV`, `hostname === 'localhost'`. */
export function stageTest(test: Expr): 'development' | 'production' | undefined {
  if (test.k === 'un' && test.op === '!') {
    const inner = stageTest(test.of)
    return inner && (inner === 'development' ? 'production' : 'development')
  }
  if (test.k === 'logic' && test.op === '&&') return stageTest(test.a) ?? stageTest(test.b)
  if (test.k === 'mem' || test.k === 'id') {
    const name = calleeText(test)
    if (/\.env\.DEV$|^__DEV__$|^dev$|(?:^|\.)(?:is_?Dev(?:elopment)?|isLocal|isLocalhost)$/i.test(name)) return 'development'
    if (/\.env\.PROD$|(?:^|\.)is_?Prod(?:uction)?$/i.test(name)) return 'production'
  }
  if (test.k === 'bin' && /^[!=]==?$/.test(test.op)) {
    const value = stringOf(test.b) ?? stringOf(test.a)
    const name = calleeText(stringOf(test.b) === undefined ? test.b : test.a)
    if (value === undefined || !/(NODE_ENV|VERCEL_ENV|APP_ENV|\.MODE|ENVIRONMENT|hostname|host)$/i.test(name)) return undefined
    const is = /^(development|dev|local|localhost|test|127\.0\.0\.1)$/.test(value) ? 'development' : value === 'production' ? 'production' : undefined
    if (!is) return undefined
    return test.op.startsWith('!') ? (is === 'development' ? 'production' : 'development') : is
  }
  if (test.k === 'call' && test.fn.k === 'mem' && test.fn.name === 'includes' && /^(localhost|127\.0\.0\.1)$/.test(stringOf(test.args[0]) ?? ''))
    return 'development'
  return undefined
}

function isBrowserTest(test: Expr): boolean {
  return [...subTests(test)].some((t) => t.k === 'un' && t.op === 'typeof' && calleeText(t.of) === 'window')
}

function* subTests(e: Expr): Generator<Expr> {
  yield e
  if (e.k === 'bin' || e.k === 'logic') {
    yield* subTests(e.a)
    yield* subTests(e.b)
  }
}

/** Methods after which the text is still recognisably the same URL. */
const SAME_TEXT = new Set(['trim', 'replace', 'replaceAll', 'toString', 'toLowerCase', 'trimEnd', 'normalize', 'split', 'at', 'slice', 'substring'])

function envName(text: string): string | undefined {
  return (
    /^(?:process\.env|import\.meta\.env|\?\.env|env|publicEnv)\.([A-Z][A-Z0-9_]*)$/.exec(text.replace(/^\?\.meta/, 'import.meta'))?.[1] ??
    /\.env\.([A-Z][A-Z0-9_]*)$/.exec(text)?.[1]
  )
}

/** `getEnv('SITE_URL')` of a package. */
function envHelper(name: string, first: string | undefined): readonly UrlValue[] | undefined {
  return first && /env/i.test(name) && /^[A-Z][A-Z0-9_]*$/.test(first) ? [{ parts: [{ k: 'env', name: first }], fallback: false }] : undefined
}

const OTHER: readonly UrlValue[] = [{ parts: [{ k: 'other' }], fallback: false }]
const ORIGIN: readonly UrlValue[] = [{ parts: [{ k: 'origin' }], fallback: false }]
const HEADER_ORIGIN: readonly UrlValue[] = [{ parts: [{ k: 'origin', header: true }], fallback: false }]
/** The variable's own earlier value: already counted. */
const SELF: readonly UrlValue[] = [{ parts: [], fallback: false }]

function text(t: string, site: Site, line: number): UrlValue {
  return { parts: t === '' ? [] : [{ k: 'text', text: t, at: { path: site.path, line } }], fallback: false }
}

function param(name: string, site: Site, line: number): UrlValue {
  return { parts: [{ k: 'param', name, at: { path: site.path, line } }], fallback: false }
}

function concat(a: readonly UrlValue[], b: readonly UrlValue[]): readonly UrlValue[] {
  const out: UrlValue[] = []
  for (const x of a) for (const y of b) if (out.length < MAX_VALUES) out.push({ parts: [...x.parts, ...y.parts], fallback: x.fallback || y.fallback })
  return out
}

function union(a: readonly UrlValue[], b: readonly UrlValue[]): readonly UrlValue[] {
  return [...a, ...b].slice(0, MAX_VALUES)
}

/** Values that say nothing are dropped when others do. */
function settle(values: readonly UrlValue[]): readonly UrlValue[] {
  const useful = values.filter((v) => v.parts.length > 0)
  return useful.length ? useful : values
}

function resolveAgainst(values: readonly UrlValue[]): readonly UrlValue[] {
  return values.map((v) => ({ ...v, parts: [{ k: 'resolved' }, ...v.parts] }))
}

function without<V>(map: ReadonlyMap<string, V>, key: string): ReadonlyMap<string, V> {
  if (!map.has(key)) return map
  const copy = new Map(map)
  copy.delete(key)
  return copy
}

/** Every call of a file with the function in which it stands. */
export const callsOf = rememberFor((js: JavaScriptFacts): readonly { readonly call: Extract<Expr, { k: 'call' | 'new' }>; readonly fn: FunctionIR }[] =>
  js.functions.flatMap((fn) => expressions(fn).flatMap((e) => (e.k === 'call' || e.k === 'new' ? [{ call: e, fn }] : []))),
)
