import type { Place } from '../../../lib/place.ts'
import { type FunctionVal, isNullish, UNDEFINED, type Val } from '../domain/abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'

/** What functions are called that write down what happens: `logger.info`, `log`, `logError`, `console` behind a name of one's own. */
const LOGGER =
  /^(?:(?:safe_?)?log|debug|info|warn|warning|error|trace|fatal|verbose|notice|silly|(?:log|write|print)_?(?:debug|info|warn(?:ing)?|errors?|message|entry|line|event))$/i

/** Whether a function is called like one that writes down what happens. */
export const isCalledLogger = (name: string): boolean => LOGGER.test(name)
/** A word that says how grave it is (`log('error', …)`): one level may be sent somewhere that another is not. */
const LOG_LEVEL_WORD = /^[a-z]{3,9}$/i

/**
 * Logs with a logger of the application's own (one that masks secrets, adds an id to each line and picks an output takes thousands of nodes for each
 * line). The first call of a run is followed; where it came back with nothing and did nothing but log, those after it are one line in the log.
 */
export function logged(it: Interpreter, fn: FunctionVal, name: string, key: string, args: readonly Val[], at: Place, follow: () => Val): Val {
  if (it.quiet || args.some(mayRun)) return follow()
  const [first] = args
  const level = first?.v === 'const' && typeof first.value === 'string' && LOG_LEVEL_WORD.test(first.value) ? first.value : ''
  const known = `${key} ${level} ${fn.self?.v ?? ''}`
  const found = it.loggers.get(known)
  if (found === 'logs' || found === 'nothing') {
    it.hazards++
    if (found === 'logs') it.emit({ kind: 'log', name: `console.${name}`, args }, at)
    return UNDEFINED
  }
  if (found) return follow()
  const [steps, gaps] = [it.steps.length, it.gaps.length]
  const value = follow()
  const done = it.steps.slice(steps)
  const quietly = done.every((s) => s.effect.kind === 'log') && it.gaps.length === gaps && isNothing(value)
  it.loggers.set(known, !quietly ? 'more' : done.length ? 'logs' : 'nothing')
  return value
}

const mayRun = (v: Val): boolean =>
  v.v === 'fn' || v.v === 'native' || (v.v === 'object' && Object.values(v.props).some((x) => x.v === 'fn' || x.v === 'native'))

const isNothing = (v: Val): boolean => (v.v === 'const' && isNullish(v)) || (v.v === 'any' && v.alts.every((a) => isNothing(a.value)))
