import type { GitHubServer } from './github/server.ts'

/** A browser on the set-up page: keeps the cookie, follows redirects within the page, and presses GitHub's button. */
export class SetUpBrowser {
  readonly #base: string
  readonly #github: GitHubServer
  #cookie = ''

  constructor(base: string, github: GitHubServer) {
    this.#base = base
    this.#github = github
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    const response = await fetch(new URL(path, this.#base), { redirect: 'manual', headers: { ...(this.#cookie ? { cookie: this.#cookie } : {}), ...headers } })
    return this.#follow(response)
  }

  async post(path: string, fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
    const response = await fetch(new URL(path, this.#base), {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(fields),
      headers: { origin: this.#base, cookie: this.#cookie, ...headers },
    })
    return this.#follow(response)
  }

  #follow(response: Response): Promise<Response> | Response {
    const cookie = response.headers.get('set-cookie')
    if (cookie) this.#cookie = cookie.split(';')[0] as string
    return response.status === 303 ? this.get(response.headers.get('location') as string) : response
  }

  /** Opens the address of the log. */
  async open(pathWithSecret: string): Promise<string> {
    return (await this.get(pathWithSecret)).text()
  }

  /** What the page would send to GitHub. */
  async form(): Promise<{ action: URL; manifest: string }> {
    const page = await (await this.get('/setup')).text()
    const [, action] = /<form method="post" action="([^"]+\/settings\/apps\/new[^"]*)"/.exec(page) ?? []
    const [, manifest] = /name="manifest" value="([^"]+)"/.exec(page) ?? []
    if (!action || !manifest) throw new Error(`there is no form for GitHub:\n${page}`)
    return { action: new URL(readEntities(action)), manifest: readEntities(manifest) }
  }

  /** Registers the App: GitHub's page takes the manifest and sends the browser back with a code. */
  async register(): Promise<string> {
    const { action, manifest } = await this.form()
    return (await this.get(this.answerOf(manifest, action.searchParams.get('state') ?? ''))).text()
  }

  /** Where GitHub sends the browser after the button. */
  answerOf(manifest: string, state: string): string {
    const { appId, slug, privateKey, webhookSecret, url } = this.#github
    const code = this.#github.manifests.register(manifest, { id: appId, slug, pem: privateKey, webhook_secret: webhookSecret, html_url: `${url}/apps/${slug}` })
    const back = new URL((JSON.parse(manifest) as { redirect_url: string }).redirect_url)
    return `${back.pathname}?code=${code}&state=${state}`
  }
}

function readEntities(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
