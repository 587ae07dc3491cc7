import { mentions } from '../../behaviour/domain/contains.ts'
import type { Value } from '../../behaviour/types.ts'

const RENDERED_DOCUMENT_CALL =
  /(?:^|\.)(?:concat|toBuffer|toBlob|asBlob|renderToBuffer|renderToStream|output|save|writeBuffer|generateAsync|finalize|pdf|screenshot)$/

/** The bytes of a document that a library drew: what was read before may be in them, and nothing tells. */
export function isDrawn(v: Extract<Value, { v: 'call' }>): boolean {
  return (
    RENDERED_DOCUMENT_CALL.test(v.name) &&
    !v.args.some((a) => mentions(a, (x) => x.v === 'row' || x.v === 'result' || (x.v === 'const' && typeof x.value === 'string')))
  )
}

/** A secret of the server that an answer holds, and whether it is all of it. */
export interface HandedOut {
  readonly name: string
  readonly whole: boolean
}

/** What an answer hands out of the server's environment: a secret as it is, or a part of it. */
export function handedOut(body: Value, whole = true, depth = 0): HandedOut | undefined {
  if (depth > 6) return undefined
  const among = (values: readonly Value[], all = whole) => {
    const found = values.flatMap((x) => handedOut(x, all, depth + 1) ?? [])
    return found.find((x) => x.whole) ?? found[0]
  }
  switch (body.v) {
    case 'env':
      return isSecretName(body.name) || (whole && DATABASE_ADDRESS.test(body.name)) ? { name: body.name, whole } : undefined
    case 'object':
      return among(Object.values(body.props))
    case 'array':
      return among(body.items)
    case 'text':
      return among(body.parts)
    case 'any':
      return among(body.of)
    case 'op':
      return body.op === '+' ? among(body.of) : undefined
    case 'call': {
      const [from] = body.args
      // a member of Nuxt's runtime configuration; what is public of it is in every page
      if (from?.v === 'env' && from.name === 'runtimeConfig') return isSecretName(body.name) ? { name: body.name, whole } : undefined
      if (!from) return undefined
      if (/(?:^|\.)(?:substring|substr|slice|replace|padEnd|padStart)$/.test(body.name)) return among([from], false)
      return /(?:^|\.)(?:trim|toString|String|stringify|encodeURIComponent|btoa|toLowerCase|toUpperCase)$/.test(body.name) ? among(body.args) : undefined
    }
    default:
      return undefined
  }
}

const SECRET_WORD =
  /(?:^|[a-z_])(?:secret|password|passwd|private_?key|api_?key|access_?token|auth_?token|refresh_?token|service_role(?:_key)?|_key|_token|key|token)$/i
/** Keys that browsers use as they are: of maps, analytics, captchas, push messages, what a protocol asks to publish, and whatever says that it is public. */
const FOR_BROWSERS =
  /^(?:NEXT_PUBLIC|NUXT_PUBLIC|VITE|EXPO_PUBLIC|REACT_APP|PUBLIC|GATSBY|VUE_APP)_|^public\b|anon|publishable|public|site_?key|maps?(?:_|[A-Z]|$)|mapbox|maptiler|places|vapid|client_?id|measurement|analytics|posthog|mixpanel|amplitude|firebase|algolia_search|pusher_(?:app_)?key|recaptcha_site|turnstile_site|index_?now|site_?verification/i

/** The address of a database, with the user and the password in it; its beginning, or what is left of it without the password, tells nothing. */
const DATABASE_ADDRESS =
  /^(?!(?:NEXT_PUBLIC|NUXT_PUBLIC|VITE|EXPO_PUBLIC|REACT_APP|PUBLIC|GATSBY|VUE_APP)_)(?:\w{1,30}_)?(?:(?:DATABASE|DB|POSTGRES(?:QL)?|PG|MYSQL|MONGO(?:DB)?|REDIS)_(?:\w{1,20}_)?UR[IL]|DATABASE_URL\w{0,20}|DIRECT_URL|NEON_URL)$/

/** A variable whose value must stay on the server, by its name. */
function isSecretName(name: string): boolean {
  return SECRET_WORD.test(name) && !FOR_BROWSERS.test(name)
}
