import { derivedRequest } from '../../builtins/constructors.ts'
import { raise } from '../../control-flow/throw.ts'
import { array, constant, object, type ResponseVal, UNDEFINED, UNKNOWN, type Val } from '../../domain/abstract-value.ts'
import { request } from '../../domain/members.ts'
import { seedValue } from '../../modules/entry-parameters.ts'
import { native } from '../../native.ts'
import { callValue, settle } from '../../operations.ts'
import { forwardHeaders } from '../../platform/forwarded-headers.ts'
import { h3Call } from '../../platform/h3.ts'
import { host } from '../../platform/host-value.ts'
import { answeredWith, statusIn } from '../../platform/responses.ts'
import { sessionHost, sessionStorage } from '../../platform/session-object.ts'
import { urlPattern } from '../../platform/url-pattern.ts'
import { destinationOf } from '../../platform/url-rewrites.ts'
import { cryptoCall } from '../auth/crypto.ts'
import { identify } from '../auth/identify.ts'
import type { Library, LibraryCall } from '../library.ts'
import { shaped } from '../validation.ts'

function answer(c: LibraryCall, how: 'json' | 'redirect' | 'next' | 'not-found' | 'other', status: number | undefined, body?: Val): Val {
  return { v: 'response', how, ...(status !== undefined ? { status } : {}), ...(body ? { body } : {}), at: c.at }
}

/** The request goes on as one for another path: who asked for this page gets another one. */
function rewritten(c: LibraryCall, to: Val | undefined): Val {
  const destination = destinationOf(to, c.it.request)
  c.it.rewrites?.note(to)
  if (destination === 'elsewhere') return answer(c, 'redirect', undefined)
  return destination === 'here' ? { ...(answer(c, 'next', 200) as ResponseVal), arrives: true } : answer(c, 'next', 200)
}

/** Next.js: answers, and functions that leave the handler by throwing. */
const next: Library = {
  packages: ['next/'],
  call(c) {
    const [first, second] = c.args
    switch (c.name) {
      case 'NextResponse.json':
        return answer(c, 'json', answeredWith(second, 200).status, first)
      case 'NextResponse.redirect':
        return answer(c, 'redirect', answeredWith(second, 307).status, first)
      case 'NextResponse.rewrite':
        return rewritten(c, first)
      case 'NextResponse.next':
        forwardHeaders(c.it, first)
        return answer(c, 'next', 200)
      case 'NextResponse':
        return c.chain.links.at(-1)?.name === 'new' ? answer(c, 'other', answeredWith(second, 200).status, first) : undefined
      case 'URLPattern':
        return urlPattern(first)
      case 'NextRequest':
        return first ? derivedRequest(first, second) : undefined
      case 'redirect':
      case 'permanentRedirect':
        return raise(c.it, answer(c, 'redirect', c.name === 'redirect' ? 307 : 308, first), c.at)
      case 'notFound':
        return raise(c.it, answer(c, 'not-found', 404), c.at)
      case 'unauthorized':
        return raise(c.it, answer(c, 'other', 401), c.at)
      case 'forbidden':
        return raise(c.it, answer(c, 'other', 403), c.at)
      case 'headers':
        return host('headers', 'header')
      case 'cookies':
        return host('cookies', 'cookie')
      case 'draftMode':
        return object({}, UNKNOWN)
      case 'after':
      case 'unstable_after':
        return undefined
      case 'revalidatePath':
      case 'revalidateTag':
      case 'unstable_noStore':
      case 'connection':
        return UNDEFINED
      case 'unstable_cache':
        return first ?? UNKNOWN
    }
    return undefined
  },
}

/** SvelteKit: `error`, `redirect` (thrown by themselves since version 2, or with `throw`), `fail`, `json`. */
const kit: Library = {
  packages: ['@sveltejs/kit'],
  call(c) {
    const [first, second] = c.args
    switch (c.name) {
      case 'error':
        return raise(c.it, answer(c, 'other', statusIn(first), second), c.at)
      case 'redirect':
        return raise(c.it, answer(c, 'redirect', statusIn(first) ?? 302, second), c.at)
      case 'fail':
      case 'invalid':
        return answer(c, 'json', statusIn(first), second)
      case 'json':
      case 'text':
        return answer(c, c.name === 'json' ? 'json' : 'other', answeredWith(second, 200).status, first)
    }
    return undefined
  },
}

/** SvelteKit's remote functions, and the event for helpers that are not handed it. */
const kitServer: Library = {
  packages: ['$app/server'],
  call(c) {
    if (c.name === 'getRequestEvent') return seedValue('kit-event', undefined, c.it.hosts)
    if (!/^(?:query|form|command|prerender)(?:\.batch|\.live)?$/.test(c.name)) return undefined
    const handler = c.args.find((a) => a.v === 'fn' || a.v === 'native')
    const schema = c.args[0] === handler ? undefined : c.args[0]
    if (!handler) return undefined
    return native(c.name, (it, args, at) => {
      const [argument = UNDEFINED, ...rest] = args
      const given = schema?.v === 'chain' ? shaped(c, schema, argument) : argument
      return callValue(it, handler, [c.name.endsWith('.batch') ? array([], given) : given, ...rest], at)
    })
  },
}

/** Remix, React Router and TanStack: answers that are returned or thrown. */
const remix: Library = {
  packages: [
    '@remix-run/node',
    '@remix-run/cloudflare',
    '@remix-run/deno',
    '@remix-run/server-runtime',
    '@remix-run/react',
    'react-router',
    '@react-router/node',
    '@tanstack/react-router',
    '@tanstack/react-start',
    '@tanstack/start',
    '@tanstack/react-start/server',
    '@vercel/remix',
  ],
  call(c) {
    const [first, second] = c.args
    switch (c.name) {
      case 'json':
      case 'data':
      case 'defer':
        return answer(c, 'json', answeredWith(second, 200).status, first)
      case 'redirect':
      case 'redirectDocument':
        return answer(c, 'redirect', first?.v === 'object' ? 307 : answeredWith(second, 302).status, first)
      case 'replace':
        return answer(c, 'redirect', 302, first)
      case 'notFound':
        return answer(c, 'not-found', 404)
      case 'getWebRequest':
      case 'getRequest':
        return host('request', 'whole')
      case 'getHeaders':
      case 'getRequestHeaders':
        return host('headers', 'header')
      case 'getHeader':
      case 'getRequestHeader':
        return first?.v === 'const' ? c.it.header(String(first.value).toLowerCase(), c.at) : request('header')
      case 'getCookie':
        return request('cookie', first?.v === 'const' ? String(first.value) : undefined)
      case 'getCookies':
        return request('cookie')
      case 'createCookieSessionStorage':
        return sessionStorage('session cookie', hasSecrets(c.args[0]) ? 'verified' : 'claimed')
      case 'createSessionStorage':
      case 'createMemorySessionStorage':
      case 'createFileSessionStorage':
      case 'createWorkersKVSessionStorage':
      case 'createArcTableSessionStorage':
        // the cookie holds an unguessable id alone
        return sessionStorage('session', 'verified')
      case 'useSession':
        return sessionHost('useSession()', 'verified', c.it.emit({ kind: 'identify', how: 'useSession()', trust: 'verified' }, c.at))
    }
    return undefined
  },
}

/** Whether the cookie of a session storage is signed; a cookie that was made elsewhere counts. */
function hasSecrets(options: Val | undefined): boolean {
  const cookie = options?.v === 'object' ? options.props.cookie : undefined
  if (cookie?.v !== 'object') return cookie !== undefined
  const { secrets } = cookie.props
  return secrets !== undefined && !(secrets.v === 'array' && !secrets.items.length && !secrets.more)
}

/** h3 and Nitro. */
const h3: Library = {
  packages: ['h3', '#imports', 'nitropack/runtime', '#app', 'nuxt/app'],
  call: (c) => h3Call(c.it, c.name, c.args, c.at),
}

/** Exceptions that carry a status. */
const exceptions: Library = {
  packages: ['hono/', 'http-errors', '@nestjs/common', '@trpc/server', '@fastify/sensible', '@hapi/boom'],
  call(c) {
    const [first, second] = c.args
    if (c.name === 'HTTPException') return answer(c, 'other', statusIn(first), second)
    if (c.name === 'TRPCError') return object(first?.v === 'object' ? first.props : {}, UNKNOWN)
    if (c.name === 'createError' || c.name === 'default' || c.name === 'createHttpError') return answer(c, 'other', statusIn(first), second)
    const nest = NEST[c.name.replace(/^createError\.|^createHttpError\./, '')]
    if (nest) return answer(c, 'other', nest, first)
    // Hono's: `false` unless the server's own signature is on it
    if (c.name === 'getSignedCookie') return identify(c, 'a signed cookie')
    if (c.name === 'getCookie') return request('cookie', c.args[1]?.v === 'const' ? String(c.args[1].value) : undefined)
    return undefined
  },
}

const NEST: Readonly<Record<string, number>> = {
  UnauthorizedException: 401,
  ForbiddenException: 403,
  NotFoundException: 404,
  BadRequestException: 400,
  ConflictException: 409,
  InternalServerErrorException: 500,
  HttpException: 500,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  BadRequest: 400,
  unauthorized: 401,
  forbidden: 403,
  notFound: 404,
  badRequest: 400,
  InternalServerError: 500,
  TooManyRequests: 429,
}

/** Wrappers that give back what they wrap. */
const wrappers: Library = {
  packages: ['express-async-handler', 'next-connect', 'react', 'micro', 'micro-cors', 'nextjs-cors', 'cors', 'server-only'],
  call(c) {
    const first = c.args[0]
    if (c.name === 'cache' || c.name === 'asyncHandler' || c.name === 'default' || c.name === 'expressAsyncHandler') return first ?? UNKNOWN
    // React's `use(promise)` waits like `await`, in components that are not async.
    if (c.name === 'use' && first) return settle(c.it, first, c.at)
    if (c.name === 'buffer' || c.name === 'text') return request('raw-body')
    if (c.name === 'json') return request('body')
    return undefined
  },
}

/** Deno's standard library: its server, the web's crypto by another way, and bytes written as text. */
const deno: Library = {
  packages: ['std/', 'https://deno.land/', 'jsr:@std/', '@std/'],
  call(c) {
    if (c.name === 'serve') return constant(undefined)
    if (/^(?:crypto\.|subtle\.)/.test(c.name)) return cryptoCall(c.it, c.name.replace(/^crypto\./, ''), c.args, c.at)
    return /^encode(ToString|Hex|Base64(Url)?)?$/.test(c.name) && c.args[0] ? { v: 'call', name: 'encode', args: [c.args[0]], at: c.at } : undefined
  },
}

export const FRAMEWORK_LIBRARIES: readonly Library[] = [next, kit, kitServer, remix, h3, exceptions, wrappers, deno]
