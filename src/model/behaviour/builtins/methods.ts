import type { Place } from '../../../lib/place.ts'
import { askOf, safeRegExp } from '../../frameworks/path-pattern.ts'
import { array, type Cond, constant, constantString, isNullish, op, truth, UNDEFINED, UNKNOWN, type Val } from '../domain/abstract-value.ts'
import { isWritten } from '../domain/join.ts'
import { mapCaller, mapEntry, mapWith } from '../domain/maps.ts'
import { elementOf, member, request } from '../domain/members.ts'
import { concatText } from '../domain/strings.ts'
import { changesAlphabet, isPadding } from '../idioms/byte-encoding.ts'
import type { Interpreter } from '../interpreter.ts'
import { callValue, maybe, settle } from '../operations.ts'
import { matchUrl } from '../platform/url-pattern.ts'

const SAME = new Set([
  'toString',
  'trim',
  'trimStart',
  'trimEnd',
  'valueOf',
  'toLowerCase',
  'toUpperCase',
  'normalize',
  'toLocaleLowerCase',
  'toJSON',
  'at',
  'flat',
  'reverse',
  'sort',
  'toSorted',
  'copy',
  'unwrap',
  'values',
])
const PREDICATE_METHODS = new Set([
  'includes',
  'startsWith',
  'endsWith',
  'has',
  'equals',
  'hasOwnProperty',
  'some',
  'every',
  'indexOf',
  'localeCompare',
  'isAfter',
  'isBefore',
  'exists',
])

/** Methods of strings, arrays, maps and promises on abstract values; undefined when it is none of them. */
export function builtinMethod(it: Interpreter, of: Val, name: string, args: readonly Val[], at: Place, changed?: (value: Val) => void): Val | undefined {
  const callback = args[0]
  const each = (value: Val) => settle(it, callValue(it, callback as Val, [value, UNKNOWN], at), at)
  const calls = callback?.v === 'fn' || callback?.v === 'native'
  if (of.v === 'const' && typeof of.value === 'string') {
    const folded = foldString(of.value, name, args)
    if (folded) return folded
  }
  if (of.v === 'call' && of.name.startsWith('regex:')) {
    if (name === 'test' || name === 'exec') {
      const text = args[0]?.v === 'const' && typeof args[0].value === 'string' ? args[0].value : undefined
      const literal = /^\/(.*)\/([a-z]*)$/s.exec(of.name.slice('regex:'.length))
      const re =
        text !== undefined && name === 'test' && text.length < 200
          ? literal
            ? safeRegExp(literal[1] as string, literal[2])
            : safeRegExp(of.name.slice('regex:'.length))
          : undefined
      if (!re || text === undefined) return op('matches', args[0] ?? UNKNOWN, of)
      return constant(askOf(text, it, (x) => re.test(x)))
    }
  }
  if (of.v === 'call' && of.name === 'URLPattern' && (name === 'test' || name === 'exec')) {
    const [url] = args
    const address = url?.v === 'request' && url.part === 'url' && url.name === undefined
    const matched = matchUrl(of, name, address && it.request?.path !== undefined ? constant(it.request.path) : url)
    if (matched) return matched
  }
  if (isNullish(of)) return UNDEFINED
  switch (name) {
    case 'map':
    case 'flatMap': {
      if (callback?.v === 'global' && /^(?:Number|parseInt|parseFloat|BigInt)$/.test(callback.name))
        return array([], { v: 'call', name: callback.name, args: [elementOf(it, of)], at })
      if (!calls) break
      if (of.v === 'array' && of.kept) {
        const { kept: asked, more = UNKNOWN } = of
        return {
          ...array(
            [],
            mapOnce(it, () => each(more), asked),
          ),
          kept: asked,
        }
      }
      if (of.v === 'array') {
        const items: Val[] = []
        if (of.items.length <= 12) for (const x of of.items) items.push(mapOnce(it, () => each(x)))
        else items.push(mapOnce(it, () => each(elementOf(it, of))))
        return array(items, of.more ? mapOnce(it, () => each(of.more as Val)) : undefined)
      }
      return array(
        [],
        mapOnce(it, () => each(elementOf(it, of))),
      )
    }
    case 'forEach':
      if (!calls) break
      maybe(it, () => each(elementOf(it, of)), of.v === 'array' ? of.kept : undefined)
      return UNDEFINED
    case 'filter': {
      const present = args[0]?.v === 'global' && args[0].name === 'Boolean'
      if ((calls || present) && of.v === 'array' && !of.more && of.items.length <= 40) return kept(it, of.items, present ? (x) => x : each)
      if (!calls) return of
      let test: Val = UNKNOWN
      const item = elementOf(it, of)
      maybe(it, () => {
        test = each(item)
      })
      if (of.v === 'array' && of.more) {
        const passed = it.assume(test, true, at)
        return passed ? { v: 'array', items: [], more: item, kept: [...(of.items.length ? [] : (of.kept ?? [])), ...passed.conds] } : array([])
      }
      // what is left of a list that the request carries is known by what was asked of each item
      return of.v === 'request' || (of.v === 'call' && /^(?:split|filter|slice)$/.test(of.name)) ? { v: 'call', name, args: [of, test], at } : of
    }
    case 'slice':
    case 'splice':
    case 'subarray':
      if (calls) maybe(it, () => each(elementOf(it, of)))
      if (name === 'slice' && of.v === 'array') return partOf(of, args)
      return of.v === 'array' || of.v === 'row' ? of : { v: 'call', name, args: [of, ...args], at }
    case 'find':
    case 'findLast':
      if (calls) {
        let test: Val = UNKNOWN
        const item = elementOf(it, of)
        maybe(it, () => {
          test = each(item)
        })
        return it.alternatives([
          { value: item, under: [{ test, negated: false, at, otherwise: { ends: false } }] },
          { value: UNDEFINED, under: [] },
        ])
      }
      break
    case 'reduce':
      if (calls) {
        let value: Val = args[1] ?? UNKNOWN
        maybe(it, () => {
          value = settle(it, callValue(it, callback, [args[1] ?? UNKNOWN, elementOf(it, of), UNKNOWN], at), at)
        })
        return value
      }
      break
    case 'some':
    case 'every':
      if (calls && of.v === 'array' && !of.more && of.items.length <= 40 && of.items.every((x) => x.v === 'const' || x.v === 'call' || x.v === 'object')) {
        // a list written in the code: decided item by item, so that path tests of middleware have an answer
        const tests = of.items.map((x) => mapOnce(it, () => each(x)))
        const known = tests.map(truth)
        if (name === 'some' ? known.includes(true) : known.includes(false)) return constant(name === 'some')
        if (known.every((t) => t === (name !== 'some'))) return constant(name !== 'some')
        return tests.length === 1 ? (tests[0] as Val) : tests.reduce((a, b) => op(name === 'some' ? '||' : '&&', a, b))
      }
      if (calls) {
        let test: Val = UNKNOWN
        maybe(it, () => {
          test = each(elementOf(it, of))
        })
        // what no item can be, none is
        if (name === 'some' && !it.assume(test, true, at)) return constant(false)
        return { v: 'call', name, args: [of, test] }
      }
      break
    case 'push':
    case 'unshift':
    case 'add':
      if (of.v === 'array') {
        changed?.(array([...of.items, ...args].slice(0, 24), of.more))
        return UNKNOWN
      }
      if (name === 'add' && of.v === 'call' && of.name === 'Set') {
        changed?.({ ...of, args: [...(of.args.length ? of.args : [array([])]), ...args].slice(0, 24) })
        return UNKNOWN
      }
      break
    case 'fill':
      if (of.v === 'array') return array([], args[0] ?? UNDEFINED)
      break
    case 'concat':
      if (of.v === 'array') return array([...of.items, ...args.flatMap((a) => (a.v === 'array' ? a.items : [a]))], of.more)
      return concatText([of, ...args])
    case 'join':
      if (of.v === 'array') {
        const sep = args[0] ?? constant(',')
        const parts: Val[] = []
        of.items.forEach((x, i) => {
          parts.push(...(i ? [sep] : []), x)
        })
        if (of.more) parts.push({ v: 'call', name: 'join', args: [of.more], at })
        return concatText(parts)
      }
      return { v: 'call', name, args: [of, ...args], at }
    case 'split':
      return of.v === 'const' && typeof of.value === 'string' && args[0]?.v === 'const' && typeof args[0].value === 'string'
        ? array(of.value.split(args[0].value).map((x) => constant(x)))
        : { v: 'call', name, args: [of, ...args], at }
    case 'padEnd':
      if (args[1] && isPadding(args[1])) return of
      break
    case 'replace':
    case 'replaceAll':
      if (changesAlphabet(args)) return of
      return { v: 'call', name, args: [of, ...args], at }
    case 'json':
      if (of.v === 'result' || of.v === 'response') return of.v === 'result' ? { ...of } : (of.body ?? UNKNOWN)
      break
    case 'get':
      if (of.v === 'object' && args[0]?.v === 'const') return member(it, of, String(args[0].value), at)
      if (of.v === 'request') return request(of.part, constantString(args[0]) ?? of.name)
      if (of.v === 'call') return mapEntry(it, of, args[0]) ?? mapCaller(it, of, args[0], at)
      break
    case 'getAll':
      if (of.v === 'request') return of
      break
    case 'set':
    case 'append': {
      const filled = (name === 'set' ? mapWith(of, args[0], args[1]) : undefined) ?? formWith(of, args[0], args[1]) ?? headersWith(of, args[0], args[1])
      if (filled) changed?.(filled)
      if (filled) return filled
      if (of.v === 'call' && (of.name === 'Map' || of.name === 'FormData' || of.name === 'URLSearchParams')) return of
      break
    }
    case 'entries':
      return of
    case 'toISOString':
    case 'getTime':
    case 'toFixed':
      return { v: 'call', name, args: [of], at }
    case 'text':
    case 'blob':
    case 'arrayBuffer':
    case 'formData':
      if (of.v === 'result') return { ...of }
      if (of.v === 'request') return of
      break
  }
  if (PREDICATE_METHODS.has(name)) {
    if (name === 'includes' && of.v === 'array' && !of.more && of.items.every((x) => x.v === 'const')) {
      // `['admin', 'editor'].includes(highest)`: of each that it can be it is known
      const among = (asked: Val): Val =>
        asked.v === 'any' ? it.distribute(asked, among) : constant(of.items.some((x) => x.v === 'const' && asked.v === 'const' && x.value === asked.value))
      const asked = args[0] && it.narrow(args[0])
      if (asked && isWritten(asked)) return among(asked)
    }
    if (name === 'equals') return op('===', of, args[0] ?? UNKNOWN)
    return { v: 'call', name, args: args.length ? [of, args[0] as Val] : [of] }
  }
  if (SAME.has(name)) return name === 'at' ? elementOf(it, of) : of
  if (
    of.v === 'request' ||
    of.v === 'row' ||
    of.v === 'caller' ||
    of.v === 'event' ||
    of.v === 'text' ||
    of.v === 'op' ||
    of.v === 'env' ||
    of.v === 'const' ||
    of.v === 'array' ||
    of.v === 'error'
  ) {
    if (calls) maybe(it, () => each(elementOf(it, of)))
    return { v: 'call', name, args: [of, ...args], at }
  }
  if (of.v === 'response') return name === 'set' || name === 'header' ? of : UNKNOWN
  if (of.v === 'result') return { v: 'call', name, args: [of, ...args], at }
  return undefined
}

/** Once for a representative element; what it writes may or may not have happened, and it always comes back. */
function mapOnce(it: Interpreter, run: () => Val, asked?: readonly Cond[]): Val {
  let value: Val = UNKNOWN
  maybe(
    it,
    () => {
      value = run()
    },
    asked,
  )
  return value
}

/** The longest text in which a pattern is replaced: lists of columns and templates, no documents. */
const LONGEST_REPLACED = 2000

/** `` `id, name`.replace(/\s+/g, ' ') ``: a list of columns that is written over several lines. */
function foldReplace(value: string, [pattern, by]: readonly Val[]): Val | undefined {
  if (pattern?.v !== 'call' || by?.v !== 'const' || typeof by.value !== 'string' || by.value.includes('$') || value.length > LONGEST_REPLACED) return undefined
  const literal = /^regex:\/(.*)\/([a-z]*)$/s.exec(pattern.name)
  const re = literal ? safeRegExp(literal[1] as string, literal[2]) : undefined
  return re && constant(value.replace(re, by.value))
}

function foldString(value: string, name: string, args: readonly Val[]): Val | undefined {
  if (name === 'replace' && args[0]?.v === 'call') return foldReplace(value, args)
  const all = args.every((a) => a.v === 'const')
  if (!all) return undefined
  const a = (args as readonly { value: unknown }[]).map((x) => x.value)
  switch (name) {
    case 'toLowerCase':
      return constant(value.toLowerCase())
    case 'toUpperCase':
      return constant(value.toUpperCase())
    case 'trim':
      return constant(value.trim())
    case 'startsWith':
      return constant(value.startsWith(String(a[0])))
    case 'endsWith':
      return constant(value.endsWith(String(a[0])))
    case 'includes':
      return constant(value.includes(String(a[0])))
    case 'replace':
      return typeof a[0] === 'string' && typeof a[1] === 'string' ? constant(value.replace(a[0], () => String(a[1]))) : undefined
    case 'toString':
      return constant(value)
    case 'slice':
    case 'substring':
      return a.every((x) => typeof x === 'number') ? constant(value[name](...(a as [number, number?]))) : undefined
    default:
      return undefined
  }
}

/** `list.slice(2)` of a list whose items are all known; any other list as a whole. */
function partOf(list: Extract<Val, { v: 'array' }>, bounds: readonly Val[]): Val {
  const at = bounds.map((b) => (b.v === 'const' && typeof b.value === 'number' ? b.value : undefined))
  return list.more || list.kept || at.includes(undefined) ? list : array(list.items.slice(...(at as number[])))
}

/** What a filter leaves of a list written in the code: how many items there are is known only when every test is. */
function kept(it: Interpreter, items: readonly Val[], test: (item: Val) => Val): Val {
  const tests = items.map((x) => truth(mapOnce(it, () => test(x))))
  const sure = items.filter((_, i) => tests[i] === true)
  const open = items.filter((_, i) => tests[i] === undefined)
  return open.length ? array(sure, it.alternatives(open.map((value) => ({ value, under: [] })))) : array(sure)
}

/** A form or the parameters of an address with one more field: what a request to somebody else carries. */
function formWith(of: Val, key: Val | undefined, value: Val | undefined): Val | undefined {
  if (of.v !== 'call' || (of.name !== 'FormData' && of.name !== 'URLSearchParams') || key?.v !== 'const' || typeof key.value !== 'string' || !value)
    return undefined
  const [fields, ...more] = of.args
  if (more.length || (fields && fields.v !== 'object')) return undefined
  return { ...of, args: [{ v: 'object', props: { ...(fields?.v === 'object' ? fields.props : {}), [key.value]: value } }] }
}

/** `headers.append('Authorization', token)` of headers that the code made: nothing else that is no more than its fields has such a method. */
function headersWith(of: Val, key: Val | undefined, value: Val | undefined): Val | undefined {
  const name = constantString(key)
  return of.v === 'object' && name !== undefined && value ? { ...of, props: { ...of.props, [name]: value } } : undefined
}
