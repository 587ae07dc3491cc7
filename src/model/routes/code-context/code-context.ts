import type { Expr, FunctionIR, JavaScriptFacts } from '../../../facts/javascript.ts'
import { collectByCodeFile } from '../../../facts/questions.ts'
import { inEdgeFunctions } from '../../../lib/edge-function.ts'
import { lazily } from '../../../lib/memo/lazy.ts'
import { memo } from '../../../lib/memo/memo.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { type Program, packageOf } from '../../frameworks/program.ts'
import { boundNames, calleeText, expressions, statements, stringOf, subExpressions } from '../../frameworks/walk.ts'
import { namesOf } from '../pages/component-usage.ts'
import { pagesUsing } from '../pages/handler-usage.ts'
import type { Route } from '../routes.ts'
import { type SessionModel, storedInBrowser } from '../sessions/session-storage.ts'
import type { Exported, Surroundings } from './code-context-model.ts'
import { requestsTo } from './internal-requests.ts'
import { membersRead } from './member-reads.ts'
import { printExpr } from './print-expression.ts'
import { type DatabaseCall, timetableOf } from './schedules.ts'

/** Asked for when a finding is written, and never before. */
export function surroundingsOf(program: Program, sessions: readonly SessionModel[], routes: readonly Route[]): Surroundings {
  const { facts, workspaces, modules, sources } = program
  const files = facts.of('javascript')
  const timetable = lazily(() => timetableOf(facts))
  const calls = lazily(() =>
    Map.groupBy(
      [...callsOfFunctions(sources)].flatMap(([path, all]) => all.map((c) => ({ ...c, path }))),
      (c) => c.name,
    ),
  )
  const callersOf = (name: string): readonly DatabaseCall[] =>
    calls()
      .get(name)
      ?.map(({ path, line, anonKey }) => ({ path, line, ...(anonKey ? { anonKey } : {}) })) ?? []
  const pages = lazily(() => pagesUsing(routes, program, callersOf))
  const calling = lazily(() => [...calls().values()].some((all) => all.some((c) => !inEdgeFunctions(c.path))))
  const guarding = lazily(() => routes.some((r) => r.kind === 'page' && (r.guard ?? r.clientLayout ?? r.signs?.redirects ?? r.page?.gated) !== undefined))
  const requests = lazily(() => requestsTo(routes, sources, modules))
  const trusting = lazily(() => trustingProxies(sources).size > 0)
  const redis = lazily(() => [...madeOfRedis(sources).values()][0])
  const supabaseAuth = lazily(() => supabaseSignIn(sources).size > 0)
  const variables = lazily(() => [...new Set([...variablesRead(sources).values()].flat())].sort())
  const exports = lazily(() => [...sources].flatMap(([path, js]) => exportedBy(js, path)))
  // the same is asked for many findings
  const exported = new Map<string, readonly Exported[]>()
  const exporting = memo((name) => [...sources].flatMap(([path, js]) => (js.exports.some((e) => e.name === name) ? [path] : [])))
  const sourceOf = (path: string, name: string): string | undefined => {
    const i = files.get(path)?.imports.find((x) => x.bindings.some((y) => y.local === name))
    return i && (modules.resolve(path, i.from) ?? packageOf(i.from))
  }
  const imports = (name: string, path: string): boolean => {
    const home = workspaces.of(path).dir
    const within = (from: string) => from === name || from.startsWith(`${name}/`)
    return [...program.importersOf(packageOf(name) ?? name)].some((p) => workspaces.of(p).dir === home && files.get(p)?.imports.some((i) => within(i.from)))
  }
  return {
    names: memo((path) => scopeOf(files.get(path))),
    parameters: (route) => {
      const first = handlerOf(files.get(route.path), route)?.params[0]
      return first ? boundNames(first) : []
    },
    locals: (route) => new Set(handlerOf(files.get(route.path), route)?.body.flatMap((s) => (s.k === 'let' ? boundNames(s.to) : []))),
    source: (path, name) => sourceOf(path, name),
    meansSame(name, one, other) {
      const [a, b] = [sourceOf(one, name), sourceOf(other, name)]
      return a !== undefined && a === b
    },
    registered({ path, line, method }) {
      for (const fn of files.get(path)?.functions ?? [])
        for (const e of expressions(fn)) {
          if (e.k !== 'call' || e.l !== line || e.fn.k !== 'mem' || e.fn.of.k !== 'id') continue
          const written = stringOf(e.args[0])
          if (written?.startsWith('/') && (e.fn.name === method?.toLowerCase() || e.fn.name === 'all'))
            return { router: e.fn.of.name, method: e.fn.name, path: written }
        }
      return undefined
    },
    range: (name, path) => {
      const own = workspaces.of(path).manifest?.dependencies.find((d) => d.name === name)
      return (own ?? workspaces.all[0]?.manifest?.dependencies.find((d) => d.name === name))?.range
    },
    uses: (name, path) => {
      return workspaces.uses(name, path) || imports(name, path)
    },
    imports,
    exported: (name) => {
      const known = exported.get(String(name)) ?? exports().filter((e) => name.test(e.name))
      exported.set(String(name), known)
      return known
    },
    asked({ path, line }) {
      const found = files.get(path)?.functions.flatMap((f) => statements(f.body).filter((s) => s.k === 'if' && s.l === line)) ?? []
      const [only] = found
      return found.length === 1 && only?.k === 'if' ? printExpr(only.test) : undefined
    },
    exporting,
    variables: (name) => variables().filter((v) => name.test(v)),
    sessionInStorage: (path) => storedInBrowser(sessions.find((s) => s.workspace === workspaces.of(path).dir)),
    texts: (path) =>
      files.get(path)?.functions.flatMap((f) => expressions(f).flatMap((e) => (e.k === 'lit' && typeof e.v === 'string' && e.v.length < 500 ? [e.v] : []))) ??
      [],
    members: (path) => {
      const js = files.get(path)
      return js ? membersRead(js) : NO_IDENTIFIERS
    },
    get timetable() {
      return timetable()
    },
    callersOf,
    pagesUsing: (route) => pages().handler(route),
    pagesWithFile: (path) => pages().file(path),
    requestsTo: (route) => requests()(route),
    get callsFunctions() {
      return calling()
    },
    get guardsPages() {
      return guarding()
    },
    get trustsProxy() {
      return trusting()
    },
    get redis() {
      return redis()
    },
    get signsInWithSupabase() {
      return supabaseAuth()
    },
    code: (path) => files.get(path),
    resolve: (path, specifier) => modules.resolve(path, specifier),
  }
}

/** Files that did not change export what they did. */
const exportedBy = rememberFor((js: JavaScriptFacts, path: string) => exportedFunctions(path, js))

/** The outermost function within the lines of a handler. */
const handlerOf = (js: JavaScriptFacts | undefined, { line, endLine = line }: Pick<Route, 'line' | 'endLine'>): FunctionIR | undefined =>
  js?.functions.filter((f) => f.id !== 0 && f.l >= line && f.l <= endLine).sort((a, b) => a.l - b.l || a.id - b.id)[0]

function scopeOf(js: JavaScriptFacts | undefined): ReadonlySet<string> {
  const names = new Set<string>()
  for (const i of js?.imports ?? []) if (!i.typeOnly) for (const b of i.bindings) names.add(b.local)
  for (const s of js?.functions[0]?.body ?? []) {
    if (s.k === 'let') for (const n of boundNames(s.to)) names.add(n)
    if (s.k === 'function') names.add(s.name)
    if (s.k === 'class' && s.name) names.add(s.name)
  }
  return names
}

function exportedFunctions(path: string, js: JavaScriptFacts): readonly Exported[] {
  const declared = new Map<string, FunctionIR>()
  for (const s of statements(js.functions[0]?.body ?? [])) {
    const fn = s.k === 'function' ? js.functions[s.fn] : s.k === 'let' && s.init?.k === 'fn' ? js.functions[s.init.fn] : undefined
    const name = s.k === 'function' ? s.name : s.k === 'let' && s.to.k === 'name' ? s.to.name : undefined
    if (fn && name) declared.set(name, fn)
  }
  return js.exports.flatMap((e) => {
    const fn = e.local === undefined || e.name === 'default' ? undefined : declared.get(e.local)
    return fn ? [{ name: e.name, fn, path, line: fn.l }] : []
  })
}

/** `process.env.NAME`, by file. */
const variablesRead = collectByCodeFile((_, js: JavaScriptFacts) => {
  const found = js.functions.flatMap((fn) =>
    expressions(fn).flatMap((e) =>
      e.k === 'mem' && e.of.k === 'mem' && e.of.name === 'env' && e.of.of.k === 'id' && e.of.of.name === 'process' ? [e.name] : [],
    ),
  )
  return found.length ? found : undefined
})

/** `supabase.functions.invoke('name')`, a helper of the application that is named for it, and addresses with `/functions/v1/name`. */
const callsOfFunctions = collectByCodeFile((_, js: JavaScriptFacts) => {
  const found: { name: string; line: number; anonKey?: true }[] = []
  // pages of documentation list addresses and call none of them
  const described = new Set(js.functions.flatMap((fn) => expressions(fn).flatMap((e) => (e.k === 'obj' && isDescribed(e) ? e.props.map((p) => p.value) : []))))
  const helpers = ownHelpers(js)
  for (const fn of js.functions) {
    const all = expressions(fn)
    for (const e of all) {
      if (described.has(e)) continue
      const named = e.k === 'call' && e.fn.k === 'id' && helpers.has(e.fn.name) ? stringOf(e.args[helpers.get(e.fn.name) as number]) : undefined
      if (named) found.push({ name: named.split(/[?/]/, 1)[0] ?? named, line: e.l })
      const texts = e.k === 'tpl' ? e.quasis : e.k === 'lit' && typeof e.v === 'string' ? [e.v] : []
      for (const t of texts) {
        const named = /\/functions\/v1\/([\w-]{1,80})/.exec(t)?.[1]
        if (named) found.push({ name: named, line: e.l, ...(bringsAnonKey(e, all) ? { anonKey: true as const } : {}) })
      }
      const invoked = e.k === 'call' && (/functions\.invoke$/.test(calleeText(e.fn)) || INVOKES.test(calleeText(e.fn))) ? stringOf(e.args[0]) : undefined
      if (invoked) found.push({ name: invoked.split(/[?/]/, 1)[0] ?? invoked, line: e.l })
    }
  }
  return found.length ? found : undefined
})

/** Whether the request to an address brings the key of every browser, and no other: in the call, or in the statement of SQL that is put together there. */
function bringsAnonKey(address: Expr, all: readonly Expr[]): boolean {
  const call = all.find((e) => e.k === 'call' && e.args[0] !== undefined && [...subExpressions(e.args[0])].includes(address))
  const said = (call?.k === 'call' ? call.args : [address]).flatMap((a) =>
    [...subExpressions(a)].map((e) => (e.k === 'id' || e.k === 'mem' ? e.name : e.k === 'lit' ? String(e.v ?? '') : '')),
  )
  return said.some((s) => ANON_KEY.test(s)) && !said.some((s) => /service_?role/i.test(s))
}

const ANON_KEY = /(?:anon|publishable)_?key/i

/** Functions of a file that call the edge function which one of their parameters names, and which parameter that is. */
function ownHelpers(js: JavaScriptFacts): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  for (const fn of js.functions) {
    if (!fn.params.length) continue
    for (const e of expressions(fn)) {
      const named =
        e.k === 'tpl'
          ? e.exprs.find((_, i) => e.quasis[i]?.endsWith('/functions/v1/'))
          : e.k === 'call' && /functions\.invoke$/.test(calleeText(e.fn))
            ? e.args[0]
            : undefined
      const at = named?.k === 'id' ? fn.params.findIndex((p) => p.k === 'name' && p.name === named.name) : -1
      if (at >= 0) for (const name of namesOf(js).get(fn.id) ?? []) found.set(name, at)
    }
  }
  return found
}

/** `invokeEdgeWithAuth('name', …)`, `callEdgeFunction('name')`. */
const INVOKES = /^(?:this\.)?(?:invoke|call|fetch|request)(?:Supabase)?(?:Edge)?(?:Function|Edge\w{0,20})$/

/** `{ method: 'POST', endpoint: '/functions/v1/name', description: … }` */
const isDescribed = (e: Extract<Expr, { k: 'obj' }>): boolean => e.props.some((p) => p.key === 'description' || p.key === 'summary')

/** `supabase.auth.signInWithPassword()`, `auth.getUser()` and what else asks the auth server of Supabase, in code or by its address. */
const supabaseSignIn = collectByCodeFile((_, js: JavaScriptFacts) => {
  const asks =
    js.imports.some((i) => /^@supabase\/(?:auth-ui|auth-helpers|ssr$)/.test(i.from)) ||
    js.functions.some((fn) =>
      expressions(fn).some(
        (e) =>
          (e.k === 'call' && SUPABASE_AUTH.test(calleeText(e.fn))) ||
          (e.k === 'lit' && typeof e.v === 'string' && e.v.includes('/auth/v1/')) ||
          (e.k === 'tpl' && e.quasis.some((q) => q.includes('/auth/v1/'))),
      ),
    )
  return asks || undefined
})
const SUPABASE_AUTH =
  /(?:^|\.)auth\.(?:signIn\w*|signUp|signInAnonymously|verifyOtp|exchangeCodeForSession|setSession|getUser|getSession|getClaims|onAuthStateChange|updateUser|resetPasswordForEmail|signOut|refreshSession)$/

/** `app.set('trust proxy', 1)`, `app.enable('trust proxy')`. */
const trustingProxies = collectByCodeFile((_, js: JavaScriptFacts) =>
  js.functions.some((fn) => expressions(fn).some((e) => e.k === 'call' && stringOf(e.args[0]) === 'trust proxy')) ? true : undefined,
)

/** `new Redis({ url: process.env.…, token: process.env.… })`: the variables are not always those that `Redis.fromEnv()` reads. */
const madeOfRedis = collectByCodeFile((_, js: JavaScriptFacts) => {
  if (!js.imports.some((i) => i.from === '@upstash/redis')) return undefined
  for (const fn of js.functions)
    for (const e of expressions(fn)) if (e.k === 'new' && e.fn.k === 'id' && e.fn.name === 'Redis' && e.args[0]?.k === 'obj') return printExpr(e)
  return undefined
})

const NO_IDENTIFIERS: ReadonlySet<string> = new Set()
