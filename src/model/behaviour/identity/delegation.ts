import type { Place } from '../../../lib/place.ts'
import { op, type Val } from '../domain/abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'

/** Libraries that only watch, repeat or bundle what their callback does. */
const ONLY_RUNS = /log|trac(?:e|ing)|span|context|scope|monitor|metric|telemetr|sentry|cache|retry|queue|transaction|debounce|throttle|lock/i

/**
 * What has to hold for a callback that a library is given together with the caller's credential: the library decides whether it runs
 * (`directorySync.requests.handle({ apiSecret, … }, onEvent)`). Undefined when it is not given one.
 */
export function delegated(name: string, args: readonly Val[], at: Place): Val | undefined {
  if (ONLY_RUNS.test(name) || !args.some((a) => a.v !== 'fn' && holdsCredential(a, 0))) return undefined
  return op('delegated', { v: 'call', name, args: [], at })
}

/** Runs a callback under the condition that the library lets the caller in. */
export function underDelegation(it: Interpreter, test: Val | undefined, at: Place, run: () => void): void {
  if (test) it.pc = [...it.pc, { test, negated: false, at, otherwise: { ends: true, how: 'respond' } }]
  run()
}

const FORWARDED_CREDENTIAL_HEADER = /^(?:authorization|cookie|(?:x-)?[\w-]*(?:api-?key|token|secret|session)[\w-]*)$/i

/** A header or cookie that says who the caller is, or an object with one. */
function holdsCredential(val: Val, depth: number): boolean {
  if (depth > 6) return false
  const next = (x: Val) => holdsCredential(x, depth + 1)
  switch (val.v) {
    case 'request':
      return (val.part === 'header' || val.part === 'cookie') && FORWARDED_CREDENTIAL_HEADER.test(val.name ?? '')
    case 'object':
      return Object.values(val.props).some(next)
    case 'call':
      return val.args.some(next)
    case 'text':
      return val.parts.some(next)
    case 'any':
      return val.alts.some((a) => next(a.value))
    default:
      return false
  }
}
