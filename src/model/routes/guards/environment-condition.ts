import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { partsOf } from '../../behaviour/domain/contains.ts'
import { HIDDEN_LITERAL, type Value } from '../../behaviour/types.ts'
import { PUBLIC_PREFIXES, publicPrefix } from '../../env/public-name.ts'

/** `'' === process.env.X` and `'' === hmac(…)`, what a missing header leaves of a comparison: no variable that is set is empty, none that is unset is text, no digest is empty. */
export function isUnsatisfiable(v: Value, truthy: boolean): boolean {
  if (v.v !== 'op') return false
  if (v.op === '!') return v.of[0] !== undefined && isUnsatisfiable(v.of[0], !truthy)
  if (v.op === '&&' || v.op === '||')
    return (v.op === '&&') === truthy ? v.of.some((x) => isUnsatisfiable(x, truthy)) : v.of.every((x) => isUnsatisfiable(x, truthy))
  if (v.op !== (truthy ? '===' : '!==')) return false
  if (!v.of.some((x) => x.v === 'const' && x.value === '')) return false
  return v.of.some((x) => (x.v === 'env' && (!x.fallback || x.fallback.v === 'env')) || (x.v === 'call' && /(^|\.)(hmac|digest|hash)$/.test(x.name)))
}

const TEST_MODE = /(^|_)(TEST|TESTING|E2E|MOCK|PLAYWRIGHT|CYPRESS|VITEST|JEST|CI)(_|$)/

/** Variables that a platform sets in everything it runs: they are missing on somebody's own machine. */
const SET_BY_PLATFORM =
  /^(?:VERCEL(?:_ENV|_URL)?|NETLIFY|CF_PAGES|RENDER|FLY_APP_NAME|RAILWAY_ENVIRONMENT(?:_NAME)?|DENO_DEPLOYMENT_ID|AWS_LAMBDA_FUNCTION_NAME|K_SERVICE|DYNO)$/

/** Holds only when the process is told to run as a test or for development, or runs on no platform: the way past the check is not there in production, nor when nothing is set. */
export function testOnly(v: Value, truthy: boolean): boolean {
  if (v.v !== 'op') return v.v === 'env' && (truthy ? TEST_MODE : SET_BY_PLATFORM).test(v.name)
  return truthy ? testOnlyIfTrue(v) : testOnlyIfFalse(v)
}

/** Behaviours share their values: each is asked once. */
const testOnlyIfTrue = rememberFor((v: Value) => saysTestOnly(v, true))
const testOnlyIfFalse = rememberFor((v: Value) => saysTestOnly(v, false))

function saysTestOnly(v: Value, truthy: boolean): boolean {
  if (v.v === 'op' && v.op === '!' && v.of[0]) return testOnly(v.of[0], !truthy)
  if (v.v === 'op' && v.op === '&&' && truthy) return v.of.some((x) => testOnly(x, true))
  if (v.v === 'op' && v.op === '||' && truthy) return v.of.length > 0 && v.of.every((x) => testOnly(x, true))
  if (v.v === 'op' && /^===?$/.test(v.op)) {
    const env = v.of.find((x) => x.v === 'env')
    const constant = v.of.find((x) => x.v === 'const')
    // `VERCEL === '1'`; which of its environments it is says something else
    if (!truthy) return env?.v === 'env' && constant?.v === 'const' && SET_BY_PLATFORM.test(env.name) && /^(?:1|true)$/.test(String(constant.value))
    return (
      env?.v === 'env' &&
      constant?.v === 'const' &&
      (TEST_MODE.test(env.name) || (env.name === 'NODE_ENV' && /^(?:test|development)$/.test(String(constant.value))))
    )
  }
  return false
}

/**
 * `DEV_MODE === 'true'`: a way past a check that somebody has to open, which nobody does by forgetting a variable. Check 25 judges switches that turn
 * a check off.
 */
export function isSwitchedOn(v: Value, truthy: boolean): boolean {
  if (v.v !== 'op') return false
  if (v.op === '!') return v.of[0] !== undefined && isSwitchedOn(v.of[0], !truthy)
  if (!(truthy ? /^===?$/ : /^!==?$/).test(v.op)) return false
  return v.of.some((x) => x.v === 'env' && !x.fallback) && v.of.some((x) => x.v === 'const' && /^(?:true|1|yes|on)$/i.test(String(x.value)))
}

/** A way that is there only while a variable is unset, and that production refuses: nobody configured it on somebody's own machine. */
export function isUnconfiguredAtHome(tests: readonly { readonly test: Value; readonly truthy: boolean }[]): boolean {
  return tests.some((t) => isOutsideProduction(t.test, t.truthy)) && tests.some((t) => isUnset(t.test, t.truthy))
}

function isUnset(v: Value, truthy: boolean): boolean {
  return v.v === 'op' && v.op === '!' && v.of[0] ? isUnset(v.of[0], !truthy) : v.v === 'env' && !truthy
}

/** `NODE_ENV !== 'production'`. */
export function isOutsideProduction(v: Value, truthy: boolean): boolean {
  if (v.v === 'op' && v.op === '!' && v.of[0]) return isOutsideProduction(v.of[0], !truthy)
  if (v.v !== 'op' || !(truthy ? /^!==?$/ : /^===?$/).test(v.op)) return false
  return v.of.some((x) => x.v === 'env' && x.name === 'NODE_ENV') && v.of.some((x) => x.v === 'const' && x.value === 'production')
}

/** `!process.env.X`, a list made from it that is empty, or a comparison with the environment that holds outside production. */
export function absentVariable(v: Value, truthy: boolean): string | undefined {
  if (v.v === 'env') return truthy ? undefined : v.name
  // `process.env.X?.split(',')`
  if (v.v === 'call' && v.name === 'split') return !truthy && v.args[0]?.v === 'env' ? v.args[0].name : undefined
  const filledIn = v.v === 'call' ? variableWithPart(v, truthy) : undefined
  if (filledIn) return filledIn
  const counted = truthy ? undefined : countedVariable(v)
  if (counted) return counted
  if (v.v !== 'op') return undefined
  return truthy ? absentIfTrue(v) : absentIfFalse(v)
}

/**
 * `URL.includes('YOUR_PROJECT')`, `!URL.startsWith('https://')`: the example's text is still there, or nothing. Of settings of the platform, and of texts
 * that only examples have: what else a variable holds a part of says something about what it is set to.
 */
function variableWithPart({ name, args: [of, part] }: Extract<Value, { v: 'call' }>, truthy: boolean): string | undefined {
  if (!/^(?:includes|startsWith|endsWith)$/.test(name) || of?.v !== 'env' || part?.v !== 'const' || typeof part.value !== 'string') return undefined
  return (truthy && OF_EXAMPLE.test(part.value)) || (!truthy && isPlatformSetting(of.name)) ? of.name : undefined
}

const OF_EXAMPLE = /your|example|placeholder|change[-_]?me|replace|dummy|x{4}|[<>{}]/i

/** Behaviours share their values: each is asked once. */
const absentIfTrue = rememberFor((v: Extract<Value, { v: 'op' }>) => findAbsent(v, true))
const absentIfFalse = rememberFor((v: Extract<Value, { v: 'op' }>) => findAbsent(v, false))

function findAbsent(v: Extract<Value, { v: 'op' }>, truthy: boolean): string | undefined {
  if (v.op === '!' && v.of[0]) return absentVariable(v.of[0], !truthy)
  // `ADMIN_IDS.length > 0` does not hold, `ADMIN_IDS.length === 0` does
  if (v.op === '>' || /^[!=]==?$/.test(v.op)) {
    const [of, other] = v.of
    const counted = of && other?.v === 'const' && other.value === 0 ? countedVariable(of) : undefined
    if (counted) return v.op.startsWith('=') === truthy ? counted : undefined
  }
  // `SECRET.length < 16`: what is not set has no letters
  if (v.op === '<' && truthy) {
    const [measured, least] = v.of
    const of =
      measured?.v === 'op' && measured.op === 'length' ? measured.of[0] : measured?.v === 'call' && measured.name === 'length' ? measured.args[0] : undefined
    return of?.v === 'env' && least?.v === 'const' && typeof least.value === 'number' ? of.name : undefined
  }
  if (/^[!=]==?$/.test(v.op)) {
    const env = v.of.find((x) => x.v === 'env')
    const rest = v.of.find((x) => x.v === 'const')
    if (env?.v !== 'env' || rest?.v !== 'const') return undefined
    // `NODE_ENV !== 'development'` holds in production: there is nothing special about it
    const holdsInProduction = env.name === 'NODE_ENV' && ((rest.value === 'production') === v.op.startsWith('=')) === truthy
    return holdsInProduction ? undefined : env.name
  }
  if (v.op === '&&' || v.op === '||') {
    const found = v.of.map((x) => absentVariable(x, truthy))
    const allHold = (v.op === '&&') === truthy
    if (!allHold && found.includes(undefined)) return undefined
    const names = found.filter((x) => x !== undefined)
    // of several that are unset at once the harmless one settles it, of several that may be unset the other one
    return names.find((x) => isPlatformSetting(x) === allHold) ?? names[0]
  }
  return undefined
}

/** The variable whose entries a value counts, of which there are none where it is not set: `X.split(',').map(trim).filter(Boolean).length`. */
function countedVariable(v: Value): string | undefined {
  if (v.v === 'any') {
    const named = v.of.map((x) => (x.v === 'const' && !x.value ? undefined : (countedVariable(x) ?? '')))
    const names = new Set(named.filter((name) => name !== undefined))
    return names.size === 1 ? [...names][0] || undefined : undefined
  }
  const counts = v.v === 'op' ? v.op === 'length' : v.v === 'call' && (v.name === 'length' || v.name === 'size')
  const list = !counts ? undefined : v.v === 'op' ? v.of[0] : v.v === 'call' ? v.args[0] : undefined
  // of a text its letters
  if (list?.v === 'env') return !list.fallback || list.fallback.v === 'env' || (list.fallback.v === 'const' && !list.fallback.value) ? list.name : undefined
  // an empty text that is split is one empty entry, and the list is never empty
  if (list?.v === 'call' && list.name === 'split') return list.args[0]?.v === 'env' && !list.args[0].fallback ? list.args[0].name : undefined
  return list?.v === 'array' && list.items.length === 1 ? splitVariable(list.items[0] as Value) : undefined
}

/** `element(split(process.env.X, ','))`, whatever became of it. */
function splitVariable(entry: Value, depth = 0): string | undefined {
  if (entry.v !== 'call' || depth > 6) return undefined
  const [of] = entry.args
  if (entry.name === 'split') return of?.v === 'env' ? of.name : undefined
  return of && splitVariable(of, depth + 1)
}

/** Where the platform is and its public key: without them the application reaches neither accounts nor rows, and nothing stands open. */
const PLATFORM_SETTING = /^(?:[A-Z]+_(?:PUBLIC_)?|PUBLIC_)?SUPABASE_(?:URL|KEY|ANON_KEY|PUBLISHABLE(?:_[A-Z]+)*_KEY)$/

/** Whether a variable cannot be unset in an application that has anything to guard. */
export function isPlatformSetting(name: string): boolean {
  return PLATFORM_SETTING.test(name)
}

/** The variable without which alone a test holds: `!process.env.X`, a client that is made only from variables, `NODE_ENV !== 'production'`. */
export function holdsOnlyWhileUnset(v: Value, truthy: boolean): string | undefined {
  // an empty fallback is no value either
  if (v.v === 'env') return truthy || (v.fallback && !(v.fallback.v === 'const' && !v.fallback.value)) ? undefined : v.name
  if (v.v !== 'op') return undefined
  if (isOutsideProduction(v, truthy)) return 'NODE_ENV'
  if (v.op === '!') return v.of[0] && holdsOnlyWhileUnset(v.of[0], !truthy)
  if (v.op !== '&&' && v.op !== '||') return undefined
  const names = v.of.map((x) => holdsOnlyWhileUnset(x, truthy))
  return (v.op === '&&') === truthy || names.every((x) => x !== undefined) ? names.find((x) => x !== undefined) : undefined
}

/** Whether a test holds only while a variable is set: an empty fallback is no value either. */
export function holdsOnlyIfSet(v: Value, truthy: boolean, name: string): boolean {
  if (v.v === 'env') return truthy && v.name === name && (!v.fallback || (v.fallback.v === 'const' && !v.fallback.value))
  if (v.v !== 'op') return false
  if (name === 'NODE_ENV' && isOutsideProduction(v, !truthy)) return true
  if (v.op === '!') return v.of[0] !== undefined && holdsOnlyIfSet(v.of[0], !truthy, name)
  if (v.op === '&&' || v.op === '||') {
    const asks = (x: Value) => holdsOnlyIfSet(x, truthy, name)
    if ((v.op === '&&') === truthy) return v.of.some(asks)
    // `if (production && !secret) refuse`: what is left of it outside production is nobody's business
    return v.of.some(asks) && v.of.every((x) => asks(x) || isOutsideProduction(x, truthy))
  }
  return false
}

/** Settings that are no secret: who compares a header with them knows what to send. */
const KNOWN_TO_ALL =
  /(^|_)(url|uri|origins?|hosts?|hostname|domains?|ips?|e?mails?|env|environment|mode|region|version|locale|lang|bucket|name|prefix|port|price|plan)(_ids?)?$/i

/** A value that stands in the code, where whoever reads the code finds it. */
function isWritten(v: Value): boolean {
  return v.v === 'const' ? v.value !== undefined && v.value !== null : v.v === 'call' && v.name.startsWith(HIDDEN_LITERAL)
}

/** A value that only the server knows: a variable, or text around one. An empty or constant fallback makes it guessable. */
export function serverSecret(v: Value): { readonly name: string; readonly fallback?: true; readonly empty?: true } | undefined {
  if (v.v === 'env') {
    if (publicPrefix(v.name, PUBLIC_PREFIXES) || KNOWN_TO_ALL.test(v.name)) return undefined
    return {
      name: v.name,
      ...(v.fallback && isWritten(v.fallback) ? { fallback: true as const } : {}),
      ...(v.fallback?.v === 'const' && v.fallback.value === '' ? { empty: true as const } : {}),
    }
  }
  // how long a secret is or that it is text proves nothing
  if (v.v === 'call' && v.name === 'length') return undefined
  return v.v === 'text' || v.v === 'call' || v.v === 'any' || v.v === 'array' ? partsOf(v).map(serverSecret).find(Boolean) : undefined
}
