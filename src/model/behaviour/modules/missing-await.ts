import type { Expr, Stmt } from '../../../facts/javascript.ts'
import type { Scope } from '../domain/abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'
import { lookup } from '../operations.ts'
import { holderOf } from './program.ts'

/** What the clients of databases hold and promises do not: reading one of them off a promise gives nothing, and calling that throws. */
const OF_CLIENTS = /^(?:from|rpc|auth|storage|functions|schema)$/

/** Remembers that a name holds the promise of an async function of the repository: `const supabase = createClient()`, where it takes `await createClient()`. */
export function notesPromise(it: Interpreter, { to, init }: Extract<Stmt, { k: 'let' }>, scope: Scope): void {
  if (to.k !== 'name' || init?.k !== 'call' || init.fn.k !== 'id') return
  const callee = lookup(it, init.fn.name, scope)
  if (callee.v !== 'fn' || !it.program.function(callee.path, callee.id)?.async) return
  scope.promised ??= new Set()
  scope.promised.add(to.name)
}

/** `supabase.from(…)` on the promise of a client: a TypeError each time the code gets here. */
export function isOfPromise(it: Interpreter, { of, name }: Extract<Expr, { k: 'mem' }>, scope: Scope): boolean {
  if (of.k !== 'id' || !OF_CLIENTS.test(name)) return false
  return holderOf(it.program, of.name, scope)?.promised?.has(of.name) === true
}
