import { partsOf } from '../../../model/behaviour/domain/contains.ts'
import type { Behaviour, Condition, Effect, Step, Value } from '../../../model/behaviour/types.ts'

/** What of the request a value comes from: `body.teamId`; '*' when that cannot be told. */
type Key = string

/**
 * Which ids of the request belong together: a look-up by two of them, or a comparison of what was found by one with the
 * other, relates them. A check of one says nothing about another that nothing relates to it.
 */
export class Relations {
  readonly #behaviour: Behaviour
  readonly #group = new Map<Key, Key>()

  constructor(behaviour: Behaviour) {
    this.#behaviour = behaviour
    // steps share their conditions
    const compared = new Set<Condition>()
    const asked = new Map<Value, number>()
    const tested = rowsTested(behaviour)
    for (const [index, step] of behaviour.steps.entries()) {
      if (!isChange(step.effect) || tested.has(index)) this.#relate(this.#certain(lookupValues(step.effect, false)))
      for (const c of step.under) {
        if (compared.has(c)) continue
        compared.add(c)
        this.#relateCompared(c.test, 0, asked)
      }
    }
  }

  /** False when it is certain that nothing relates the two; `unasked`: what is to be said where one of them comes from nothing of the request. */
  related(a: readonly Value[], b: readonly Value[], unasked = true): boolean {
    const left = this.#keys(a)
    const right = this.#keys(b)
    if (!left.size || !right.size) return unasked
    if (left.has('*') || right.has('*')) return true
    const groups = new Set([...left].map((k) => this.#find(k)))
    return [...right].some((k) => groups.has(this.#find(k)))
  }

  /** The values by which a step finds what it touches. */
  objectsOf(step: Step): readonly Value[] {
    return lookupValues(step.effect, true)
  }

  /** Relates what a test compares; conditions share parts, which are `asked` once for each depth that gets further. */
  #relateCompared(test: Value, depth: number, asked: Map<Value, number>): void {
    if (depth > 8 || (asked.get(test) ?? Number.POSITIVE_INFINITY) <= depth) return
    asked.set(test, depth)
    if (test.v === 'op' && /^[!=]==?$/.test(test.op)) this.#relate(this.#keys(test.of))
    else if (test.v === 'call') this.#relate(this.#keys(test.args))
    if (test.v === 'row') this.#relateEmbedded(test)
    else if (test.v === 'op' || test.v === 'any') for (const x of test.of) this.#relateCompared(x, depth + 1, asked)
  }

  /** `team.rooms.length` of a team that was loaded with the one room that the request names: the room is the team's. */
  #relateEmbedded({ step, field }: Extract<Value, { v: 'row' }>): void {
    const e = this.#behaviour.steps[step]?.effect
    if (field === undefined || e?.kind !== 'db' || !e.embedded) return
    const along = e.embedded.filter((f) => f.op === 'eq' && f.column.slice(0, f.column.lastIndexOf('.')) === field)
    if (along.length) this.#relate(this.#keys([...e.filters, ...along].map((f) => f.value)))
  }

  #relate(keys: ReadonlySet<Key>): void {
    const [first, ...rest] = [...keys].filter((k) => k !== '*')
    if (first !== undefined) for (const k of rest) this.#group.set(this.#find(k), this.#find(first))
  }

  /** The keys that values come from whichever of their alternatives it is. */
  #certain(values: readonly Value[]): ReadonlySet<Key> {
    const out = new Set<Key>()
    for (const v of values) {
      const [first, ...others] = v.v === 'any' ? v.of.map((x) => this.#keys([x])) : [this.#keys([v])]
      for (const key of first ?? []) if (others.every((o) => o.has(key))) out.add(key)
    }
    return out
  }

  #find(key: Key): Key {
    let at = key
    for (let next = this.#group.get(at); next !== undefined && next !== at; next = this.#group.get(at)) at = next
    return at
  }

  /** The keys of values, through the look-ups that gave them. */
  #keys(values: readonly Value[]): ReadonlySet<Key> {
    const out = new Set<Key>()
    const seen = new Set<number>()
    const visit = (v: Value, depth: number): void => {
      if (depth > 10) out.add('*')
      else if (v.v === 'request') out.add(v.name ? `${v.part}.${v.name}` : '*')
      else if (v.v === 'unknown') out.add('*')
      else if (v.v === 'row' || v.v === 'result' || v.v === 'error') {
        const index = v.v === 'error' ? v.of : v.step
        const e = this.#behaviour.steps[index]?.effect
        if (!e) out.add('*')
        else if (!seen.has(index)) {
          seen.add(index)
          for (const x of lookupValues(e, true)) visit(x, depth + 1)
        }
      } else for (const x of partsOf(v)) visit(x, depth + 1)
    }
    for (const v of values) visit(v, 0)
    return out
  }
}

/** A change that finds nothing lets the handler go on: other steps rest on it only where they ask what it found. What is answered and stored looks nothing up. */
const isChange = (e: Effect): boolean =>
  (e.kind === 'db' && (e.op === 'update' || e.op === 'delete')) || (e.kind === 'storage' && e.op === 'write') || e.kind === 'respond'

/** The steps whose rows some condition asks for. */
function rowsTested({ steps }: Behaviour): ReadonlySet<number> {
  const tested = new Set<number>()
  const seen = new Set<Value>()
  const visit = (v: Value): void => {
    if (seen.has(v)) return
    seen.add(v)
    if (v.v === 'row') tested.add(v.step)
    for (const part of partsOf(v)) visit(part)
  }
  for (const step of steps) for (const c of step.under) visit(c.test)
  return tested
}

/** What an effect finds its object by; with the rows that it writes where `written`. */
function lookupValues(e: Effect, written: boolean): readonly Value[] {
  switch (e.kind) {
    case 'db':
      return [...e.filters.map((f) => f.value), ...(written && e.op === 'insert' && e.payload ? [e.payload] : [])]
    case 'rpc':
      return [e.args]
    case 'storage':
      return [e.object]
    case 'auth-call':
    case 'payment':
    case 'http':
    case 'invoke':
      return e.args
    case 'respond':
      return e.body ? [e.body] : []
    default:
      return []
  }
}
