import type { AppModel } from '../model/app-model.ts'
import type { GapTopic } from '../model/gap.ts'
import type { Covers } from './coverage.ts'
import type { Outcome } from './outcome.ts'

export * from './outcome.ts'

export type Category = 'RLS' | 'Authentication' | 'Environment variables' | 'API endpoints' | 'Payments' | 'Code and dependencies'

/** One of the 25 checks: metadata and one pure function over the slices of the model that it names. */
export interface Check<N extends keyof AppModel = keyof AppModel> {
  readonly number: number
  /** `category/name`, also the path of its two files. */
  readonly id: string
  readonly category: Category
  /** The rule in one sentence. */
  readonly rule: string
  /** The slices that `run` reads. */
  readonly needs: readonly N[]
  /** Which gaps turn a pass of this check into `unverified`. */
  readonly doubtedBy: readonly GapTopic[]
  /** What it judges one by one; a pass says how many of them there are and which were not followed. */
  readonly covers?: Covers
  /** One place that does what the rule asks for is enough: what was not looked at cannot undo it. */
  readonly seenOnce?: true
  /** Of checks that judge policies: those for which commands. */
  readonly commands?: readonly ('select' | 'insert' | 'update' | 'delete')[]
  run(model: Pick<AppModel, N>): Outcome
}

/** Gives a check its types; the registry in `index.ts` lists them. */
export function defineCheck<const N extends keyof AppModel>(check: Check<N>): Check<N> {
  return check
}
