import type { Expr } from '../../../facts/javascript.ts'
import { eachStatement } from '../../frameworks/walk.ts'
import { isNullish, type Val } from '../domain/abstract-value.ts'
import { GLOBAL_OBJECTS } from '../domain/members.ts'
import { declarationPart } from '../incremental/file-parts.ts'
import type { Interpreter } from '../interpreter.ts'
import { lookup } from '../operations.ts'
import { evaluateAlone, moduleScope, quietly } from './module-scope.ts'

/** How deep statements that fill the global object are looked for, as deep as those that fill a name. */
const NESTED = 4

/** Under which name of a module stands what its own statements keep on the global object: no name that code can have. */
const slot = (owner: string, name: string): string => `${owner}[${name}]`

/**
 * `if (!kept.db) kept.db = drizzle(pool)` above `export const db = kept.db`, where `kept` is `globalThis`: statements of a module are not run, so
 * what they put there is looked for when the name is read. Undefined when this module puts nothing there but a name that it has anyway.
 */
export function keptOnGlobal(it: Interpreter, read: Extract<Expr, { k: 'mem' }>, of: Val, path: string): Val | undefined {
  if (of.v !== 'global' || !GLOBAL_OBJECTS.has(of.name) || read.of.k !== 'id') return undefined
  const owner = read.of.name
  it.program.reads.part(declarationPart(path, owner))
  const put = assignedTo(it, path, owner, read.name)
  const module = put && moduleScope(it, path)
  if (!put || !module) return undefined
  const name = slot(owner, read.name)
  if (!module.vars.has(name) && !module.lazy?.has(name)) module.lazy?.set(name, () => quietly(it, () => evaluateAlone(it, put, module)))
  const value = lookup(it, name, module)
  return isNullish(value) || value.v === 'unknown' ? undefined : value
}

/** The last thing that a module makes and puts on the global object under a name. */
function assignedTo(it: Interpreter, path: string, owner: string, name: string): Expr | undefined {
  let put: Expr | undefined
  eachStatement(it.program.partly(path)?.functions[0]?.body ?? [], NESTED, (s) => {
    let value = s.k === 'expr' ? s.expr : s.k === 'let' ? s.init : undefined
    // `cached = global.mongoose = { … }`: each of them is the same
    for (; value?.k === 'assign'; value = value.value) {
      const { to } = value
      const target = to.k === 'expr' && to.expr.k === 'mem' && to.expr.of.k === 'id' ? to.expr : undefined
      if (target?.name === name && target.of.k === 'id' && target.of.name === owner && value.value.k !== 'id') put = made(value.value)
    }
  })
  return put
}

/** What is given in the end. */
const made = (value: Expr): Expr => (value.k === 'assign' ? made(value.value) : value)
