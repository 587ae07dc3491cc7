/** What was called without `await`: the promise is there at once, and true; what it stands for comes later, for nobody. */
import type { Expr } from '../../../facts/javascript.ts'
import { OF_PROMISES, PROMISED } from '../../../lexicon/libraries/promises.ts'
import type { Scope, Val } from '../domain/abstract-value.ts'
import { member } from '../domain/members.ts'
import type { Interpreter } from '../interpreter.ts'
import { exportedValue, lookup } from '../operations.ts'
import { holderOf } from './program.ts'

/** A promise as a test or a comparison sees it: an object with nothing of what it will bring. */
export const PROMISE: Val = { v: 'object', props: {} }

/** What the clients of databases hold and promises do not: reading one of them off a promise gives nothing, and calling that throws. */
const OF_CLIENTS = /^(?:from|rpc|auth|storage|functions|schema)$/

/** Functions that hand on what another gives, one inside of the other. */
const MAX_HANDED_ON = 3

/** Remembers that a name holds a promise: `const session = auth()`, where it takes `await auth()`. */
export function notesPromise(it: Interpreter, to: { readonly k: string; readonly name?: string }, init: Expr | undefined, scope: Scope): void {
  if (to.k !== 'name' || to.name === undefined || !init || !isPromise(it, init, scope)) return
  const holder = holderOf(it.program, to.name, scope) ?? scope
  holder.promised ??= new Set()
  holder.promised.add(to.name)
}

/** `supabase.from(…)` on the promise of a client: a TypeError each time the code gets here. */
export function isOfPromise(it: Interpreter, { of, name }: Extract<Expr, { k: 'mem' }>, scope: Scope): boolean {
  if (of.k !== 'id' || !OF_CLIENTS.test(name)) return false
  return holdsPromise(it, of.name, scope)
}

/** `session.user` of a promise that nobody waited for: nothing. */
export const readsNothing = (it: Interpreter, { of, name }: Extract<Expr, { k: 'mem' }>, scope: Scope): boolean =>
  !OF_PROMISES.has(name) && isPromise(it, of, scope)

/** Whether an expression gives a promise as it stands there. Nothing is run to find out. */
export function isPromise(it: Interpreter, e: Expr, scope: Scope): boolean {
  if (e.k === 'id') return holdsPromise(it, e.name, scope)
  return e.k === 'call' && !e.args.some(isCallback) && answersLater(it, calleeOf(it, e.fn, scope), scope, 0)
}

/** `requireUser()` as a statement: it goes on by itself, and so does what stands behind it. What is handed a function runs that in its own time. */
export function isLeftRunning(it: Interpreter, e: Expr, scope: Scope): e is Extract<Expr, { k: 'call' }> {
  return e.k === 'call' && isPromise(it, e, scope) && !e.args.some((a) => a.k === 'id' && isFunction(lookup(it, a.name, scope)))
}

const isFunction = (value: Val): boolean => value.v === 'fn' || value.v === 'native'

const isCallback = (a: Expr): boolean => a.k === 'fn'

const holdsPromise = (it: Interpreter, name: string, scope: Scope): boolean => holderOf(it.program, name, scope)?.promised?.has(name) === true

/** What is called: a function of the repository, or what a library calls it. */
type Callee = { readonly fn: Extract<Val, { v: 'fn' }> } | { readonly of: string; readonly name: string } | undefined

function answersLater(it: Interpreter, callee: Callee, scope: Scope, depth: number): boolean {
  if (!callee) return false
  if (!('fn' in callee)) return PROMISED.some((p) => p.packages.some((pkg) => isBelow(callee.of, pkg)) && p.calls.some((c) => endsIn(callee.name, c)))
  const ir = it.program.function(callee.fn.path, callee.fn.id)
  if (!ir) return false
  if (ir.async) return true
  // `const isStaff = () => ask()` hands the promise on
  const last = ir.body.at(-1)
  if (depth >= MAX_HANDED_ON || ir.body.length !== 1 || last?.k !== 'return' || last.value?.k !== 'call' || last.value.args.some(isCallback)) return false
  return answersLater(it, calleeOf(it, last.value.fn, callee.fn.scope), scope, depth + 1)
}

const isBelow = (pkg: string, entry: string): boolean => pkg === entry || (entry.endsWith('/') && (pkg.startsWith(entry) || pkg === entry.slice(0, -1)))

const endsIn = (name: string, call: string): boolean => name === call || name.endsWith(`.${call}`)

function calleeOf(it: Interpreter, fn: Expr, scope: Scope): Callee {
  const names: string[] = []
  let root = fn
  while (root.k === 'mem') {
    names.unshift(root.name)
    root = root.of
  }
  if (root.k !== 'id' && root.k !== 'this') return undefined
  let value = root.k === 'id' ? lookup(it, root.name, scope) : (scope.holder('this')?.vars.get('this') ?? undefined)
  while (value && names.length) {
    const next = names[0] as string
    if (value.v === 'namespace') value = exportedValue(it, value.path, next)
    else if (value.v === 'object' && Object.hasOwn(value.props, next)) value = value.props[next]
    else if (value.v === 'instance' || value.v === 'class') value = member(it, value, next, scope.at(fn.l))
    else break
    names.shift()
  }
  if (value?.v === 'fn') return names.length ? undefined : { fn: value }
  const known = value && libraryName(value)
  return known && { of: known.of, name: [...known.names, ...names].join('.') }
}

function libraryName(value: Val): { readonly of: string; readonly names: readonly string[] } | undefined {
  if (value.v === 'lib') return { of: value.pkg, names: value.name === '*' || value.name === 'default' ? [] : [value.name] }
  if (value.v === 'client') return { of: value.client.library, names: [] }
  if (value.v === 'global' && value.name === 'crypto') return { of: 'crypto', names: [] }
  if (value.v !== 'chain') return undefined
  const of = libraryName(value.root)
  return of && { of: of.of, names: value.links.map((l) => l.name) }
}
