import type { Route } from '../../model/routes/routes.ts'

/** Why a route may be called by anybody; undefined when it must be judged by what it does. */
export function publicByNature(route: Route): string | undefined {
  if (route.library) return `answered by ${route.library}`
  const steps = route.behaviour?.steps ?? []
  if (steps.some((s) => s.effect.kind === 'verify-signature')) return 'a signed webhook (check 20 judges it)'
  if (receivesPayments(route)) return 'a webhook of a payment processor (check 20 judges whether it verifies the signature)'
  const calls = steps.flatMap((s) => (s.effect.kind === 'auth-call' ? [s.effect] : []))
  const own = calls.filter(
    (c) =>
      /^(sign-in|sign-up|otp|magic-link|reset|verify|oauth|exchange-code|sign-out|refresh)$/.test(c.op) || (c.op === 'admin' && /createUser/i.test(c.name)),
  )
  const administers = calls.some((c) => c.op === 'admin' && !/createUser/i.test(c.name) && !/generateLink/i.test(c.name))
  if (own.length && !administers) return `authentication itself (${own[0]?.name})`
  if (
    steps.some((s) => s.effect.kind === 'hash-compare' && /bcrypt|argon|scrypt|compare|verify/i.test(s.effect.name)) &&
    AUTH_PATH.test(route.route + route.subject)
  )
    return 'sign-in itself'
  if (
    AUTH_PATH.test(lastSegments(route)) &&
    !administers &&
    (/(^|\/)auth\//.test(route.route) || route.work.every((w) => !w.table || AUTH_TABLES.test(w.table))) &&
    // what follows sign-in for its user (a checkout) is guarded by then
    !route.work.some((w) => !w.guard && (w.kind === 'payment' || (w.kind === 'paid-api' && PAID.test(w.what))))
  )
    return 'authentication itself'
  return undefined
}

/** An endpoint that reads a processor's event or its signature header, verified or not. */
function receivesPayments(route: Route): boolean {
  if (!/web-?hook/i.test(`${route.route} ${route.subject} ${route.path}`)) return false
  const seen = JSON.stringify(route.behaviour?.steps.map((s) => [s.under, 'args' in s.effect ? s.effect.args : 0]) ?? [])
  return /"v":"event"|stripe-signature|paddle-signature|x-signature|polar-webhook|webhook-signature/i.test(seen)
}

const AUTH_PATH =
  /(^|[/#._-])(log-?in|sign-?in|log-?out|sign-?out|sign-?up|register|registration|forgot-?password|reset-?password|password-?reset|verify-?email|confirm-?email|verify-?otp|send-?otp|magic-?link|oauth|auth\/callback|auth\/(?:[\w-]+\/)*(?:join|resend-[\w-]+|unlock-account|sso|verify|confirm|callback)|join)($|[/#?._-])|#(login|signIn|signin|signUp|signup|register|logout|signOut|forgotPassword|resetPassword|verifyOtp|sendOtp|verifyEmail)\b/i
/** Bought on request; other services that a sign-in asks (a directory, a captcha) are part of it. */
const PAID = /model|openai|anthropic|googleapis|replicate|elevenlabs/i
const AUTH_TABLES = /team|invitation|user|profile|account|session|token|otp|verification|credential|login|auth|password|member/i

function lastSegments(route: Route): string {
  return route.kind === 'action' ? route.subject.slice(route.subject.indexOf('#')) : route.route
}
