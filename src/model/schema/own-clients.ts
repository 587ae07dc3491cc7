import type { ClientQuery } from '../../database/plan/client-queries.ts'
import type { FactsIndex } from '../../facts/facts.ts'
import type { ClassIR, Expr, FunctionIR, JavaScriptFacts } from '../../facts/javascript.ts'
import { memo } from '../../lib/memo/memo.ts'
import type { ModulesModel } from '../modules/modules.ts'
import { walkExpressions } from '../modules/walk.ts'

/** What sends requests over HTTP. */
const HTTP_REQUEST_FUNCTION = /^(?:fetch|ofetch|\$fetch|axios|ky|got|XMLHttpRequest)$/
/** The platform's data API by address, and the header in which its key goes. */
const DATA_API_MARK = /\/rest\/v1|^apikey$/i

/** Whose client a query goes through, where that is neither the platform's with a visitor's rights nor unknown. */
export type OtherClient = 'own' | 'service'

/**
 * Tells of a query whether it goes through a client that the application wrote itself (an object with a method `from`, in a file that sends requests to
 * the application's own API: which rows come back is decided by whatever answers there), or through one that a module makes with the service-role key.
 */
export function otherClients(facts: FactsIndex, modules: ModulesModel): (query: ClientQuery) => OtherClient | undefined {
  const js = facts.of('javascript')
  const withKey = new Set(modules.serviceRole.filter((u) => u.how !== 'output').map((u) => u.path))
  const kindOf = memo((where: string): OtherClient | undefined => {
    const [path = '', name = ''] = where.split('\n')
    const at = definedAt(path, name)
    const file = at && js.get(at.path)
    if (!at || !file) return undefined
    const value = valueNamed(file, at.local)
    if (value?.k === 'obj') return value.props.some((p) => p.key === 'from' && p.value.k === 'fn') && asksOwnApi(file) ? 'own' : undefined
    if (value?.k === 'call') return withKey.has(at.path) && madeIn(file) === 1 && CLIENT_FACTORY_NAME.test(nameOf(value.fn)) ? 'service' : undefined
    if (value?.k !== 'new' || value.fn.k !== 'id') return undefined
    const made = definedAt(at.path, value.fn.name)
    const declares = made && js.get(made.path)
    const klass = declares && classOf(declares, made.local)
    if (!declares || !klass || klass.extends) return undefined
    return klass.members.some((m) => m.name === 'from' && m.how !== 'get') && asksOwnApi(declares) ? 'own' : undefined
  })
  return ({ path, through }) => (through === undefined ? undefined : kindOf(`${path}\n${through}`))

  /** The file that defines what a name means in another, and its name there; `export const supabase = db` is `db`. */
  function definedAt(path: string, name: string, hops = 0): { readonly path: string; readonly local: string } | undefined {
    for (const i of js.get(path)?.imports ?? []) {
      const binding = i.bindings.find((b) => b.local === name)
      const from = binding && modules.resolve(path, i.from)
      if (!binding) continue
      const found = from === undefined ? undefined : modules.definition(from, binding.imported)
      return found && definedAt(found.path, found.local, hops + 1)
    }
    const file = js.get(path)
    const value = file && valueNamed(file, name)
    return value?.k === 'id' && hops < 8 ? definedAt(path, value.name, hops + 1) : { path, local: name }
  }
}

const CLIENT_FACTORY_NAME = /^create\w{0,20}Client$/

/** How many clients a file makes. */
function madeIn(file: JavaScriptFacts): number {
  let made = 0
  walkExpressions(
    file,
    file.functions.map((f) => f.body),
    (e) => {
      if (e.k === 'call' && CLIENT_FACTORY_NAME.test(nameOf(e.fn))) made++
    },
    new Set(file.functions.map((f) => f.id)),
  )
  return made
}

const nameOf = (e: Expr): string => (e.k === 'id' || e.k === 'mem' ? e.name : '')

/** It sends requests, and none to the platform's data API; nothing in it asks another client for a table. */
function asksOwnApi(file: JavaScriptFacts): boolean {
  if (file.imports.some((i) => /supabase|postgrest/i.test(i.from))) return false
  let sends = false
  let passesOn = false
  walkExpressions(
    file,
    file.functions.map((f: FunctionIR) => f.body),
    (e: Expr) => {
      if ((e.k === 'call' || e.k === 'new') && HTTP_REQUEST_FUNCTION.test(rootOf(e.fn))) sends = true
      if (e.k === 'call' && e.fn.k === 'mem' && e.fn.name === 'from' && !/^(?:Array|Buffer|Object)$/.test(rootOf(e.fn))) passesOn = true
      if (e.k === 'lit' && typeof e.v === 'string' && DATA_API_MARK.test(e.v)) passesOn = true
      if (e.k === 'tpl' && e.quasis.some((q) => DATA_API_MARK.test(q))) passesOn = true
      if (e.k === 'obj' && e.props.some((p) => p.key !== undefined && DATA_API_MARK.test(p.key))) passesOn = true
    },
  )
  return sends && !passesOn
}

function rootOf(e: Expr): string {
  let node = e
  while (node.k === 'mem') node = node.of
  return node.k === 'id' ? node.name : ''
}

function valueNamed(file: JavaScriptFacts, local: string): Expr | undefined {
  if (local === 'default') return file.exports.find((e) => e.name === 'default')?.value
  for (const s of file.functions[0]?.body ?? []) if (s.k === 'let' && s.to.k === 'name' && s.to.name === local) return s.init
  return undefined
}

function classOf(file: JavaScriptFacts, local: string): ClassIR | undefined {
  for (const s of file.functions[0]?.body ?? []) if (s.k === 'class' && s.name === local) return s.class
  return undefined
}
