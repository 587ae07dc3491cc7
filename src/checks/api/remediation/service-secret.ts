import type { DatabaseCall } from '../../../model/routes/code-context/schedules.ts'
import type { Route } from '../../../model/routes/routes.ts'
import type { Fix } from '../../define-check.ts'
import type { Audience } from './intended-caller.ts'
import { refusal } from './refusal-response.ts'

/** What has to be asked of a caller who is no person: the clock, another service, another function. */
export function serviceFix(route: Route, audience: Extract<Audience, { readonly who: 'scheduler' | 'service' | 'functions' }>): Fix {
  if (audience.who === 'functions' && route.kind !== 'edge-function')
    return {
      text: `Nobody signs in here: ${audience.from.path}:${audience.from.line} calls it from the server, where no browser sends a session along. Let that code call a function that both import, and take the address out; where it has to stay, let in only who brings a secret that the server alone has, and answer 401 to everybody else.`,
      language: 'ts',
      code: [
        `const secret = ${variableOf(route, 'INTERNAL_API_SECRET')} // a long random value; the caller sends it as headers: { authorization: \`Bearer \${…}\` }`,
        `if (!secret || ${headerOf(route, 'authorization')} !== \`Bearer \${secret}\`) ${refusal(route, 401)}`,
      ].join('\n'),
    }
  if (audience.who === 'functions')
    return {
      text: `Nobody signs in here: ${audience.from.path}:${audience.from.line} calls it. Let in only who brings ${keyOf(audience.from)}, and answer 401 to everybody else.${audience.from.anonKey ? byTheAnonKey(audience.from) : ''}`,
      language: 'ts',
      code: `const key = Deno.env.get('SUPABASE_SERVICE_ROLE_KEY')\nif (!key || ${headerOf(route, 'Authorization')} !== \`Bearer \${key}\`) ${refusal(route, 401)}`,
    }
  if (audience.who === 'scheduler') return schedulerFix(route, audience)
  const sender = audience.sender && (SPELT[audience.sender] ?? audience.sender)
  const gateway = pastGateway(route)
  if (sender === 'database')
    return {
      text: `By what it reads (record, old_record) a webhook of the database calls this, and nobody signs in there: keep a long random secret on the server, give it to the webhook as a header of its own, and answer 401 where it is missing or wrong.`,
      language: 'ts',
      code: asksForSecret(route, 'DATABASE_WEBHOOK_SECRET', 'x-webhook-secret'),
    }
  if (sender === 'svix' || sender === 'standard') return { ...signedFix(route, sender), text: `${signedFix(route, sender).text}${gateway}` }
  const known = sender === undefined ? undefined : sendersFix(route, sender)
  if (known) return { ...known, text: `${known.text}${gateway}` }
  if (sender !== undefined && UNSIGNED.has(sender))
    return {
      text: `${sender} calls this, and nobody signs in there. It signs nothing and sets no header, so put a long random secret, kept on the server, into the address that it is given (?secret=…), and answer 401 where it is missing or wrong.${gateway}`,
      language: 'ts',
      code: [
        `const secret = ${variableOf(route, `${sender.toUpperCase()}_WEBHOOK_SECRET`)}`,
        `if (!secret || ${queryOf(route, 'secret')} !== secret) ${refusal(route, 401)}`,
      ].join('\n'),
    }
  const variable = `${sender ? sender.toUpperCase() : 'CALLBACK'}_SECRET`
  const whose = sender ?? 'that service'
  return {
    text: `${sender ? `${sender} calls this` : 'By its name a service calls this'}, and nobody signs in there: verify the signature that ${whose} puts on what it sends, over the bytes of the body, and answer 401 where it is missing or wrong. Where it signs nothing, agree on a long random secret, kept on the server, that it brings in a header or, when it cannot set one, in the address that it is given.${gateway}${sender ? '' : ' If people call it from the application, ask who is signed in instead.'}`,
    language: 'ts',
    code: [
      `const secret = ${variableOf(route, variable)} // the pattern for a shared secret: the service is told the address with ?secret=… at its end, or sends the header`,
      `const given = ${headerOf(route, `x-${sender ? 'webhook' : 'callback'}-secret`)} ?? ${queryOf(route, 'secret')}`,
      `if (!secret || given !== secret) ${refusal(route, 401)}`,
    ].join('\n'),
  }
}

const keyOf = ({ path, through }: DatabaseCall): string =>
  through
    ? `the key of the server, which ${through.path}:${through.line} has to take from the vault and send as a bearer token`
    : /\.sql$/i.test(path)
      ? 'the key of the server, which the statement has to take from the vault'
      : 'the key that functions share'

/** The check refuses the caller that is there, until it brings another key. */
const byTheAnonKey = ({ path, line }: DatabaseCall): string =>
  ` ${path}:${line} brings the anon key, which every browser has: let it bring the key of the server in the same change, and see that it asks itself who has it do so, or what strangers could have done here they have done there.`

/** No service has a token of the project, which the gateway of edge functions asks for where nothing is said. */
function pastGateway(route: Route): string {
  const jwt = route.kind === 'edge-function' ? route.platformJwt : undefined
  const name = route.subject.replace(/^function /, '')
  return jwt?.on
    ? ` The gateway turns away whoever brings no token of the project, and a service has none: set verify_jwt = false under [functions.${name}] of supabase/config.toml together with the check.`
    : ''
}

/** Names that are not written with one capital. */
const SPELT: Readonly<Record<string, string>> = { Groupme: 'GroupMe' }

/** Senders that sign nothing and set no headers: the address that they are given is all that can hold a secret. */
const UNSIGNED: ReadonlySet<string> = new Set(['GroupMe', 'Mailchimp', 'Jotform', 'Gumroad'])

interface Scheme {
  readonly header: string
  readonly encoding: 'hex' | 'base64'
  readonly secret: string
  readonly prefix?: string
}

/** Senders that put an HMAC over the bytes of the body into one header. */
const HMAC: Readonly<Record<string, Scheme>> = {
  Meta: { header: 'x-hub-signature-256', encoding: 'hex', prefix: 'sha256=', secret: 'META_APP_SECRET' },
  Whatsapp: { header: 'x-hub-signature-256', encoding: 'hex', prefix: 'sha256=', secret: 'META_APP_SECRET' },
  Github: { header: 'x-hub-signature-256', encoding: 'hex', prefix: 'sha256=', secret: 'GITHUB_WEBHOOK_SECRET' },
  Shopify: { header: 'x-shopify-hmac-sha256', encoding: 'base64', secret: 'SHOPIFY_API_SECRET' },
  Typeform: { header: 'typeform-signature', encoding: 'base64', prefix: 'sha256=', secret: 'TYPEFORM_SECRET' },
}
/** Senders that sign in a way of their own: a word that they never send would shut them out. */
const OTHERWISE: ReadonlySet<string> = new Set([
  'Twilio',
  'Slack',
  'Calendly',
  'Cloudinary',
  'Sendgrid',
  'Mailgun',
  'Hubspot',
  'Elevenlabs',
  'Discord',
  'Retell',
  'Telnyx',
])

/** What a sender does whose scheme is known: never a comparison with a word that it does not send. */
function sendersFix(route: Route, sender: string): Fix | undefined {
  if (sender === 'Resend' || sender === 'Clerk') return signedFix(route, 'svix')
  const scheme = HMAC[sender]
  const body =
    route.answers === 'res' || route.framework === 'Express'
      ? 'rawBody // the bytes that were sent, before they are parsed'
      : `await ${requestOf(route)}.text() // instead of json(): the bytes that were sent`
  if (scheme)
    return {
      text: `${sender} calls this and signs what it sends (${scheme.header}), and nobody signs in there: verify the signature over the bytes of the body before anything in it is believed, and answer 401 where it is missing or wrong.`,
      language: 'ts',
      code: [
        "import { Buffer } from 'node:buffer'",
        "import { createHmac, timingSafeEqual } from 'node:crypto'",
        '',
        `const body = ${body}`,
        `const expected = createHmac('sha256', ${variableOf(route, scheme.secret)}!).update(body).digest('${scheme.encoding}')`,
        `const given = (${headerOf(route, scheme.header)} ?? '')${scheme.prefix ? `.replace('${scheme.prefix}', '')` : ''}`,
        `if (given.length !== expected.length || !timingSafeEqual(Buffer.from(given), Buffer.from(expected))) ${refusal(route, 401)}`,
      ].join('\n'),
    }
  if (OTHERWISE.has(sender))
    return {
      text: `${sender} calls this and signs what it sends, and nobody signs in there: verify the signature as its documentation says (its library does it) over the bytes of the body before anything in it is believed, and answer 401 where it is missing or wrong.`,
      language: 'ts',
      code: `const body = ${body}\nif (!(await isSigned(body, ${requestOf(route)}.headers))) ${refusal(route, 401)} // isSigned stands for the check of ${sender}'s signature`,
    }
  return undefined
}

/** Vercel's scheduler, which calls handlers of Next.js by GET, brings `CRON_SECRET` by itself. */
function schedulerFix(route: Route, { because, also, named, through }: Extract<Audience, { readonly who: 'scheduler' }>): Fix {
  const vercel =
    route.framework === 'Next.js'
      ? 'which Vercel then sends as a bearer token (give it to any other scheduler as well)'
      : 'which the scheduler sends as a bearer token'
  const sent = through ? ` ${through.path}:${through.line} makes the request: it is there that the header belongs, before the check is deployed.` : ''
  const page = also
    ? ` ${also.path}:${also.line} calls it as well: let an administrator who is signed in through beside the secret.`
    : named
      ? ' Where a person starts it, ask for an administrator who is signed in instead.'
      : ''
  // the gateway takes nothing for a bearer but a token of the project
  if (route.kind === 'edge-function' && route.platformJwt?.on)
    return {
      text: `Nobody signs in here: ${because}. Set CRON_SECRET, which the scheduler sends in a header of its own, beside the key that the gateway asks for, and answer 401 to whoever does not bring it.${sent}${page}`,
      language: 'ts',
      code: asksForSecret(route, 'CRON_SECRET', 'x-cron-secret'),
    }
  return {
    text: `Nobody signs in here: ${because}. Set CRON_SECRET, ${vercel}, and answer 401 to whoever does not bring it. What a caller says of itself in another header proves nothing.${sent}${page}`,
    language: 'ts',
    code: [
      `const secret = ${variableOf(route, 'CRON_SECRET')}`,
      `if (!secret || ${headerOf(route, route.framework === 'Supabase Edge Functions' ? 'Authorization' : 'authorization')} !== \`Bearer \${secret}\`) ${refusal(route, 401)}`,
    ].join('\n'),
  }
}

/** A secret of the server, sent in a header of its own. */
const asksForSecret = (route: Route, variable: string, header: string): string =>
  `const secret = ${variableOf(route, variable)}\nif (!secret || ${headerOf(route, header)} !== secret) ${refusal(route, 401)}`

/** The scheme of Svix, which Resend, Clerk and others send their events by. */
function signedFix(route: Route, scheme: 'svix' | 'standard'): Fix {
  const edge = route.framework === 'Supabase Edge Functions'
  const prefix = scheme === 'svix' ? 'svix' : 'webhook'
  const header = (name: string) => `'${prefix}-${name}': ${headerOf(route, `${prefix}-${name}`)} ?? ''`
  const body =
    route.answers === 'res' || route.framework === 'Express'
      ? 'rawBody // the bytes that were sent, before they are parsed'
      : `await ${requestOf(route)}.text() // instead of json(): the bytes that were sent`
  return {
    text: `A service calls this and signs what it sends (${prefix}-signature), and nobody signs in there: verify the signature over the bytes of the body before anything in it is believed. Whatever else calls this address (a page of the administrators, a test) has to be asked for the role in that branch.`,
    language: 'ts',
    code: [
      `import { Webhook } from '${edge ? 'npm:' : ''}svix'`,
      '',
      `const body = ${body}`,
      'let event',
      'try {',
      `  event = new Webhook(${variableOf(route, 'WEBHOOK_SECRET')}!).verify(body, { ${['id', 'timestamp', 'signature'].map(header).join(', ')} })`,
      '} catch {',
      `  ${refusal(route, 401)}`,
      '}',
    ].join('\n'),
  }
}

/** How a handler reads a variable of the server. */
export const variableOf = (route: Route, name: string): string =>
  route.framework === 'Supabase Edge Functions' ? `Deno.env.get('${name}')` : `process.env.${name}`

const requestOf = (route: Route): string => (route.framework === 'Supabase Edge Functions' ? 'req' : 'request')

/** A header as the handler is given it. */
export function headerOf(route: Route, name: string): string {
  const member = /^\w+$/.test(name) ? `.${name.toLowerCase()}` : `['${name}']`
  switch (route.framework) {
    case 'Express':
      return `req.get('${name}')`
    case 'Fastify':
      return `request.headers['${name.toLowerCase()}']`
    case 'Hono':
      return `c.req.header('${name}')`
    case 'Nuxt':
      return `getHeader(event, '${name}')`
  }
  return route.answers === 'res' ? `req.headers${member}` : route.answers ? `event.headers${member}` : `${requestOf(route)}.headers.get('${name}')`
}

/** What stands behind the question mark of the address, as the handler is given it. */
function queryOf(route: Route, name: string): string {
  switch (route.framework) {
    case 'Express':
    case 'Fastify':
      return `${route.framework === 'Fastify' ? 'request' : 'req'}.query.${name}`
    case 'Hono':
      return `c.req.query('${name}')`
    case 'Nuxt':
      return `getQuery(event).${name}`
  }
  return route.answers === 'res'
    ? `req.query.${name}`
    : route.answers
      ? `event.queryStringParameters?.${name}`
      : `new URL(${requestOf(route)}.url).searchParams.get('${name}')`
}
