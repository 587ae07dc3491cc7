import { createHmac } from 'node:crypto'

/** Shape of a compact JWT; bounded so that matching stays linear. */
export const JWT = /eyJ[A-Za-z0-9_-]{10,400}\.ey[A-Za-z0-9_-]{10,3000}\.[A-Za-z0-9_-]{10,1400}/y

export interface JwtClaims {
  readonly role?: string
  readonly iss?: string
  readonly ref?: string
  /** Seconds between `iat` and `exp`; undefined when it never expires. */
  readonly lifetime?: number
  /** `sub` and `name`, to recognise the specification's own example. */
  readonly sub?: string
  readonly name?: string
  readonly email?: string
  /** The object that a signed link of the platform's storage opens, and all that the token is good for. */
  readonly url?: string
}

/** The payload of a JWT; undefined when it is none. The signature is not looked at. */
export function decodeJwt(token: string): JwtClaims | undefined {
  const payload = token.split('.')[1]
  if (!payload) return undefined
  try {
    const data: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
    if (data === null || typeof data !== 'object' || Array.isArray(data)) return undefined
    const claims = data as Record<string, unknown>
    const text = (key: string) => (typeof claims[key] === 'string' ? { [key]: (claims[key] as string).slice(0, 100) } : {})
    const { iat, exp } = claims
    const lifetime = typeof exp === 'number' ? exp - (typeof iat === 'number' ? iat : exp - 3600) : undefined
    return {
      ...text('role'),
      ...text('iss'),
      ...text('ref'),
      ...text('sub'),
      ...text('name'),
      ...text('email'),
      ...text('url'),
      ...(lifetime === undefined ? {} : { lifetime }),
    }
  } catch {
    return undefined
  }
}

/** Signing secrets that the platform publishes: its command line's default and the self-hosting template's. */
const PLATFORM_JWT_SECRETS = ['super-secret-jwt-token-with-at-least-32-characters-long', 'your-super-secret-jwt-token-with-at-least-32-characters-long']

/** True when anyone can make the token, because a published secret signs it. */
export function signedWithPublishedSecret(token: string): boolean {
  const dot = token.lastIndexOf('.')
  const signed = token.slice(0, dot)
  const signature = token.slice(dot + 1)
  return PLATFORM_JWT_SECRETS.some((secret) => createHmac('sha256', secret).update(signed).digest('base64url') === signature)
}
