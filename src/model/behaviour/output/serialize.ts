import { keptList } from '../../../lib/memo/list-by-key.ts'
import { partsOfTest } from '../control-flow/conditions.ts'
import { type Alt, type AnyVal, type Cond, chainName, isLeaf, type Leaf, type Val } from '../domain/abstract-value.ts'
import { keyOf } from '../domain/structural-hash.ts'
import type { Condition, Value } from '../types.ts'

/** In halves: what a condition joins or turns round is only half as deep where it tells who came. */
const MAX_DEPTH = 14
const MAX_ITEMS = 40
/** The depth down to which it is kept when each alternative holds. */
const MAX_ASKED_DEPTH = 5

const LOGICAL: ReadonlySet<string> = new Set(['&&', '||', '!'])

const CUT_OFF: Value = { v: 'unknown' }

/** What a value became, with the depth that it reaches and the one of the first alternatives in it that have conditions. */
interface Converted {
  readonly value: Value
  readonly deepest: number
  readonly firstAsked: number
}

/** The same where both depths count from the value itself. */
interface Whole {
  readonly value: Value
  readonly height: number
  readonly askedAt: number
}

/** The depth of alternatives with conditions where there are none. */
const NOWHERE = Number.POSITIVE_INFINITY

/**
 * Makes values of one run of the interpreter into plain data of bounded depth and width. What is the same by `keyOf` becomes one object: steps
 * share nearly all of their conditions, and what is asked of a condition is remembered by the object.
 */
export class Publisher {
  readonly #conditions = new Map<Cond, Condition>()
  /** What nothing is cut off from, also at other depths: without conditions, or too deep for them. */
  readonly #whole = new Map<Val | number, Whole>()
  /** The others, by the depth at which they stand. */
  readonly #atDepth = new Map<Val | number, (Converted | undefined)[]>()
  readonly #tells = new Map<Val, boolean>()
  /** Of what is being converted: the depth it reaches, the depth of its first alternatives with conditions. */
  #deepest = 0
  #firstAsked = NOWHERE

  /** The value as others see it. */
  value(val: Val): Value {
    return this.#within(() => this.#at(val, 0)).value
  }

  /** The condition as others see it, the same object for the same condition. */
  condition(cond: Cond): Condition {
    let done = this.#conditions.get(cond)
    if (!done) {
      done = { test: this.value(cond.test), negated: cond.negated, at: cond.at, otherwise: cond.otherwise }
      this.#conditions.set(cond, done)
    }
    return done
  }

  /** What `convert` returns, and what it reached; what is being converted around it hears nothing of that. */
  #within(convert: () => Value): Converted {
    const [deepest, firstAsked] = [this.#deepest, this.#firstAsked]
    this.#deepest = 0
    this.#firstAsked = NOWHERE
    const reached = { value: convert(), deepest: this.#deepest, firstAsked: this.#firstAsked }
    this.#deepest = deepest
    this.#firstAsked = firstAsked
    return reached
  }

  #at(val: Val, depth: number): Value {
    if (isLeaf(val)) return val
    if (depth > MAX_DEPTH) {
      this.#reach(depth, NOWHERE)
      return CUT_OFF
    }
    // where a client was made and what a refusal says are no part of their keys
    const key = val.v === 'client' || val.v === 'response' ? val : keyOf(val)
    const whole = this.#whole.get(key)
    if (whole && depth + whole.height <= MAX_DEPTH && depth + whole.askedAt > MAX_ASKED_DEPTH) {
      this.#reach(depth + whole.height, depth + whole.askedAt)
      return whole.value
    }
    const known = this.#atDepth.get(key)?.[depth]
    if (known) {
      this.#reach(known.deepest, known.firstAsked)
      return known.value
    }
    const converted = this.#within(() => {
      this.#reach(depth, NOWHERE)
      return this.#convert(val, depth)
    })
    const { value, deepest, firstAsked } = converted
    if (deepest <= MAX_DEPTH && firstAsked > MAX_ASKED_DEPTH) this.#whole.set(key, { value, height: deepest - depth, askedAt: firstAsked - depth })
    else keptList(this.#atDepth, key)[depth] = converted
    this.#reach(deepest, firstAsked)
    return value
  }

  /** Whether the caller, what another part of the application answered, or a variable without which a check is none is among what a condition is made of. */
  #tellsWho(val: Val): boolean {
    if (isLeaf(val)) return val.v === 'caller' || val.v === 'result' || val.v === 'env'
    let tells = this.#tells.get(val)
    if (tells === undefined) {
      const parts = val.v === 'array' ? (val.more ? [...val.items, val.more] : val.items) : partsOfTest(val)
      tells = parts.some((x) => this.#tellsWho(x))
      this.#tells.set(val, tells)
    }
    return tells
  }

  #reach(depth: number, asked: number): void {
    this.#deepest = Math.max(this.#deepest, depth)
    this.#firstAsked = Math.min(this.#firstAsked, asked)
  }

  #convert(val: Exclude<Val, Leaf>, depth: number): Value {
    const next = (x: Val) => this.#at(x, depth + 2)
    const conditions = (under: readonly Cond[]) => under.map((c) => this.condition(c))
    switch (val.v) {
      case 'client':
        return { v: 'client', client: val.client }
      case 'object': {
        const props = Object.fromEntries(
          Object.entries(val.props)
            .slice(0, MAX_ITEMS)
            .map(([n, x]) => [n, next(x)]),
        )
        return val.rest ? { v: 'object', props, rest: next(val.rest) } : { v: 'object', props }
      }
      case 'array':
        return { v: 'array', items: [...val.items.slice(0, MAX_ITEMS).map(next), ...(val.more ? [asked(next(val.more), conditions(val.kept ?? []))] : [])] }
      case 'text':
        return { v: 'text', parts: val.parts.slice(0, MAX_ITEMS).map(next) }
      case 'op':
        return { v: 'op', op: val.op, of: LOGICAL.has(val.op) ? val.of.map((x) => this.#at(x, depth + (this.#tellsWho(x) ? 1 : 2))) : val.of.map(next) }
      case 'call':
        return val.at ? { v: 'call', name: val.name, args: val.args.map(next), at: val.at } : { v: 'call', name: val.name, args: val.args.map(next) }
      case 'response':
        return {
          v: 'response',
          how: val.how,
          ...(val.status !== undefined ? { status: val.status } : {}),
          ...(val.body ? { body: next(val.body) } : {}),
          ...(val.at ? { at: val.at } : {}),
        }
      case 'any': {
        const ways = waysOf(val)
        const areAsked = ways.some((a) => a.under.length)
        if (areAsked) this.#reach(depth, depth)
        return {
          v: 'any',
          of: ways.map((a) => next(asCompared(a))),
          ...(depth <= MAX_ASKED_DEPTH && areAsked ? { under: ways.map((a) => conditions(a.under)) } : {}),
        }
      }
      case 'fn':
        return { v: 'function' }
      case 'native':
        return { v: 'function', name: val.name }
      case 'class':
        return { v: 'function', name: val.name }
      case 'instance': {
        const props: Record<string, Value> = {}
        for (const [n, x] of val.fields.vars) props[n] = next(x)
        return { v: 'object', props }
      }
      case 'lib':
        return { v: 'call', name: val.name === 'default' || val.name === '*' ? val.pkg : val.name, args: [] }
      case 'global':
        return { v: 'call', name: val.name, args: [] }
      case 'namespace':
        return { v: 'object', props: {} }
      case 'chain': {
        const last = val.links.at(-1)
        return {
          v: 'call',
          name: chainName(val),
          args: [...(val.root.v === 'lib' || val.root.v === 'global' ? [] : [next(val.root)]), ...(last?.args ?? []).map(next)],
          at: val.at,
        }
      }
      case 'host':
        return val.host === 'bag' ? { v: 'unknown' } : { v: 'request', part: val.part ?? 'whole' }
    }
  }
}

/**
 * All that a value may be, in one list: one branch after another makes alternatives of alternatives (`if (body.a) changes.a = body.a`, and so on
 * for each member), which those who judge a payload would have to look for at every depth.
 */
function waysOf({ alts }: AnyVal): readonly Way[] {
  const through = ({ value, under }: Alt): readonly Way[] =>
    value.v === 'any' ? waysOf(value).map((way) => ({ value: way.value, under: [...under, ...way.under] })) : [{ value, under }]
  return alts.flatMap(through)
}

type Way = Pick<Alt, 'value' | 'under'>

const ID = /^(?:id|sub|uid|user_?id)$/i

/** `if (user.id === asked) return asked`: what is taken only where it was found to be the caller's id is the caller's id. */
function asCompared({ value, under }: Way): Val {
  if (value.v !== 'request') return value
  for (const { test, negated } of under) {
    if (test.v !== 'op' || !/^[!=]==?$/.test(test.op) || test.op.startsWith('!') !== negated) continue
    const id = test.of.find((x) => x.v === 'caller' && x.trust === 'verified' && ID.test(x.field ?? ''))
    if (id && test.of.some((x) => x.v === 'request' && x.part === value.part && x.name === value.name)) return id
  }
  return value
}

/** A value for which something holds. */
const asked = (value: Value, under: readonly Condition[]): Value => (under.length ? { v: 'any', of: [value], under: [under] } : value)
