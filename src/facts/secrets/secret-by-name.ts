import { entropy } from './entropy.ts'
import { isPlaceholder, isReference, isWordy } from './placeholder.ts'

/** Prefixes that put a variable into the browser bundle (checks.md, "Public prefixes"). */
export const PUBLIC_PREFIX = /^(?:NEXT_PUBLIC_|VITE_|REACT_APP_|EXPO_PUBLIC_|NUXT_PUBLIC_|PUBLIC_|GATSBY_|VUE_APP_|NG_APP_|STORYBOOK_|PLASMO_PUBLIC_)/

/** Names of passwords, at the end of the name: `ADMIN_PASSWORD`, `dbPass`, `senha`. */
export const PASSWORD_NAME =
  /(?:password|passwd|passwort|passcode|passphrase|pwd|senha|contrase(?:n|ñ)a|parola|haslo|_pass|[a-z]Pass|^pass)(?:_?[0-9]|_value)?$/i

/** Passes that people ride and walk in with. */
const TICKET =
  /(?:^|[a-z0-9_])(?:day|week|weekly|month|monthly|year|yearly|annual|season|boarding|bus|train|rail|metro|transit|transport|travel|ski|event|vip|festival|battle|game|press|lounge|museum|city|class|gym)_?pass$/i

const SECRET_NAME_WORD =
  /secret|token|api[-_]?key|access[-_]?key|auth[-_]?key|private[-_]?key|sign(?:ing|ature)[-_]?key|encrypt(?:ion)?[-_]?key|crypto[-_]?key|master[-_]?key|service[-_]?(?:role|key)|admin[-_]?key|app[-_]?key|account[-_]?key|credential|bearer|jwt[-_]?key|hmac[-_]?key|deploy[-_]?key|license[-_]?key|server[-_]?key|^x-(?!idempotency|cache|dedup)[a-z0-9]{1,20}(?:-[a-z0-9]{1,20}){0,2}-key$/i

/** Names that carry one of the words above and hold no secret. */
const HARMLESS_NAME =
  /public|publishable|anon|client[-_]?key|site[-_]?key|browser|(?:^|[-_])id$|[a-z]Id$|ids$|url|uri|endpoint|host|name|header|prefix|suffix|type|expir|ttl|max[-_]?age|lifetime|duration|length|(?<!ac)count|limit|size|path|route|file|field|column|label|hint|help|title|message|text(?:$|[-_])|error|placeholder|regex|pattern|algorithm|model|provider|mode|status|state|version|format|schema|storage|cache|cookie$|query|param|csrf|xsrf|nonce|page|cursor|next[-_]?token|design|color|theme|address|mint|contract|symbol|decimals|usdc|usdt|erc20|nft|tokeni[sz]|class|icon|image|hash|digest|checksum|integrity|fingerprint|sentry[-_]?dsn|measurement|recaptcha|turnstile|hcaptcha|captcha|algolia(?!.*admin)|(?:checkout|cart|page|order|payment|browser|device|push|fcm|refund|share|invite|preview|checkpoint|website|widget)_?token|storefront[-_]?(?:api[-_]?)?(?:access[-_]?)?token|posthog|mixpanel|amplitude|bugsn[au]g|logrocket|hotjar|fullstory|smartlook|raygun|honeybadger|segment|gtm|analytics|vapid[-_]?pub|sample|example|mock|dummy|fake/i

/** Values that are meant for the browser, whatever the name says. */
const PUBLIC_VALUE =
  /^(?:pk_|pk\.|pub_|pubkey|phc_|sb_publishable_|publishable|AIza|G-|GTM-|UA-|ca-pub-|6L[A-Za-z0-9_-]{38}$|0x[0-9a-fA-F]{40}$|0x4AAAA|[0-9]{6,20}-[a-z0-9]{20,40}\.apps|price_|prod_|cus_|acct_|plink_|sub_|evt_|pi_|buy_btn_|user_|usr_|[a-z]{2,5}(?:_[a-z]{2,4})?_[0-9a-f]{24}$|[a-z][a-z0-9+.-]{1,20}:\/\/|data:|sha(?:256|384|512)-|[./#]|\$2[aby]\$|\$argon|v[0-9]+\.[0-9]|[0-9]{4}-[0-9]{2}-[0-9]{2}|urn:|MIIBI|-----BEGIN PUBLIC)/

const COMMON_PASSWORD =
  /^(?:p[a@4][s$]{2}(?:w[o0]rd|wort|code|phrase|e)?|admin(?:istrator)?|user|test(?:er|ing)?|demo|secret|qwerty|letmein|welcome|guest|root|postgres|mysql|senha|contrase[nñ]a|azerty|hunter|correct|valid|wrong|invalid|new|old|strong|weak|secure|my|temp|abc|changeme|default|supabase)(?:[-_]?(?:p[a@4][s$]{2}(?:w[o0]rd|wort)?|user|admin|test|secret))?[^A-Za-z]{0,8}$/i

/** Secrets that the application itself checks or signs with: whoever knows the default passes. Keys sent to others do no harm when they are wrong. */
export const CHECKED_HERE =
  /(?:^|_)(?:JWT|SESSION|COOKIE|AUTH|NEXTAUTH|CRON|CSRF|ENCRYPT\w*|SIGN\w*|ADMIN|INTERNAL|HMAC|TOKEN|SHARED|MASTER|REVALIDAT\w*|PREVIEW|DRAFT|VERIF\w*|BYPASS|APP|SERVER|STATE|UNSUBSCRIBE|MAGIC_?LINK|INVITE|API)_?(?:SECRET|SECRET_KEY|SALT|SIGNING_KEY|ENCRYPTION_KEY|KEY_SECRET)$|(?:^|_)(?:ACCESS|REFRESH)_TOKEN_SECRET$|^(?:ADMIN|INTERNAL|CRON|SHARED|MASTER|SYNC|BACKUP)_(?:API_)?(?:TOKEN|KEY)$|^(?:SECRET|SECRET_KEY|API_SECRET|ENCRYPTION_KEY|JWT_KEY|PASSWORD_SALT|JWT_PRIVATE_KEY)$|^(?:ADMIN|SITE|APP|MASTER|DASHBOARD|OWNER|BASIC_AUTH|STAFF|DEMO|GUEST)_(?:(?:USER|LOGIN|ACCOUNT)_)?(?:PASSWORD|PASS|PASSCODE|PIN)$/

/** What a value is when it is assigned to a name; undefined when it is no secret. */
export type NamedKind = 'generic-secret' | 'password'

/** Judges a value by the name it is assigned to, for values whose format says nothing. */
export function secretByName(name: string, value: string): NamedKind | undefined {
  if (value.length < 6 || value.length > 512 || /\s/.test(value)) return undefined
  const bare = name.replace(PUBLIC_PREFIX, '')
  const published = bare !== name
  if (PASSWORD_NAME.test(bare)) return looksLikePassword(value) && !TICKET.test(bare) ? 'password' : undefined
  if (!SECRET_NAME_WORD.test(bare) || HARMLESS_NAME.test(bare)) return undefined
  // whoever gives a public prefix to an API key means it for the browser, unless the name itself says secret
  if (published && !/secret|private|service[-_]?role|admin|master/i.test(bare)) return undefined
  return looksGenerated(value) ? 'generic-secret' : undefined
}

/** True for a short or plain value that is set for a secret which the application itself checks: a guess away from being known. */
export function weakSecret(name: string, value: string): boolean {
  return (
    CHECKED_HERE.test(name) &&
    value.length >= 4 &&
    value.length <= 128 &&
    !/\s/.test(value) &&
    !isPlaceholder(value) &&
    !/secret|passw|token|(?:^|[-_])key(?:[-_]|$)|dev|local|test|chang|default|set|demo|none|null|undefined|true|false|enabled|disabled|required|optional|auto/i.test(
      value,
    ) &&
    !PUBLIC_VALUE.test(value)
  )
}

/** A literal that a password is compared with is one, however weak; type names and states are not. */
export function comparedPassword(name: string, value: string): boolean {
  if (!/(?:password|passwd|passwort|passcode|passphrase|pwd|senha|contrase(?:n|ñ)a|[a-z]Pin|_pin|^pin|access[-_]?code|secret[-_]?code)$/i.test(name))
    return false
  return (
    value.length >= 4 &&
    value.length <= 128 &&
    !/\s/.test(value) &&
    // what stands where no postal code was entered
    !/^0+$/.test(value) &&
    !isReference(value) &&
    !/^(?:text|password|hidden|visible|show|hide|string|required|invalid|valid|none|null|undefined|true|false|weak|medium|strong|forgot|reset|login|boolean|number|object|function|symbol|bigint)$/i.test(
      value,
    )
  )
}

/** Letters with digits or signs, as people make up a password; not one that every second example has. */
export function looksLikePassword(value: string): boolean {
  if (!/[A-Za-z]/.test(value) || !/[0-9!@#$%^&*]/.test(value)) return false
  if (/[(){};,<>"'`\\]/.test(value) || PUBLIC_VALUE.test(value) || COMMON_PASSWORD.test(value)) return false
  if (/^[^@]+@[^@]+\.[a-z]{2,}$/i.test(value) || /^[a-z]+(?:[._:/-][a-z0-9]+)+$/i.test(value) || /^[A-Za-z]+[0-9]?$/.test(value)) return false
  return !isPlaceholder(value)
}

function looksGenerated(value: string): boolean {
  if (value.length < 16 || !/^[A-Za-z0-9+/=_.~:!@#$%^&*-]+$/.test(value)) return false
  if (!/[A-Za-z]/.test(value) || !/[0-9]/.test(value)) return false
  if (PUBLIC_VALUE.test(value) || isPlaceholder(value) || isWordy(value) || isSentence(value)) return false
  return entropy(value) >= (/^[a-fA-F0-9-]+$/.test(value) ? 2.9 : 3.4)
}

/** Mostly letters-only words between separators: `cron-job-token-v2`, `user_2fa_secret`. */
function isSentence(value: string): boolean {
  const parts = value.split(/[-_.:/=]/).filter(Boolean)
  if (parts.length < 2) return false
  const words = parts.filter((p) => /^[A-Za-z]{2,}$/.test(p) || /^[0-9]{1,4}$/.test(p) || /^v[0-9]+$/i.test(p))
  return words.length >= parts.length - 1 && words.join('').length >= value.length * 0.5
}
