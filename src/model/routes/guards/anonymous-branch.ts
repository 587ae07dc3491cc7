import type { Condition, Value } from '../../behaviour/types.ts'

/** `(signedIn && role === 'admin') || !signedIn`, what middleware leaves, without the way of strangers, where another condition sends them away. */
export function withoutStrangers({ test, negated }: Condition, signedIn: readonly Extract<Value, { v: 'caller' }>[]): Value {
  if (negated || test.v !== 'op' || test.op !== '||' || !signedIn.length) return test
  const isStranger = (x: Value): boolean => {
    if (x.v !== 'op') return false
    if (x.op === '&&') return x.of.some(isStranger)
    const [of] = x.of
    return x.op === '!' && of?.v === 'caller' && signedIn.some((c) => c.how === of.how && c.field === of.field && c.step === of.step)
  }
  const of = test.of.filter((x) => !isStranger(x))
  return of.length === test.of.length || !of.length ? test : of.length === 1 ? (of[0] as Value) : { ...test, of }
}
