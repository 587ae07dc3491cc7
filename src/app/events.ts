import type { AuditTarget } from '../store/audit-target.ts'

/** What an event asks for. */
export type Wish =
  | { readonly do: 'audit'; readonly target: AuditTarget }
  | { readonly do: 'cancel'; readonly key: string }
  /** Audit again whatever this commit belonged to. */
  | {
      readonly do: 'again'
      readonly repository: AuditTarget['repository']
      readonly installation: number
      readonly headSha: string
      readonly pulls: readonly number[]
      readonly branch?: string
      readonly defaultBranch: string
      readonly explain: boolean
    }
  | {
      readonly do: 'command'
      readonly repository: AuditTarget['repository']
      readonly installation: number
      readonly number: number
      readonly login: string
      readonly text: string
    }
  | {
      readonly do: 'audit-default-branches'
      readonly installation: number
      readonly repositories: readonly { readonly id: number; readonly fullName: string }[]
    }
  | { readonly do: 'forget-installation'; readonly installation: number; readonly repositories: readonly number[] }
  | { readonly do: 'forget-repositories'; readonly repositories: readonly number[] }

/** The events of app.yml, and `installation*`, which every App gets. */
export const GITHUB_EVENTS = [
  'pull_request.opened',
  'pull_request.synchronize',
  'pull_request.reopened',
  'pull_request.ready_for_review',
  'pull_request.edited',
  'pull_request.closed',
  'push',
  'check_run.rerequested',
  'check_run.requested_action',
  'check_suite.rerequested',
  'merge_group.checks_requested',
  'merge_group.destroyed',
  'issue_comment.created',
  'installation.created',
  'installation.deleted',
  'installation_repositories.added',
  'installation_repositories.removed',
] as const

const ZERO = /^0+$/

// biome-ignore lint/suspicious/noExplicitAny: payloads are read defensively; GitHub's types promise more than old deliveries hold.
type Payload = any

/** Which wish an event stands for; undefined when it asks for nothing. Never throws on a payload of a known shape with parts missing. */
export function wishOf(event: string, payload: Payload, checkName: string): Wish | undefined {
  if (event === 'installation') return installation(payload)
  if (event === 'installation_repositories') return installationRepositories(payload)
  const installationId = payload?.installation?.id
  const repository = repositoryOf(payload?.repository)
  if (typeof installationId !== 'number' || !repository) return undefined
  switch (event) {
    case 'pull_request':
      return pullRequest(payload, repository, installationId)
    case 'push':
      return push(payload, repository, installationId)
    case 'merge_group':
      return mergeGroup(payload, repository, installationId)
    case 'check_run':
    case 'check_suite':
      return again(payload, repository, installationId, checkName)
    case 'issue_comment':
      return command(payload, repository, installationId)
    default:
      return undefined
  }
}

function pullRequest(payload: Payload, repository: AuditTarget['repository'], installation: number): Wish | undefined {
  const pull = payload.pull_request
  if (!pull?.head?.sha || !pull?.base?.ref) return undefined
  const key = `${repository.id}/pull/${pull.number}`
  if (payload.action === 'closed') return { do: 'cancel', key }
  if (payload.action === 'edited' && !payload.changes?.base) return undefined
  if (!['opened', 'synchronize', 'reopened', 'ready_for_review', 'edited'].includes(payload.action) || pull.state === 'closed') return undefined
  return { do: 'audit', target: pullTarget(repository, installation, pull, `pull_request.${payload.action}`) }
}

/** The target of a pull request as payloads and the REST API describe it. */
export function pullTarget(repository: AuditTarget['repository'], installation: number, pull: Payload, reason: string): AuditTarget {
  return {
    key: `${repository.id}/pull/${pull.number}`,
    installation,
    repository,
    kind: 'pull_request',
    headSha: pull.head.sha,
    baseSha: pull.base.sha,
    baseRef: pull.base.ref,
    configRef: pull.base.ref,
    number: pull.number,
    reason,
  }
}

function push(payload: Payload, repository: AuditTarget['repository'], installation: number): Wish | undefined {
  const branch = payload.repository.default_branch
  if (payload.ref !== `refs/heads/${branch}` || payload.deleted || typeof payload.after !== 'string' || ZERO.test(payload.after)) return undefined
  return {
    do: 'audit',
    target: branchTarget(repository, installation, branch, payload.after, ZERO.test(payload.before ?? '0') ? undefined : payload.before, 'push'),
  }
}

/** The target of a branch's tip. */
export function branchTarget(
  repository: AuditTarget['repository'],
  installation: number,
  branch: string,
  headSha: string,
  before: string | undefined,
  reason: string,
): AuditTarget {
  return {
    key: `${repository.id}/push/${branch}`,
    installation,
    repository,
    kind: 'push',
    headSha,
    ...(before ? { baseSha: before } : {}),
    baseRef: branch,
    // The configuration that was in force before the push; of a first push its own.
    configRef: before ?? headSha,
    reason,
  }
}

function mergeGroup(payload: Payload, repository: AuditTarget['repository'], installation: number): Wish | undefined {
  const group = payload.merge_group
  if (!group?.head_sha) return undefined
  const key = `${repository.id}/group/${group.head_sha}`
  if (payload.action === 'destroyed') return { do: 'cancel', key }
  return {
    do: 'audit',
    target: {
      key,
      installation,
      repository,
      kind: 'merge_group',
      headSha: group.head_sha,
      baseSha: group.base_sha,
      baseRef: String(group.base_ref ?? '').replace('refs/heads/', ''),
      configRef: group.base_sha,
      reason: 'merge_group',
    },
  }
}

function again(payload: Payload, repository: AuditTarget['repository'], installation: number, checkName: string): Wish | undefined {
  const run = payload.check_run ?? payload.check_suite
  if (!run?.head_sha || !['rerequested', 'requested_action'].includes(payload.action)) return undefined
  if (payload.check_run && payload.check_run.name !== checkName) return undefined
  const branch = run.check_suite?.head_branch ?? run.head_branch
  return {
    do: 'again',
    repository,
    installation,
    headSha: run.head_sha,
    pulls: (run.pull_requests ?? []).map((p: Payload) => p.number),
    ...(branch ? { branch } : {}),
    defaultBranch: payload.repository.default_branch,
    explain: payload.requested_action?.identifier === 'explain',
  }
}

function command(payload: Payload, repository: AuditTarget['repository'], installation: number): Wish | undefined {
  const text = String(payload.comment?.body ?? '').trim()
  if (payload.action !== 'created' || !payload.issue?.pull_request || payload.comment?.user?.type === 'Bot' || !/^\/prelaunch\b/.test(text)) return undefined
  return { do: 'command', repository, installation, number: payload.issue.number, login: String(payload.comment.user?.login ?? ''), text: text.slice(0, 2000) }
}

function installation(payload: Payload): Wish | undefined {
  const id = payload?.installation?.id
  if (typeof id !== 'number') return undefined
  if (payload.action === 'deleted') return { do: 'forget-installation', installation: id, repositories: named(payload.repositories).map((r) => r.id) }
  if (payload.action === 'created') return { do: 'audit-default-branches', installation: id, repositories: named(payload.repositories) }
  return undefined
}

function installationRepositories(payload: Payload): Wish | undefined {
  const id = payload?.installation?.id
  if (typeof id !== 'number') return undefined
  if (payload.action === 'removed') return { do: 'forget-repositories', repositories: named(payload.repositories_removed).map((r) => r.id) }
  if (payload.action === 'added') return { do: 'audit-default-branches', installation: id, repositories: named(payload.repositories_added) }
  return undefined
}

function named(repositories: Payload): { id: number; fullName: string }[] {
  return (Array.isArray(repositories) ? repositories : []).map((r) => ({ id: r.id, fullName: r.full_name }))
}

/** A repository as payloads and the REST API describe it. */
export function repositoryOf(node: Payload): AuditTarget['repository'] | undefined {
  if (typeof node?.id !== 'number' || !node.name || !node.owner?.login) return undefined
  return { id: node.id, owner: node.owner.login, name: node.name, private: node.private === true, cloneUrl: node.clone_url ?? '', url: node.html_url ?? '' }
}
