import type { Expr } from '../../../facts/javascript.ts'
import type { Place } from '../../../lib/place.ts'
import type { Interpreter } from '../interpreter.ts'
import { evaluate, settle } from '../operations.ts'
import type { Alternative, Scope } from './abstract-value.ts'
import { type ArrayVal, array, type Val } from './abstract-value.ts'
import { elementOf } from './members.ts'
import { leavesOf } from './object-literal.ts'

/** `[a, ...b]`. What is spread may be any of several lists: `...(mine ? [{ id: mine }] : [])` adds its item only where there is one. */
export function arrayLiteral(it: Interpreter, items: readonly Expr[], scope: Scope, at: Place): ArrayVal {
  const out: Val[] = []
  const more: Alternative[] = []
  for (const i of items) {
    if (i.k !== 'spread') {
      out.push(evaluate(it, i, scope))
      continue
    }
    const of = settle(it, evaluate(it, i.of, scope), at)
    if (of.v === 'array') {
      out.push(...of.items)
      if (of.more) more.push({ value: of.more, under: [] })
    } else if (of.v !== 'any') more.push({ value: elementOf(it, of), under: [] })
    else
      for (const { value, under } of leavesOf(of)) {
        if (value.v === 'array') for (const x of value.more ? [...value.items, value.more] : value.items) more.push({ value: x, under })
        else if (value.v !== 'const') more.push({ value: elementOf(it, value), under })
      }
  }
  return array(out, more.length ? it.alternatives(more) : undefined)
}
