import { existsSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { isOwnOrigin, isPrivateAddress, originOf, readAddress } from './address.ts'
import { credentialsPath, writeCredentials } from './credentials-file.ts'
import { convertCode, manifestFor, RegistrationError } from './manifest.ts'
import { messagePage, pageHeaders, registeredPage, registerPage } from './pages.ts'
import { newState, type Session, Sessions } from './sessions.ts'

export interface SetUpOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly dataDir: string
  readonly webhookPath: string
  /** `https://github.com`, or the address of an Enterprise Server. */
  readonly webUrl: string
  /** `https://api.github.com`, or `https://HOST/api/v3`. */
  readonly apiUrl: string
  /** Address of a proxy for webhooks (smee.io) that GitHub sends events to. */
  readonly proxy?: string
  /** GitHub is in the same network, so private addresses are within its reach. */
  readonly sameNetwork: boolean
  readonly log: Logger
}

export interface SetUpServer {
  /** The page with the secret of this start. */
  readonly url: string
  /** Resolves when the credentials are stored and the last page has left. */
  readonly done: Promise<void>
  close(): Promise<void>
}

const COOKIE = 'prelaunch_setup'
const MAX_FORM_BYTES = 10_000

/** What is said of a form that could not be used. */
const PROBLEMS: Readonly<Record<string, string>> = {
  address: 'The address was not used. It begins with https:// and holds no user name, question mark or hash sign.',
  organization: 'The organization was not used. Enter its name as it stands in the address of its page on GitHub.',
}

/** What a request is answered with. */
interface Answer {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Serves the page that registers the App, until it is registered. Only who has the secret of the log gets past the first line. */
export async function startSetUpServer(options: SetUpOptions): Promise<SetUpServer> {
  const setUp = new SetUp(options)
  const server = createServer((request, response) => void setUp.handle(request, response))
  server.requestTimeout = 30_000
  server.headersTimeout = 15_000
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(options.port, options.host, resolve))
  const { port } = server.address() as { port: number }
  return {
    url: `http://${shownHost(options.host)}:${port}/setup?secret=${setUp.sessions.secret}`,
    done: setUp.done.promise.then(() => close(server)),
    close: () => close(server),
  }
}

/** A name for a browser on this machine. */
function shownHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
    setTimeout(() => server.closeAllConnections(), 2000).unref()
  })
}

class SetUp {
  readonly sessions = new Sessions()
  readonly done = Promise.withResolvers<void>()
  readonly #options: SetUpOptions
  #exchanging = false
  #registered = false

  constructor(options: SetUpOptions) {
    this.#options = options
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.#answer(request).catch((err): Answer => {
      this.#options.log.error({ err }, 'the set-up page failed')
      return { status: 500, body: messagePage('Something went wrong', 'The log of Prelaunch says what.') }
    })
    const last = answer.status === 200 && this.#registered
    response.writeHead(answer.status, { ...pageHeaders(this.#options.webUrl), connection: 'close', ...answer.headers })
    response.end(answer.body)
    if (!last) return
    // The credentials are stored, whether or not the browser still listens.
    if (response.closed || response.destroyed) this.done.resolve()
    else response.once('close', () => this.done.resolve())
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const call = `${request.method} ${url.pathname}`
    if (call === 'GET /healthz') return text(200, 'ok: waiting for the set-up')
    if (call === 'GET /readyz') return text(503, 'the App is not registered yet')
    if (!['GET /setup', 'POST /setup', 'GET /setup/registered'].includes(call)) return NOT_FOUND
    const origin = originOf(request)
    if (!origin) return { status: 400, body: messagePage('Unknown address', 'The request does not name the host that it is for.') }
    if (!isOwnOrigin(request)) return FORBIDDEN
    const secret = url.searchParams.get('secret')
    if (call === 'GET /setup' && secret !== null) return this.#enter(secret, origin)
    const session = this.sessions.find(cookieOf(request))
    if (!session) return FORBIDDEN
    if (call === 'POST /setup') return this.#choose(session, request)
    if (call === 'GET /setup') return { status: 200, body: this.#page(session, origin, url.searchParams.get('problem') ?? '') }
    return this.#register(session, url.searchParams, origin)
  }

  /** The secret leaves the address bar and the history: from here on a cookie stands for it. */
  #enter(secret: string, origin: string): Answer {
    const session = this.sessions.open(secret)
    if (!session) return FORBIDDEN
    const secure = origin.startsWith('https:') ? '; Secure' : ''
    return { status: 303, body: '', headers: { location: '/setup', 'set-cookie': `${COOKIE}=${session.id}; HttpOnly; SameSite=Lax; Path=/setup${secure}` } }
  }

  async #choose(session: Session, request: IncomingMessage): Promise<Answer> {
    const form = await readForm(request)
    if (!form) return { status: 413, body: messagePage('Too long', 'The form was larger than it can be.') }
    const [entered, organization] = [form.get('address') ?? '', (form.get('organization') ?? '').trim()]
    const address = entered ? readAddress(entered) : undefined
    const back = { status: 303, body: '', headers: { location: '/setup' } }
    if (entered && !address) return { ...back, headers: { location: '/setup?problem=address' } }
    if (organization && !/^[a-z\d](?:[a-z\d-]{0,38})$/i.test(organization)) return { ...back, headers: { location: '/setup?problem=organization' } }
    if (address) session.address = address
    session.organization = organization
    return back
  }

  #page(session: Session, origin: string, problem: string): string {
    const { proxy, webhookPath, webUrl, sameNetwork } = this.#options
    const address = proxy ?? session.address ?? origin
    const organization = session.organization ?? ''
    const owner = organization ? `/organizations/${encodeURIComponent(organization)}` : ''
    return registerPage({
      address,
      organization,
      fixed: proxy !== undefined,
      unreachable: !sameNetwork && isPrivateAddress(address),
      ...(PROBLEMS[problem] ? { problem: PROBLEMS[problem] } : {}),
      webhookPath,
      action: `${webUrl}${owner}/settings/apps/new?state=${newState(session)}`,
      manifest: JSON.stringify(manifestFor(proxy ?? `${address}${webhookPath}`, `${origin}/setup/registered`)),
    })
  }

  async #register(session: Session, query: URLSearchParams, origin: string): Promise<Answer> {
    const [state, code] = [query.get('state') ?? '', query.get('code') ?? '']
    if (!session.states.delete(state))
      return {
        status: 403,
        body: messagePage('This does not belong here', 'The answer was not asked for by this page, or was used already. Open /setup again.'),
      }
    if (!/^[\w-]{1,200}$/.test(code)) return { status: 400, body: messagePage('No code', 'GitHub’s answer holds no code. Open /setup again.') }
    if (this.#exchanging || this.#registered)
      return { status: 409, body: messagePage('Already registered', 'Another window is registering the App, or has done so.') }
    this.#exchanging = true
    try {
      return await this.#exchange(code, origin)
    } catch (error) {
      if (!(error instanceof RegistrationError)) throw error
      this.#options.log.warn(`the App could not be registered: ${error.message}`)
      return {
        status: 502,
        body: messagePage('The App’s key could not be stored', `${error.message} Open /setup again, and delete the App on GitHub when it was created.`),
      }
    } finally {
      this.#exchanging = false
    }
  }

  async #exchange(code: string, origin: string): Promise<Answer> {
    const { apiUrl, webUrl, dataDir, proxy, webhookPath, log } = this.#options
    // Asked before the exchange: what GitHub hands out once must not be lost.
    if (existsSync(credentialsPath(dataDir))) throw new RegistrationError(`${credentialsPath(dataDir)} holds credentials already and was not overwritten.`)
    const registration = await convertCode(apiUrl, webUrl, code)
    const file = writeCredentials(dataDir, registration)
    this.#registered = true
    log.info({ app: registration.appId, file }, 'the App is registered; its credentials are stored')
    return { status: 200, body: registeredPage({ page: registration.page, file, ...(proxy ? { proxy } : {}), target: `${origin}${webhookPath}` }) }
  }
}

const NOT_FOUND: Answer = { status: 404, body: messagePage('Nothing here', 'Prelaunch is not set up yet. Its log names the address of the set-up page.') }
const FORBIDDEN: Answer = {
  status: 403,
  body: messagePage('Not allowed', 'Open the address that stands in the log of Prelaunch: it holds the secret of this start.'),
}

function text(status: number, body: string): Answer {
  return { status, body: `${body}\n`, headers: { 'content-type': 'text/plain; charset=utf-8' } }
}

function cookieOf({ headers }: IncomingMessage): string | undefined {
  for (const part of (headers.cookie ?? '').split(';')) {
    const [name, value] = part.trim().split('=')
    if (name === COOKIE) return value
  }
  return undefined
}

/** The fields of a form; undefined when it is larger than ours can be. */
async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  let body = ''
  for await (const piece of request) {
    body += String(piece)
    if (body.length > MAX_FORM_BYTES) return undefined
  }
  return new URLSearchParams(body)
}
