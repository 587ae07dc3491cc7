import { randomBytes } from 'node:crypto'
import type { Answer } from './endpoints.ts'

/** What an App registered from a manifest gets; the conversion hands it out once. */
export interface RegisteredApp {
  readonly id: number
  readonly slug: string
  readonly pem: string
  readonly webhook_secret: string
  readonly html_url: string
}

const EVENTS = new Set(['pull_request', 'push', 'check_run', 'check_suite', 'merge_group', 'issue_comment'])

/** The page that registers an App from a manifest, and the conversion of its code. */
export class AppManifests {
  readonly #codes = new Map<string, RegisteredApp>()
  /** Manifests that were registered, the newest last. */
  readonly registered: Record<string, unknown>[] = []

  /** What the button on GitHub does with a manifest: gives the code that the redirect carries. Throws what GitHub's page would say. */
  register(manifest: string, app: RegisteredApp): string {
    const read = JSON.parse(manifest) as { name?: string; url?: string; redirect_url?: string; hook_attributes?: { url?: string }; default_events?: string[] }
    for (const [name, value] of Object.entries({ name: read.name, url: read.url, redirect: read.redirect_url, hook: read.hook_attributes?.url }))
      if (!value) throw new Error(`Error ${name} is missing from the manifest`)
    for (const event of read.default_events ?? []) if (!EVENTS.has(event)) throw new Error(`Default events unsupported: ${event}`)
    const code = randomBytes(20).toString('hex')
    this.#codes.set(code, app)
    this.registered.push(read as Record<string, unknown>)
    return code
  }

  /** `POST /app-manifests/{code}/conversions`: needs no authentication, works once. */
  convert(path: string): Answer | undefined {
    const code = /^\/app-manifests\/([^/]+)\/conversions$/.exec(path)?.[1]
    if (!code) return undefined
    const app = this.#codes.get(code)
    if (!app) return { status: 404, body: { message: 'Not Found' } }
    this.#codes.delete(code)
    return {
      status: 201,
      body: { ...app, name: app.slug, client_id: 'Iv1.0123456789abcdef', client_secret: randomBytes(20).toString('hex'), owner: { login: 'octo' } },
    }
  }
}
