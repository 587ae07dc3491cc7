import { type Effect, HIDDEN_LITERAL, type Value } from '../behaviour/behaviour.ts'

/** An account whose password stands in the code: nobody signs up there, somebody else is made one, and everybody who reads the code knows it. */
export function makesFixedAccount(e: Effect): boolean {
  if (e.kind !== 'auth-call' || e.op !== 'admin' || !/(?:^|\.)createUser$/.test(e.name)) return false
  return e.args.some((a) => a.v === 'object' && a.props.password !== undefined && isWritten(a.props.password))
}

function isWritten(v: Value): boolean {
  if (v.v === 'any') return v.of.every(isWritten)
  return (v.v === 'const' && typeof v.value === 'string' && v.value !== '') || (v.v === 'call' && v.name.startsWith(HIDDEN_LITERAL))
}
