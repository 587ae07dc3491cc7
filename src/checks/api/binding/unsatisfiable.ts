import type { Value } from '../../../model/behaviour/types.ts'

/** What a part of a conjunction says: that a value is there, or that it is not. */
interface Said {
  readonly value: Value
  readonly holds: boolean
}

/** More than anybody writes into one condition; beyond it a contradiction is not looked for. */
const MOST = 40

/**
 * Whether something can never have this truth value, because its parts exclude one another: the user was found, by the cookie or by the header,
 * and yet his id is missing. Such a way comes of variables that are filled on several paths and asked about later.
 */
export function contradictsItself(value: Value, truthy: boolean): boolean {
  const said: Said[] = []
  conjuncts(value, truthy, 0, said)
  return said.length <= MOST && said.some((s) => s.value.v === 'op' && isRefuted(s.value, s.holds, said, 0))
}

/** The parts that all have to hold, negations resolved. */
function conjuncts(value: Value, holds: boolean, depth: number, into: Said[]): void {
  if (value.v === 'op' && depth <= 8 && into.length <= MOST) {
    const turned = value.op === '!'
    if (turned || (value.op === '&&' && holds) || (value.op === '||' && !holds)) {
      for (const x of value.of) conjuncts(x, turned ? !holds : holds, depth + 1, into)
      return
    }
  }
  into.push({ value, holds })
}

function isRefuted(value: Value, holds: boolean, said: readonly Said[], depth: number): boolean {
  if (depth > 8) return false
  if (value.v === 'op') {
    const next = (x: Value) => isRefuted(x, holds, said, depth + 1)
    if (value.op === '!') return value.of[0] !== undefined && isRefuted(value.of[0], !holds, said, depth + 1)
    if (value.op === '&&' || value.op === '||') return value.of.length > 0 && ((value.op === '&&') === holds ? value.of.some(next) : value.of.every(next))
  }
  return said.some((s) => s.holds !== holds && (s.value === value || isOne(holds ? value : s.value, holds ? s.value : value)))
}

/** Whether `missing` being absent means that `present` is: the same caller, whose id is there whenever he is. */
function isOne(present: Value, missing: Value): boolean {
  if (present.v !== 'caller' || missing.v !== 'caller' || present.step === undefined || present.step !== missing.step) return false
  return (missing.field ?? '') === (present.field ?? '') || !missing.field || IDENTITY_ID_FIELD.test(missing.field)
}

const IDENTITY_ID_FIELD = /^(?:user_?)?id$|^sub$/i
