import type { ServerResponse } from 'node:http'
import { checkRunNode, commentNode, pullNode, repositoryNode, userNode } from './payloads.ts'
import type { GitHubServer } from './server.ts'
import type { Annotation, CheckRun, Repo } from './state.ts'

type Json = Record<string, unknown>

/** A request that passed authentication, permission and schema. */
export interface Call {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: Json
  readonly accept: string
  readonly repo: Repo
  /** Login of the token's owner. */
  readonly viewer: string
  readonly appId: number
  readonly installationId: number
  /** Whether the token may see a repository. */
  readonly visible: (repo: Repo) => boolean
  readonly response: ServerResponse
}

export interface Answer {
  readonly status: number
  readonly body?: unknown
  readonly raw?: Buffer
  readonly stream?: NodeJS.ReadableStream
  readonly headers?: Readonly<Record<string, string>>
  /** All items of a list; the server cuts the page. */
  readonly list?: readonly unknown[]
}

const ok = (body: unknown): Answer => ({ status: 200, body })
const notFound: Answer = { status: 404, body: { message: 'Not Found', documentation_url: 'https://docs.github.com/rest', status: '404' } }
const invalid = (message: string, errors: unknown[] = []): Answer => ({
  status: 422,
  body: { message, errors, documentation_url: 'https://docs.github.com/rest', status: '422' },
})

/** The endpoints that the App calls, each as GitHub's documentation describes it. */
export const HANDLERS: Readonly<Record<string, (server: GitHubServer, call: Call) => Answer | Promise<Answer>>> = {
  'GET /app': (server) => ok(server.appNode()),
  'GET /app/installations': (server) => ({ status: 200, list: [server.installationNode()] }),
  'GET /app/hook/deliveries': (server, { query }) => {
    const cursor = query.get('cursor')
    const all = server.webhooks.deliveries.filter((d) => d.status !== 'pending')
    const start = cursor ? all.findIndex((d) => String(d.id) === cursor) : 0
    const size = Number(query.get('per_page') ?? 30)
    const page = all.slice(start, start + size)
    const next = all[start + size]
    return {
      status: 200,
      body: page.map((d) => ({
        id: d.id,
        guid: d.guid,
        delivered_at: d.deliveredAt,
        redelivery: d.redelivery,
        duration: d.duration,
        status: d.status,
        status_code: d.statusCode,
        event: d.event,
        action: d.action,
        installation_id: d.installationId,
        repository_id: d.repositoryId,
        throttled_at: null,
      })),
      ...(next ? { headers: { link: `<${server.url}/app/hook/deliveries?per_page=${size}&cursor=${next.id}>; rel="next"` } } : {}),
    }
  },
  'GET /app/hook/deliveries/{delivery_id}': (server, { params }) => {
    const d = server.webhooks.deliveries.find((x) => x.id === Number(params['delivery_id']))
    return d
      ? ok({
          id: d.id,
          guid: d.guid,
          delivered_at: d.deliveredAt,
          redelivery: d.redelivery,
          duration: d.duration,
          status: d.status,
          status_code: d.statusCode,
          event: d.event,
          action: d.action,
          installation_id: d.installationId,
          repository_id: d.repositoryId,
          throttled_at: null,
          url: server.webhooks.url ?? '',
          request: { headers: {}, payload: JSON.parse(d.body) },
          response: { headers: {}, payload: '' },
        })
      : notFound
  },
  'POST /app/hook/deliveries/{delivery_id}/attempts': (server, { params }) =>
    server.webhooks.redeliver(Number(params['delivery_id'])) ? { status: 202, body: {} } : notFound,
  'POST /app/installations/{installation_id}/access_tokens': (server, { params, body }) => server.issueToken(Number(params['installation_id']), body),
  'GET /installation/repositories': (server, { query, visible }) => {
    const all = server.repositories.filter((r) => !r.deleted && visible(r))
    const size = Math.min(100, Number(query.get('per_page') ?? 30))
    const start = (Number(query.get('page') ?? 1) - 1) * size
    return { status: 200, body: { total_count: all.length, repositories: all.slice(start, start + size).map((r) => repositoryNode(r, server.url)) } }
  },
  'GET /advisories': (server, { query }) => {
    const affected = (query.get('affects') ?? '').split(',')
    return { status: 200, list: server.advisories.filter((a) => a.affects.some((p) => affected.includes(p))).map((a) => a.body) }
  },
  'GET /repos/{owner}/{repo}': (server, { repo }) => ok(repositoryNode(repo, server.url)),
  'GET /repos/{owner}/{repo}/git/trees/{tree_sha}': (server, call) => tree(server, call),
  'GET /repos/{owner}/{repo}/git/blobs/{file_sha}': (server, { repo, params, accept }) => {
    const sha = params['file_sha'] ?? ''
    const bytes = /^[0-9a-f]{40}$/.test(sha) ? repo.git.blob(sha) : undefined
    if (!bytes) return notFound
    if (bytes.length > 100 << 20)
      return {
        status: 403,
        body: { message: 'This API returns blobs up to 100 MB in size.', errors: [{ resource: 'Blob', field: 'data', code: 'too_large' }] },
      }
    if (accept.includes('raw')) return { status: 200, raw: bytes }
    return ok({
      sha,
      node_id: `B_${sha}`,
      size: bytes.length,
      url: `${server.url}/repos/${repo.owner}/${repo.name}/git/blobs/${sha}`,
      content: bytes.toString('base64').replace(/.{60}/g, '$&\n'),
      encoding: 'base64',
    })
  },
  'GET /repos/{owner}/{repo}/commits/{ref}': (_server, { repo, params }) => {
    const sha = repo.git.resolve(`${params['ref']}^{commit}`)
    return sha
      ? ok({
          sha,
          commit: { message: '', tree: { sha: repo.git.resolve(`${sha}^{tree}`) } },
          parents: repo.git
            .git('log', '-1', '--format=%P', sha)
            .split(' ')
            .filter(Boolean)
            .map((p) => ({ sha: p })),
        })
      : invalid(`No commit found for SHA: ${params['ref']}`)
  },
  'GET /repos/{owner}/{repo}/compare/{basehead}': (_server, { repo, params }) => {
    const [base = '', head = ''] = (params['basehead'] ?? '').split('...')
    const from = repo.git.resolve(`${base}^{commit}`)
    const to = repo.git.resolve(`${head.replace(/^[^:]+:/, '')}^{commit}`)
    if (!from || !to) return notFound
    const common = repo.git.mergeBase(from, to)
    if (!common) return { status: 404, body: { message: `No common ancestor between ${base} and ${head}.`, status: '404' } }
    const commit = (sha: string) => ({ sha, commit: { tree: { sha: repo.git.resolve(`${sha}^{tree}`) } } })
    const ahead = repo.git.git('rev-list', '--count', `${from}..${to}`)
    const behind = repo.git.git('rev-list', '--count', `${to}..${from}`)
    return ok({
      base_commit: commit(from),
      merge_base_commit: commit(common),
      status: 'diverged',
      ahead_by: Number(ahead),
      behind_by: Number(behind),
      total_commits: Number(ahead),
      commits: [],
      files: [],
    })
  },
  'GET /repos/{owner}/{repo}/tarball/{ref}': (server, { repo, params }) => ({
    status: 302,
    headers: { location: `${server.url}/codeload/${repo.owner}/${repo.name}/${encodeURIComponent(params['ref'] ?? '')}` },
  }),
  'GET /repos/{owner}/{repo}/branches/{branch}': (server, { repo, params }) => {
    const name = params['branch'] ?? ''
    const sha = repo.git.resolve(`refs/heads/${name}`)
    if (!sha) return { status: 404, body: { message: 'Branch not found', status: '404' } }
    const contexts = repo.protection.get(name)
    return ok({
      name,
      commit: { sha },
      protected: contexts !== undefined,
      protection: {
        enabled: contexts !== undefined,
        required_status_checks: {
          enforcement_level: contexts ? 'non_admins' : 'off',
          contexts: contexts ?? [],
          checks: (contexts ?? []).map((context) => ({ context, app_id: null })),
        },
      },
      protection_url: `${server.url}/repos/${repo.owner}/${repo.name}/branches/${name}/protection`,
    })
  },
  'GET /repos/{owner}/{repo}/rules/branches/{branch}': (_server, { repo, params }) => ({ status: 200, list: repo.rules.get(params['branch'] ?? '') ?? [] }),
  'GET /repos/{owner}/{repo}/collaborators/{username}/permission': (server, { repo, params }) => {
    const permission = repo.collaborators.get(params['username'] ?? '')
    return permission
      ? ok({ permission, role_name: permission, user: userNode(params['username'] ?? '', 'User', server.url) })
      : ok({ permission: 'none', role_name: 'none', user: userNode(params['username'] ?? '', 'User', server.url) })
  },
  'POST /repos/{owner}/{repo}/check-runs': (server, call) => createCheckRun(server, call),
  'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}': (server, call) => updateCheckRun(server, call),
  'GET /repos/{owner}/{repo}/check-runs/{check_run_id}': (server, { params }) => {
    const run = server.checkRuns.find((r) => r.id === Number(params['check_run_id']))
    return run ? ok(checkRunNode(run, server.appNode(), server.url)) : notFound
  },
  'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations': (server, { params }) => {
    const run = server.checkRuns.find((r) => r.id === Number(params['check_run_id']))
    return run
      ? {
          status: 200,
          list: run.annotations.map((a) => ({
            ...annotationDefaults,
            ...a,
            blob_href: `https://github.com/${run.repo.owner}/${run.repo.name}/blob/${run.headSha}/${a.path}`,
          })),
        }
      : notFound
  },
  'GET /repos/{owner}/{repo}/commits/{ref}/check-runs': (server, { repo, params, query }) => {
    const sha = repo.git.resolve(`${params['ref']}^{commit}`)
    let runs = server.checkRuns.filter((r) => r.repo === repo && r.headSha === sha)
    if (query.get('check_name')) runs = runs.filter((r) => r.name === query.get('check_name'))
    if (query.get('status')) runs = runs.filter((r) => r.status === query.get('status'))
    if (query.get('app_id')) runs = runs.filter((r) => r.appId === Number(query.get('app_id')))
    if (query.get('filter') !== 'all') runs = [...new Map(runs.map((r) => [r.name, r])).values()]
    return ok({
      total_count: runs.length,
      check_runs: [...runs]
        .reverse()
        .slice(0, Number(query.get('per_page') ?? 30))
        .map((r) => checkRunNode(r, server.appNode(), server.url)),
    })
  },
  'GET /repos/{owner}/{repo}/issues/{issue_number}/comments': (server, { repo, params }) => ({
    status: 200,
    list: repo.comments.filter((c) => c.issue === Number(params['issue_number'])).map((c) => commentNode(repo, c, server.appNode(), server.url)),
  }),
  'POST /repos/{owner}/{repo}/issues/{issue_number}/comments': (server, { repo, params, body, viewer }) => {
    const text = String(body['body'] ?? '')
    if (text.length > 65_536)
      return invalid('Validation Failed', [
        { resource: 'IssueComment', code: 'unprocessable', field: 'data', message: 'Body is too long (maximum is 65536 characters)' },
      ])
    if (!text.trim()) return invalid('Validation Failed', [{ resource: 'IssueComment', code: 'missing_field', field: 'body' }])
    if (!repo.pulls.some((p) => p.number === Number(params['issue_number']))) return notFound
    const comment = server.addComment(repo, Number(params['issue_number']), viewer, text)
    return { status: 201, body: commentNode(repo, comment, server.appNode(), server.url) }
  },
  'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}': (server, { repo, params, body, viewer }) => {
    const comment = repo.comments.find((c) => c.id === Number(params['comment_id']))
    if (!comment) return notFound
    if (comment.login !== viewer) return { status: 403, body: { message: 'Resource not accessible by integration', status: '403' } }
    if (String(body['body']).length > 65_536) return invalid('Validation Failed')
    comment.body = String(body['body'])
    comment.updatedAt = new Date().toISOString()
    return ok(commentNode(repo, comment, server.appNode(), server.url))
  },
  'GET /repos/{owner}/{repo}/pulls': (server, { repo, query }) => {
    const state = query.get('state') ?? 'open'
    return { status: 200, list: repo.pulls.filter((p) => state === 'all' || p.state === state).map((p) => pullNode(repo, p, server.url)) }
  },
  'GET /repos/{owner}/{repo}/pulls/{pull_number}': (server, { repo, params }) => {
    const pull = repo.pulls.find((p) => p.number === Number(params['pull_number']))
    return pull ? ok(pullNode(repo, pull, server.url)) : notFound
  },
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/files': (_server, { repo, params }) => {
    const pull = repo.pulls.find((p) => p.number === Number(params['pull_number']))
    if (!pull) return notFound
    const base = repo.git.mergeBase(pull.baseSha, pull.headSha) ?? pull.baseSha
    return {
      status: 200,
      list: repo.git
        .diff(base, pull.headSha)
        .slice(0, 3000)
        .map((f) => ({
          sha: f.sha,
          filename: f.filename,
          status: f.status,
          additions: 0,
          deletions: 0,
          changes: 0,
          blob_url: '',
          raw_url: '',
          contents_url: '',
          patch: f.patch,
        })),
    }
  },
  'GET /repos/{owner}/{repo}/pulls/{pull_number}/comments': (server, { repo, params }) => ({
    status: 200,
    list: repo.reviews
      .filter((r) => r.pull === Number(params['pull_number']))
      .flatMap((r) =>
        r.comments.map((c) => ({
          id: c.id,
          pull_request_review_id: r.id,
          path: c.path,
          line: c.line,
          start_line: c.startLine ?? null,
          body: c.body,
          commit_id: c.commit,
          user: userNode(r.login, 'Bot', server.url),
        })),
      ),
  }),
  'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews': (server, call) => createReview(server, call),
}

const annotationDefaults = { start_column: null, end_column: null, title: null, raw_details: null }

function tree(server: GitHubServer, { repo, params, query }: Call): Answer {
  const name = params['tree_sha'] ?? ''
  const sha = repo.git.resolve(`${name}^{tree}`)
  if (!sha) return repo.git.branches().length ? notFound : { status: 409, body: { message: 'Git Repository is empty.', status: '409' } }
  const all = repo.git.tree(sha, query.has('recursive')) ?? []
  const kept = query.has('recursive') ? all.slice(0, repo.treeLimit) : all
  const base = `${server.url}/repos/${repo.owner}/${repo.name}/git`
  return ok({
    sha,
    url: `${base}/trees/${sha}`,
    tree: kept.map((e) => ({ ...e, ...(e.type === 'commit' ? {} : { url: `${base}/${e.type}s/${e.sha}` }) })),
    truncated: kept.length < all.length,
  })
}

/** Limits that the documentation states and the description does not hold. */
function outputProblem(output: Json | undefined): string | undefined {
  if (!output) return undefined
  for (const field of ['summary', 'text'])
    if (typeof output[field] === 'string' && Buffer.byteLength(output[field]) > 65_535) return `${field} exceeds a maximum of 65535 bytes`
  const annotations = (output['annotations'] ?? []) as Annotation[]
  if (annotations.length > 50) return 'No more than 50 annotations per request'
  for (const a of annotations) {
    if (a.start_line < 1 || a.end_line < a.start_line) return 'end_line must not be before start_line'
    if (a.start_column !== undefined && a.start_line !== a.end_line) return 'columns need start_line = end_line'
    if (Buffer.byteLength(a.message) > 65_536) return 'message exceeds 64 KB'
    if ((a.title ?? '').length > 255) return 'title is too long (maximum is 255 characters)'
    if (Buffer.byteLength(a.raw_details ?? '') > 65_536) return 'raw_details exceeds 64 KB'
    if (!a.path || a.path.startsWith('/')) return 'path must be relative'
  }
  return undefined
}

function createCheckRun(server: GitHubServer, { repo, body, appId }: Call): Answer {
  const headSha = String(body['head_sha'])
  if (repo.git.type(headSha) !== 'commit') return invalid(`No commit found for SHA: ${headSha}`)
  const problem = outputProblem(body['output'] as Json)
  if (problem) return invalid(problem)
  if (body['status'] === 'completed' && !body['conclusion']) return invalid('Missing conclusion')
  const run: CheckRun = {
    id: server.nextId(),
    repo,
    name: String(body['name']),
    headSha,
    appId,
    status: 'queued',
    conclusion: null,
    startedAt: null,
    completedAt: null,
    detailsUrl: null,
    externalId: '',
    output: { title: null, summary: null, text: null },
    annotations: [],
    actions: [],
    writes: [],
  }
  server.checkRuns.push(run)
  apply(run, body)
  return { status: 201, body: checkRunNode(run, server.appNode(), server.url) }
}

function updateCheckRun(server: GitHubServer, { repo, params, body, appId }: Call): Answer {
  const run = server.checkRuns.find((r) => r.id === Number(params['check_run_id']) && r.repo === repo)
  if (!run) return notFound
  if (run.appId !== appId) return { status: 403, body: { message: 'Invalid app_id', status: '403' } }
  const problem = outputProblem(body['output'] as Json)
  if (problem) return invalid(problem)
  if (body['status'] === 'completed' && !body['conclusion']) return invalid('Missing conclusion')
  apply(run, body)
  return ok(checkRunNode(run, server.appNode(), server.url))
}

function apply(run: CheckRun, body: Json): void {
  const output = (body['output'] ?? {}) as Json
  if (body['conclusion']) {
    run.conclusion = String(body['conclusion'])
    run.status = 'completed'
    run.completedAt = String(body['completed_at'] ?? new Date().toISOString())
  } else if (body['status']) {
    run.status = body['status'] as CheckRun['status']
    run.conclusion = null
    run.completedAt = null
  }
  if (body['started_at']) run.startedAt = String(body['started_at'])
  if (body['details_url']) run.detailsUrl = String(body['details_url'])
  if (body['external_id']) run.externalId = String(body['external_id'])
  if (body['actions']) run.actions = body['actions'] as CheckRun['actions']
  if (output['title'] !== undefined)
    run.output = { title: String(output['title']), summary: (output['summary'] as string) ?? null, text: (output['text'] as string) ?? null }
  // GitHub appends: an update never takes annotations away.
  run.annotations.push(...((output['annotations'] ?? []) as Annotation[]))
  run.writes.push({ status: run.status, conclusion: run.conclusion, title: run.output.title })
}

function createReview(server: GitHubServer, { repo, params, body, viewer }: Call): Answer {
  const pull = repo.pulls.find((p) => p.number === Number(params['pull_number']))
  if (!pull) return notFound
  const commit = String(body['commit_id'] ?? pull.headSha)
  if (repo.git.type(commit) !== 'commit') return invalid('Validation Failed')
  const lines = changedLines(repo.git.diff(repo.git.mergeBase(pull.baseSha, pull.headSha) ?? pull.baseSha, pull.headSha))
  const comments = (body['comments'] ?? []) as { path: string; line?: number; start_line?: number; side?: string; body: string }[]
  for (const c of comments) {
    for (const line of [c.line, c.start_line]) {
      if (line !== undefined && !lines.get(c.path)?.has(line))
        return invalid('Unprocessable Entity', [
          "Pull request review thread line must be part of the diff and Pull request review thread diff hunk can't be blank",
        ])
    }
    if (c.start_line !== undefined && c.line !== undefined && c.start_line >= c.line)
      return invalid('Unprocessable Entity', ['start_line must precede the end line'])
  }
  const review = {
    id: server.nextId(),
    pull: pull.number,
    login: viewer,
    body: String(body['body'] ?? ''),
    comments: comments.map((c) => ({
      id: server.nextId(),
      path: c.path,
      line: c.line ?? 1,
      ...(c.start_line ? { startLine: c.start_line } : {}),
      body: c.body,
      commit,
    })),
  }
  repo.reviews.push(review)
  return {
    status: 200,
    body: {
      id: review.id,
      node_id: `RV_${review.id}`,
      user: userNode(viewer, 'Bot', server.url),
      body: review.body,
      state: 'COMMENTED',
      html_url: '',
      pull_request_url: '',
      _links: { html: { href: '' }, pull_request: { href: '' } },
      commit_id: commit,
      author_association: 'NONE',
    },
  }
}

/** Lines of the new side that a patch shows, by path. */
function changedLines(files: readonly { filename: string; patch: string }[]): Map<string, Set<number>> {
  return new Map(
    files.map(({ filename, patch }) => {
      const lines = new Set<number>()
      let at = 0
      for (const row of patch.split('\n')) {
        const header = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(row)
        if (header) at = Number(header[1])
        else if (row.startsWith('+') || row.startsWith(' ')) lines.add(at++)
      }
      return [filename, lines]
    }),
  )
}
