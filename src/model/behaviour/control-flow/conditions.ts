import { type Cond, isNullish, truth, UNKNOWN, type Val } from '../domain/abstract-value.ts'
import { keyOfCond } from '../domain/structural-hash.ts'

/** Conditions that one alternative keeps; what is built up step by step under switches would double them each time. */
const MAX_UNDER = 32

/** Whether a condition, or one that says the same, is in a list. */
export function includesCond(list: readonly Cond[], cond: Cond): boolean {
  return list.length > 0 && (list.includes(cond) || hasCondition(keyOfCond(cond), cond.negated, list))
}

/** Whether a list of conditions goes on from another. */
export const beginsWith = (list: readonly Cond[], beginning: readonly Cond[]): boolean =>
  list.length >= beginning.length && beginning.every((c, i) => list[i] === c)

/** Whether a list has a condition on the test with this key that is negated, or not. */
export function hasCondition(key: number, negated: boolean, list: readonly Cond[]): boolean {
  for (const c of list) if (c.negated === negated && keyOfCond(c) === key) return true
  return false
}

/** The first condition of a list on the test with this key. */
export function conditionOn(key: number, list: readonly Cond[]): Cond | undefined {
  for (const c of list) if (keyOfCond(c) === key) return c
  return undefined
}

/** Conditions without repetitions, and no more of them than are looked at. */
export function brief(under: readonly Cond[]): readonly Cond[] {
  if (under.length <= MAX_UNDER) return under
  const seen = new Set<string>()
  const each = under.filter((c) => {
    const key = `${c.negated}${keyOfCond(c)}`
    return !seen.has(key) && seen.add(key)
  })
  return telling(each, MAX_UNDER)
}

/** What a long side of a disjunction keeps: who the caller is and what only the server knows, then what ends the handler. */
export function telling(conds: readonly Cond[], most: number): readonly Cond[] {
  if (conds.length <= most) return conds
  const weighed = conds.map((c) => ({ c, weight: weightOf(c) + (c.otherwise.ends ? 1 : 0) }))
  const kept = new Set(
    weighed
      .sort((a, b) => b.weight - a.weight)
      .slice(0, most)
      .map(({ c }) => c),
  )
  return conds.filter((c) => kept.has(c))
}

/**
 * How much the test of a condition tells: a comparison that failed on the way here says little, one that held says who came. That somebody is there says
 * more than a choice of which one side says so, as what is left of `if (user && user.revoked) return` does.
 */
function weightOf(c: Cond): number {
  c.weight ??= c.test.v === 'caller' && !c.negated ? 6 : asserts(c.test, !c.negated) ? 4 : speaksOfCaller(c.test, 0) ? 1 : 0
  return c.weight
}

/** Levels of a test below which nothing of it is weighed. */
const MAX_WEIGHED_DEPTH = 4

/**
 * What was found of disjunctions, by the value and the level at which it stands: whether it asserts when it holds, when it does not, and whether it
 * speaks of the caller, two bits each. They are made of the same conditions again and again, one within the other.
 */
const weighed = new WeakMap<Val, number>()

/** Answers a question about part of a test once for each level; `question` numbers those that are asked on one. */
function weighedOnce(val: Val & { v: 'op' }, question: 0 | 1 | 2, depth: number, weigh: () => boolean): boolean {
  // what only joins the conditions of one way is made anew each time, and the whole test is asked about once
  if (val.op !== '||' || depth === 0) return weigh()
  const known = weighed.get(val) ?? 0
  const at = 2 * (3 * depth + question)
  const bits = (known >>> at) & 3
  if (bits) return bits === 3
  const answer = weigh()
  weighed.set(val, (weighed.get(val) ?? 0) | ((answer ? 3 : 1) << at))
  return answer
}

/** Whether somebody came through: a comparison that held, a caller who is there, a call that did not fail. */
function asserts(test: Val, holds: boolean, depth = 0): boolean {
  if (test.v === 'caller') return holds
  if (test.v === 'error') return !holds
  if (test.v !== 'op' || depth > MAX_WEIGHED_DEPTH) return false
  if (test.op === '!') return asserts(test.of[0] ?? UNKNOWN, !holds, depth + 1)
  if (test.op === '&&' || test.op === '||') return weighedOnce(test, holds ? 0 : 1, depth, () => test.of.some((x) => asserts(x, holds, depth + 1)))
  return holds && (test.op === '===' || test.op === '==') && !comparesSetting(test.of)
}

/** A variable of the environment with a text of the code. */
const comparesSetting = (of: readonly Val[]): boolean => of.some((x) => x.v === 'env') && of.some((x) => x.v === 'const')

function speaksOfCaller(val: Val, depth: number): boolean {
  if (val.v === 'caller' || val.v === 'env' || (val.v === 'error' && val.of >= 0)) return true
  if (depth > MAX_WEIGHED_DEPTH) return false
  if (val.v === 'op') return weighedOnce(val, 2, depth, () => val.of.some((x) => speaksOfCaller(x, depth + 1)))
  if (val.v === 'any') return val.alts.some((a) => speaksOfCaller(a.value, depth + 1))
  return partsOfTest(val).some((x) => speaksOfCaller(x, depth + 1))
}

/** What a test is made of. */
export function partsOfTest(val: Val): readonly Val[] {
  switch (val.v) {
    case 'op':
      return val.of
    case 'call':
      return val.args
    case 'text':
      return val.parts
    case 'any':
      return val.alts.map((a) => a.value)
    default:
      return []
  }
}

/** The conditions as one value that is truthy when all hold. */
export function conjunction(conds: readonly Cond[]): Val {
  const each = conds.map((c): Val => (c.negated ? { v: 'op', op: '!', of: [c.test] } : c.test))
  return each.length === 1 ? (each[0] as Val) : { v: 'op', op: '&&', of: each }
}

/** `x === y` as a question about one value: whether it is there, or true; undefined for other comparisons. */
export function truthAsked(x: Val, y: Val): { readonly of: Val; readonly holds: boolean } | undefined {
  if (isNullish(y)) return { of: x, holds: false }
  if (y.v === 'const' && typeof y.value === 'boolean') return { of: x, holds: y.value }
  if (x.v === 'op' && x.op === 'typeof' && y.v === 'const' && y.value === 'undefined') return { of: x.of[0] ?? UNKNOWN, holds: false }
  return undefined
}

/** Whether two values are equal, when that is certain. */
export function equality(a: Val, b: Val): boolean | undefined {
  if (a.v === 'const' && b.v === 'const') return a.value === b.value || (isNullish(a) && isNullish(b))
  const [written, made] = a.v === 'const' ? [a.value, b] : b.v === 'const' ? [b.value, a] : [undefined, a]
  if (made.v === 'text' && (isNullish(a) || isNullish(b) || (typeof written === 'string' && !couldRead(made.parts, written)))) return false
  // a session: an object when somebody is signed in, else nothing
  if ((isNullish(b) && a.v === 'object' && truth(a) === undefined) || (isNullish(a) && b.v === 'object' && truth(b) === undefined)) return undefined
  const solid = (x: Val) =>
    x.v === 'object' ||
    x.v === 'array' ||
    x.v === 'response' ||
    x.v === 'fn' ||
    x.v === 'instance' ||
    x.v === 'client' ||
    x.v === 'host' ||
    x.v === 'class' ||
    x.v === 'lib'
  if ((solid(a) && b.v === 'const') || (solid(b) && a.v === 'const')) return false
  return undefined
}

/** Whether a text can come out as what is written: it has to begin and end as the text does. */
function couldRead(parts: readonly Val[], written: string): boolean {
  const first = parts[0]
  const last = parts[parts.length - 1]
  return (first?.v !== 'const' || written.startsWith(String(first.value))) && (last?.v !== 'const' || written.endsWith(String(last.value)))
}

/** The condition that one of several lists of conditions holds, of each what tells the most. */
export const disjunctionOf = (ways: readonly (readonly Cond[])[], most: number, at: Cond['at'], otherwise: Cond['otherwise']): Cond => ({
  test: { v: 'op', op: '||', of: ways.map((w) => conjunction(telling(w, most))) },
  negated: false,
  at,
  otherwise,
})
