import { decodeJwt } from './jwt.ts'

/**
 * Whether the cookie of a Supabase session (`base64-` and the JSON of it, https://supabase.com/docs/guides/auth/sessions) holds the tokens of an account at
 * a hosted project: whoever has the refresh token goes on as that account. Those of a local stack open nothing.
 */
export function isHostedSession(cookie: string): boolean {
  try {
    const session: unknown = JSON.parse(Buffer.from(cookie.slice('base64-'.length), 'base64url').toString('utf8'))
    if (typeof session !== 'object' || session === null) return false
    const { access_token: access, refresh_token: refresh } = session as { access_token?: unknown; refresh_token?: unknown }
    if (typeof access !== 'string' || typeof refresh !== 'string') return false
    return /^https:\/\/[a-z0-9-]{1,63}\.supabase\.co\//.test(decodeJwt(access)?.iss ?? '')
  } catch {
    // cut off in the middle, or something else altogether
    return false
  }
}
