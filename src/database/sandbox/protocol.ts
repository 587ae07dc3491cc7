import type { ToldResult } from '../answer/outcome.ts'
import type { ReplayInput, TableHint } from '../database.ts'

/** A prepared data directory: the file that the process may read, by its name, or the bytes of one in base64. */
export type Template = { readonly name: string } | { readonly base64: string }

/** What the sandbox's process is asked to do. Everything here and in `Answer` crosses as JSON. */
export type Request =
  | { readonly type: 'build' }
  /** Prepares an engine from a template; `again` after each replay, for the next one. */
  | { readonly type: 'start'; readonly template: Template; readonly again?: true }
  | {
      readonly type: 'replay'
      readonly input: ReplayInput
      readonly budgetMs: number
      readonly stepMs: number
      readonly memoryBytes: number
      readonly skip: readonly string[]
      /** The hints come later; a step that needs one waits. */
      readonly hintsFollow?: true
    }
  | HintsFollow

/** The hints of a replay that began without them. */
export interface HintsFollow {
  readonly type: 'hints'
  readonly hints: readonly TableHint[]
}

/** What it answers. `at` names the step under way, so that a death can be blamed on it. */
export type Answer =
  | { readonly type: 'template'; readonly base64: string }
  | { readonly type: 'at'; readonly label: string }
  /** The step under way needs the hints. */
  | { readonly type: 'waiting' }
  | { readonly type: 'replayed'; readonly result: ToldResult }
  /** `halfApplied` when the time budget ended before the SQL did. */
  | { readonly type: 'result'; readonly result: ToldResult; readonly halfApplied?: true }
  | { readonly type: 'died'; readonly because: string }
