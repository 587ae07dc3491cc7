import type { Expr } from '../../../facts/javascript.ts'
import { isPadding } from '../idioms/byte-encoding.ts'
import { type ClassVal, constant, isNullish, op, type Val } from './abstract-value.ts'
import { concatText } from './strings.ts'

/** A binary operation, folded when both sides are known. */
export function binary(operator: string, a: Val, b: Val): Val {
  if (operator === '+') {
    if (a.v === 'const' && b.v === 'const' && typeof a.value === 'number' && typeof b.value === 'number') return constant(a.value + b.value)
    if (isPadding(b) && a.v !== 'const') return a
    if (isText(a) || isText(b)) return concatText([a, b])
    return op('+', a, b)
  }
  if (operator === '!==' || operator === '!=') return op('!', binary('===', a, b))
  if (operator === '==') return binary('===', a, b)
  if (a.v === 'const' && b.v === 'const') {
    const x = a.value
    const y = b.value
    switch (operator) {
      case '===':
        return constant(x === y || (isNullish(a) && isNullish(b)))
      case '<':
        return constant((x as number) < (y as number))
      case '>':
        return constant((x as number) > (y as number))
      case '<=':
        return constant((x as number) <= (y as number))
      case '>=':
        return constant((x as number) >= (y as number))
      case '*':
        return constant(Number(x) * Number(y))
      case '-':
        return constant(Number(x) - Number(y))
      case '/':
        return constant(Number(x) / Number(y))
    }
  }
  if (operator === 'instanceof') return instanceOf(a, b)
  if (operator === 'in' && a.v === 'const' && b.v === 'object' && !b.rest) return constant(Object.hasOwn(b.props, String(a.value)))
  if (operator === 'in' && a.v === 'const' && b.v === 'response') return constant(['status', 'headers', 'json', 'ok', 'body'].includes(String(a.value)))
  if (/^[<>]=?$/.test(operator)) {
    // a rank looked up in a table (`RANK[member.role] >= RANK.admin`): for each of its entries it is known
    if (a.v === 'any' && b.v === 'const' && a.alts.every((x) => x.value.v === 'const'))
      return { v: 'any', choice: a.choice, alts: a.alts.map((x) => ({ ...x, value: binary(operator, x.value, b) })) }
    if (b.v === 'any' && a.v === 'const' && b.alts.every((x) => x.value.v === 'const'))
      return { v: 'any', choice: b.choice, alts: b.alts.map((x) => ({ ...x, value: binary(operator, a, x.value) })) }
  }
  if (operator === 'in' && b.v === 'any') return { v: 'any', choice: b.choice, alts: b.alts.map((x) => ({ ...x, value: binary('in', a, x.value) })) }
  return op(operator, a, b)
}

/** What `typeof` gives, where the kind of the value says so. */
export function typeofValue(of: Val): Val {
  if (of.v === 'const') return constant(of.value === null ? 'object' : typeof of.value)
  if (of.v === 'object' || of.v === 'array' || of.v === 'response' || of.v === 'instance') return constant('object')
  if (of.v === 'text') return constant('string')
  if (of.v === 'fn' || of.v === 'class') return constant('function')
  if (of.v === 'global' && of.name === 'process') return constant('object')
  if (of.v === 'call' && of.name === 'Number') return constant('number')
  // `school: number | null`: the one that it can be goes with the question
  if (of.v === 'any') return { v: 'any', choice: of.choice, alts: of.alts.map((x) => ({ ...x, value: typeofValue(x.value) })) }
  return op('typeof', of)
}

function instanceOf(a: Val, b: Val): Val {
  if (a.v === 'any') return { v: 'any', choice: a.choice, alts: a.alts.map((x) => ({ ...x, value: instanceOf(x.value, b) })) }
  const name = b.v === 'global' || b.v === 'lib' ? b.name : ''
  if (/^(?:Next)?Response$/.test(name)) {
    if (a.v === 'response') return constant(true)
    if (a.v === 'object' || a.v === 'const' || a.v === 'caller' || a.v === 'array' || a.v === 'row' || a.v === 'client' || a.v === 'instance')
      return constant(false)
  }
  if (b.v === 'class') {
    if (a.v === 'instance') {
      for (let c: ClassVal | undefined = a.of, n = 0; c && n < 8; n++) {
        if (c.path === b.path && c.name === b.name && c.ir === b.ir) return constant(true)
        const parent: Expr | undefined = c.ir.extends
        c = parent?.k === 'id' ? (c.scope.holder(parent.name)?.vars.get(parent.name) as ClassVal | undefined) : undefined
        if (c && c.v !== 'class') c = undefined
      }
      return constant(false)
    }
    if (a.v === 'object' || a.v === 'const' || a.v === 'response') return constant(false)
  }
  if (name === 'Error' && a.v === 'response') return constant(false)
  if (name === 'Error' && (a.v === 'instance' || (a.v === 'object' && a.props.$error))) return constant(true)
  return op('instanceof', a, b)
}

/** Text, whatever is added to it: what is written as such, and what the environment holds. */
const isText = (v: Val): boolean => v.v === 'text' || v.v === 'env' || (v.v === 'const' && typeof v.value === 'string')
