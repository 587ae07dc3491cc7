import type { Expr, FunctionIR, JavaScriptFacts, Stmt } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { unlessEmpty } from '../../lib/memo/collect-by-file.ts'
import { rememberFor } from '../../lib/memo/memoize-by-object.ts'
import { underscored } from '../../lib/snake-case.ts'
import { envNameOf } from '../env/code-reads.ts'
import { boundNames, calleeText, childrenOf, exprsOf, statements, stringOf } from '../frameworks/walk.ts'
import type { Switch } from './code.ts'

const AUTH =
  '(?:AUTH(?:ENTICATION|ORIZATION|Z|N)?|PERMISSIONS?|RBAC|ACL|RLS|ADMIN_?CHECK|ROLE_?CHECK|GUARDS?|JWT|TOKEN_?CHECK|2FA|MFA|OTP|ACCESS_?CONTROL|SIGNATURE)'
/** A product may switch its sign-in page off; only skipping or faking it lets people in. */
const LOGIN = '(?:LOGIN|SIGN_?IN|SESSION|VERIFICATION|PASSWORD)'
const MONEY = '(?:PAYMENTS?|STRIPE|CHECKOUT|BILLING|PAYWALL|SUBSCRIPTIONS?|CREDITS?|QUOTA|LICEN[SC]E)'
const AUTH_OFF = new RegExp(
  `(?:^|_)(?:SKIP|BYPASS|DISABLE|MOCK|FAKE|IGNORE|NO)_(?:[A-Z0-9]+_){0,2}${AUTH}(?:_|$)|(?:^|_)(?:SKIP|BYPASS|MOCK|FAKE)_(?:[A-Z0-9]+_)?${LOGIN}(?:_|$)|(?:^|_)${AUTH}_(?:CHECK_)?(?:BYPASS|DISABLED|SKIP|SKIPPED|OFF|MOCK)(?:_|$)`,
)
const MONEY_OFF = new RegExp(`(?:^|_)(?:SKIP|BYPASS|FAKE|IGNORE)_(?:[A-Z0-9]+_){0,2}${MONEY}(?:_|$)|(?:^|_)${MONEY}_(?:CHECK_)?(?:BYPASS|SKIP|SKIPPED)(?:_|$)`)
const REQUEST_NAME =
  /^(?:x-)?(?:bypass|skip[-_]?auth|no[-_]?auth|backdoor|god[-_]?mode|bypass[-_]?(?:auth|token|payment)|(?:auth|admin)[-_]?bypass|skip[-_]?(?:login|payment))$/i

/** What a name turns off; camelCase and snake_case alike. */
export function skips(name: string): Switch['skips'] | undefined {
  const snake = underscored(name.replace(/^(?:NEXT_PUBLIC|VITE|REACT_APP|EXPO_PUBLIC|PUBLIC)_/, ''))
    .replace(/-/g, '_')
    .toUpperCase()
  if (/ERROR|EMAIL_VERIF|SEARCH|RETRY|_TEST$/.test(snake)) return undefined
  return AUTH_OFF.test(snake) ? 'authentication' : MONEY_OFF.test(snake) ? 'payment' : undefined
}

/** Switches in conditions of one file: variables, constants that are on, request parameters. */
export const switches = collectByCodeFile((path, js: JavaScriptFacts) => {
  const found: Switch[] = []
  const on = new Map<string, number>()
  for (const s of js.functions[0]?.body ?? []) {
    if (s.k === 'let' && s.to.k === 'name' && s.init?.k === 'lit' && s.init.v === true && skips(s.to.name)) on.set(s.to.name, s.l)
  }
  // what the browser's hook reads is the address of a page, whether or not a route leads to it
  const onPage = new Set(js.functions.flatMap((fn) => statements(fn.body).flatMap(fromHook)))
  const add = (name: string, line: number, how: Switch['how'], what = skips(name), unless?: string, inDevelopment = never, page = false) => {
    // what has to be asked for on somebody's own machine is there for nobody else; what is on by itself is, wherever such a process can be reached
    if (!what || found.some((f) => f.name === name)) return
    const development = inDevelopment()
    if (development && unless === undefined) return
    found.push({
      path,
      line,
      name,
      how,
      skips: what,
      ...(unless === undefined ? {} : { unless }),
      ...(development ? { development } : {}),
      ...(page ? { onPage: true } : {}),
    })
  }
  let isKey: (e: Expr) => boolean = never
  const visit = (e: Expr, guarded: boolean, development: () => boolean): void => {
    const inside = guarded || developmentOnly(e)
    // `process.env.DEV_BYPASS_AUTH !== 'false'`: whoever never heard of the variable has it on
    const off = e.k === 'bin' && /^!==?$/.test(e.op) ? (stringOf(e.b) ?? stringOf(e.a)) : undefined
    const compared = off && e.k === 'bin' ? (envNameOf(e.a) ?? envNameOf(e.b)) : undefined
    if (compared && off && !inside) add(compared, e.l, 'variable', skips(compared), off, development)
    const variable = envNameOf(e)
    if (variable && !inside) add(variable, e.l, 'variable', skips(variable), undefined, development)
    if (e.k === 'id' && on.has(e.name)) add(e.name, on.get(e.name) as number, 'constant')
    if (e.k === 'call' && e.fn.k === 'mem' && e.fn.name === 'get' && /searchParams|headers|query|cookies/i.test(calleeText(e.fn.of))) {
      const name = stringOf(e.args[0])
      const page = e.fn.of.k === 'id' && onPage.has(e.fn.of.name)
      if (name && REQUEST_NAME.test(name) && !isKey(e)) add(name, e.l, 'request', 'authentication', undefined, never, page)
    }
    if ((e.k === 'mem' || e.k === 'idx') && /(?:^|\.)(?:headers|query)$/.test(calleeText(e.of))) {
      const name = e.k === 'mem' ? e.name : stringOf(e.index)
      if (name && REQUEST_NAME.test(name) && !isKey(e)) add(name, e.l, 'request', 'authentication')
    }
    for (const child of childrenOf(e)) visit(child, inside, development)
  }
  for (const fn of js.functions) {
    isKey = (e) => comparedWithSecrets(fn).has(e)
    for (const s of statements(fn.body)) {
      const declared = s.k === 'let' ? boundNames(s.to) : []
      const [name] = declared.length === 1 ? declared : []
      const development = name === undefined ? never : () => besideMode(name, fn.body)
      for (const e of exprsOf(s)) visit(e, declared.length > 0 && developmentOnly(e), development)
    }
  }
  return unlessEmpty(found)
})

const never = (): boolean => false

/** What is read and asked for one thing alone, whether it is what a variable of the server holds: a key, which only who was given it has. */
const comparedWithSecrets = rememberFor(({ body }: FunctionIR): ReadonlySet<Expr> => {
  const all = statements(body).map((statement) => ({ statement, exprs: exprsOf(statement) }))
  const compared = all.flatMap(({ exprs }) => exprs.flatMap(comparedSides))
  const found = new Set(compared)
  for (const { statement: s } of all) {
    if (s.k !== 'let' || s.to.k !== 'name' || !s.init) continue
    const { name } = s.to
    const asked = compared.filter((e) => e.k === 'id' && e.name === name).length
    const uses = () => all.reduce((sum, { exprs }) => sum + exprs.reduce((n, e) => n + timesNamed(e, name), 0), 0)
    if (asked > 0 && asked === uses()) found.add(s.init)
  }
  return found
})

/** The other sides of comparisons with variables of the server. */
function comparedSides(e: Expr): Expr[] {
  const inside = childrenOf(e).flatMap(comparedSides)
  if (e.k !== 'bin' || !/^[!=]==?$/.test(e.op)) return inside
  const [a, b] = [e.a, e.b].map((x) => envNameOf(x))
  return a !== undefined && b === undefined ? [e.b, ...inside] : b !== undefined && a === undefined ? [e.a, ...inside] : inside
}

const timesNamed = (e: Expr, name: string): number =>
  (e.k === 'id' && e.name === name ? 1 : 0) + childrenOf(e).reduce((sum, child) => sum + timesNamed(child, name), 0)

/** `const [params] = useSearchParams()`: a hook of React Router's and Next's that only components in the browser call. */
const fromHook = (s: Stmt): readonly string[] => (s.k === 'let' && s.init?.k === 'call' && calleeText(s.init.fn) === 'useSearchParams' ? boundNames(s.to) : [])

/** `process.env.NODE_ENV === 'development' && …`: the framework sets it, a production build has it off. */
function developmentOnly(e: Expr): boolean {
  if (e.k !== 'logic' || e.op !== '&&') return false
  return [e.a, e.b].some((x) => readsMode(x, 0))
}

/** `const isDev = NODE_ENV === 'development'` beside the name wherever it is asked: `if (isDev && bypass)`. */
function besideMode(name: string, body: readonly Stmt[]): boolean {
  const all = statements(body)
  const modes = new Set(all.flatMap((s) => (s.k === 'let' && s.to.k === 'name' && s.to.name !== name && s.init && readsMode(s.init, 0) ? [s.to.name] : [])))
  const asks = { alone: 0, beside: 0 }
  const visit = (e: Expr, beside: boolean): void => {
    if (e.k === 'id' && e.name === name) asks[beside ? 'beside' : 'alone']++
    const both = e.k === 'logic' && e.op === '&&' ? operands(e) : []
    const inside = beside || both.some((x) => readsMode(x, 0) || (x.k === 'id' && modes.has(x.name)))
    for (const child of childrenOf(e)) visit(child, inside)
  }
  for (const s of all) for (const e of exprsOf(s)) visit(e, false)
  return asks.beside > 0 && asks.alone === 0
}

const operands = (e: Expr): readonly Expr[] => (e.k === 'logic' && e.op === '&&' ? [...operands(e.a), ...operands(e.b)] : [e])

function readsMode(e: Expr, depth: number): boolean {
  return (
    depth < 5 &&
    ((e.k === 'mem' && (e.name === 'NODE_ENV' || e.name === 'DEV')) ||
      ((e.k === 'bin' || e.k === 'logic' || e.k === 'un' || e.k === 'mem') && childrenOf(e).some((c) => readsMode(c, depth + 1))))
  )
}
