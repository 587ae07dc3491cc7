import { isLiteral, object, UNKNOWN, type Val } from '../../domain/abstract-value.ts'
import { callValue } from '../../operations.ts'
import type { EffectDraft } from '../../output/effect-draft.ts'
import type { Client } from '../../types.ts'
import type { LibraryCall } from '../library.ts'

type AuthOp = Extract<EffectDraft, { kind: 'auth-call' }>['op']

const AUTH: Readonly<Record<string, AuthOp>> = {
  signInWithPassword: 'sign-in',
  signIn: 'sign-in',
  signInWithIdToken: 'sign-in',
  signInAnonymously: 'sign-in',
  signInWithSSO: 'oauth',
  signUp: 'sign-up',
  signInWithOtp: 'magic-link',
  signInWithOAuth: 'oauth',
  resetPasswordForEmail: 'reset',
  verifyOtp: 'verify',
  updateUser: 'update-user',
  signOut: 'sign-out',
  exchangeCodeForSession: 'exchange-code',
  refreshSession: 'refresh',
  setSession: 'refresh',
  resend: 'otp',
  reauthenticate: 'otp',
}

/** The password is the application's, not the caller's: signing in with it says nothing of who calls. */
function isOwnAccount(credentials: Val | undefined): boolean {
  const password = credentials?.v === 'object' ? credentials.props.password : undefined
  return password !== undefined && (password.v === 'env' || (isLiteral(password) && !(password.v === 'const' && !password.value)))
}

/** A call of `client.auth`, by the name behind it: who signs in, and who is told to be signed in. */
export function authCall(c: LibraryCall, name: string, client: Client): Val | undefined {
  const { it, at, args } = c
  if (name === 'getUser' || name === 'getClaims') {
    const how = `supabase.auth.${name}`
    const step = it.emit({ kind: 'identify', how, trust: 'verified' }, at)
    const user: Val = { v: 'caller', how, trust: 'verified', step, at }
    const error: Val = { v: 'error', of: step }
    if (name === 'getClaims') return object({ data: object({ claims: user, user }), error })
    return object({ data: object({ user }), user, error })
  }
  if (name === 'getSession') {
    const how = 'supabase.auth.getSession'
    // a client without cookies has no session on a server, whatever somebody sends: it says of nobody that he is signed in
    const trust = client.rights === 'caller' || client.rights === 'unknown' ? 'unverified' : 'verified'
    const step = it.emit({ kind: 'identify', how, trust }, at)
    const user: Val = { v: 'caller', how, trust, step, at }
    return object({
      data: object({ session: object({ user, access_token: user, refresh_token: user, provider_token: user, expires_at: user }, user) }),
      error: { v: 'error', of: step },
    })
  }
  if (name === 'onAuthStateChange') {
    if (args[0]?.v === 'fn') callValue(it, args[0], [UNKNOWN, UNKNOWN], at)
    return object({ data: object({ subscription: UNKNOWN }) })
  }
  if (name.startsWith('admin.')) {
    const step = it.emit({ kind: 'auth-call', library: 'supabase', op: 'admin', name, args }, at)
    return object({
      data: object({
        user: { v: 'row', table: 'auth.users', step },
        users: { v: 'row', table: 'auth.users', step, many: true },
        properties: { v: 'result', step },
      }),
      error: { v: 'error', of: step },
    })
  }
  const op = AUTH[name]
  if (op) {
    const step = it.emit({ kind: 'auth-call', library: 'supabase', op, name, args }, at)
    const trusted = op === 'exchange-code' || op === 'verify' || (op === 'sign-in' && !isOwnAccount(args[0])) || op === 'refresh'
    // tokens of the request are verified by the server, or renewed by it
    const asked = op === 'refresh' ? it.emit({ kind: 'identify', how: `supabase.auth.${name}`, trust: 'verified' }, at) : step
    const user: Val = trusted ? { v: 'caller', how: `supabase.auth.${name}`, trust: 'verified', step: asked, at } : { v: 'result', step, field: 'user' }
    return object({ data: object({ user, session: object({ user }, user) }, { v: 'result', step }), error: { v: 'error', of: asked } })
  }
  return undefined
}
