import type { Expr, FunctionIR, JavaScriptFacts, Stmt } from '../../../facts/javascript.ts'
import { boundNames, calleeText, expressionsDeep, statements, subExpressions } from '../../frameworks/walk.ts'
import type { Surroundings } from '../code-context/code-context-model.ts'

/**
 * Whether a check asks a client of Supabase that was given neither cookies nor a token who is signed in: on a server it never finds anybody, and turns
 * everybody away.
 */
export function asksSessionless(check: readonly Stmt[], js: JavaScriptFacts, path: string, around: Surroundings): boolean {
  const declared = [...check, ...(js.functions[0]?.body ?? [])]
  return check.some((s) =>
    expressionsOf(s).some((e) => {
      const client = e.k === 'call' && !e.args.length ? /^(\w+)\.auth\.(?:getUser|getSession|getClaims)$/.exec(calleeText(e.fn))?.[1] : undefined
      const made = client === undefined ? undefined : declared.find((d) => d.k === 'let' && boundNames(d.to).includes(client))
      return made?.k === 'let' && made.init !== undefined && makesSessionless(made.init, js, path, around)
    }),
  )
}

const expressionsOf = (s: Stmt): readonly Expr[] =>
  s.k === 'let' && s.init ? subExpressions(s.init) : s.k === 'expr' ? subExpressions(s.expr) : s.k === 'if' ? subExpressions(s.test) : []

/** `createClient(url, key)` of the library for every platform, in place or in a function of the repository that takes nothing. */
function makesSessionless(init: Expr, js: JavaScriptFacts, path: string, around: Surroundings): boolean {
  const e = init.k === 'await' ? init.of : init
  if (e.k !== 'call' || e.fn.k !== 'id') return false
  if (isMaker(e, js, SUPABASE_CLIENT_FACTORY)) return !subExpressions(e).some(isOfRequest)
  if (e.args.length) return false
  const { name } = e.fn
  const from = js.imports.flatMap((i) => i.bindings.flatMap((b) => (b.local === name ? [{ name: b.imported, path: around.resolve(path, i.from) }] : [])))[0]
  const own = from === undefined ? { name, path } : from
  const fn = around.exported(new RegExp(`^${own.name.replace(/\W/g, '')}$`)).find((x) => x.path === own.path)?.fn
  const there = own.path === undefined ? undefined : around.code(own.path)
  return fn !== undefined && makesPlainClient(there, fn)
}

/** A function that makes a client, and gives it nothing of the request. */
export function makesPlainClient(js: JavaScriptFacts | undefined, fn: FunctionIR): boolean {
  if (!js) return false
  const all = [...expressionsDeep(js, fn.id)].map((e) => e.expr)
  const binds = statements(fn.body).some((s) => s.k === 'let' && boundNames(s.to).some(isName))
  if (binds || all.some((e) => (e.k === 'id' && isName(e.name)) || (e.k === 'mem' && isName(e.name)))) return false
  // the library for servers is given functions for cookies in any case, and here they hand none out
  return all.some((e) => isMaker(e, js, SERVER)) || (all.some((e) => isMaker(e, js, SUPABASE_CLIENT_FACTORY)) && !all.some(isOfRequest))
}

interface Maker {
  readonly from: RegExp
  readonly name: string
}

const SUPABASE_CLIENT_FACTORY: Maker = { from: /(?:^|[:/])@supabase\/supabase-js(?:@|$)/, name: 'createClient' }
const SERVER: Maker = { from: /(?:^|[:/])@supabase\/ssr(?:@|$)/, name: 'createServerClient' }

const isMaker = (e: Expr, js: JavaScriptFacts, { from, name }: Maker): boolean => {
  const called = e.k === 'call' && e.fn.k === 'id' ? e.fn.name : undefined
  return called !== undefined && js.imports.some((i) => from.test(i.from) && i.bindings.some((b) => b.imported === name && b.local === called))
}

/** Cookies, the header with the token, or the token itself. */
const isOfRequest = (e: Expr): boolean =>
  (e.k === 'id' && isName(e.name)) || (e.k === 'mem' && isName(e.name)) || (e.k === 'obj' && e.props.some((p) => p.key !== undefined && isName(p.key)))
const isName = (name: string): boolean => /cookie|headers|authorization|access_?token|bearer|^req(?:uest)?$|^event$/i.test(name)
