import { createRequire } from 'node:module'
import type { CheckRun, Comment, Pull, Repo } from './state.ts'

type Json = Record<string, unknown>
interface Example {
  readonly name: string
  readonly examples: readonly Json[]
}

const require = createRequire(import.meta.url)
const EXAMPLES = require('@octokit/webhooks-examples/api.github.com/index.json') as readonly Example[]

/** GitHub's own example payloads of an event. */
export function examplesOf(event: string): readonly Json[] {
  return EXAMPLES.find((e) => e.name === event)?.examples ?? []
}

function template(event: string, action?: string): Json {
  const found = examplesOf(event).find((e) => !action || e['action'] === action) ?? examplesOf(event)[0]
  return structuredClone(found ?? {})
}

const repositoryTemplate = template('pull_request', 'opened')['repository'] as Json
const pullTemplate = template('pull_request', 'opened')['pull_request'] as Json

/** A user as payloads carry it. */
export function userNode(login: string, type: 'User' | 'Bot' | 'Organization' = 'User', base = 'https://api.github.com'): Json {
  const id = [...login].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) % 1_000_000, 7)
  return {
    ...(structuredClone(repositoryTemplate['owner']) as Json),
    login,
    id,
    node_id: `U_${id}`,
    type,
    site_admin: false,
    url: `${base}/users/${encodeURIComponent(login)}`,
    html_url: `https://github.com/${encodeURIComponent(login)}`,
  }
}

/** A repository as payloads and the REST API carry it. */
export function repositoryNode(repo: Repo, base = ''): Json {
  const full = `${repo.owner}/${repo.name}`
  return {
    ...structuredClone(repositoryTemplate),
    id: repo.id,
    node_id: `R_${repo.id}`,
    name: repo.name,
    full_name: full,
    private: repo.private,
    owner: userNode(repo.owner, 'Organization', base),
    html_url: `https://github.com/${full}`,
    url: `${base}/repos/${full}`,
    clone_url: `${base}/${full}.git`,
    default_branch: repo.defaultBranch,
    fork: false,
    archived: false,
    disabled: false,
    visibility: repo.private ? 'private' : 'public',
    network_count: 0,
    subscribers_count: 0,
  }
}

/** A pull request as payloads and the REST API carry it. */
export function pullNode(repo: Repo, pull: Pull, base = ''): Json {
  const fork = pull.headOwner !== repo.owner
  const headRepo =
    pull.headDeleted && fork
      ? null
      : {
          ...repositoryNode(repo, base),
          ...(fork ? { id: repo.id + 1, full_name: `${pull.headOwner}/${repo.name}`, owner: userNode(pull.headOwner), fork: true } : {}),
        }
  return {
    ...structuredClone(pullTemplate),
    id: repo.id * 1000 + pull.number,
    number: pull.number,
    title: pull.title,
    state: pull.state,
    draft: pull.draft,
    merged: pull.merged,
    user: userNode(pull.author, 'User', base),
    url: `${base}/repos/${repo.owner}/${repo.name}/pulls/${pull.number}`,
    html_url: `https://github.com/${repo.owner}/${repo.name}/pull/${pull.number}`,
    head: { label: `${pull.headOwner}:${pull.headRef}`, ref: pull.headRef, sha: pull.headSha, user: userNode(pull.headOwner), repo: headRepo },
    base: { label: `${repo.owner}:${pull.baseRef}`, ref: pull.baseRef, sha: pull.baseSha, user: userNode(repo.owner), repo: repositoryNode(repo, base) },
  }
}

/** A check run as the REST API answers it. */
export function checkRunNode(run: CheckRun, app: Json, base: string): Json {
  const url = `${base}/repos/${run.repo.owner}/${run.repo.name}/check-runs/${run.id}`
  return {
    id: run.id,
    node_id: `CR_${run.id}`,
    head_sha: run.headSha,
    external_id: run.externalId,
    url,
    html_url: `https://github.com/${run.repo.owner}/${run.repo.name}/runs/${run.id}`,
    details_url: run.detailsUrl,
    status: run.status,
    conclusion: run.conclusion,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    output: { ...run.output, annotations_count: run.annotations.length, annotations_url: `${url}/annotations` },
    name: run.name,
    check_suite: { id: run.id + 1 },
    app,
    pull_requests: [],
  }
}

/** An issue comment as the REST API answers it. */
export function commentNode(repo: Repo, comment: Comment, app: Json, base: string): Json {
  const issue = `${base}/repos/${repo.owner}/${repo.name}/issues/${comment.issue}`
  return {
    id: comment.id,
    node_id: `IC_${comment.id}`,
    url: `${base}/repos/${repo.owner}/${repo.name}/issues/comments/${comment.id}`,
    html_url: `https://github.com/${repo.owner}/${repo.name}/pull/${comment.issue}#issuecomment-${comment.id}`,
    issue_url: issue,
    body: comment.body,
    user: userNode(comment.login, comment.bot ? 'Bot' : 'User', base),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    author_association: comment.bot ? 'NONE' : 'MEMBER',
    performed_via_github_app: comment.bot ? app : null,
  }
}

/** The App as the REST API answers it. */
export function appNode(id: number, slug: string, permissions: Readonly<Record<string, string>>, events: readonly string[]): Json {
  return {
    id,
    slug,
    node_id: `A_${id}`,
    client_id: `Iv1.${id}`,
    owner: userNode('octo'),
    name: slug,
    description: '',
    external_url: 'https://example.com',
    html_url: `https://github.com/apps/${slug}`,
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
    permissions,
    events,
    installations_count: 1,
  }
}

/** The body of a webhook: GitHub's example with the values of this repository. */
export function eventPayload(event: string, action: string | undefined, values: Json): Json {
  return { ...template(event, action), ...(action ? { action } : {}), ...values }
}
