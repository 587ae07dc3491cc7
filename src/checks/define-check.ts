import type { AppModel } from '../model/app-model.ts'
import type { GapTopic } from '../model/gap.ts'
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
  /** Of checks that judge policies: those for which commands. */
  readonly commands?: readonly ('select' | 'insert' | 'update' | 'delete')[]
  run(model: Pick<AppModel, N>): Outcome
}

/** Gives a check its types; the registry in `index.ts` lists them. */
export function defineCheck<const N extends keyof AppModel>(check: Check<N>): Check<N> {
  return check
}
