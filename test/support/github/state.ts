import type { GitRepository } from './git-repository.ts'

/** A repository as the server keeps it: git objects on disk, everything else in memory. */
export interface Repo {
  readonly id: number
  owner: string
  name: string
  private: boolean
  defaultBranch: string
  readonly git: GitRepository
  readonly pulls: Pull[]
  readonly comments: Comment[]
  readonly reviews: Review[]
  /** Rules of rulesets by branch name, as `GET /rules/branches/{branch}` lists them. */
  readonly rules: Map<string, unknown[]>
  /** Contexts that branch protection requires, by branch name. */
  readonly protection: Map<string, string[]>
  readonly collaborators: Map<string, 'admin' | 'write' | 'read' | 'none'>
  /** The fork's own repository when the head of a pull request lives there. */
  readonly forks: Map<string, { owner: string; name: string }>
  deleted: boolean
  /** Trees of more entries than this are cut and marked truncated. */
  treeLimit: number
}

export interface Pull {
  readonly number: number
  title: string
  readonly author: string
  headRef: string
  headSha: string
  /** `owner:branch` of a fork; the branch itself otherwise. */
  headOwner: string
  baseRef: string
  baseSha: string
  state: 'open' | 'closed'
  merged: boolean
  draft: boolean
  headDeleted: boolean
}

export interface Comment {
  readonly id: number
  readonly issue: number
  readonly login: string
  readonly bot: boolean
  body: string
  readonly createdAt: string
  updatedAt: string
}

export interface ReviewComment {
  readonly id: number
  readonly path: string
  readonly line: number
  readonly startLine?: number
  readonly body: string
  readonly commit: string
}

export interface Review {
  readonly id: number
  readonly pull: number
  readonly login: string
  readonly body: string
  readonly comments: ReviewComment[]
}

export interface Annotation {
  readonly path: string
  readonly start_line: number
  readonly end_line: number
  readonly start_column?: number
  readonly end_column?: number
  readonly annotation_level: 'notice' | 'warning' | 'failure'
  readonly message: string
  readonly title?: string
  readonly raw_details?: string
}

export interface CheckRun {
  readonly id: number
  readonly repo: Repo
  readonly name: string
  readonly headSha: string
  readonly appId: number
  status: 'queued' | 'in_progress' | 'completed'
  conclusion: string | null
  startedAt: string | null
  completedAt: string | null
  detailsUrl: string | null
  externalId: string
  output: { title: string | null; summary: string | null; text: string | null }
  annotations: Annotation[]
  actions: { label: string; description: string; identifier: string }[]
  /** Every state that was written, oldest first: tests look at the order. */
  readonly writes: { status: string; conclusion: string | null; title: string | null }[]
}

export interface Delivery {
  readonly id: number
  readonly guid: string
  readonly event: string
  readonly action: string | null
  readonly installationId: number
  readonly repositoryId: number | null
  readonly deliveredAt: string
  readonly redelivery: boolean
  readonly body: string
  statusCode: number
  status: string
  /** Seconds until the answer. */
  duration: number
}

/** One HTTP request that reached the server. */
export interface LoggedRequest {
  readonly method: string
  readonly path: string
  readonly kind: 'rest' | 'graphql' | 'git'
  readonly endpoint?: string
  status: number
  readonly body?: unknown
}

/** An answer instead of the real one, for the next `times` matching requests. */
export interface Fault {
  readonly match: (request: { method: string; path: string; endpoint?: string }) => boolean
  times: number
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly hangUp?: boolean
  readonly delayMs?: number
}
