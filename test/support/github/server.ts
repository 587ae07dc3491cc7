import { createHash, createPublicKey, createVerify, generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppManifests } from './app-manifests.ts'
import { type Answer, HANDLERS } from './endpoints.ts'
import { serveGit } from './git-http.ts'
import { type FileChange, GitRepository } from './git-repository.ts'
import { executeGraphql } from './graphql.ts'
import { matchEndpoint, requestProblems, responseProblems } from './openapi.ts'
import { appNode, checkRunNode, commentNode, eventPayload, pullNode, repositoryNode, userNode } from './payloads.ts'
import { ENDPOINT_PERMISSIONS, isGranted } from './permissions.ts'
import type { CheckRun, Comment, Fault, LoggedRequest, Pull, Repo } from './state.ts'
import { WebhookSender } from './webhook-sender.ts'

type Json = Record<string, unknown>

export interface GitHubOptions {
  readonly appId?: number
  readonly slug?: string
  readonly webhookSecret?: string
  /** What the App's manifest asks for; requests beyond it are refused as GitHub refuses them. */
  readonly permissions: Readonly<Record<string, string>>
  readonly events: readonly string[]
  readonly port?: number
  /** Without it git over HTTP answers 404, as behind a proxy that lets only the API through. */
  readonly gitHttp?: boolean
}

interface Token {
  readonly kind: 'installation' | 'user'
  readonly login: string
  /** The installation of an installation token, what it was narrowed to, and what it may. */
  readonly installation?: number
  readonly repositories?: readonly number[]
  readonly permissions?: Readonly<Record<string, string>>
  expired: boolean
}

/**
 * A local server that speaks the part of GitHub's API that the App uses, over real git repositories: strict about authentication,
 * permissions, GitHub's OpenAPI description and documented limits, and stateful like the original (moving heads, appended annotations,
 * signed webhooks with a deliveries log).
 */
export class GitHubServer {
  readonly appId: number
  /** The installation of the owner of the first repository; each further owner has one of its own, as on GitHub. */
  readonly installationId = 100
  readonly slug: string
  readonly webhookSecret: string
  readonly privateKey: string
  readonly webhooks: WebhookSender
  readonly repositories: Repo[] = []
  readonly checkRuns: CheckRun[] = []
  readonly requests: LoggedRequest[] = []
  readonly faults: Fault[] = []
  /** Endpoints whose next request is carried out and answered with 504: the answer was lost on the way. */
  readonly loseAnswers: string[] = []
  readonly manifests = new AppManifests()
  readonly advisories: { affects: string[]; body: unknown }[] = []
  /** Requests that broke GitHub's contract, with what was wrong; tests assert that it stays empty. */
  readonly violations: string[] = []
  url = ''
  /** Milliseconds that every answer takes longer, as over the internet. */
  latencyMs = 0
  /** Told of each request when it arrives, before it is carried out. */
  onRequest: ((request: LoggedRequest) => void) | undefined
  readonly #options: GitHubOptions
  readonly #publicKey
  readonly #root = mkdtempSync(join(tmpdir(), 'prelaunch-github-'))
  readonly #tokens = new Map<string, Token>()
  readonly #installations = new Map<string, number>()
  #server: Server | undefined
  #id = 1000

  constructor(options: GitHubOptions) {
    this.#options = options
    this.appId = options.appId ?? 77
    this.slug = options.slug ?? 'prelaunch'
    this.webhookSecret = options.webhookSecret ?? 'local-webhook-phrase'
    const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
    this.privateKey = pair.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
    this.#publicKey = createPublicKey(this.privateKey)
    this.webhooks = new WebhookSender(this.webhookSecret)
  }

  async start(): Promise<this> {
    const server = createServer((request, response) => {
      this.#handle(request, response).catch((error: unknown) => {
        this.violations.push(`server error: ${error instanceof Error ? error.stack : String(error)}`)
        if (!response.headersSent) response.writeHead(500)
        response.end()
      })
    })
    this.#server = server
    await new Promise<void>((resolve) => server.listen(this.#options.port ?? 0, '127.0.0.1', resolve))
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    return this
  }

  async stop(): Promise<void> {
    await this.webhooks.settled()
    this.#server?.closeAllConnections()
    await new Promise((resolve) => this.#server?.close(resolve))
    rmSync(this.#root, { recursive: true, force: true })
  }

  nextId(): number {
    return this.#id++
  }

  get botLogin(): string {
    return `${this.slug}[bot]`
  }

  // What a person does on github.com

  createRepository(fullName: string, options: { private?: boolean; defaultBranch?: string } = {}): Repo {
    const [owner = '', name = ''] = fullName.split('/')
    const id = this.nextId()
    const repo: Repo = {
      id,
      owner,
      name,
      private: options.private ?? false,
      defaultBranch: options.defaultBranch ?? 'main',
      git: new GitRepository(join(this.#root, `${id}.git`)),
      pulls: [],
      comments: [],
      reviews: [],
      rules: new Map(),
      protection: new Map(),
      collaborators: new Map([[owner, 'admin']]),
      forks: new Map(),
      deleted: false,
      treeLimit: 100_000,
    }
    this.repositories.push(repo)
    this.installationOf(owner)
    return repo
  }

  /** The installation of an account. */
  installationOf(owner: string): number {
    const known = this.#installations.get(owner) ?? this.installationId + this.#installations.size
    this.#installations.set(owner, known)
    return known
  }

  /** Repositories that a token may see. */
  #visible(token: Token | 'jwt' | undefined): (repo: Repo) => boolean {
    if (typeof token !== 'object' || token.kind !== 'installation') return () => true
    return (repo) => this.installationOf(repo.owner) === token.installation && (token.repositories?.includes(repo.id) ?? true)
  }

  /** Commits and pushes: moves the heads of open pull requests and sends `push`, `check_suite` and `synchronize`. */
  push(repo: Repo, branch: string, files: Readonly<Record<string, FileChange>>, options: Parameters<GitRepository['commit']>[2] = {}): string {
    const before = repo.git.resolve(`refs/heads/${branch}`)
    const sha = repo.git.commit(branch, files, options)
    this.announcePush(repo, branch, before, sha)
    return sha
  }

  announcePush(repo: Repo, branch: string, before: string | undefined, after: string): void {
    this.emit('push', undefined, repo, {
      ref: `refs/heads/${branch}`,
      before: before ?? '0'.repeat(40),
      after,
      created: !before,
      deleted: false,
      forced: before ? repo.git.mergeBase(before, after) !== before : false,
      base_ref: null,
      commits: [],
      head_commit: null,
      pusher: { name: repo.owner },
    })
    this.emit('check_suite', 'requested', repo, {
      check_suite: { id: this.nextId(), head_branch: branch, head_sha: after, pull_requests: [], app: this.appNode() },
    })
    for (const pull of repo.pulls) {
      if (pull.state !== 'open') continue
      if (pull.baseRef === branch) pull.baseSha = after
      if (pull.headRef !== branch || pull.headOwner !== repo.owner) continue
      pull.headSha = after
      this.emit('pull_request', 'synchronize', repo, { number: pull.number, pull_request: pullNode(repo, pull, this.url), before, after })
    }
  }

  openPullRequest(repo: Repo, options: { head: string; base?: string; title?: string; fork?: string; author?: string; draft?: boolean }): Pull {
    const baseRef = options.base ?? repo.defaultBranch
    const headRef = options.fork ? `refs/heads/${options.head}` : `refs/heads/${options.head}`
    const pull: Pull = {
      number: Math.max(0, ...repo.pulls.map((p) => p.number)) + 1,
      title: options.title ?? options.head,
      author: options.author ?? 'dev',
      headRef: options.head,
      headSha: repo.git.resolve(headRef) as string,
      headOwner: options.fork ?? repo.owner,
      baseRef,
      baseSha: repo.git.resolve(`refs/heads/${baseRef}`) as string,
      state: 'open',
      merged: false,
      draft: options.draft ?? false,
      headDeleted: false,
    }
    repo.pulls.push(pull)
    this.pullEvent(repo, pull, 'opened')
    return pull
  }

  pullEvent(repo: Repo, pull: Pull, action: string, extra: Json = {}): void {
    this.emit('pull_request', action, repo, { number: pull.number, pull_request: pullNode(repo, pull, this.url), ...extra })
  }

  addComment(repo: Repo, issue: number, login: string, body: string): Comment {
    const now = new Date().toISOString()
    const comment: Comment = { id: this.nextId(), issue, login, bot: login.endsWith('[bot]'), body, createdAt: now, updatedAt: now }
    repo.comments.push(comment)
    this.emit('issue_comment', 'created', repo, {
      issue: { number: issue, state: 'open', pull_request: { url: `${this.url}/repos/${repo.owner}/${repo.name}/pulls/${issue}` }, user: userNode('dev') },
      comment: commentNode(repo, comment, this.appNode(), this.url),
      sender: userNode(login, comment.bot ? 'Bot' : 'User'),
    })
    return comment
  }

  rerequest(run: CheckRun): void {
    this.emit('check_run', 'rerequested', run.repo, { check_run: this.#checkRunPayload(run) })
  }

  requestAction(run: CheckRun, identifier: string): void {
    this.emit('check_run', 'requested_action', run.repo, { check_run: this.#checkRunPayload(run), requested_action: { identifier } })
  }

  #checkRunPayload(run: CheckRun): Json {
    const pulls = run.repo.pulls.filter((p) => p.state === 'open' && p.headSha === run.headSha && p.headOwner === run.repo.owner)
    return {
      ...checkRunNode(run, this.appNode(), this.url),
      check_suite: { id: run.id + 1, head_sha: run.headSha, head_branch: pulls[0]?.headRef ?? null, pull_requests: [] },
      pull_requests: pulls.map((p) => ({ number: p.number, head: { ref: p.headRef, sha: p.headSha }, base: { ref: p.baseRef, sha: p.baseSha } })),
    }
  }

  mergeGroup(repo: Repo, headSha: string, baseSha: string): void {
    this.emit('merge_group', 'checks_requested', repo, {
      merge_group: {
        head_sha: headSha,
        head_ref: `refs/heads/gh-readonly-queue/${repo.defaultBranch}/pr-1`,
        base_sha: baseSha,
        base_ref: `refs/heads/${repo.defaultBranch}`,
        head_commit: {},
      },
    })
  }

  /** Sends an event to the App when its manifest subscribes to it. */
  emit(event: string, action: string | undefined, repo: Repo | undefined, values: Json): void {
    if (!this.#options.events.includes(event) && !event.startsWith('installation')) return
    this.webhooks.send(
      event,
      eventPayload(event, action, {
        installation: event.startsWith('installation')
          ? this.installationNode()
          : { id: repo ? this.installationOf(repo.owner) : this.installationId, node_id: 'I_1' },
        sender: userNode('dev'),
        ...(repo ? { repository: repositoryNode(repo, this.url) } : {}),
        ...values,
      }),
    )
  }

  // What the App asks

  appNode(): Json {
    return appNode(this.appId, this.slug, this.#options.permissions, this.#options.events)
  }

  installationNode(id = this.installationId): Json {
    const owner = [...this.#installations].find(([, installation]) => installation === id)?.[0]
    return {
      id,
      account: userNode(owner ?? 'octo', 'Organization', this.url),
      access_tokens_url: `${this.url}/app/installations/${id}/access_tokens`,
      repositories_url: `${this.url}/installation/repositories`,
      html_url: `https://github.com/settings/installations/${id}`,
      app_id: this.appId,
      app_slug: this.slug,
      target_id: 1,
      target_type: 'Organization',
      permissions: this.#options.permissions,
      events: this.#options.events,
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
      single_file_name: null,
      repository_selection: 'all',
      suspended_at: null,
      suspended_by: null,
    }
  }

  /** A token for an installation, narrowed to what the body names: never more than the installation has. */
  issueToken(installation: number, body: Json): Answer {
    const known = installation === this.installationId || [...this.#installations.values()].includes(installation)
    if (!known) return { status: 404, body: { message: 'Not Found', status: '404' } }
    const repositories = body['repository_ids'] as number[] | undefined
    const own = (id: number) => this.repositories.some((r) => r.id === id && !r.deleted && this.installationOf(r.owner) === installation)
    if (repositories?.some((id) => !own(id)))
      return {
        status: 422,
        body: { message: 'There is at least one repository that does not exist or is not accessible to the parent installation.', status: '422' },
      }
    const permissions = (body['permissions'] ?? this.#options.permissions) as Record<string, string>
    if (Object.entries(permissions).some(([name, level]) => !isGranted(`${name}:${level}`, this.#options.permissions)))
      return { status: 422, body: { message: 'The permissions requested are not granted to this installation.', status: '422' } }
    const token = ['ghs', randomBytes(18).toString('hex')].join('_')
    this.#tokens.set(token, {
      kind: 'installation',
      login: this.botLogin,
      installation,
      ...(repositories ? { repositories } : {}),
      permissions,
      expired: false,
    })
    return {
      status: 201,
      body: {
        token,
        expires_at: new Date(Date.now() + 3_600_000).toISOString(),
        permissions,
        repository_selection: repositories ? 'selected' : 'all',
      },
    }
  }

  /** A personal token, for the command line. */
  createUserToken(login: string): string {
    const token = ['ghp', randomBytes(18).toString('hex')].join('_')
    this.#tokens.set(token, { kind: 'user', login, expired: false })
    return token
  }

  expireTokens(): void {
    for (const token of this.#tokens.values()) token.expired = true
  }

  /** Requests that count against the App's budget: everything but installation tokens. */
  apiRequests(): LoggedRequest[] {
    return this.requests.filter((r) => r.endpoint !== 'POST /app/installations/{installation_id}/access_tokens')
  }

  findRepository(owner: string, name: string): Repo | undefined {
    const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()
    return this.repositories.find((r) => !r.deleted && same(r.owner, owner) && same(r.name, name))
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url)
    const path = url.pathname.replace(/^\/api\/v3(?=\/)/, '')
    const method = request.method ?? 'GET'
    const matched = matchEndpoint(method, path)
    const kind = path.includes('.git/') ? 'git' : path === '/graphql' || path === '/api/graphql' ? 'graphql' : 'rest'
    const fault = this.faults.find((f) => f.times > 0 && f.match({ method, path, ...(matched ? { endpoint: matched.endpoint } : {}) }))
    const body = kind === 'git' ? undefined : await readJson(request)
    const logged: LoggedRequest = { method, path, kind, ...(matched ? { endpoint: matched.endpoint } : {}), status: 0, ...(body === undefined ? {} : { body }) }
    this.requests.push(logged)
    this.onRequest?.(logged)
    if (this.latencyMs) await new Promise((resolve) => setTimeout(resolve, this.latencyMs))
    if (fault) {
      fault.times--
      if (fault.delayMs) await new Promise((resolve) => setTimeout(resolve, fault.delayMs))
      if (fault.hangUp) return void request.socket.destroy()
      if (fault.status) {
        logged.status = fault.status
        response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers })
        return void response.end(JSON.stringify(fault.body ?? { message: 'Server Error' }))
      }
    }
    const answer = await this.#answer(method, path, kind, url, body, request, response, matched)
    if (!answer) {
      logged.status = response.statusCode
      return
    }
    const lost = matched ? this.loseAnswers.indexOf(matched.endpoint) : -1
    if (lost >= 0) {
      this.loseAnswers.splice(lost, 1)
      logged.status = 504
      response.writeHead(504, { 'content-type': 'application/json' })
      return void response.end('{"message":"Gateway Timeout"}')
    }
    logged.status = answer.status
    await this.#write(answer, url, request, response, matched?.endpoint)
  }

  async #answer(
    method: string,
    path: string,
    kind: LoggedRequest['kind'],
    url: URL,
    body: Json | undefined,
    request: IncomingMessage,
    response: ServerResponse,
    matched: { endpoint: string; params: Record<string, string> } | undefined,
  ): Promise<Answer | undefined> {
    if (path.startsWith('/codeload/')) {
      const [, , owner = '', name = '', ref = ''] = path.split('/')
      const repo = this.findRepository(owner, name)
      const commit = repo?.git.resolve(`${decodeURIComponent(ref)}^{commit}`)
      if (!repo || !commit) return refuse(404, 'Not Found')
      return { status: 200, headers: { 'content-type': 'application/x-gzip' }, stream: repo.git.archive(commit, `${owner}-${name}-${commit.slice(0, 7)}`) }
    }
    const converted = method === 'POST' ? this.manifests.convert(path) : undefined
    if (converted) return converted
    const authorization = String(request.headers.authorization ?? '')
    if (kind === 'git') return this.#git(path, url, authorization, request, response)
    const token = this.#token(authorization)
    if (token === 'bad') return refuse(401, 'Bad credentials')
    const visible = this.#visible(token)
    const visibleOnly = (repo: Repo | undefined) => (repo && visible(repo) ? repo : undefined)
    if (kind === 'graphql') {
      if (typeof token !== 'object') return refuse(401, 'Requires authentication')
      const result = await executeGraphql(String(body?.['query']), (body?.['variables'] ?? {}) as Json, token.login, (o, n) =>
        visibleOnly(this.findRepository(o, n)),
      )
      const broken = result.errors?.filter((e) => !e.path)
      if (broken?.length) this.violations.push(`GraphQL: ${broken.map((e) => e.message).join('; ')}`)
      return {
        status: 200,
        body: result.errors?.length
          ? {
              data: result.data ?? null,
              errors: result.errors.map((e) => ({
                type: e.message.startsWith('Could not resolve') ? 'NOT_FOUND' : 'INVALID',
                path: e.path,
                message: e.message,
              })),
            }
          : { data: result.data },
      }
    }
    if (!matched) {
      this.violations.push(`not in GitHub's description of the endpoints used: ${method} ${path}`)
      return refuse(404, 'Not Found')
    }
    const { endpoint, params } = matched
    const needed = ENDPOINT_PERMISSIONS[endpoint] ?? ''
    if (needed === 'jwt' ? token !== 'jwt' : typeof token !== 'object')
      return refuse(401, needed === 'jwt' ? 'A JSON web token could not be decoded' : 'Requires authentication')
    if (typeof token === 'object' && token.kind === 'installation' && !isGranted(needed, this.#options.permissions)) {
      this.violations.push(`${endpoint} needs ${needed}, which the manifest does not ask for`)
      return refuse(403, 'Resource not accessible by integration')
    }
    if (typeof token === 'object' && token.permissions && !isGranted(needed, token.permissions)) {
      this.violations.push(`${endpoint} needs ${needed}, which the token was not asked for`)
      return refuse(403, 'Resource not accessible by integration')
    }
    const problems = requestProblems(endpoint, url.searchParams, body)
    if (problems.length) {
      this.violations.push(`${endpoint}: ${problems.join('; ')}`)
      return { status: 422, body: { message: `Invalid request. ${problems.join('; ')}`, status: '422' } }
    }
    const repo = params['owner'] ? visibleOnly(this.findRepository(params['owner'], params['repo'] ?? '')) : undefined
    if (params['owner'] && !repo) return refuse(404, 'Not Found')
    const handler = HANDLERS[endpoint]
    if (!handler) throw new Error(`no handler for ${endpoint}`)
    return handler(this, {
      params,
      query: url.searchParams,
      body: body ?? {},
      accept: String(request.headers.accept ?? ''),
      repo: repo as Repo,
      viewer: typeof token === 'object' ? token.login : '',
      appId: this.appId,
      installationId: typeof token === 'object' ? (token.installation ?? this.installationId) : this.installationId,
      visible,
      response,
    })
  }

  async #git(path: string, url: URL, authorization: string, request: IncomingMessage, response: ServerResponse): Promise<Answer | undefined> {
    const match = /^\/([^/]+)\/([^/]+)\.git(\/.*)$/.exec(path)
    const repo = match && this.#options.gitHttp !== false ? this.findRepository(match[1] ?? '', match[2] ?? '') : undefined
    if (!match || !repo) return refuse(404, 'Not Found')
    const password =
      Buffer.from(authorization.replace(/^Basic /, ''), 'base64')
        .toString()
        .split(':')[1] ?? ''
    const token = this.#tokens.get(password)
    if (token && !this.#visible(token)(repo)) return refuse(404, 'Not Found')
    const push = path.endsWith('git-receive-pack') || url.searchParams.get('service') === 'git-receive-pack'
    if (!token || token.expired || (push && token.kind !== 'user')) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="GitHub"' }).end()
      return undefined
    }
    const before = push ? new Map(repo.git.branches().map((b) => [b, repo.git.resolve(`refs/heads/${b}`)])) : undefined
    await serveGit(repo.git, `/${repo.id}.git${match[3]}`, url.search.slice(1), request, response)
    if (before && path.endsWith('git-receive-pack')) {
      for (const branch of repo.git.branches()) {
        const after = repo.git.resolve(`refs/heads/${branch}`)
        if (after && after !== before.get(branch)) this.announcePush(repo, branch, before.get(branch), after)
      }
    }
    return undefined
  }

  #token(authorization: string): Token | 'jwt' | 'bad' | undefined {
    const value = authorization.replace(/^(bearer|token) /i, '')
    if (!value) return undefined
    const token = this.#tokens.get(value)
    if (token) return token.expired ? 'bad' : token
    const [head = '', claims = '', signature = ''] = value.split('.')
    if (!signature) return 'bad'
    const valid = createVerify('RSA-SHA256').update(`${head}.${claims}`).verify(this.#publicKey, signature, 'base64url')
    const { iss, exp, iat } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iss: number | string; exp: number; iat: number }
    const now = Date.now() / 1000
    return valid && String(iss) === String(this.appId) && exp > now && exp - iat <= 660 && iat <= now + 5 ? 'jwt' : 'bad'
  }

  async #write(answer: Answer, url: URL, request: IncomingMessage, response: ServerResponse, endpoint: string | undefined): Promise<void> {
    const headers: Record<string, string> = {
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': '4900',
      'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + 3600),
      'x-github-request-id': String(this.requests.length),
      ...answer.headers,
    }
    if (answer.stream) {
      response.writeHead(answer.status, headers)
      answer.stream.pipe(response)
      return
    }
    if (answer.raw) {
      response.writeHead(answer.status, { ...headers, 'content-type': 'application/vnd.github.raw; charset=utf-8' }).end(answer.raw)
      return
    }
    let body = answer.body
    if (answer.list) {
      const size = Math.min(100, Number(url.searchParams.get('per_page') ?? 30))
      const page = Number(url.searchParams.get('page') ?? 1)
      body = answer.list.slice((page - 1) * size, page * size)
      if (answer.list.length > page * size) {
        const next = new URL(url)
        next.searchParams.set('page', String(page + 1))
        headers['link'] = `<${next.href}>; rel="next"`
      }
    }
    if (endpoint && CHECKED_ANSWERS.has(endpoint))
      for (const p of responseProblems(endpoint, answer.status, body)) this.violations.push(`answer of ${endpoint}: ${p}`)
    const text = body === undefined ? '' : JSON.stringify(body)
    const etag = `W/"${createHash('sha1').update(text).digest('hex')}"`
    if (request.method === 'GET' && answer.status === 200) {
      if (request.headers['if-none-match'] === etag) return void response.writeHead(304, headers).end()
      headers['etag'] = etag
    }
    response.writeHead(answer.status, { ...headers, ...(text ? { 'content-type': 'application/json; charset=utf-8' } : {}) }).end(text)
  }
}

/** Endpoints whose answers are held against GitHub's description too, so that this server cannot drift from it unnoticed. */
const CHECKED_ANSWERS = new Set([
  'POST /repos/{owner}/{repo}/check-runs',
  'PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}',
  'GET /repos/{owner}/{repo}/check-runs/{check_run_id}',
  'GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations',
  'GET /repos/{owner}/{repo}/git/trees/{tree_sha}',
  'GET /repos/{owner}/{repo}/git/blobs/{file_sha}',
  'GET /app/hook/deliveries',
  'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
  'POST /app/installations/{installation_id}/access_tokens',
])

function refuse(status: number, message: string): Answer {
  return { status, body: { message, documentation_url: 'https://docs.github.com/rest', status: String(status) } }
}

async function readJson(request: IncomingMessage): Promise<Json | undefined> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return text ? (JSON.parse(text) as Json) : undefined
}
