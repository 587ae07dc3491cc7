import { plural } from '../lib/plural.ts'
import type { ProbeRequest } from './plan-probe.ts'

/** What came back, the body cut to what is needed. */
export interface ProbeAnswer {
  readonly status: number
  readonly location?: string
  readonly type?: string
  readonly body: string
  /** The transport failed: refused connection, time-out. */
  readonly error?: string
}

export type ProbeVerdict =
  | { readonly kind: 'refused'; readonly how: string }
  | { readonly kind: 'open'; readonly how: string }
  | { readonly kind: 'unclear'; readonly how: string }

const PASSWORD_INPUT_HTML = /<input[^>]{0,300}type=["']?password/i

/** Whether an answer to a logged-out visitor is a refusal. */
export function judgeAnswer(request: ProbeRequest, answer: ProbeAnswer): ProbeVerdict {
  if (answer.error) return { kind: 'unclear', how: answer.error }
  const { status } = answer
  if (status === 401 || status === 403) return { kind: 'refused', how: `${status}` }
  if (status >= 300 && status < 400) return { kind: 'refused', how: `${status} to ${answer.location ?? 'nowhere'}` }
  if (status === 404 || status === 410) return { kind: request.path.includes('00000000-') ? 'unclear' : 'refused', how: `${status}` }
  if (status === 405) return { kind: 'unclear', how: '405' }
  if (status >= 400 && status < 500) return { kind: 'unclear', how: `${status}` }
  if (status >= 500) return { kind: 'unclear', how: `${status}: refuses with a server error, or is broken` }
  if (status === 204 || isEmpty(answer.body)) return { kind: 'refused', how: `${status} without content` }
  if (request.check === 10 && PASSWORD_INPUT_HTML.test(answer.body)) return { kind: 'refused', how: `${status} with a sign-in form` }
  return { kind: 'open', how: `${status} with ${plural(answer.body.length, 'character')}${answer.type ? ` of ${answer.type.split(';')[0]}` : ''}` }
}

function isEmpty(body: string): boolean {
  return /^\s*(?:(?:\{\s*\}|\[\s*\]|null|""|false)\s*)?$/.test(body)
}

/** True when a redirect only spells the same page differently (a slash, a locale, the host's own scheme). */
export function sameResource(path: string, location: string, base: URL): URL | undefined {
  let target: URL
  try {
    target = new URL(location, new URL(path, base))
  } catch {
    return undefined
  }
  if (target.host !== base.host) return undefined
  const plain = (p: string) => p.replace(/(?<!\/)\/+$/, '').replace(/^\/[a-z]{2}(-[A-Za-z]{2})?(?=\/)/, '')
  return plain(target.pathname) === plain(new URL(path, base).pathname) ? target : undefined
}
