import type { Place } from '../../lib/place.ts'

/** What something that was not looked at could have been part of. */
export type Reach = 'endpoints' | 'pages'

/** Something that answers requests, or may, and that no check could judge. */
export interface Unseen extends Place {
  /** By name: a route where one is known, otherwise the file. */
  readonly subject: string
  readonly because: string
  readonly reach: Reach
}

/** What of the application was not looked at; files that could not be read at all are gaps. */
export interface CoverageModel {
  readonly unseen: readonly Unseen[]
}
