/** One thing to audit: the newest wish for a pull request, a branch or a merge group. JSON; kept by the store under `key`. */
export interface AuditTarget {
  /** `REPOSITORY/pull/12`, `REPOSITORY/push/main`, `REPOSITORY/group/SHA`: one audit at a time for each. */
  readonly key: string
  readonly installation: number
  readonly repository: {
    readonly id: number
    readonly owner: string
    readonly name: string
    readonly private: boolean
    readonly cloneUrl: string
    readonly url: string
  }
  readonly kind: 'pull_request' | 'push' | 'merge_group'
  readonly headSha: string
  /** What it is compared with: tip of the base branch, `before` of a push, base of a merge group. */
  readonly baseSha?: string
  /** Name of the base branch. */
  readonly baseRef?: string
  /** Branch or commit whose `.github/prelaunch.yml` applies. */
  readonly configRef: string
  readonly number?: number
  /** What led to it, for the log. */
  readonly reason: string
  /** The comment is written even where the configuration wants none. */
  readonly explain?: boolean
  /** A person asked again: audited even when this commit was concluded before. */
  readonly again?: boolean
}

/** A target with what the store remembers of it. */
export interface StoredTarget {
  readonly target: AuditTarget
  readonly version: number
  readonly done: number
  readonly state: 'queued' | 'running' | 'concluded' | 'cancelled' | 'error'
  readonly checkRun?: { readonly id: number; readonly sha: string; readonly open: boolean }
  readonly commentId?: number
}
