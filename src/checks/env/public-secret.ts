import type { PublicVariable } from '../../model/env/env.ts'
import type { ModulesModel } from '../../model/modules/modules.ts'
import { defineCheck, failed, type Issue, passed } from '../define-check.ts'
import { providerPage } from '../provider-pages.ts'
import { isUnreached } from '../unreached.ts'
import { noneIsPublic, publicLookedAt } from './public-evidence.ts'
import { renameOnServer } from './rename-on-server.ts'

const KEY = '(?:_?(?:API|SECRET|AUTH|ACCESS|PRIVATE|SERVER|REST))*_?(?:KEY|TOKEN|SECRET|PAT|SID_SECRET)'
const AI =
  'OPEN_?AI|ANTHROPIC|CLAUDE|GEMINI|GOOGLE_(?:AI|GEN(?:ERATIVE)?_?AI)|GENERATIVE_(?:AI|LANGUAGE)|PALM|VERTEX|GROQ|MISTRAL|COHERE|DEEP_?SEEK|PERPLEXITY|PPLX|REPLICATE|HUGGING_?FACE|HF|ELEVEN_?LABS|OPEN_?ROUTER|TOGETHER(?:_AI)?|FIREWORKS|XAI|GROK|STABILITY|ASSEMBLY_?AI|DEEPGRAM|FAL|RUNWAY(?:ML)?|LOVABLE|PINECONE|LANG(?:CHAIN|SMITH)|TAVILY|FIRECRAWL|SERP_?API|DASHSCOPE|QWEN|LLM|AI|DALL_?E|WHISPER'
const MAIL =
  'RESEND|SEND_?GRID|MAILGUN|POSTMARK|BREVO|SENDINBLUE|MAILCHIMP|MANDRILL|MAILER_?SEND|MAILJET|SPARKPOST|LOOPS|PLUNK|CONVERT_?KIT|ZEPTO_?MAIL|SES|MAIL|EMAIL|SMTP'
const SMS = 'TWILIO|VONAGE|NEXMO|MESSAGE_?BIRD|PLIVO|TEXTBEE|SINCH|TELNYX|WHATS_?APP|CALL_?ME_?BOT|TERMII|CLICKSEND|SMS|ULTRAMSG|Z_?API|EVO(?:LUTION)?'
const OTHER =
  'GITHUB|GITLAB|GH|VERCEL|NETLIFY|NOTION|AIRTABLE|SLACK|DISCORD|TELEGRAM|LINEAR|JIRA|AWS|AZURE|DIGITAL_?OCEAN|CLOUDFLARE|SUPABASE_(?:ACCESS|MANAGEMENT)|UPSTASH|QSTASH|KV|REDIS|TURSO|LIBSQL|NEON|BLOB_READ_WRITE|SHOPIFY_ADMIN|PAYSTACK|FLUTTERWAVE|RAZORPAY|MERCADO_?PAGO|MP(?=_ACCESS)|ASAAS|ABACATE_?PAY|PAGAR_?ME|PAGSEGURO|PAGBANK|IUGU|XENDIT|PINATA|PAYPAL|PLAID|COINBASE|LEMON_?SQUEEZY|POLAR|PADDLE|CLERK|AUTH0|WORKOS|JWT|CRON|ADMIN|MASTER|ENCRYPTION|SIGNING|SESSION|COOKIE|INTERNAL|BOT|SERVICE|HEYGEN|D_ID|SYNTHESIA|APIFY|RAPID_?API|CLOUDINARY|IMAGEKIT_PRIVATE|SENTRY_AUTH'

/** Names of what only a server may know; each with the words that a reader recognises it by. */
const SECRET_NAMES: readonly (readonly [RegExp, string])[] = [
  [/SERVICE_?ROLE|SUPABASE_(?:SERVICE|SECRET)|SB_SECRET/i, 'the Supabase service-role key, which bypasses row level security'],
  [/PRIVATE_?KEY|SIGNING_?KEY|ENCRYPTION_?KEY|MASTER_?KEY|ADMIN_?(?:API_?)?KEY/i, 'a private key'],
  [/SECRET/i, 'a secret'],
  [new RegExp(`(?:^|_)(?:${AI})${KEY}$`, 'i'), 'the API key of an AI provider'],
  [new RegExp(`(?:^|_)(?:${MAIL})${KEY}$`, 'i'), 'the API key of a mail provider'],
  [new RegExp(`(?:^|_)(?:${SMS})${KEY}$`, 'i'), 'the API key of a messaging provider'],
  [new RegExp(`(?:^|_)(?:${OTHER})${KEY}$`, 'i'), 'a server credential'],
  [
    /(?:^|_)(?:(?:ADMIN|MASTER|DB|DATABASE|SMTP|EMAIL|MAIL|ROOT|SUPER_?USER|OWNER|DEMO|SITE|APP|TEACHER|STAFF|COACH|MANAGER|DASHBOARD)_?)(?:PASSWORD|PASSWD|PASS|PASSCODE|PWD|PIN)(?:_HASH)?$|^(?:PASSWORD|PASSCODE|ACCESS_CODE)$/i,
    'a password',
  ],
]
/** Names that are meant for browsers, or settings about a secret instead of the secret. */
const PUBLIC_BY_DESIGN_NAME =
  /PUBLIC|PUBLISHABLE|ANON(?:_|$)|CLOUDINARY_(?:API_)?KEY|SITE_?KEY|CLIENT_?ID|MAPS?(?:_|$)|MAPBOX|FIREBASE|RECAPTCHA|CAPTCHA|TURNSTILE|SENTRY_DSN|POSTHOG|ANALYTICS|ALGOLIA_SEARCH|EMAIL_?JS|STOREFRONT|VAPID_PUB|_(?:ID|URL|URI|ENABLED|DISABLED|LENGTH|MIN|MAX|TTL|EXPIRY|EXPIRES|NAME|HEADER|PATH|ENDPOINT|REGION|MODEL|VERSION|LABEL|HINT|PLACEHOLDER|PREFIX|REQUIRED|PAGE|ROUTE|MODE|TEXT|FLAG|FEATURE|PROVIDER|REDIRECT)$|^(?:SHOW|ENABLE|DISABLE|USE|HAS|IS|ALLOW|HIDE|FEATURE|REQUIRE)_/i
const SWITCH = /^(?:true|false|0|1|yes|no|on|off|enabled|disabled)$/i
/** The beginning of a key that only servers hold, placeholders included: the name promises the real one. */
const SECRET_PREFIX = /^(?:sk_(?:live|test)_|rk_(?:live|test)_|sk-(?:proj|ant|or)-|sb_secret_|whsec_|SG\.|re_[A-Za-z0-9]|ghp_|github_pat_|-----BEGIN)/

export default defineCheck({
  number: 13,
  id: 'env/public-secret',
  category: 'Environment variables',
  rule: 'No secret key (beginning sk_, the service role token) is held in a variable with a public prefix.',
  needs: ['env', 'modules'],
  doubtedBy: ['env-file', 'source-text', 'config'],
  run({ env, modules }) {
    if (!env.publicVariables.length) return noneIsPublic(env)
    // a service-role variable that browser code reads is one cause, and check 5 reports it at the read
    const inClient = (v: PublicVariable) => modules.serviceRole.find((u) => u.inBrowser && u.how === 'variable' && u.what === v.name)
    const holding = env.publicVariables.flatMap((v) => {
      const held = whatItHolds(v)
      return held ? [{ v, held, use: inClient(v) }] : []
    })
    const issues = holding.filter((h) => !h.use).map((h) => issue(h.v, h.held, modules))
    const under5 = holding.flatMap((h) => (h.use ? [[5, `file ${h.use.path}`] as const] : []))
    const evidence = publicLookedAt(env)
    return holding.length ? failed(issues, [evidence], under5) : passed(evidence)
  },
})

function whatItHolds(v: PublicVariable): string | undefined {
  if (v.definitions.some((d) => d.kind === 'whole-environment')) return 'every variable of the build environment'
  const secret = v.definitions.find((d) => d.live && d.live !== 'local-demo' && d.kind !== 'database-url')
  if (secret) return `a value of the kind ${secret.kind} (${secret.value.slice(0, 24)})`
  const prefixed = v.definitions.find((d) => SECRET_PREFIX.test(d.value))
  if (prefixed) return `a value that begins like a secret key (${prefixed.value.slice(0, 8)}…)`
  if (PUBLIC_BY_DESIGN_NAME.test(v.bare)) return undefined
  if (v.servers) return `the value of the server's \`${v.servers.name}\` (${v.servers.path}:${v.servers.line})`
  const values = v.definitions.map((d) => d.value).filter(Boolean)
  if (values.length > 0 && values.every((value) => SWITCH.test(value))) return undefined
  // a publishable or anon value under a misleading name leaks nothing
  if (values.length > 0 && v.definitions.filter((d) => d.value).every((d) => d.kind === 'publishable' || d.kind === 'supabase-anon-jwt')) return undefined
  if (!values.length && v.reads.length > 0 && v.reads.every((r) => r.flag)) return undefined
  return SECRET_NAMES.find(([pattern]) => pattern.test(v.bare))?.[1]
}

function issue(v: PublicVariable, held: string, modules: ModulesModel): Issue {
  const places = [
    ...v.reads.map((r) => ({ path: r.path, line: r.line, what: 'read here' })),
    ...v.definitions.map((d) => ({ path: d.path, line: d.line, what: d.inlinedBy ? `inlined by ${d.inlinedBy}` : 'defined here' })),
  ]
  const [at, ...others] = places
  const unread = v.reads.length > 0 && v.prefix !== undefined && v.reads.every((r) => isUnreached(r.path, modules))
  const inlined = v.prefix ? undefined : v.definitions.find((d) => d.inlinedBy)?.inlinedBy
  const kind = v.definitions.find((d) => d.live && d.live !== 'local-demo')?.kind
  const byHand = { what: `Replace the secret in ${v.name}`, where: providerPage(kind) }
  return {
    subject: `env ${v.name}`,
    severity: 'Critical',
    title: 'Secret in a public variable',
    message: `\`${v.name}\` holds ${held}, and ${inlined ?? `the prefix \`${v.prefix}\``} writes its value into the JavaScript that every visitor downloads${unread ? `, as soon as a page loads ${at?.path ?? 'the file'}: nothing that a page loads imports it today` : ''}.`,
    attack: unread
      ? 'With the first page that imports the file, and from every build that had one, a visitor takes the value and acts as the server: reads and changes what the key allows, at the owner’s expense.'
      : 'A visitor searches the bundle for the value and acts as the server: reads and changes what the key allows, at the owner’s expense.',
    fix: inlined
      ? {
          byHand,
          text: `Take \`${v.name}\` out of ${inlined}: server code reads it from the environment without help. Then replace the secret at its provider.`,
        }
      : {
          ...(unread ? {} : { byHand }),
          text: unread
            ? `Delete the file and the variable if nothing needs them. What needs the secret belongs on the server, under the name \`${v.bare}\`; replace the secret at its provider if any earlier build had the file.`
            : `Rename it to \`${v.bare}\`, move the call that needs it to the server, and replace the secret at its provider: the old one has been published with every build.`,
          language: 'ts',
          code: `// server only: route handler, server action, edge function\nconst secret = process.env.${v.bare}`,
          ...renameOnServer(v, modules),
        },
    at: { path: at?.path ?? '', line: at?.line ?? 1 },
    related: others.slice(0, 20),
    proof: 'inferred',
    aliases: ['CWE-200', 'CWE-522'],
  }
}
