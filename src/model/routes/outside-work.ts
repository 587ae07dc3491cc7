import { decodeJwt } from '../../facts/secrets/jwt.ts'
import { isPlaceholder } from '../../facts/secrets/placeholder.ts'
import { lastPart } from '../../lib/last-part.ts'
import { type Behaviour, type Client, type Effect, HIDDEN_LITERAL, type Value } from '../behaviour/behaviour.ts'
import { formFields } from '../behaviour/form-fields.ts'
import { mentions } from '../behaviour/mentions.ts'
import { processorAt, serviceBehindGateway } from '../payments/other-processor-signs.ts'
import { saysAmount } from './amount-of-charge.ts'
import { RETRIEVED } from './from-processor.ts'
import { fromRequest } from './from-request.ts'
import type { Work } from './work.ts'

/** Work outside of the application's own data: messages, payments, paid services. */
type Outside = Omit<Work, 'at' | 'via'>

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
const MEASURES =
  /^https:\/\/(?:business-api\.tiktok\.com\/open_api\/v[\d.]+\/(?:event|pixel)\b|graph\.facebook\.com\/.*\/events$|(?:www|region1)\.google-analytics\.com\/|api(?:-eu|-in)?\.mixpanel\.com\/(?:track|engage|import)|api\.segment\.io\/|(?:us\.|eu\.|app\.)(?:i\.)?posthog\.com\/|plausible\.io\/api\/event|api2?\.amplitude\.com\/|tr\.snapchat\.com\/|api\.pinterest\.com\/v5\/ad_accounts\/.*\/events)/

/** The address of a chat channel that the environment names: whoever posts there speaks to the team in the application's name. */
const CHAT = /(?:^|_)(?:SLACK|DISCORD|TEAMS|MATTERMOST|GOOGLE_CHAT)_(?:\w+_)?(?:WEBHOOK|HOOK)(?:_|$)/

/** A flow of an automation service, or whatever else waits behind an address that is kept to oneself: it runs for each message that arrives. */
const FLOW = /^(?!(?:NEXT_PUBLIC|VITE|PUBLIC|NUXT_PUBLIC|REACT_APP|EXPO_PUBLIC)_)(?:\w+_)?(?:WEBHOOK|HOOK)(?:_UR[IL]|_ENDPOINT|_ADDRESS)?(?:_\w+)?$/
const FLOW_HOSTS = /^(?:hooks\.zapier\.com|hook\.[\w.]{0,20}(?:make|integromat)\.com|[\w-]{1,60}\.app\.n8n\.cloud|[\w-]{1,60}\.m\.pipedream\.net)$/i

/** Where somebody wants to be told what happened. */
const HOOK_COLUMN = /^(?:\w+_)?web_?hook(?:_?ur[il]|_?endpoint|_?address)$/i

/** Whether the caller chooses who gets a message. */
export function choosesRecipient(args: readonly Value[]): boolean {
  return args.some((a) => recipient(a, 0))
}

function recipient(v: Value, depth: number): boolean {
  if (depth > 3) return false
  if (v.v === 'object') {
    for (const key of ['to', 'To', 'cc', 'bcc', 'recipient', 'recipients', 'email', 'phone', 'phones', 'number', 'phoneNumber', 'phone_number']) {
      const x = v.props[key]
      if (x && fromRequest(x)) return true
    }
    return Object.entries(v.props).some(([name, x]) => x.v === 'object' && !FILLED_IN.test(name) && recipient(x, depth + 1))
  }
  return v.v === 'array' ? v.items.some((x) => recipient(x, depth + 1)) : false
}

/** What a template of the application is filled in with: the address in there is told to whoever gets the message. */
const FILLED_IN = /^(?:\w{0,20}context|variables|locals|(?:dynamic_?)?template_?(?:data|variables|params)|substitutions|merge_?vars|global_?merge_?vars)$/i

const WORDS = ['subject', 'Subject', 'html', 'text', 'body', 'message', 'content', 'HtmlBody', 'TextBody']

/** Whether the caller writes the subject or the text of a message himself, instead of filling in what the code words. */
export function choosesWords(e: Effect): boolean {
  return 'args' in e && Array.isArray(e.args) && (e.args as readonly Value[]).some((a) => words(a, 0))
}

function words(v: Value, depth: number): boolean {
  if (depth > 5) return false
  if (v.v === 'object') return WORDS.some((key) => isSentAlong(v.props[key])) || Object.values(v.props).some((x) => words(x, depth + 1))
  return (v.v === 'call' && v.args.some((x) => words(x, depth + 1))) || (v.v === 'array' && v.items.some((x) => words(x, depth + 1)))
}

/** A value of the request as it came, or another one where it is missing. */
function isSentAlong(v: Value | undefined): boolean {
  if (v?.v === 'any') return v.of.some(isSentAlong)
  return v?.v === 'request' && !v.as && (v.part === 'body' || v.part === 'query' || v.part === 'form') && v.name !== undefined
}

/** The caller's own words go to somebody whose row the request names. */
export function speaksToWhomItNames(e: Effect, { steps }: Pick<Behaviour, 'steps'>): boolean {
  if (!('args' in e) || !Array.isArray(e.args)) return false
  const args: readonly Value[] = e.args
  const isNamed = (x: Value) => {
    const found = x.v === 'row' ? steps[x.step]?.effect : undefined
    return found?.kind === 'db' && found.filters.some((f) => (f.op === 'eq' || f.op === 'in') && fromRequest(f.value))
  }
  const isText = (x: Value) => x.v === 'request' && !x.as && !NAMES_A_ROW.test(x.name ?? '')
  return args.some((a) => mentions(a, isNamed)) && args.some((a) => mentions(a, isText))
}

/** What of a request tells which row is meant, or is one of a few words: nobody writes a message with it. */
const NAMES_A_ROW = /(?:ids?|uuid|token|key|code|number|type|status|e?mail)$/i

/** What a call of a payment library spends, changes or tells about payers; undefined for price lists and the caller's own checkout. */
export function payment(e: Extract<Effect, { name: string }>): Outside | undefined {
  if (OWN_ACCOUNT.test(e.name) && !e.args.length)
    return { kind: 'payment-read', what: `reads the application's own account at the payment processor (${e.name})`, call: e.name, ofTheHouse: true }
  if (PAYERS.test(e.name) && (choosesPayer(e) || asksForCaller(e)))
    return { kind: 'payment-read', what: `reads payers' data from the payment processor (${e.name})`, call: e.name }
  if (/retrieve|list|search|constructEvent/i.test(e.name) || RETRIEVED.test(e.name)) return undefined
  return {
    kind: 'payment',
    what: `calls the payment processor (${e.name})`,
    call: e.name,
    ...(e.args.some((a) => choosesAmount(a, 0)) ? { chosen: 'amount' as const } : e.args.some((a) => choosesAccount(a, 0)) ? { chosen: 'owner' as const } : {}),
  }
}

/**
 * Look-ups among what the processor keeps about payers and merchants. Who names a checkout session or a payment intent has been through it;
 * a list of them is about everybody who has.
 */
const PAYERS =
  /(?:^|\.)(?:(?:customers|subscriptions|paymentMethods|invoices|charges|accounts|payouts|transfers|refunds|disputes|applicationFees|balance|balanceTransactions)\.(?:retrieve\w*|list\w*|search|createPreview)|(?:paymentIntents|setupIntents|checkout\.sessions)\.(?:list|search))$/
/** Of these, what is about the application itself when nobody is named; health checks call it to see whether the processor answers. */
const OWN_ACCOUNT = /(?:^|\.)(?:accounts?|balance)\.retrieve\w*$/
/** By which of its settings a list is about one payer or purchase. */
const ABOUT_ONE = ['customer', 'email', 'query', 'subscription', 'customer_details']
/** Of these, what only who has been through the purchase knows. */
const ABOUT_PURCHASE = ['payment_intent', 'payment_link', 'charge', 'setup_intent']

/** The request names whose data is looked up, or nothing does: then it is everybody's. */
function choosesPayer(e: Extract<Effect, { name: string }>): boolean {
  const has = (a: Value, names: readonly string[]) => a.v === 'object' && names.some((name) => name in a.props)
  if (e.args.some((a) => has(a, ABOUT_PURCHASE))) return false
  const named = e.args.filter((a) => a.v !== 'object' || has(a, ABOUT_ONE))
  return named.length === 0 || named.some((a) => fromRequest(a))
}

/** What the processor keeps about whoever calls: nobody else may see it. */
const asksForCaller = (e: Extract<Effect, { name: string }>): boolean => e.args.some((a) => mentions(a, (x) => x.v === 'caller'))

/** What processors call what is to be paid. */
const AMOUNTS =
  /^(?:amount|unit_amount|unit_amount_decimal|currency|price_data|custom_price|unit_price|price_cents|transaction_amount|gross_amount|percent_off|amount_off|trial_period_days)$/
/** Of those that are asked over HTTP; for Stripe a price is one of its own list. */
const AMOUNTS_OVER_HTTP = new RegExp(`${AMOUNTS.source}|^(?:value|price|total)$`)

function choosesAmount(v: Value, depth: number, amounts = AMOUNTS): boolean {
  if (depth > 6) return false
  const inside = (x: Value) => choosesAmount(x, depth + 1, amounts)
  if (v.v === 'object') return Object.entries(v.props).some(([k, x]) => (amounts.test(k) && chosenIn(k, x)) || inside(x))
  if (v.v === 'array') return v.items.some(inside)
  if (v.v === 'any') return v.of.some(inside)
  if (v.v === 'call') return v.args.some(inside)
  return false
}

const ACCOUNT_KEY =
  /^(user_?id|uid|owner_?id|account_?id|customer(_?id)?|profile_?id|client_reference_id|supabase_?\w*id|org(anization)?_?id|team_?id|tenant_?id|company_?id|workspace_?id)$/i

/** The account that a purchase is booked on comes from the request: a customer of the processor, or an id among the metadata. */
function choosesAccount(v: Value, depth: number): boolean {
  if (depth > 6) return false
  // `if (userId) metadata.userId = userId`
  if (v.v === 'any') return v.of.some((x) => choosesAccount(x, depth + 1))
  if (v.v !== 'object') return false
  return Object.entries(v.props).some(([name, x]) => (ACCOUNT_KEY.test(name) ? fromRequest(x) : choosesAccount(x, depth + 1)))
}

function chosenIn(key: string, v: Value): boolean {
  if (v.v === 'object') return Object.entries(v.props).some(([k, x]) => /amount|currency/.test(k) && chosenIn(k, x))
  return key === 'currency' ? fromRequest(v) : saysAmount(v)
}

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
  const asked = options && bodyOf(options)
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
  const host = BEHIND_GATEWAY[serviceBehindGateway(constantsOf(address)) ?? ''] ?? hostOf(address)
  if (SIGNS_FILES.test(constantsOf(address))) return signedFile(e.args[1])
  const flow = flowAt(address, host)
  if (flow && fromRequestAnywhere(e.args.slice(1))) return { kind: 'paid-api', what: `hands what it is sent on to a webhook (${flow})`, call: 'webhook' }
  // a code is exchanged for its owner's token: nothing is spent, and the key only says which application asks
  if (TOKEN_EXCHANGE.test(constantsOf(address)) || WHO_IT_IS.test(constantsOf(address))) return undefined
  if (MEASURES.test(constantsOf(address))) return undefined
  const processor = processorAt(constantsOf(address))
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
  if (host && /twilio\.com$/i.test(host) && ACCOUNTS.test(constantsOf(address)))
    return { kind: 'paid-api', what: `manages accounts and phone numbers at ${host}`, call: host }
  if (host && (SMS_HOSTS.test(host) || (/^graph\.facebook\.com$/i.test(host) && /\/messages\b/.test(constantsOf(address)))))
    return {
      kind: 'sms',
      what: `sends a message through ${host}`,
      call: host,
      ...(e.args.some((a) => recipientInBody(a, 0)) ? { chosen: 'recipient' as const } : {}),
    }
  // what another function of the project does for whoever has its key
  const messenger = MESSENGER.exec(constantsOf(address))
  if (messenger && e.args.slice(1).some((a) => carriesKey(a, 0)))
    return {
      kind: messenger[2] ? 'sms' : 'mail',
      what: `sends ${messenger[2] ? 'messages' : 'mail'} through the edge function ${messenger[1]}`,
      call: messenger[1] as string,
      ...(e.args.some((a) => recipientInBody(a, 0)) ? { chosen: 'recipient' as const } : {}),
    }
  const rows = DATA_API.exec(constantsOf(address))?.[1]
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
  const messenger = rights === 'service' ? MESSENGER.exec(`/functions/v1/${name}`) : null
  if (!messenger) return undefined
  return {
    kind: messenger[2] ? 'sms' : 'mail',
    what: `sends ${messenger[2] ? 'messages' : 'mail'} through the edge function ${name}`,
    call: name,
    ...(args.some((a) => recipientInBody(a, 0)) ? { chosen: 'recipient' as const } : {}),
  }
}

/** Phone numbers are rented there, and accounts made: no message is sent. */
const ACCOUNTS = /(?:PhoneNumbers|\/Accounts)(?:\/[A-Za-z]{0,20})?(?:\.json|$)/

/** Where a payment begins that somebody then makes. */
const STARTS =
  /\/(transactions?\/initiali[sz]e|payments?|charges|orders|checkouts?|preferences|invoices|payment_?links?|payment_?pages?|checkout\/sessions|payment_intents|transactions|subscriptions|preapproval)\/?(\?|$)/i
/** Money that goes out, or back. */
const PAYS_OUT = /refund|transfer|payout|disburse/i

const methodOf = (options: Value | undefined): string =>
  options?.v === 'object' && options.props.method?.v === 'const' ? String(options.props.method.value) : 'GET'

const amountsAt = (processor: string): RegExp => (processor === 'Stripe' ? AMOUNTS : AMOUNTS_OVER_HTTP)

/** A payment that is begun over HTTP: at which processor, what is sent, and what it calls an amount. */
export function startsPayment({ args: [address, options] }: Extract<Effect, { name: string }>) {
  const processor = processorAt(constantsOf(address))
  if (!processor || !options || !/^post$/i.test(methodOf(options)) || !STARTS.test(constantsOf(address))) return undefined
  return { processor, sent: bodyOf(options), amounts: amountsAt(processor) }
}

/** What is changed at a processor over HTTP: a payment or a subscription that stands by its id in the address. */
export function changesAtProcessor({ args: [address, options] }: Extract<Effect, { name: string }>) {
  const path = constantsOf(address)
  const processor = processorAt(path)
  const method = methodOf(options).toUpperCase()
  if (!processor || address?.v !== 'text' || !(/^(?:DELETE|PUT|PATCH)$/.test(method) || (method === 'POST' && UNDOES.test(path)))) return undefined
  const at = address.parts.findIndex((p, i) => p.v !== 'const' && BEFORE_ID.test(constantsOf(address.parts[i - 1])))
  const before = BEFORE_ID.exec(constantsOf(address.parts[at - 1]))?.[0]
  const id = address.parts[at]
  return before === undefined || !id ? undefined : { id, call: `${processor} (${method} ${before}…)` }
}

const UNDOES = /\/(?:cancel|refunds?|void)\/?$/i
const BEFORE_ID = /\/[a-z][\w-]{2,40}\/$/i

/** A payment processor that is asked over HTTP, without a library. Who names a payment by its reference has been through it. */
function atProcessor(name: string, e: Extract<Effect, { name: string }>): Outside | undefined {
  const [address, options] = e.args
  if (!e.args.some((a) => carriesKey(a, 0)) && !isSignedIn(options)) return undefined
  const path = constantsOf(address)
  const method = methodOf(options)
  if (PAYS_OUT.test(path) && /^post$/i.test(method)) return { kind: 'payment', what: `moves money through ${name}`, call: `${name} transfers` }
  if (startsPayment(e)) {
    const chosen = choosesAmount(bodyOf(options as Value), 0, amountsAt(name)) ? 'amount' : choosesAccount(bodyOf(options as Value), 0) ? 'owner' : undefined
    return { kind: 'payment', what: `starts a payment with ${name}`, call: `${name} createCheckout`, ...(chosen ? { chosen } : {}) }
  }
  if (/^get$/i.test(method) && /\/$|=$/.test(path)) return undefined
  return { kind: 'paid-api', what: `calls ${name} with a key of the server`, call: 'fetch' }
}

/** The server brings what it is let in with, from wherever it keeps that (the row of a shop). */
function isSignedIn(options: Value | undefined): boolean {
  const headers = options?.v === 'object' ? options.props.headers : undefined
  return headers?.v === 'object' && Object.entries(headers.props).some(([name, value]) => CREDENTIAL_HEADER.test(name) && !fromRequest(value))
}

/** What is sent, before it becomes text. */
function bodyOf(options: Value): Value {
  const body = options.v === 'object' ? (options.props.body ?? options) : options
  return formFields(body.v === 'call' && body.args[0] ? body.args[0] : body)
}

/** The variable that an address comes from, a fallback beside it or not. */
function envOf(v: Value | undefined): string | undefined {
  if (v?.v === 'env') return v.name
  return v?.v === 'any' ? v.of.map(envOf).find((name) => name !== undefined) : undefined
}

/** `/oauth/access_token`, `/oauth2/v2.0/token`, `/oauth/v2/accessToken`, `/api/oauth.v2.access`. */
const TOKEN_EXCHANGE = /\/oauth2?\/(?:v\d{1,2}(?:\.\d{1,2})?\/)?(?:access_?)?token\b|\/oauth\.v2\.access\b/i

/** An identity provider is asked whose token it is: `https://www.googleapis.com/oauth2/v3/userinfo`, `/tokeninfo`. */
const WHO_IT_IS = /\/(?:oauth2?|oidc|connect|openid-connect)(?:\/v\d{1,2})?\/(?:userinfo|tokeninfo)\b|^https:\/\/openidconnect\.googleapis\.com\//i

/** An edge function that by its name sends something: `/functions/v1/send-email`. */
const MESSENGER = /\/functions\/v1\/((?:[a-z0-9]{1,20}[-_]){0,3}(?:e?-?mails?|(sms|whatsapp))(?:[-_][a-z0-9]{1,20}){0,3})(?=$|[/?#])/i

/** A table behind the data API, asked over HTTP instead of through the client library. */
const DATA_API = /\/rest\/v1\/(?!rpc\b)(\w+)/

/** The constant parts of an address, in order; of those for a trial and for the real thing the first. */
function constantsOf(v: Value | undefined): string {
  if (v?.v === 'const') return typeof v.value === 'string' ? v.value : ''
  if (v?.v === 'text') return v.parts.map(constantsOf).join('')
  if (v?.v === 'any') return v.of.map(constantsOf).find((text) => text !== '') ?? ''
  if (isUrlObject(v)) return v.args.slice(0, URL_PARAMETERS).reverse().map(constantsOf).join('')
  return v?.v === 'op' && v.op === '+' ? v.of.map(constantsOf).join('') : ''
}

/** A service that is asked with a credential which the caller sent: what it does is on the caller's bill. */
function callersOwn(args: readonly Value[]): boolean {
  const [address, options] = args
  const headers = options?.v === 'object' ? options.props.headers : undefined
  return (namedAndSent(headers, CREDENTIAL_HEADER) || sentInAddress(address)) && !args.some((a) => carriesKey(a, 0))
}

/** Which models there are: nothing is spent, and whether the service answers is asked that way. */
const isListOfModels = ([address, options]: readonly Value[]): boolean => /^get$/i.test(methodOf(options)) && /\/models\/?$/.test(constantsOf(address))

/** All of the address and the headers stands in the code, and no credential is among it: whoever answers does not know whose bill it is. */
function isAnonymous([address, options]: readonly Value[]): boolean {
  if (!address || options?.v !== 'object' || options.rest) return false
  const { headers } = options.props
  const known = headers?.v === 'object' && !headers.rest && !Object.keys(headers.props).some((name) => CREDENTIAL_HEADER.test(name))
  return known && [address, headers].every((v) => !mentions(v, (x) => !/^(?:const|text|object|op)$/.test(x.v)))
}

/** `authorization`, `access_token`, `x-api-key`, `x-goog-api-key`, `xi-api-key`, `api-key`, `x-tm-key`. */
const CREDENTIAL_HEADER =
  /^(?:authorization|access[-_]token|(?:x-|xi-|x-goog-)?api-?key|x-(?!idempotency|cache)[a-z0-9]{1,20}(?:-[a-z0-9]{1,20}){0,2}-(?:key|token|secret))$/i

/** What clients of models call their key. */
const CREDENTIAL_SETTING = /^(?:(?:open_?ai_?|anthropic_?)?api_?key|auth(?:_?token)?|access_?token|token)$/i

/** A client of a service that was made with a key which the caller sent. */
export function madeWithCallersKey(settings: Value | undefined): boolean {
  return settings !== undefined && (settings.v === 'request' || namedAndSent(settings, CREDENTIAL_SETTING)) && !carriesKey(settings, 0)
}

/** The object has a property of that name, and its value comes from the request. */
function namedAndSent(v: Value | undefined, name: RegExp): boolean {
  return v?.v === 'object' && Object.entries(v.props).some(([key, value]) => name.test(key) && fromRequest(value))
}

/** A URL that was made of an address, its base, and what was written into its query. */
const isUrlObject = (v: Value | undefined): v is Extract<Value, { v: 'call' }> => v?.v === 'call' && v.name === 'URL'
const URL_PARAMETERS = 2
const KEY_PARAMETER = /^(?:api_?)?key$/i

/** The address itself, whether the object, its `href` or a text made of it is asked. */
const urlIn = (v: Value): Value => (v.v === 'call' && /^(?:href|String)$/.test(v.name) && isUrlObject(v.args[0]) ? v.args[0] : v)

/** `https://…?key=${body.apiKey}`. */
function sentInAddress(address: Value | undefined): boolean {
  if (isUrlObject(address)) return address.args[URL_PARAMETERS] !== undefined && namedAndSent(address.args[URL_PARAMETERS], KEY_PARAMETER)
  if (address?.v !== 'text') return false
  return address.parts.some((p, i) => {
    const next = address.parts[i + 1]
    return p.v === 'const' && /[?&](?:api_?)?key=$/i.test(String(p.value)) && next !== undefined && fromRequest(next)
  })
}

function fromRequestAnywhere(args: readonly Value[]): boolean {
  return args.some((a) => fromRequest(a))
}

function recipientInBody(v: Value, depth: number): boolean {
  if (depth > 5) return false
  if (recipient(v, 0)) return true
  if (v.v === 'object') return Object.values(v.props).some((x) => recipientInBody(x, depth + 1))
  if (v.v === 'call') return v.args.some((x) => recipientInBody(x, depth + 1))
  return false
}

function hostOf(v: Value | undefined): string | undefined {
  const text = leading(v)
  const m = text === undefined ? null : /^https?:\/\/([^/?#:\s]+)/i.exec(text)
  return m?.[1]
}

function leading(v: Value | undefined): string | undefined {
  if (!v) return undefined
  if (v.v === 'const') return typeof v.value === 'string' ? v.value : undefined
  if (v.v === 'text') return leading(v.parts[0])
  if (v.v === 'op' && v.op === '+') return leading(v.of[0])
  if (v.v === 'any') return v.of.map(leading).find((x) => x !== undefined)
  if (isUrlObject(v))
    return v.args
      .slice(0, URL_PARAMETERS)
      .map(leading)
      .find((x) => x?.startsWith('http'))
  return undefined
}

const KEY = /key|secret|token|password|credential/i

/** A secret of the server in the headers or the address of a request. */
function carriesKey(v: Value, depth: number): boolean {
  if (depth > 6) return false
  switch (v.v) {
    case 'env':
      return KEY.test(v.name) && !/^(NEXT_PUBLIC_|VITE_|PUBLIC_|NUXT_PUBLIC_|EXPO_PUBLIC_)|ANON|PUBLISHABLE|STOREFRONT(?!\w*PRIVATE)/i.test(v.name)
    case 'text':
      return v.parts.some((p) => carriesKey(p, depth + 1))
    case 'object':
      return (
        (v.rest !== undefined && carriesKey(v.rest, depth + 1)) ||
        Object.entries(v.props).some(([name, p]) => carriesKey(p, depth + 1) || (CREDENTIAL_HEADER.test(name) && isWrittenKey(constantsOf(p))))
      )
    case 'call':
      return v.name.startsWith(HIDDEN_LITERAL) || v.args.some((p) => carriesKey(p, depth + 1))
    case 'any':
    case 'op':
      return v.of.some((p) => carriesKey(p, depth + 1))
    default:
      return false
  }
}

/** A key that stands in the code without being known for a secret, and is none of those that every page of an application carries. */
function isWrittenKey(header: string): boolean {
  const value = header.replace(/^(?:bearer|basic|token|key) /i, '')
  return /^[\w.+/=~-]{16,4000}$/.test(value) && /[0-9]/.test(value) && /[A-Za-z]/.test(value) && !isPlaceholder(value) && !isAnonKey(value)
}

const isAnonKey = (value: string): boolean => /^(?:sb_publishable_|pk_)/.test(value) || decodeJwt(value)?.role === 'anon'
