import { lastPart } from '../../../lib/last-part.ts'
import { admitsPlainTextOnly } from '../../../lib/plain-pattern.ts'
import { mentions, requestName } from '../../../model/behaviour/identity/caller-values.ts'
import { type Condition, type Effect, HIDDEN_LITERAL, type Step, type Value } from '../../../model/behaviour/types.ts'

/** Where the text of a query comes from, worst first. */
export interface Taint {
  readonly origin: 'request' | 'unknown'
  /** `query parameter \`q\``. */
  readonly what: string
}

/** Names of functions whose result cannot carry syntax of a query language. */
const SQL_SANITIZER_CALL =
  /^(?:Number|BigInt|parseInt|parseFloat|random|toISOString|getTime|toFixed|Date|Date\.now|length|sql\.bound|uuid|hash|hmac|valid|invalid|schema (?:accepts|rejects)|includes|startsWith|endsWith|has|test|some|every|indexOf|localeCompare|request\.method|key)$|escape|quote|sanit|clean|toSafe|pgFormat|^format$/i
const NARROW = new Set(['uuid', 'number', 'boolean', 'enum', 'date', 'plain'])

/** What the text is written in; `postgrest-quoted`: between double quotes of a PostgREST filter. */
type Language = 'sql' | 'postgrest' | 'postgrest-quoted' | 'mongo'

/** The worst origin of the parts of a query text that are not bound; undefined when it is built of constants and safe values. */
export function taintOf(text: Value, language: Language, under: readonly Condition[], steps: readonly Step[], depth = 0): Taint | undefined {
  if (depth > 9) return undefined
  const next = (v: Value) => taintOf(v, language, under, steps, depth + 1)
  switch (text.v) {
    case 'request': {
      if (text.as && (NARROW.has(text.as) || (text.as === 'email' && language !== 'sql'))) return undefined
      if (text.part === 'ip') return undefined
      if (steps.some((s, i) => isKeyed(s.effect, text) && under.some((c) => provesRow(c.test, !c.negated, i, 0)))) return undefined
      return under.some((c) => restricts(c.test, !c.negated, text, 0)) ? undefined : { origin: 'request', what: requestName(text) ?? 'the request' }
    }
    case 'caller':
      return text.trust === 'editable' || text.trust === 'claimed' ? { origin: 'request', what: `the user's \`${text.field ?? 'claims'}\`` } : undefined
    case 'result': {
      const e: Effect | undefined = steps[text.step]?.effect
      return e?.kind === 'ai' || e?.kind === 'http' ? { origin: 'unknown', what: `the answer of ${e.name}` } : undefined
    }
    case 'text':
      return language === 'postgrest' ? worst(quotedParts(text.parts).map(([v, l]) => taintOf(v, l, under, steps, depth + 1))) : worst(text.parts.map(next))
    case 'array':
      return worst(text.items.map(next))
    case 'any':
      return worst(
        text.of.map((v, i) => taintOf(v, language, text.under?.[i] ? [...under, ...(text.under[i] as readonly Condition[])] : under, steps, depth + 1)),
      )
    case 'object':
      return worst(Object.values(text.props).map(next))
    case 'op':
      return text.op === '||' || text.op === '??' || text.op === '&&' || text.op === '+' ? worst(text.of.map(next)) : undefined
    case 'call':
      return ofCall(text, language, next)
    default:
      return undefined
  }
}

/** The parts of a filter string, each with whether it stands between double quotes. */
function quotedParts(parts: readonly Value[]): readonly (readonly [Value, Language])[] {
  let quoted = false
  return parts.map((v) => {
    if (v.v === 'const') quoted = quoted !== ((String(v.value).match(/"/g)?.length ?? 0) % 2 === 1)
    return [v, quoted ? 'postgrest-quoted' : 'postgrest'] as const
  })
}

function worst(list: readonly (Taint | undefined)[]): Taint | undefined {
  return list.find((t) => t?.origin === 'request') ?? list.find((t) => t !== undefined)
}

function ofCall(call: Extract<Value, { v: 'call' }>, language: Language, next: (v: Value) => Taint | undefined): Taint | undefined {
  if (/^replace(?:All)?$/.test(lastPart(call.name))) {
    const pattern = call.args[1]
    if (pattern && removesSyntax(pattern, call.args[2], language)) return undefined
    return call.args[0] ? next(call.args[0]) : undefined
  }
  // the values of a table that is written in the code, whatever is looked up
  if (call.name === 'get' && call.args[0]?.v === 'call' && /(?:^|\s)Map$/.test(call.args[0].name)) return next(call.args[0])
  if (call.name === 'filter' && call.args[0] && call.args[1] && leavesKnown(call.args[0], call.args[1])) return undefined
  if (SQL_SANITIZER_CALL.test(lastPart(call.name)) || call.name.startsWith('regex:') || call.name.startsWith(HIDDEN_LITERAL)) return undefined
  const inside = worst(call.args.map(next))
  if (!inside) return undefined
  // methods of strings and arrays hand on what they get; other functions may have made it safe
  return /^(?:trim|slice|substring|substr|split|join|concat|toLowerCase|toUpperCase|toString|index|element|map|filter|padStart|padEnd|repeat|at|value|computed|Buffer\.from|JSON\.stringify|sql\.raw|encode|decode|normalize|get)$/.test(
    lastPart(call.name),
  )
    ? inside
    : { origin: 'unknown', what: `${inside.what} through ${call.name}()` }
}

/** A replacement that takes the language's special characters out, or doubles quotes. */
function removesSyntax(pattern: Value, by: Value | undefined, language: Language): boolean {
  const source = pattern.v === 'call' && pattern.name.startsWith('regex:') ? pattern.name.slice(6) : pattern.v === 'const' ? String(pattern.value) : ''
  // digits, or letters and digits, are left
  if (/^\/(?:\\[DW]|\[\\[DW]\])[+*]?\/[a-z]*g/.test(source)) return true
  if (/^\/\[\^/.test(source)) return !/['"(),;]/.test(source.slice(3, source.indexOf(']') > 0 ? source.indexOf(']') : undefined))
  // PostgREST escapes with a backslash: of a doubled quote the first one ends the value
  if (language === 'postgrest-quoted') return /"/.test(source) && !(by?.v === 'const' && /^"|[^\\]"/.test(String(by.value)))
  if (language === 'postgrest') return /,/.test(source) && /[()]/.test(source)
  if (language === 'sql') return /'/.test(source) && by?.v === 'const' && /^(?:''|\\+'|)$/.test(String(by.value))
  return false
}

/** What of the request a list holds is restricted by the test that its items passed; what the item was is cut off in deep values. */
function leavesKnown(list: Value, test: Value): boolean {
  const carried: Extract<Value, { v: 'request' }>[] = []
  mentions(list, (x) => {
    if (x.v === 'request') carried.push(x)
    return false
  })
  return carried.length > 0 && carried.every((x) => restricts(test, true, x, 0, true))
}

/** Whether a query looks for the row whose id is what the request says: an id that a table holds has no syntax in it. */
const isKeyed = (e: Effect, value: Extract<Value, { v: 'request' }>): boolean =>
  e.kind === 'db' &&
  e.op === 'select' &&
  e.filters.some(
    (f) => f.op === 'eq' && /(?:^|_)(?:id|uuid)$/i.test(f.column) && f.value.v === 'request' && f.value.part === value.part && f.value.name === value.name,
  )

/** Whether the row of a query was found, where `test` is `truthy`. */
function provesRow(test: Value, truthy: boolean, step: number, depth: number): boolean {
  if (depth > 6) return false
  if (test.v === 'row') return truthy && test.step === step
  if (test.v !== 'op') return false
  if (test.op === '!') return test.of[0] !== undefined && provesRow(test.of[0], !truthy, step, depth + 1)
  if (test.op === '===') return truthy && test.of.some((x) => x.v === 'row' && x.step === step) && test.of.some((x) => x.v === 'caller')
  if (test.op !== '&&' && test.op !== '||') return false
  const parts = test.of.map((x) => provesRow(x, truthy, step, depth + 1))
  return (test.op === '&&') === truthy ? parts.includes(true) : !parts.includes(false)
}

/** Parts of a text or list: what restricts each of them restricts what is made of them. */
const PART = /^(?:split|element|index|trim|filter|toLowerCase|toUpperCase|toString|slice|at)$/

/** `test` being `truthy` leaves only a known set of values for `value`; `item`: it is asked of an item of a list. */
function restricts(test: Value, truthy: boolean, value: Extract<Value, { v: 'request' }>, depth: number, item = false): boolean {
  if (depth > 8) return false
  const same = (x: Value): boolean =>
    (x.v === 'request' && x.part === value.part && x.name === value.name) ||
    (x.v === 'any' && x.of.some(same)) ||
    (x.v === 'call' && PART.test(x.name) && x.args[0] !== undefined && (same(x.args[0]) || (item && x.args[0].v === 'unknown')))
  switch (test.v) {
    case 'op': {
      const [a, b] = test.of
      if (test.op === '!') return a ? restricts(a, !truthy, value, depth + 1, item) : false
      if (test.op === '&&' || test.op === '||')
        return (test.op === '&&') === truthy
          ? test.of.some((x) => restricts(x, truthy, value, depth + 1, item))
          : test.of.every((x) => restricts(x, truthy, value, depth + 1, item))
      if (test.op === '===' && truthy && a && b) {
        const typeName = a.v === 'op' && a.op === 'typeof' && a.of[0] && same(a.of[0]) && b.v === 'const' ? b.value : undefined
        if (typeName !== undefined) return typeName === 'number' || typeName === 'boolean'
        return (same(a) && (b.v === 'const' || b.v === 'row' || b.v === 'caller' || b.v === 'env')) || (same(b) && a.v === 'const')
      }
      if (test.op === 'in' && truthy) return a !== undefined && same(a) && b?.v === 'object'
      if (test.op === 'matches' && truthy && a && same(a)) return b?.v === 'call' && b.name.startsWith('regex:') && admitsPlainTextOnly(b.name.slice(6))
      return false
    }
    case 'call': {
      const name = lastPart(test.name)
      // asked of each item
      if ((name === 'every' && truthy) || (name === 'some' && !truthy))
        return test.args[1] !== undefined && restricts(test.args[1], truthy, value, depth + 1, item)
      if (truthy && (name === 'includes' || name === 'has' || name === 'hasOwnProperty' || name === 'hasOwn') && test.args.some(same))
        return test.args.some((x) => !same(x) && !mentions(x, (y) => y.v === 'request'))
      if (truthy && /^(?:isInteger|isSafeInteger|isFinite|isUUID|isUuid|validate|isNumeric|isAlphanumeric)$/.test(name) && test.args.some(same)) return true
      if (!truthy && name === 'isNaN' && test.args.some((x) => mentions(x, same))) return true
      return false
    }
    default:
      return false
  }
}
