/**
 * What a request says about who sends it and nobody verifies: cookies and headers. Anybody can send them, so that they are claims and no proof, but they
 * tell which check was meant.
 */
import type { Behaviour, Value } from '../../../behaviour/types.ts'
import type { Proof } from '../guard-model.ts'

/** Cookies that remember how somebody likes to see the pages. */
const PREFERENCE = /theme|style|locale|lang|layout|sidebar|consent|colou?r|currency|i18n|banner|dismiss/i

/** What a cookie says of who sends it, where it holds more than an id of a session: `cookie session with isAdmin in it`. */
const SAYS_OF_SENDER = /^(.+)\.(is[A-Z_]\w*|\w*(?:[rR]ole|[aA]dmin)\w*|id|user_?[iI]d|uid|sub|email)$/

/** Headers that may carry something that only who may call has. */
const HEADER_SECRET = /authorization|secret|token|key|signature|cron|x-/i

/** Headers of proxies and of scripts in the page, which say nothing of who calls. */
const FORWARDED =
  /^x-(?:forwarded|requested|real|http-method|middleware|request-id|content)|event|topic|type|format|version|client|platform|locale|action|resource-state/i

/** A cookie or header that is only there proves nothing; it is remembered as a claim. */
export function claimOf({ part, name = '' }: Extract<Value, { v: 'request' }>, { headersRead }: Behaviour): Proof | undefined {
  if (part === 'cookie' ? PREFERENCE.test(name) : part !== 'header' || !HEADER_SECRET.test(name)) return undefined
  const [, cookie, says] = (part === 'cookie' && SAYS_OF_SENDER.exec(name)) || []
  if (cookie && says) return { who: 'check', trust: 'claimed', how: `cookie ${cookie} with ${says} in it`, says }
  const at = part === 'header' && name ? headersRead?.[name.toLowerCase()] : undefined
  return { who: 'check', trust: 'claimed', how: `${part}${name ? ` ${name}` : ''} that is only tested for presence`, ...(at ? { at } : {}) }
}

/** `userAgent.includes('vercel-cron')`: what a scheduler calls itself, everybody may. */
export function saidByHeader({ name, args: [of, said] }: Extract<Value, { v: 'call' }>): Proof | undefined {
  if (!/^(?:includes|startsWith|endsWith)$/.test(name) || of?.v !== 'request' || of.part !== 'header' || said?.v !== 'const') return undefined
  return /^(?:user-agent|[\w-]{0,20}cron[\w-]{0,20})$/i.test(of.name ?? '')
    ? { who: 'check', trust: 'claimed', how: `header ${of.name} that names the caller` }
    : undefined
}

/** A cookie, or a header that says who sends the request; the others say what is sent, and from which page. */
export const isNamedKey = ({ part, name = '' }: Extract<Value, { v: 'request' }>): boolean =>
  part === 'cookie' || (part === 'header' && HEADER_SECRET.test(name) && !FORWARDED.test(name))
