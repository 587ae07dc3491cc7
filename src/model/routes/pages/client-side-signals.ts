import type { Expr, FunctionId, FunctionIR, JavaScriptFacts } from '../../../facts/javascript.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Place } from '../../../lib/place.ts'
import type { Program } from '../../frameworks/program.ts'
import { calleeText, expressions, expressionsDeep, exprsOf, propOf, statements, stringOf, subExpressions } from '../../frameworks/walk.ts'
import { turnsAway } from './client-redirect.ts'

/** What the code of a page says about who it is for, as it runs in the browser (or while it renders). */
export interface PageSigns {
  /** Sends visitors without a session to sign-in, in the browser. */
  readonly redirects?: Place
  /** Turns away who is not signed in, to wherever: it leads on under that condition, or shows nothing. */
  readonly turnsAway?: Place
  /** Leads on to other pages as well when it opens: those who are signed in do not stay either. */
  readonly leadsOn?: true
  /** Reads the signed-in user or the session. */
  readonly readsUser?: Place
  /** Reads what the browser keeps: storage or cookies, where a session may be. */
  readonly readsKept?: true
  /** Addresses of the application's own API that it asks when it opens, with GET. */
  readonly asks: readonly { readonly url: string; readonly at: Place }[]
}

const LOGIN =
  /^\/?(?:[a-z]{2}(?:-[A-Z]{2})?\/)?(?:auth\/?|(?:auth|account|user)\/)?(?:log-?in|sign-?in|signin|auth|connexion|anmelden|iniciar-sesion|accedi|entrar|welcome|unauthorized|401)?(?:[/?#].*)?$/i
/** Sign-in for some of the users: `/admin-login`, `/staff/sign-in`. */
const LOGIN_OF = /^\/?(?:[\w-]{1,40}[-/])?(?:log-?in|sign-?in)(?:[/?#].*)?$/i
const NAVIGATE = /(^|\.)(push|replace|navigate|redirect|goto|navigateTo|assign|navigateForward)$/
const USER_HOOK =
  /^(useUser|useAuth|useSession|useSupabaseUser|useSupabaseSession|useCurrentUser|useAuthStore|useClerk|useAuthUser|useProfile|useRequireAuth|useProtectedRoute|useSessionContext|useKindeBrowserClient)$/
const BROWSER_STORAGE_NAME = /storage|cookie/i
const GUARD_COMPONENT =
  /^(ProtectedRoute|RequireAuth|AuthGuard|PrivateRoute|Protected|AuthRequired|RequireUser|AdminRoute|AdminGuard|WithAuth|AuthenticatedRoute|RoleGuard|SessionGuard)$/

const HELPER = /^(use|require|ensure|check|protect)/i

/** Components whose template is not among the facts. */
const TEMPLATE = /\.(vue|svelte)$/

const DEPTH = 3

/** The signs in a page's component, the hooks and components of the repository that it uses, and its own helpers. */
export function pageSigns(program: Program, path: string, fn: FunctionId): PageSigns {
  const out: { redirects?: Place; turnsAway?: Place; leadsOn?: true; readsUser?: Place; readsKept?: true; asks: { url: string; at: Place }[] } = { asks: [] }
  const seen = new Set<string>()
  const visit = (file: string, id: FunctionId, depth: number): void => {
    const key = `${file}#${id}`
    const js = program.js(file)
    const component = js?.functions[id]
    if (!js || !component || seen.has(key) || seen.size > 40) return
    seen.add(key)
    for (const sign of signsIn(component, js, TEMPLATE.test(file))) {
      const at = { path: file, line: sign.line }
      switch (sign.k) {
        case 'leads':
          if (sign.to === 'login') out.redirects ??= at
          else if (depth === 0) out.leadsOn = true
          break
        case 'turns-away':
          if (depth === 0) out.turnsAway ??= at
          break
        case 'reads-user':
          out.readsUser ??= at
          break
        case 'reads-kept':
          out.readsKept = true
          break
        case 'asks':
          out.asks.push({ url: sign.url, at })
          break
        // Hooks and helpers of the application; effects of libraries are known by name.
        case 'helper': {
          const m = depth < DEPTH ? program.meaning(file, sign.scope, sign.fn) : undefined
          if (m?.k === 'fn' && (m.path !== file || m.fn !== id)) visit(m.path, m.fn, depth + 1)
          break
        }
        case 'element': {
          const { wraps } = sign
          const m = depth < DEPTH && (wraps || depth === 0) ? program.meaning(file, sign.scope, sign.tag) : undefined
          if (m?.k === 'fn') visitComponent(m.path, m.fn, depth + 1)
          // the guard that pages share stands where it is written
          const guard = wraps && m?.k === 'fn' && m.path !== path ? program.js(m.path)?.functions[m.fn] : undefined
          if (wraps || sign.leadsToLogin) out.redirects ??= m?.k === 'fn' && guard ? { path: m.path, line: guard.l } : at
        }
      }
    }
  }
  const visitComponent = (file: string, id: FunctionId, depth: number): void => {
    // Components below a page show what they like; only whole-page guards and sign-in redirects are its own.
    const before = out.asks.length
    visit(file, id, depth + 1)
    out.asks.length = before
  }
  visit(path, fn, 0)
  return out
}

/** What one expression of a component says, as far as it says anything. */
type Sign = { readonly line: number } & (
  | { readonly k: 'leads'; readonly to: 'login' | 'elsewhere' }
  | { readonly k: 'reads-user' | 'reads-kept' | 'turns-away' }
  | { readonly k: 'asks'; readonly url: string }
  | { readonly k: 'helper'; readonly scope: FunctionId; readonly fn: Expr }
  | { readonly k: 'element'; readonly scope: FunctionId; readonly tag: Expr; readonly wraps: boolean; readonly leadsToLogin: boolean }
)

/** The signs in a component with everything written inside it, in order. Pages share their layouts and guards: each of these is gone through once. */
const signsIn = rememberFor((component: FunctionIR, js: JavaScriptFacts, hasTemplate: boolean): readonly Sign[] => {
  const { id } = component
  const { functions } = js
  const found = [...expressionsDeep(js, id)]
  const written = found.map((f) => f.expr)
  const clicked = clickHandlers(written)
  const handlers: ReadonlySet<FunctionId> = new Set([
    ...clicked,
    ...calledOnClicks(functions, found, clicked, handedBack(component)),
    ...(hasTemplate ? templateHandlers(functions, written) : []),
  ])
  const elsewhere = onOtherOccasions(functions, found)
  const away = turnsAway(component, functions, found, (scope) => conditional(functions, scope, handlers))
  const turned: readonly Sign[] = away === undefined ? [] : [{ k: 'turns-away', line: away }]
  return turned.concat(
    found.flatMap(({ expr, scope }): readonly Sign[] => {
      if (elsewhere.has(expr)) return []
      if (expr.k === 'call') return signsOfCall(expr, scope, { id, functions, handlers })
      const line = expr.l
      if (expr.k === 'assign' && expr.to.k === 'expr' && /location(\.href)?$/.test(calleeText(expr.to.expr))) {
        const target = stringOf(expr.value)
        return target !== undefined && isLogin(target) && conditional(functions, scope, handlers) ? [{ k: 'leads', to: 'login', line }] : []
      }
      if (expr.k !== 'jsx' || !expr.tag || typeof expr.tag !== 'object') return []
      const tag = calleeText(expr.tag)
      const element: Sign = { k: 'element', scope, tag: expr.tag, wraps: GUARD_COMPONENT.test(tag), leadsToLogin: tag === 'RedirectToSignIn', line }
      if (tag !== 'Navigate' && tag !== 'Redirect') return [element]
      const to = stringOf(expr.attrs.find((a) => a.key === 'to' || a.key === 'href')?.value)
      return [{ k: 'leads', to: to !== undefined && isLogin(to) ? 'login' : 'elsewhere', line }, element]
    }),
  )
})

/**
 * What runs on other occasions than that somebody without a session opens the page: when somebody signs out (`event === 'SIGNED_OUT'`), or in a part of
 * the site that the address tells apart (`pathname.startsWith('/admin')`).
 */
function onOtherOccasions(functions: JavaScriptFacts['functions'], found: readonly { readonly scope: FunctionId }[]): ReadonlySet<Expr> {
  const out = new Set<Expr>()
  const all = (e: Expr) => {
    for (const x of subExpressions(e)) out.add(x)
  }
  for (const id of new Set(found.map((f) => f.scope))) {
    const fn = functions[id]
    if (!fn) continue
    for (const s of statements(fn.body))
      if (s.k === 'if' && isOtherOccasion(s.test)) for (const inside of statements(s.then)) for (const e of exprsOf(inside)) all(e)
    for (const e of expressions(fn)) if (e.k === 'logic' && e.op === '&&' && isOtherOccasion(e.a)) all(e.b)
  }
  return out
}

function isOtherOccasion(test: Expr): boolean {
  if (test.k === 'logic' && test.op !== '??') {
    const [a, b] = [isOtherOccasion(test.a), isOtherOccasion(test.b)]
    return test.op === '&&' ? a || b : a && b
  }
  if (test.k === 'bin') return /^===?$/.test(test.op) && [test.a, test.b].some((x) => stringOf(x) === 'SIGNED_OUT')
  return test.k === 'call' && test.fn.k === 'mem' && /^(?:startsWith|includes)$/.test(test.fn.name) && /(?:^|\.)path_?name$/i.test(calleeText(test.fn.of))
}

function signsOfCall(
  expr: Extract<Expr, { k: 'call' }>,
  scope: FunctionId,
  { id, functions, handlers }: { readonly id: FunctionId; readonly functions: JavaScriptFacts['functions']; readonly handlers: ReadonlySet<FunctionId> },
): readonly Sign[] {
  const name = calleeText(expr.fn)
  const line = expr.l
  const found: Sign[] = []
  if (NAVIGATE.test(name) && conditional(functions, scope, handlers)) {
    const target = stringOf(expr.args[0]) ?? stringOf(propOf(expr.args[0], 'to')) ?? stringOf(propOf(expr.args[0], 'pathname')) ?? leading(expr.args[0])
    found.push({ k: 'leads', to: target !== undefined && isLogin(target) ? 'login' : 'elsewhere', line })
  }
  if (/auth\.(getUser|getSession|getClaims|onAuthStateChange)$/.test(name) || USER_HOOK.test(name)) found.push({ k: 'reads-user', line })
  if (BROWSER_STORAGE_NAME.test(name)) found.push({ k: 'reads-kept', line })
  if (isRequest(name, expr) && onOpening(functions, scope, id)) {
    const url = stringOf(expr.args[0]) ?? leading(expr.args[0])
    if (url?.startsWith('/')) found.push({ k: 'asks', url: url.replace(/[?#][\s\S]*/, ''), line })
  }
  if ((expr.fn.k === 'id' || expr.fn.k === 'mem') && HELPER.test(name)) found.push({ k: 'helper', scope, fn: expr.fn, line })
  return found
}

/** Where links of mails and other providers lead back to: whoever is sent on to there has just come from one. */
const RETURN_LINK_PATH = /\/(?:callback|confirm|reset|recover|verify|update-password|forgot|[\w-]{0,20}error)/i

export function isLogin(target: string): boolean {
  if (RETURN_LINK_PATH.test(target)) return false
  if (LOGIN_OF.test(target)) return true
  return (
    target !== '' && target !== '/' && /log-?in|sign-?in|auth|welcome|connexion|anmelden|sesion|accedi|entrar|unauthorized/i.test(target) && LOGIN.test(target)
  )
}

/** The constant start of a template. */
function leading(e: Expr | undefined): string | undefined {
  return e?.k === 'tpl' ? e.quasis[0] : e?.k === 'bin' && e.op === '+' ? stringOf(e.a) : undefined
}

function isRequest(name: string, e: Extract<Expr, { k: 'call' }>): boolean {
  if (!/^(fetch|\$fetch|useFetch|useLazyFetch|axios\.get|useSWR|useQuery|api\.get|ky\.get)$/.test(name)) return false
  const method = stringOf(propOf(e.args[1], 'method'))
  return method === undefined || method.toUpperCase() === 'GET'
}

/**
 * Functions written into the `onClick={() => …}` of an element or into the entries of a menu (`[{ name: 'Sign in', action: () => … }]`), or handed
 * to `addListener('…', …)`: they run when something happens, not because the page opens.
 */
function clickHandlers(found: readonly Expr[]): ReadonlySet<FunctionId> {
  const out = new Set<FunctionId>()
  for (const e of found) {
    if (e.k === 'jsx') for (const a of e.attrs) if (/^on[A-Z]/.test(a.key ?? '') && a.value?.k === 'fn') out.add(a.value.fn)
    if (e.k === 'arr')
      for (const item of e.items) if (item.k === 'obj') for (const p of item.props) if (CHOSEN.test(p.key ?? '') && p.value?.k === 'fn') out.add(p.value.fn)
    if (e.k !== 'call' || !LISTENS.test(calleeText(e.fn)) || stringOf(e.args[0]) === undefined) continue
    for (const a of e.args.slice(1)) if (a.k === 'fn') out.add(a.fn)
  }
  return out
}

const CHOSEN = /^(on[A-Z]\w*|action|command|handler|handle|run|perform|execute|callback|click|press|select)$/

/** What a hook gives to whoever uses it: `return { build, user }`. */
const handedBack = ({ body }: FunctionIR): readonly string[] =>
  body.flatMap((s) => (s.k === 'return' && s.value?.k === 'obj' ? s.value.props.flatMap((p) => (p.value?.k === 'id' ? [p.value.name] : [])) : []))

/**
 * Functions that only run on a click or when something else happens: handed to an element as `onPress={save}` or to `addEventListener('error', leave)`,
 * given back by a hook (`back`), or called in functions that are.
 */
function calledOnClicks(
  functions: readonly { readonly id: number; readonly parent?: number; readonly name?: string }[],
  found: readonly { readonly expr: Expr; readonly scope: FunctionId }[],
  clicked: ReadonlySet<FunctionId>,
  back: readonly string[],
): readonly FunctionId[] {
  const all = new Set(clicked)
  for (let round = 0; round < 4; round++) {
    const more = calledOnThese(functions, found, all, back).filter((id) => !all.has(id))
    if (!more.length) break
    for (const id of more) all.add(id)
  }
  return [...all]
}

function calledOnThese(
  functions: readonly { readonly id: number; readonly parent?: number; readonly name?: string }[],
  found: readonly { readonly expr: Expr; readonly scope: FunctionId }[],
  clicked: ReadonlySet<FunctionId>,
  back: readonly string[],
): readonly FunctionId[] {
  const handed = new Map(back.map((name) => [name, 1]))
  const uses = Map.groupBy(found, ({ expr }) => (expr.k === 'id' ? expr.name : undefined))
  const hand = (name: string) => handed.set(name, (handed.get(name) ?? 0) + 1)
  for (const { expr: e } of found) {
    if (e.k === 'jsx') for (const a of e.attrs) if (/^on[A-Z]/.test(a.key ?? '') && a.value?.k === 'id') hand(a.value.name)
    if (e.k === 'call' && LISTENER.test(calleeText(e.fn)) && stringOf(e.args[0]) !== undefined) for (const a of e.args.slice(1)) if (a.k === 'id') hand(a.name)
  }
  const within = (scope: FunctionId): boolean => {
    for (let f = functions[scope], i = 0; f && i < 12; f = f.parent === undefined ? undefined : functions[f.parent], i++) if (clicked.has(f.id)) return true
    return false
  }
  return functions.flatMap((f) => {
    const used = f.name ? (uses.get(f.name) ?? []) : []
    const elsewhere = used.filter(({ scope }) => !within(scope)).length
    return used.length > 0 && elsewhere <= (handed.get(f.name ?? '') ?? 0) ? [f.id] : []
  })
}

const LISTENS = /(^|\.)(addListener|addEventListener|on|once)$/
const LISTENER = /(^|\.)(?:add|remove)(?:Event)?Listener$|(^|\.)(?:on|once|off)$/

/** Functions of a component that its script declares and never speaks of again: only the template does, in `@click="goToLogin"`. */
function templateHandlers(functions: readonly { readonly id: number; readonly name?: string }[], found: readonly Expr[]): readonly FunctionId[] {
  const spokenOf = new Set(found.map((e) => (e.k === 'id' ? e.name : '')))
  return functions.filter((f) => f.name && !spokenOf.has(f.name)).map((f) => f.id)
}

/** A redirect on a click is navigation; one that runs under a condition or in an effect is a gate. */
function conditional(
  functions: readonly { readonly id: number; readonly parent?: number; readonly name?: string }[],
  scope: FunctionId,
  handlers: ReadonlySet<FunctionId>,
): boolean {
  for (let f = functions[scope], i = 0; f && i < 12; f = f.parent === undefined ? undefined : functions[f.parent], i++)
    if (handlers.has(f.id) || /^(on|handle)?(click|submit|logout|signout|logOut|signOut)/i.test(f.name ?? '') || /^(handle|on)[A-Z]/.test(f.name ?? ''))
      return false
  return true
}

/** True for code that runs when the page opens: the component itself, effects, and functions they call; not event handlers. */
function onOpening(
  functions: readonly { readonly id: number; readonly parent?: number; readonly name?: string }[],
  scope: FunctionId,
  root: FunctionId,
): boolean {
  for (let f = functions[scope], i = 0; f && i < 12 && f.id !== root; f = f.parent === undefined ? undefined : functions[f.parent], i++) {
    if (/^(handle|on)[A-Z]/.test(f.name ?? '') || /^(submit|save|delete|remove|create|update|upload|send|buy|checkout|toggle)/i.test(f.name ?? '')) return false
  }
  return true
}
