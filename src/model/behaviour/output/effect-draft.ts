import type { Place } from '../../../lib/place.ts'
import type { Cond, Val } from '../domain/abstract-value.ts'
import type { Effect, Filter, Value } from '../types.ts'

/** An effect whose values are still the interpreter's. */
export type EffectDraft = Effect extends infer E
  ? E extends unknown
    ? {
        [K in keyof E]: E[K] extends Value | undefined
          ? Val
          : E[K] extends readonly Value[]
            ? readonly Val[]
            : E[K] extends readonly Filter[] | undefined
              ? readonly FilterDraft[]
              : E[K]
      }
    : never
  : never

/** A filter of a query, likewise. */
export type FilterDraft = Omit<Filter, 'value'> & { readonly value: Val }

/** An effect as it is recorded on the way, with the path that led to it. */
export interface StepDraft {
  readonly effect: EffectDraft
  readonly at: Place
  readonly via: readonly Place[]
  readonly under: readonly Cond[]
  /** It happens in middleware or a guard, before the handler. */
  readonly before?: true
  readonly everywhere?: true
}
