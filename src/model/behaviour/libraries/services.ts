import { constant, object, UNKNOWN, type Val } from '../domain/abstract-value.ts'
import { concatText } from '../domain/strings.ts'
import { callFunction, maybe, settle } from '../operations.ts'
import type { EffectDraft } from '../output/effect-draft.ts'
import type { Library } from './library.ts'

type Plain = 'mail' | 'sms' | 'ai' | 'limit' | 'enqueue' | 'file' | 'exec' | 'http' | 'kv' | 'log'

/** A family whose calls are one kind of effect: packages, and which names (from the root) count. */
interface Family {
  readonly kind: Plain
  readonly packages: readonly string[]
  readonly calls: RegExp
  /** The call throws (or answers by itself) when it refuses. */
  readonly refuses?: RegExp
  /** The first argument says to whom. */
  readonly to?: true
}

const PUSH = /(?:^|\.)(?:sendNotification|sendPushNotificationsAsync|sendEach(?:ForMulticast)?|sendMulticast|sendToDevice|send)$/

const FAMILIES: readonly Family[] = [
  {
    kind: 'mail',
    packages: [
      'resend',
      'nodemailer',
      '@sendgrid/mail',
      'postmark',
      'mailgun.js',
      'mailgun-js',
      '@aws-sdk/client-ses',
      '@aws-sdk/client-sesv2',
      'loops',
      '@getbrevo/brevo',
      'sib-api-v3-sdk',
      'sib-api-v3-typescript',
      '@sendinblue/client',
      'mailtrap',
      'zeptomail',
      'sparkpost',
      'plunk',
      '@plunk/node',
      'mailersend',
      '@mailchimp/mailchimp_transactional',
      'emailjs',
      'denomailer',
      'denomailer/',
      'smtp/',
      '@useplunk/node',
      'node-mailjet',
    ],
    calls:
      /(?:emails\.send|batch\.send|sendMail|^(?:default\.)?send|\.send|sendEmail(?:WithTemplate)?|sendMultiple|messages\.create|sendTransactionalEmail|sendTransacEmail|email\.send)$/,
  },
  { kind: 'mail', packages: ['googleapis', '@googleapis/gmail'], calls: /(?:^|\.)users\.(?:messages|drafts)\.send$/ },
  // letters on paper
  { kind: 'mail', packages: ['@lob/', 'lob'], calls: /(?:letters|postcards|checks|selfMailers)(?:Api)?\.create$/i },
  {
    kind: 'sms',
    packages: ['twilio', 'twilio/', '@vonage/server-sdk', '@aws-sdk/client-sns', 'messagebird', 'africastalking'],
    calls: /(?:messages\.create|verifications\.create|calls\.create|sms\.send|\.send)$/,
  },
  // somebody's own account of a messenger, which the server has signed in
  {
    kind: 'sms',
    packages: ['whatsapp-web.js', '@whiskeysockets/baileys', 'baileys', 'venom-bot', '@wppconnect-team/wppconnect'],
    calls: /(?:^|\.)send(?:Message|Text|Image|File|Buttons|List)$/,
    to: true,
  },
  // to browsers and phones that asked for it
  { kind: 'sms', packages: ['web-push', 'expo-server-sdk', 'firebase-admin/messaging', 'node-pushnotifications'], calls: PUSH },
  {
    kind: 'ai',
    packages: [
      'openai',
      'openai/',
      '@anthropic-ai/sdk',
      '@google/generative-ai',
      '@google/genai',
      'replicate',
      'ai',
      'ai/',
      '@ai-sdk/',
      'cohere-ai',
      '@mistralai/mistralai',
      'groq-sdk',
      'together-ai',
      '@huggingface/inference',
      'elevenlabs',
      '@fal-ai/client',
      '@fal-ai/serverless-client',
      'openai-edge',
      '@langchain/',
      'langchain/',
      'ollama',
      '@deepgram/sdk',
      'assemblyai',
    ],
    calls:
      /(?:completions\.create|responses\.create|messages\.create|messages\.stream|images\.generate|images\.edit|embeddings\.create|transcriptions\.create|speech\.create|createChatCompletion|createCompletion|createImage|createEmbedding|generateContent|generateContentStream|sendMessage|\.run|^run|generateText|streamText|generateObject|streamObject|embed|embedMany|generateImage|\.chat|\.generate|featureExtraction|textGeneration|chatCompletion(?:Stream)?|embedQuery|embedDocuments|similaritySearch|textToImage|textToSpeech|\.stream|\.invoke|\.subscribe|predictions\.create|startChat|runs\.create|^subscribe)$/,
  },
  {
    kind: 'limit',
    packages: [
      '@upstash/ratelimit',
      'rate-limiter-flexible',
      '@arcjet/next',
      '@arcjet/node',
      '@arcjet/sveltekit',
      '@arcjet/bun',
      'express-slow-down',
      '@vercel/firewall',
      'lru-rate-limit',
      'limiter',
      'next-rate-limit',
      'bottleneck',
      'express-brute',
      '@nestjs/throttler',
      'sveltekit-rate-limiter/',
      '@unkey/ratelimit',
    ],
    calls: /(?:\.limit|blockUntilReady|\.consume|\.protect|\.check|tryRemoveTokens|removeTokens|checkRateLimit|\.isLimited)$/,
    refuses: /\.consume$|\.check$/,
  },
  {
    kind: 'enqueue',
    packages: ['inngest', '@trigger.dev/sdk', '@trigger.dev/sdk/', 'bullmq', 'bull', '@upstash/qstash', 'pg-boss', '@aws-sdk/client-sqs', 'graphile-worker'],
    calls: /(?:\.send|\.add|\.trigger|publishJSON|\.publish|\.batchTrigger|^send)$/,
  },
  {
    kind: 'kv',
    packages: ['@upstash/redis', '@upstash/redis/', 'ioredis', 'redis', '@vercel/kv', '@vercel/edge-config', 'lru-cache', 'keyv'],
    calls:
      /\.?(?:get|set|setex|incr|incrby|del|expire|hget|hset|sadd|smembers|zadd|lpush|exec|eval|mget|exists|ttl|setnx|hincrby|zremrangebyscore|zcard|getdel)$/,
  },
  {
    kind: 'file',
    packages: [
      'fs',
      'fs/promises',
      'fs-extra',
      'node:fs',
      'node:fs/promises',
      '@vercel/blob',
      '@aws-sdk/client-s3',
      '@aws-sdk/s3-request-presigner',
      'cloudinary',
      'uploadthing/server',
    ],
    calls:
      /(?:readFile|readFileSync|writeFile|writeFileSync|unlink|unlinkSync|rm|rmSync|createReadStream|createWriteStream|appendFile|readdir|readdirSync|mkdir|rename|put|del|\.send|getSignedUrl|upload|destroy|copy|move|outputFile|upload_stream)$/,
  },
  // object stores: what is sent with the newer client of Amazon is a command
  {
    kind: 'file',
    packages: ['@aws-sdk/s3-presigned-post', '@aws-sdk/lib-storage', 'minio', 'aws-sdk', 'aws-sdk/'],
    calls:
      /(?:createPresignedPost|Upload\.done|putObject|fPutObject|deleteObjects?|removeObjects?|S3\.upload|getSignedUrl(?:Promise)?|presigned(?:Put|Get)Object|presignedPostPolicy|presignedUrl)$/,
  },
  {
    kind: 'exec',
    packages: ['child_process', 'node:child_process', 'execa', 'shelljs', 'vm', 'node:vm', 'vm2'],
    calls: /(?:exec|execSync|spawn|spawnSync|execFile|execFileSync|fork|execa|\$|runInNewContext|run)$/,
  },
  {
    kind: 'http',
    packages: [
      'axios',
      'node-fetch',
      'got',
      'ky',
      'undici',
      'ofetch',
      'cross-fetch',
      'isomorphic-fetch',
      'superagent',
      'request',
      'https',
      'http',
      'puppeteer',
      'puppeteer-core',
      'playwright',
      'playwright-core',
    ],
    calls: /(?:^|\.)(?:get|post|put|patch|delete|head|request|default|fetch|\$fetch|ofetch|goto|axios|ky|got)$/,
  },
]

const PRODUCES: Readonly<Partial<Record<Plain, (step: number) => Val>>> = {
  limit: (step) => ({ v: 'result', step }),
  mail: (step) => object({ data: { v: 'result', step }, error: { v: 'error', of: step } }, { v: 'result', step }),
}

/** Tools that a model may call run with what it answers. */
function runTools({ it, args, at }: Parameters<NonNullable<Library['call']>>[0], step: number): void {
  const tools = args[0]?.v === 'object' ? args[0].props.tools : undefined
  if (tools?.v !== 'object') return
  for (const tool of Object.values(tools.props)) {
    const run = tool.v === 'object' ? tool.props.execute : undefined
    if (run?.v === 'fn') maybe(it, () => settle(it, callFunction(it, run, [{ v: 'result', step }], at), at))
  }
}

/** Verbs that send something along before their settings. */
const BODY_BEFORE_OPTIONS_METHOD = /^(?:post|put|patch)$/

/**
 * What an instance with settings of its own asks, in the form that `fetch` takes: `axios.create({ baseURL, headers }).post('/payments', data)` is a POST of the
 * data to the address below the base, with the headers of both.
 */
function askedByInstance({ links, args }: Parameters<NonNullable<Library['call']>>[0]): readonly Val[] | undefined {
  const made = links.findLastIndex((l) => /^(?:create|extend)$/.test(l.name) && l.args !== undefined)
  const verb = links.at(-1)?.name ?? ''
  const settings = links[made]?.args?.[0]
  if (made < 0 || made === links.length - 1 || settings?.v !== 'object') return undefined
  const own = settings.props
  const whole = args[0]?.v === 'object' ? args[0] : undefined
  const given = whole ?? args[BODY_BEFORE_OPTIONS_METHOD.test(verb) && args.length > 1 ? (isSettings(args[1]) ? 1 : 2) : 1]
  const said = given?.v === 'object' ? given.props : {}
  const path = whole ? whole.props.url : args[0]
  const base = own.baseURL ?? own.prefixUrl ?? own.baseUrl
  const body = said.data ?? said.json ?? said.body ?? (BODY_BEFORE_OPTIONS_METHOD.test(verb) && !isSettings(args[1]) ? args[1] : undefined)
  const method = said.method ?? constant(/^(?:get|post|put|patch|delete|head)$/.test(verb) ? verb.toUpperCase() : 'GET')
  const headers = object({ ...propsOf(own.headers), ...propsOf(said.headers) })
  const rest = {
    ...(own.auth ? { auth: own.auth } : {}),
    ...(own.params || said.params ? { params: object({ ...propsOf(own.params), ...propsOf(said.params) }) } : {}),
  }
  const address = concatText([...(base ? [base] : []), ...(path ? [path] : [])])
  return [address, object({ method, headers, ...(body ? { body } : {}), ...rest })]
}

const propsOf = (v: Val | undefined): Readonly<Record<string, Val>> => (v?.v === 'object' ? v.props : {})

/** `{ json: data, headers }` of ky and got, where axios has the data itself. */
const isSettings = (v: Val | undefined): boolean => v?.v === 'object' && ['json', 'body', 'searchParams', 'throwHttpErrors'].some((key) => key in v.props)

const family = (f: Family): Library => ({
  packages: f.packages,
  call(c) {
    const name = c.name || c.links[0]?.name || ''
    if (c.chain.links.length === 1 && c.links[0]?.name === 'default' && !f.calls.test('default')) return undefined
    // what a model may call is what it was made from
    if (f.kind === 'ai' && /^(?:tool|dynamicTool)$/.test(name)) return c.args[0] ?? UNKNOWN
    const path = name === '' ? 'default' : name
    if (!f.calls.test(path)) return undefined
    if (c.links[c.links.length - 1]?.name === 'new') return undefined
    const settings = f.kind === 'ai' ? c.links.find((l) => l.name === 'new')?.args?.[0] : undefined
    const args = f.to && c.args[0] ? [object({ to: c.args[0], text: c.args[1] ?? UNKNOWN })] : c.args
    const asked = f.kind === 'http' ? askedByInstance(c) : undefined
    const effect: EffectDraft = { kind: f.kind, name: path, args: asked ?? args, ...(settings ? { settings } : {}) }
    const step = c.it.emit(effect, c.at)
    if (f.kind === 'ai') runTools(c, step)
    if (f.refuses?.test(path)) c.it.require({ v: 'result', step }, c.at)
    return PRODUCES[f.kind]?.(step) ?? { v: 'result', step }
  },
})

/** Helpers that only make things from what they get. */
const pure: Library = {
  packages: [
    'path',
    'node:path',
    'url',
    'util',
    'uuid',
    'nanoid',
    'date-fns',
    'lodash',
    'lodash/',
    'slugify',
    'clsx',
    'dayjs',
    'moment',
    'ms',
    'querystring',
    'buffer',
    'superjson',
    'base64-js',
    'js-base64',
    'validator',
    'ulid',
    '@paralleldrive/cuid2',
    'cuid',
    'sanitize-html',
    'dompurify',
    'isomorphic-dompurify',
    'he',
    'xss',
  ],
  call(c) {
    if (/^(?:v4|v7|v1|nanoid|ulid|createId|cuid|customAlphabet)$/.test(c.name)) return { v: 'call', name: 'random', args: [], at: c.at }
    if (c.name === 'promisify') return c.args[0] ?? UNKNOWN
    return { v: 'call', name: c.name || 'default', args: c.args, at: c.at }
  },
}

export const SERVICE_LIBRARIES: readonly Library[] = [...FAMILIES.map(family), pure]
