import type { ClassIR } from '../../../facts/javascript.ts'
import type { Place } from '../../../lib/place.ts'
import { type ClassVal, Scope, UNDEFINED, type Val } from '../domain/abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'
import { atWork, evaluateAlone, quietly } from '../modules/module-scope.ts'
import { construct, evaluate, functionValue } from '../operations.ts'

/** A class; its static members are evaluated when somebody first asks for them. */
export function classValue(it: Interpreter, ir: ClassIR, name: string, scope: Scope): ClassVal {
  const statics = new Scope(scope.path, scope, scope.lazy !== undefined)
  const cls: ClassVal = { v: 'class', ir, name, path: scope.path, scope, statics }
  statics.vars.set('this', cls)
  statics.lazy = new Map()
  for (const m of ir.members) {
    if (!m.static) continue
    const value = m.value
    if (m.how === 'field' && value)
      // the class of a module is for all entries, and so is what its static members hold
      statics.lazy.set(m.name, () => (scope.lazy ? quietly(atWork(it), () => evaluateAlone(atWork(it), value, statics)) : evaluate(it, value, statics)))
    else if (m.fn !== undefined && m.how === 'method') statics.lazy.set(m.name, () => functionValue(it, scope.path, m.fn as number, scope, cls, cls))
  }
  return cls
}

/** `super(…)`: the parent's fields become those of the object that is being made; errors of the platform keep their message and their status. */
export function superCall(it: Interpreter, list: readonly Val[], scope: Scope, at: Place): Val {
  const parent = scope.holder('super')?.vars.get('super')
  const self = scope.holder('this')?.vars.get('this')
  if (self?.v !== 'instance') return UNDEFINED
  if (parent?.v === 'class') {
    const base = construct(it, parent, list, at)
    if (base.v === 'instance') for (const [n, x] of base.fields.vars) if (n !== 'this') it.write(self.fields, n, x)
  } else {
    it.write(self.fields, 'message', list[0] ?? UNDEFINED)
    const options = list[1]
    if (options?.v === 'object') for (const [n, x] of Object.entries(options.props)) it.write(self.fields, n, x)
    if (list[0]?.v === 'const' && typeof list[0].value === 'number') it.write(self.fields, 'status', list[0])
  }
  return UNDEFINED
}
