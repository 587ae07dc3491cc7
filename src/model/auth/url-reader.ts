/**
 * Which URLs an expression can come out as. Links of e-mails and redirects are put together over several files; a check of them needs the parts, not the
 * line.
 */
import type { Expr, FunctionId, FunctionIR, JavaScriptFacts, Pattern } from '../../facts/javascript.ts'
import { boundNames, calleeText, expressions, propOf, statements, stringOf, subExpressions } from '../frameworks/walk.ts'
import type { ModulesModel } from '../modules/modules.ts'
import { Declarations, importOf, type Site } from './declarations.ts'
import { isBrowserTest, outsideDevelopment, stageTest } from './stage-test.ts'
import {
  besideVariables,
  concat,
  dropEmptyValues,
  HEADER_ORIGIN,
  ORIGIN,
  param,
  resolveAgainst,
  SELF,
  UNKNOWN_URL,
  type UrlPart,
  type UrlValue,
  union,
  urlText,
} from './url-value.ts'

/** Expressions, helpers and variables inside one another. */
const MAX_DEPTH = 12

/** Follows the parts of URLs through variables, helpers and modules, without running anything. Bounded; what it cannot follow is `other`. */
export class UrlReader {
  private readonly files: ReadonlyMap<string, JavaScriptFacts>
  private readonly modules: ModulesModel
  /** What the names around a site stand for. */
  readonly names: Declarations
  /** How often somebody asked for something. */
  asked = 0

  constructor(files: ReadonlyMap<string, JavaScriptFacts>, modules: ModulesModel) {
    this.files = files
    this.modules = modules
    this.names = new Declarations(files, modules)
  }

  /** Every way in which an expression can come out, its parameters `bound`. */
  read(e: Expr | undefined, site: Site, bound: ReadonlyMap<string, readonly UrlValue[]> = new Map(), depth = 0): readonly UrlValue[] {
    this.asked++
    if (!e || depth > MAX_DEPTH) return UNKNOWN_URL
    const next = (x: Expr | undefined) => this.read(x, site, bound, depth + 1)
    switch (e.k) {
      case 'lit':
        return typeof e.v === 'string' ? [urlText(e.v, site, e.l)] : typeof e.v === 'number' ? [urlText(String(e.v), site, e.l)] : UNKNOWN_URL
      case 'tpl': {
        let values: readonly UrlValue[] = [urlText(e.quasis[0] ?? '', site, e.l)]
        e.exprs.forEach((x, i) => {
          values = concat(concat(values, next(x)), [urlText(e.quasis[i + 1] ?? '', site, e.l)])
        })
        return values
      }
      case 'bin':
        return e.op === '+' ? concat(next(e.a), next(e.b)) : UNKNOWN_URL
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
        return UNKNOWN_URL
      case 'call':
        return this.call(e, site, bound, depth)
      default:
        return UNKNOWN_URL
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
      const property = propOf(this.names.initOf(e.of.name, site), e.name)
      if (property) return this.read(property, site, bound, depth + 1)
      if (this.isDecodedState(e.of.name, site)) return [param(e.name, site, e.l)]
    }
    return UNKNOWN_URL
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
        const found = this.names.takenFrom(of.name, site)
        if (!found) return undefined
        keys.unshift(...found.keys)
        of = found.from
      } else break
    }
    if (of?.k !== 'call' || of.fn.k !== 'id' || of.fn.name !== 'useRuntimeConfig' || !keys.length) return undefined
    const config = nuxtConfig(site.path, this.files)
    let value: Expr | undefined = config?.config
    for (const key of ['runtimeConfig', ...keys]) value = propOf(value, key)
    if (!config || !value) return undefined
    const name = `NUXT_${keys.map((k) => k.replace(/([a-z\d])([A-Z])/g, '$1_$2').toUpperCase()).join('_')}`
    return union(
      [{ parts: [{ k: 'env', name }], fallback: false }],
      this.read(value, { path: config.path, fn: 0 }, new Map(), depth + 1).map((v) => ({ ...v, fallback: true })),
    )
  }

  private call(e: Extract<Expr, { k: 'call' }>, site: Site, bound: ReadonlyMap<string, readonly UrlValue[]>, depth: number): readonly UrlValue[] {
    const callee = calleeText(e.fn)
    const first = stringOf(e.args[0])
    if (
      /(^|\.)(searchParams|params|query|formData|form)(\(\))?\.get$/i.test(callee) ||
      /\buseSearchParams\(\)\.get$/.test(callee) ||
      this.asksParameters(e, site)
    )
      return first === undefined ? UNKNOWN_URL : [param(first, site, e.l)]
    if (callee === 'Deno.env.get' && first) return [{ parts: [{ k: 'env', name: first }], fallback: false }]
    if (/(^|\.)headers(\(\))?\.get$|(^|\.)header$|(^|\.)req(?:uest)?\.get$/.test(callee) && first && /^(origin|host|x-forwarded-host|referer)$/i.test(first))
      return HEADER_ORIGIN
    if (e.fn.k === 'mem') {
      if (SAME_TEXT.has(e.fn.name)) return this.read(e.fn.of, site, bound, depth + 1)
      if (e.fn.name === 'concat') return concat(this.read(e.fn.of, site, bound, depth + 1), this.read(e.args[0], site, bound, depth + 1))
    }
    if (callee === 'String' || callee === 'decodeURIComponent' || callee === 'decodeURI') return this.read(e.args[0], site, bound, depth + 1)
    if (e.fn.k !== 'id' && e.fn.k !== 'mem') return UNKNOWN_URL
    const target = e.fn.k === 'id' ? this.names.functionNamed(e.fn.name, site) : this.names.functionOfModule(e.fn, site)
    if (!target) return (e.fn.k === 'id' ? envHelper(e.fn.name, first) : undefined) ?? UNKNOWN_URL
    return this.returns(
      target,
      e.args.map((a) => this.read(a, site, bound, depth + 1)),
      depth,
    )
  }

  /** `sp.get('next')`, where `sp` is what the address asks for under another name. */
  private asksParameters(e: Extract<Expr, { k: 'call' }>, site: Site): boolean {
    if (e.fn.k !== 'mem' || e.fn.name !== 'get' || e.fn.of.k !== 'id') return false
    const source = this.names.takenFrom(e.fn.of.name, site)
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
      if (p.k === 'name') bound.set(p.name, args[i] ?? (p.init ? this.read(p.init, inner, new Map(), depth + 1) : UNKNOWN_URL))
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
    if (!values.length) return UNKNOWN_URL
    // A helper that looks at its argument before it gives it back is taken to check it, unless all that it asks is how it begins.
    if (!testsItsParameters(target.fn)) return values
    const told = asksHowItBegins(target.fn)
    return values.map((v) => ({ ...v, parts: v.parts.map((p): UrlPart => (p.k !== 'param' ? p : told ? { ...p, tested: true } : { k: 'other' })) }))
  }

  /** Every value that is given to a variable in the functions around the site, otherwise what the name is imported as. */
  private variable(name: string, site: Site, bound: ReadonlyMap<string, readonly UrlValue[]>, depth: number): readonly UrlValue[] {
    const js = this.files.get(site.path)
    if (!js) return UNKNOWN_URL
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
      if (declared) return values.length ? dropEmptyValues(besideVariables(values)) : UNKNOWN_URL
    }
    const imported = importOf(js, name)
    if (!imported) return UNKNOWN_URL
    if (/^\$env\//.test(imported.from)) return [{ parts: [{ k: 'env', name: imported.imported }], fallback: false }]
    const file = this.modules.resolve(site.path, imported.from)
    const definition = file ? this.modules.definition(file, imported.imported) : undefined
    if (!definition) return UNKNOWN_URL
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
        return UNKNOWN_URL
      }
      const inner = this.destructured(to, from ? { k: 'mem', of: from, name: key, l: from.l } : undefined, name, site)
      if (inner.length) return key === 'searchParams' || key === 'query' ? [param(name, site, from?.l ?? 1)] : inner
    }
    return []
  }

  /** A variable that holds an unsigned, decoded `state` or cookie-less JSON of the request. */
  private isDecodedState(name: string, site: Site): boolean {
    const init = this.names.initOf(name, site)
    if (init?.k !== 'call' || calleeText(init.fn) !== 'JSON.parse') return false
    const text = JSON.stringify(init.args)
    return /base64|atob|decodeURIComponent|"state"/.test(text)
  }
}

/** Whether a condition in a function mentions one of its parameters. */
function testsItsParameters(fn: FunctionIR): boolean {
  const names = new Set(fn.params.flatMap((p) => boundNames(p)))
  const mentions = (test: Expr) => [...subExpressions(test)].some((e) => e.k === 'id' && names.has(e.name))
  for (const s of statements(fn.body)) if (s.k === 'if' && mentions(s.test)) return true
  for (const e of expressions(fn)) if (e.k === 'cond' && mentions(e.test)) return true
  return false
}

/**
 * Whether nothing is asked of the parameters but that they are there, and which text they begin with, and one of them comes back as it is; what another one
 * is (`kind === 'recovery'`) says nothing of that one.
 */
function asksHowItBegins(fn: FunctionIR): boolean {
  const names = new Set(fn.params.flatMap((p) => boundNames(p)))
  const mentioned = (e: Expr) => [...subExpressions(e)].some((x) => x.k === 'id' && names.has(x.name))
  const returned = new Set(
    [...statements(fn.body)].flatMap((s) => (s.k === 'return' && s.value ? [...subExpressions(s.value)].flatMap((x) => (x.k === 'id' ? [x.name] : [])) : [])),
  )
  const isKind = (x: Expr) => x.k === 'id' && !returned.has(x.name)
  const plain = (test: Expr, depth = 0): boolean => {
    if (depth > 8) return false
    if (test.k === 'logic') return plain(test.a, depth + 1) && plain(test.b, depth + 1)
    if (test.k === 'un' && test.op === '!') return plain(test.of, depth + 1)
    if (test.k === 'bin') return /^[!=]==?$/.test(test.op) && [test.a, test.b].some((x) => (x.k === 'un' && x.op === 'typeof') || isKind(x))
    if (test.k === 'call') return test.fn.k === 'mem' && test.fn.name === 'startsWith' && test.fn.of.k === 'id' && test.args[0]?.k === 'lit'
    return test.k === 'id'
  }
  return [...statements(fn.body)].every((s) => {
    if (s.k === 'block') return true
    if (s.k === 'if') return plain(s.test)
    return s.k === 'return' && s.value !== undefined && (s.value.k === 'id' || !mentioned(s.value) || (s.value.k === 'cond' && plain(s.value.test)))
  })
}

/** Methods after which the text is still recognisably the same URL. */
const SAME_TEXT = new Set(['trim', 'replace', 'replaceAll', 'toString', 'toLowerCase', 'trimEnd', 'normalize', 'split', 'at', 'slice', 'substring'])

/** The variable of the environment that a member expression reads. */
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

/** A map without one of its keys. */
function without<V>(map: ReadonlyMap<string, V>, key: string): ReadonlyMap<string, V> {
  if (!map.has(key)) return map
  const copy = new Map(map)
  copy.delete(key)
  return copy
}

/** The object that the nearest Nuxt configuration exports. */
function nuxtConfig(path: string, files: ReadonlyMap<string, JavaScriptFacts>): { readonly path: string; readonly config: Expr } | undefined {
  let best: { path: string; config: Expr } | undefined
  for (const [file, js] of files) {
    const folder = /^(.*\/)?nuxt\.config\.[cm]?[jt]s$/.exec(file)
    if (!folder || !path.startsWith(folder[1] ?? '') || (best && best.path.length > file.length)) continue
    const exported = js.exports.find((x) => x.name === 'default')?.value
    const config = exported?.k === 'call' ? exported.args[0] : exported
    if (config) best = { path: file, config }
  }
  return best
}
