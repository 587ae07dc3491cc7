import { lastPart } from '../../../lib/last-part.ts'
import { mentions } from '../../behaviour/domain/contains.ts'
import type { Client, Effect, Value } from '../../behaviour/types.ts'
import { processorAt, serviceBehindGateway } from '../../payments/processors/other-processor-signs.ts'
import { credentialLookedUp } from '../guards/evidence/credential-lookup-rest.ts'
import { isTainted } from '../request/request-taint.ts'
import { recipientInBody } from './messages.ts'
import { callersOwn, carriesKey, isAnonymous } from './outbound-credentials.ts'
import { constantHost, constantText, envOf, isUrlObject, methodOf, sentBody, urlIn } from './outbound-request.ts'
import { atProcessor, type Outside } from './payments.ts'

const PAID_HOSTS =
  /(^|\.)(openai\.com|anthropic\.com|googleapis\.com|replicate\.com|huggingface\.co|groq\.com|mistral\.ai|cohere\.(com|ai)|deepseek\.com|openrouter\.ai|perplexity\.ai|elevenlabs\.io|stability\.ai|together\.(ai|xyz)|fal\.(ai|run)|x\.ai|lovable\.dev|firecrawl\.dev|serpapi\.com|tavily\.com|deepgram\.com|assemblyai\.com)/i
const MAIL_HOSTS =
  /(^|\.)(resend\.com|sendgrid\.(com|net)|postmarkapp\.com|mailgun\.net|brevo\.com|sendinblue\.com|mailjet\.com|mailersend\.com|emailjs\.com|loops\.so|sparkpost\.com)/i
/** Whose interface it is that a service behind a builder's gateway has. */
const BEHIND_GATEWAY: Readonly<Record<string, string>> = { resend: 'api.resend.com', twilio: 'api.twilio.com', google_maps: 'maps.googleapis.com' }

/** Messages to phones and browsers. */
const SMS_HOSTS =
  /(^|\.)(exp\.host|fcm\.googleapis\.com|onesignal\.com|twilio\.com|vonage\.com|nexmo\.com|messagebird\.com|callmebot\.com|ultramsg\.com|telnyx\.com|plivo\.com|textmagic\.com|clicksend\.com|bulksms\.com|infobip\.com)/i

/** Asked whether the caller is human, who it is, or told what happened: nothing is bought there. */
const FREE_HOSTS =
  /^((www\.)?(google\.com|recaptcha\.net)|(oauth2|accounts)\.google(apis)?\.com|recaptchaenterprise\.googleapis\.com|challenges\.cloudflare\.com|(api\.)?hcaptcha\.com|hooks\.slack\.com|discord(app)?\.com)$/i

/** Who measures advertisements and visits is told what happened. */
const ANALYTICS_URL =
  /^https:\/\/(?:business-api\.tiktok\.com\/open_api\/v[\d.]+\/(?:event|pixel)\b|graph\.facebook\.com\/.*\/events$|(?:www|region1)\.google-analytics\.com\/|api(?:-eu|-in)?\.mixpanel\.com\/(?:track|engage|import)|api\.segment\.io\/|(?:us\.|eu\.|app\.)(?:i\.)?posthog\.com\/|plausible\.io\/api\/event|api2?\.amplitude\.com\/|tr\.snapchat\.com\/|api\.pinterest\.com\/v5\/ad_accounts\/.*\/events)/

/** The address of a chat channel that the environment names: whoever posts there speaks to the team in the application's name. */
const CHAT = /(?:^|_)(?:SLACK|DISCORD|TEAMS|MATTERMOST|GOOGLE_CHAT)_(?:\w+_)?(?:WEBHOOK|HOOK)(?:_|$)/

/** A flow of an automation service, or whatever else waits behind an address that is kept to oneself: it runs for each message that arrives. */
const FLOW = /^(?!(?:NEXT_PUBLIC|VITE|PUBLIC|NUXT_PUBLIC|REACT_APP|EXPO_PUBLIC)_)(?:\w+_)?(?:WEBHOOK|HOOK)(?:_UR[IL]|_ENDPOINT|_ADDRESS)?(?:_\w+)?$/
const FLOW_HOSTS = /^(?:hooks\.zapier\.com|hook\.[\w.]{0,20}(?:make|integromat)\.com|[\w-]{1,60}\.app\.n8n\.cloud|[\w-]{1,60}\.m\.pipedream\.net)$/i

/** Where somebody wants to be told what happened. */
const HOOK_COLUMN = /^(?:\w+_)?web_?hook(?:_?ur[il]|_?endpoint|_?address)$/i

/** What waits behind an address that is called in somebody's name: of the environment, of an automation service, or one that a user left in a row. */
function flowAt(address: Value | undefined, host: string | undefined): string | undefined {
  const named = envOf(address)
  if (named !== undefined && FLOW.test(named) && !/SECRET|SIGN|TOKEN/.test(named)) return named
  if (host && FLOW_HOSTS.test(host)) return host
  return address?.v === 'row' && HOOK_COLUMN.test(lastPart(address.field ?? '')) ? `${address.table}.${address.field}` : undefined
}

/** What stands beside the application on Replit and signs addresses of its object store, without a key. */
const SIGNS_FILES = /^https?:\/\/(?:127\.0\.0\.1|localhost):\d{2,5}\/object-storage\/signed-object-url$/

/** Whoever gets an address that is signed for `PUT` stores a file there. */
function signedFile(options: Value | undefined): Outside | undefined {
  const asked = options && sentBody(options)
  const props = asked?.v === 'object' ? asked.props : {}
  if (props.method?.v !== 'const' || props.method.value !== 'PUT') return undefined
  const fresh = props.object_name !== undefined && mentions(props.object_name, (x) => x.v === 'call' && x.name === 'random')
  return { kind: 'file-write', what: 'signs addresses under which files are stored', call: 'signed-object-url', rights: 'service', ...(fresh ? { fresh } : {}) }
}

/** What a request to another server spends or sends; undefined when it takes nothing of the server's own. */
export function http(call: Extract<Effect, { name: string }>): Outside | undefined {
  const e = { ...call, args: call.args.map((a, i) => (i === 0 ? urlIn(a) : a)) }
  const [address] = e.args
  if (address?.v === 'env' && CHAT.test(address.name)) return { kind: 'paid-api', what: `posts to the team's chat (${address.name})`, call: 'chat' }
  const host = BEHIND_GATEWAY[serviceBehindGateway(constantText(address)) ?? ''] ?? constantHost(address)
  if (SIGNS_FILES.test(constantText(address))) return signedFile(e.args[1])
  const flow = flowAt(address, host)
  if (flow && fromRequestAnywhere(e.args.slice(1))) return { kind: 'paid-api', what: `hands what it is sent on to a webhook (${flow})`, call: 'webhook' }
  // a code is exchanged for its owner's token: nothing is spent, and the key only says which application asks
  if (TOKEN_EXCHANGE.test(constantText(address)) || WHO_IT_IS.test(constantText(address))) return undefined
  if (ANALYTICS_URL.test(constantText(address))) return undefined
  const processor = processorAt(constantText(address))
  if (processor) return atProcessor(processor, e)
  if (host && PAID_HOSTS.test(host) && (callersOwn(e.args) || isAnonymous(e.args) || isListOfModels(e.args))) return undefined
  if (host && PAID_HOSTS.test(host) && isUrlObject(address) && !e.args.some((a) => carriesKey(a, 0))) return undefined
  if (host && PAID_HOSTS.test(host) && !FREE_HOSTS.test(host) && !SMS_HOSTS.test(host))
    return { kind: 'paid-api', what: `calls ${host} with the server's key`, call: host }
  if (host && MAIL_HOSTS.test(host))
    return {
      kind: 'mail',
      what: `sends mail through ${host}`,
      call: host,
      ...(e.args.some((a) => recipientInBody(a, 0)) ? { chosen: 'recipient' as const } : {}),
    }
  if (host && /twilio\.com$/i.test(host) && TELEPHONY_PROVISIONING_URL.test(constantText(address)))
    return { kind: 'paid-api', what: `manages accounts and phone numbers at ${host}`, call: host }
  if (host && (SMS_HOSTS.test(host) || (/^graph\.facebook\.com$/i.test(host) && /\/messages\b/.test(constantText(address)))))
    return {
      kind: 'sms',
      what: `sends a message through ${host}`,
      call: host,
      ...(e.args.some((a) => recipientInBody(a, 0)) ? { chosen: 'recipient' as const } : {}),
    }
  // what another function of the project does for whoever has its key
  const messenger = MESSAGING_FUNCTION_URL.exec(constantText(address))
  if (messenger && e.args.slice(1).some((a) => carriesKey(a, 0)))
    return {
      kind: messenger[2] ? 'sms' : 'mail',
      what: `sends ${messenger[2] ? 'messages' : 'mail'} through the edge function ${messenger[1]}`,
      call: messenger[1] as string,
      ...(e.args.some((a) => recipientInBody(a, 0)) ? { chosen: 'recipient' as const } : {}),
    }
  if (credentialLookedUp(e) !== undefined || NOTED.test(constantText(address))) return undefined
  const rows = DATA_API_TABLE_URL.exec(constantText(address))?.[1]
  if (rows && e.args.slice(1).some((a) => carriesKey(a, 0)))
    return { kind: 'paid-api', what: `calls the project's data API for ${rows} with a key of the server`, call: 'data-api' }
  if (e.args.slice(1).some((a) => carriesKey(a, 0)) || (e.args[0] && carriesKey(e.args[0], 0) && fromRequestAnywhere(e.args)))
    return FREE_HOSTS.test(host ?? '') ? undefined : { kind: 'paid-api', what: `calls ${host ?? 'an API'} with a key of the server`, call: host ?? 'fetch' }
  return undefined
}

/** The same through the client: what another function of the project sends for whoever calls with the key of the server. */
export function invoked({
  name,
  args,
  rights,
}: {
  readonly name: string
  readonly args: readonly Value[]
  readonly rights?: Client['rights']
}): Outside | undefined {
  const messenger = rights === 'service' ? MESSAGING_FUNCTION_URL.exec(`/functions/v1/${name}`) : null
  if (!messenger) return undefined
  return {
    kind: messenger[2] ? 'sms' : 'mail',
    what: `sends ${messenger[2] ? 'messages' : 'mail'} through the edge function ${name}`,
    call: name,
    ...(args.some((a) => recipientInBody(a, 0)) ? { chosen: 'recipient' as const } : {}),
  }
}

/** Phone numbers are rented there, and accounts made: no message is sent. */
const TELEPHONY_PROVISIONING_URL = /(?:PhoneNumbers|\/Accounts)(?:\/[A-Za-z]{0,20})?(?:\.json|$)/

/** `/oauth/access_token`, `/oauth2/v2.0/token`, `/oauth/v2/accessToken`, `/api/oauth.v2.access`. */
const TOKEN_EXCHANGE = /\/oauth2?\/(?:v\d{1,2}(?:\.\d{1,2})?\/)?(?:access_?)?token\b|\/oauth\.v2\.access\b/i

/** An identity provider is asked whose token it is: `https://www.googleapis.com/oauth2/v3/userinfo`, `/tokeninfo`. */
const WHO_IT_IS = /\/(?:oauth2?|oidc|connect|openid-connect)(?:\/v\d{1,2})?\/(?:userinfo|tokeninfo)\b|^https:\/\/openidconnect\.googleapis\.com\//i

/** An edge function that by its name sends something: `/functions/v1/send-email`. */
const MESSAGING_FUNCTION_URL = /\/functions\/v1\/((?:[a-z0-9]{1,20}[-_]){0,3}(?:e?-?mails?|(sms|whatsapp))(?:[-_][a-z0-9]{1,20}){0,3})(?=$|[/?#])/i

/** Another function of the project is told what happened. */
const NOTED = /\/functions\/v1\/(?:[\w-]{1,40}\/)?(?:[a-z]{1,20}-)?(?:audit|logs?)(?:-(?:logs?|events?))?\/?$/
/** A table behind the data API, asked over HTTP instead of through the client library. */
const DATA_API_TABLE_URL = /\/rest\/v1\/(?!rpc\b)(\w+)/

/** Which models there are: nothing is spent, and whether the service answers is asked that way. */
const isListOfModels = ([address, options]: readonly Value[]): boolean => /^get$/i.test(methodOf(options)) && /\/models\/?$/.test(constantText(address))

function fromRequestAnywhere(args: readonly Value[]): boolean {
  return args.some((a) => isTainted(a))
}
