import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { isPrivateKey } from '../settings.ts'
import type { AppCredentials } from './credentials-file.ts'

/** What GitHub is asked to register (docs.github.com, "Registering a GitHub App from a manifest"). */
export interface AppManifest {
  readonly name: string
  readonly url: string
  readonly hook_attributes: { readonly url: string; readonly active: true }
  readonly redirect_url: string
  readonly default_permissions: Readonly<Record<string, string>>
  readonly default_events: readonly string[]
}

/** `app.yml` beside the program, with the addresses of this installation. */
export function manifestFor(webhookUrl: string, redirectUrl: string): AppManifest {
  const file = parse(readFileSync(new URL('../../../app.yml', import.meta.url), 'utf8')) as Omit<AppManifest, 'hook_attributes' | 'redirect_url'>
  return { ...file, hook_attributes: { url: webhookUrl, active: true }, redirect_url: redirectUrl }
}

/** A registered App, and its page on GitHub. */
export interface Registration extends AppCredentials {
  readonly page: string
}

/** GitHub did not hand out credentials; the message is for the operator. */
export class RegistrationError extends Error {
  override readonly name = 'RegistrationError'
}

const TIMEOUT_MS = 20_000

/** Exchanges the code of GitHub's redirect for the App's credentials: they are handed out once, within an hour. Throws `RegistrationError`. */
export async function convertCode(apiUrl: string, webUrl: string, code: string): Promise<Registration> {
  const address = `${apiUrl}/app-manifests/${encodeURIComponent(code)}/conversions`
  let answer: Response
  try {
    answer = await fetch(address, {
      method: 'POST',
      headers: { accept: 'application/vnd.github+json', 'user-agent': 'prelaunch', 'x-github-api-version': '2022-11-28' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
  } catch {
    throw new RegistrationError(`${new URL(apiUrl).host} could not be reached from this machine.`)
  }
  if (answer.status !== 201) throw new RegistrationError(`GitHub answered with status ${answer.status}. Its code works once, and for one hour.`)
  return readRegistration(await answer.json().catch(() => undefined), webUrl)
}

function readRegistration(body: unknown, webUrl: string): Registration {
  const { id, pem, webhook_secret: webhookSecret, html_url: page } = (body ?? {}) as Record<string, unknown>
  if (!Number.isSafeInteger(id) || typeof pem !== 'string' || !isPrivateKey(pem) || typeof webhookSecret !== 'string' || !webhookSecret)
    throw new RegistrationError('GitHub’s answer does not hold an id, a private key and a webhook secret.')
  // Only a page of GitHub itself becomes a link.
  const known = typeof page === 'string' && URL.canParse(page) && new URL(page).origin === new URL(webUrl).origin
  return { appId: id as number, privateKey: pem, webhookSecret, page: known ? page : webUrl }
}
