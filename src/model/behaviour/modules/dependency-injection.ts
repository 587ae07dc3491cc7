import type { Expr } from '../../../facts/javascript.ts'
import { parentOf, placeOfClass } from '../calls/superclass.ts'
import { type ClassVal, type InstanceVal, makeShared, UNKNOWN, type Val } from '../domain/abstract-value.ts'
import { innerPart } from '../incremental/file-parts.ts'
import type { Interpreter } from '../interpreter.ts'
import { construct, lookup } from '../operations.ts'
import { alone, evaluateAlone, givenValue, moduleScope, quietly, scopeOfFunction } from './module-scope.ts'
import { holderOf } from './program.ts'

/** Services that are given to services that are given to a class. */
const MAX_DEPTH = 4

/** The object on which a framework calls a method of a class: its dependencies are made as a container makes them, by the types of the constructor. */
export function ownerOf(it: Interpreter, path: string, functionId: number): { readonly self: InstanceVal; readonly home: ClassVal } | undefined {
  const name = it.program.classOwning(path, functionId)
  const scope = name === undefined ? undefined : moduleScope(it, path)
  const home = scope && name ? lookup(it, name, scope) : undefined
  if (home?.v !== 'class') return undefined
  const self = injected(it, home, 0)
  return self?.v === 'instance' ? { self, home } : undefined
}

/** Gives the methods around a piece of code their object: `this.app.get('/x', (req, res) => this.storage…)`. */
export function bindAround(it: Interpreter, path: string, scope: number | undefined): void {
  for (let id = scope, hops = 0; id !== undefined && id !== 0 && hops < 64; hops++) {
    const inside = it.program.classOwning(path, id) === undefined ? undefined : scopeOfFunction(it, path, id)
    if (inside) {
      const { reads } = it.program
      const reader = innerPart(path, `this ${id}`)
      const method = id
      if (inside.vars.has('this')) reads.part(reader)
      else
        inside.vars.set(
          'this',
          reads.evaluating({ owner: inside, name: 'this', reader }, () => objectForAll(it, path, method) ?? UNKNOWN),
        )
    }
    id = it.program.function(path, id)?.parent
  }
}

/** The object of the class that a function is a method of, for all entries. */
function objectForAll(it: Interpreter, path: string, functionId: number): InstanceVal | undefined {
  const name = it.program.classOwning(path, functionId)
  const scope = name === undefined ? undefined : moduleScope(it, path)
  const home = scope && name ? lookup(it, name, scope) : undefined
  if (home?.v !== 'class') return undefined
  const made = quietly(it, () => makeShared(() => alone(it, () => construct(it, home, dependencies(it, home, 0), placeOfClass(home)))))
  return made.v === 'instance' ? made : undefined
}

/** An instance with its dependencies; one for each class and request. */
function injected(it: Interpreter, cls: ClassVal, depth: number): Val | undefined {
  const key = `${cls.path}#${cls.name}`
  const known = it.services.get(key)
  if (known) return known
  if (depth > MAX_DEPTH) return undefined
  it.services.set(key, UNKNOWN)
  const made = quietly(it, () => alone(it, () => construct(it, cls, dependencies(it, cls, depth), placeOfClass(cls))))
  it.services.set(key, made)
  return made
}

/** What a decorator says that a parameter is given: `@InjectModel(User.name) users: Model<User>`. */
function chosenBy(it: Interpreter, decorators: readonly Expr[] | undefined, cls: ClassVal): Val | undefined {
  for (const d of decorators ?? []) {
    const made = quietly(it, () => evaluateAlone(it, d, cls.scope))
    if (made.v === 'chain' && made.root.v === 'client') return made
  }
  return undefined
}

function dependencies(it: Interpreter, cls: ClassVal, depth: number): Val[] {
  const make = cls.ir.members.find((m) => m.how === 'constructor')
  if (make?.fn === undefined) {
    const parent = parentOf(it, cls)
    return parent && depth < MAX_DEPTH ? dependencies(it, parent, depth + 1) : []
  }
  const given = it.program.given.get(`${cls.path} ${make.fn}`)
  const fn = it.program.function(cls.path, make.fn)
  if (given) return (fn?.params ?? []).map((_, i) => givenValue(it, given, i))
  return (fn?.params ?? []).map((_, i) => {
    const chosen = chosenBy(it, make.paramDecorators?.[i], cls)
    if (chosen) return chosen
    const type = fn?.types?.[i]
    const name = type?.split('.')[0]
    if (!name || !holderOf(it.program, name, cls.scope)) return UNKNOWN
    const of = lookup(it, name, cls.scope)
    if (of.v === 'class') return injected(it, of, depth + 1) ?? UNKNOWN
    return of.v === 'lib' ? construct(it, of, [], placeOfClass(cls)) : UNKNOWN
  })
}
