import type { Cond, Val } from '../domain/abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'
import type { Behaviour, Condition, Effect, Step } from '../types.ts'
import type { FilterDraft, StepDraft } from './effect-draft.ts'
import { Publisher } from './serialize.ts'

/** The finished behaviour as plain data. */
export function finishedBehaviour(
  run: Pick<Interpreter, 'steps' | 'through' | 'restsOnForm' | 'restsOnSide' | 'headersRead' | 'rewrites' | 'gaps' | 'sinks'>,
): Behaviour {
  const publisher = new Publisher()
  // Steps of one path hold the same list of conditions.
  const paths = new Map<readonly Cond[], readonly Condition[]>()
  const path = (under: readonly Cond[]): readonly Condition[] => {
    let done = paths.get(under)
    if (!done) {
      done = under.map((c) => publisher.condition(c))
      paths.set(under, done)
    }
    return done
  }
  const value = (x: unknown): unknown =>
    isVal(x) ? publisher.value(x) : Array.isArray(x) ? x.map((i) => (isFilter(i) ? { ...i, value: publisher.value(i.value) } : value(i))) : x
  const finished = (s: StepDraft): Step => ({
    effect: Object.fromEntries(Object.entries(s.effect).map(([k, x]) => [k, value(x)])) as unknown as Effect,
    at: s.at,
    via: s.via,
    under: path(s.under),
    ...(s.before ? { before: true as const } : {}),
    ...(s.everywhere ? { everywhere: true as const } : {}),
  })
  const rewrites = run.rewrites?.rewrites ?? []
  const done = {
    steps: run.steps.map(finished),
    ...(run.through ? { through: run.through.map(finished) } : {}),
    ...(run.restsOnForm ? { restsOnForm: true as const } : {}),
    ...(run.restsOnSide ? { restsOnSide: true as const } : {}),
    ...(rewrites.length ? { rewrites } : {}),
    ...(run.sinks.length ? { sinks: run.sinks } : {}),
    ...(run.headersRead.size ? { headersRead: Object.fromEntries(run.headersRead) } : {}),
  }
  return run.gaps.length ? { ...done, complete: false, gaps: run.gaps } : { ...done, complete: true }
}

function isVal(x: unknown): x is Val {
  return typeof x === 'object' && x !== null && typeof (x as { v?: unknown }).v === 'string'
}

function isFilter(x: unknown): x is FilterDraft {
  return typeof x === 'object' && x !== null && 'column' in x && 'op' in x && 'value' in x
}
