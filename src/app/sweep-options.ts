import type { GitHubApi } from '../platform/github/client.ts'
import type { FulfilOptions } from './fulfil.ts'

/** What the sweep needs beside a store and installations: the App's own rights, and how much of GitHub's limit it may use. */
export interface SweepOptions extends FulfilOptions {
  /** Authenticated as the App itself. */
  readonly app: () => Promise<GitHubApi>
  readonly reconcileLimits?: ReconcileLimits
}

/** How many requests of GitHub's hourly limit the look at open pull requests may take; the next sweep goes on where it ended. */
export interface ReconcileLimits {
  /** A fifth of an installation's hourly limit. */
  readonly perInstallation: number
  /** Altogether; the next sweep begins with the installations that waited longest. */
  readonly perSweep: number
}
