import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { UsageError } from '../cli/usage-error.ts'

/** What an event of GitHub asks to be audited. */
export interface AuditedChange {
  readonly kind: 'pull_request' | 'merge_group' | 'push'
  /** The commit to audit; undefined for the commit that is checked out. */
  readonly head?: string
  /** The commit to compare with, as the event names it. */
  readonly base?: string
  /** The branch that a pull request goes to. Its tip may be newer than `base`, which GitHub does not keep up to date. */
  readonly baseBranch?: string
  readonly pullRequest?: number
  readonly private: boolean
  /** `https://github.com/owner/name`. */
  readonly repositoryUrl: string
  /** `owner/name`. */
  readonly repository: string
}

/** Events whose runs hold the secrets of the repository, whoever caused them. */
type PrivilegedEvent = 'pull_request_target' | 'workflow_run'

const isPrivileged = (name: string | undefined): name is PrivilegedEvent => name === 'pull_request_target' || name === 'workflow_run'

const sha = v.pipe(v.string(), v.regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/))
const repository = v.object({ full_name: v.pipe(v.string(), v.regex(/^[\w.-]+\/[\w.-]+$/)), html_url: v.pipe(v.string(), v.url()), private: v.boolean() })
const EVENTS = {
  pull_request: v.object({
    repository,
    pull_request: v.object({
      number: v.pipe(v.number(), v.integer(), v.minValue(1)),
      base: v.object({ sha, ref: v.pipe(v.string(), v.minLength(1)) }),
      head: v.object({ sha }),
    }),
  }),
  merge_group: v.object({ repository, merge_group: v.object({ base_sha: sha, head_sha: sha }) }),
  push: v.object({ repository, before: sha, after: sha }),
  other: v.object({ repository }),
}

/** Reads the event of a workflow run. Throws a `UsageError` for events that must not be audited, and for a payload that is none. */
export function readEvent(name: string | undefined, path: string | undefined): AuditedChange {
  if (isPrivileged(name))
    throw new UsageError(
      `Prelaunch does not run on ${name}, because such runs hold the secrets of the repository while they handle code of strangers. Use "on: pull_request".`,
    )
  if (!path) throw new UsageError('GITHUB_EVENT_PATH is not set. The action runs in a workflow of GitHub Actions.')
  const payload = readJson(path)
  if (name === 'pull_request') {
    const { repository, pull_request } = parsed(EVENTS.pull_request, payload)
    const { number, base, head } = pull_request
    return { kind: 'pull_request', head: head.sha, base: base.sha, baseBranch: base.ref, pullRequest: number, ...placeOf(repository) }
  }
  if (name === 'merge_group') {
    const { repository, merge_group } = parsed(EVENTS.merge_group, payload)
    return { kind: 'merge_group', head: merge_group.head_sha, base: merge_group.base_sha, ...placeOf(repository) }
  }
  if (name === 'push') {
    const { repository, before, after } = parsed(EVENTS.push, payload)
    if (isZero(after)) throw new UsageError('This push deletes a branch, so there is nothing to audit.')
    return { kind: 'push', head: after, ...(isZero(before) ? {} : { base: before }), ...placeOf(repository) }
  }
  return { kind: 'push', ...placeOf(parsed(EVENTS.other, payload).repository) }
}

const isZero = (commit: string): boolean => /^0+$/.test(commit)

const placeOf = (r: v.InferOutput<typeof repository>) => ({ private: r.private, repositoryUrl: r.html_url, repository: r.full_name })

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw new UsageError('The event of this run could not be read (GITHUB_EVENT_PATH).')
  }
}

function parsed<T extends v.GenericSchema>(schema: T, payload: unknown): v.InferOutput<T> {
  const result = v.safeParse(schema, payload, { abortEarly: true })
  if (!result.success) throw new UsageError(`The event of this run has no valid ${v.getDotPath(result.issues[0]) ?? 'content'}.`)
  return result.output
}
