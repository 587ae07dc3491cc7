import type { Place } from '../../../lib/place.ts'
import { askOf } from '../../frameworks/path-pattern.ts'
import { array, constant, constantString, object, op, UNDEFINED, UNKNOWN, type Val } from '../domain/abstract-value.ts'
import { index, request } from '../domain/members.ts'
import { decodedToken } from '../identity/token-claims.ts'
import type { Interpreter } from '../interpreter.ts'
import { cryptoCall } from '../libraries/auth/crypto.ts'
import { callFunction, maybe, settle } from '../operations.ts'
import { setAll } from '../platform/document-mutation.ts'
import { nuxtAutoImport } from '../platform/h3.ts'
import { redisCommand } from '../platform/redis-rest.ts'
import { answeredWith, statusIn } from '../platform/responses.ts'
import { NEVER_FULFILLED, newArray } from './constructors.ts'

const PASS_THROUGH = new Set([
  'decodeURIComponent',
  'encodeURIComponent',
  'decodeURI',
  'encodeURI',
  'atob',
  'btoa',
  'structuredClone',
  'Object.freeze',
  'Object.seal',
  'Array.from',
  'String',
  'Promise.resolve',
  'queueMicrotask',
  'Object',
  'escape',
  'unescape',
  'toRaw',
  'unref',
])
const CALLBACKS = new Set(['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'EdgeRuntime.waitUntil', 'process.nextTick'])

/** Calls of names that the runtime defines; undefined for names that it does not. */
export function builtinCall(it: Interpreter, name: string, args: readonly Val[], at: Place): Val | undefined {
  const first = args[0] ?? UNDEFINED
  if (PASS_THROUGH.has(name)) {
    if (first.v === 'const' && name === 'String') return constant(String(first.value))
    if (/^(?:atob|decodeURI)/.test(name)) it.hazards++
    return /^(?:atob|btoa|decodeURIComponent)$/.test(name) && first.v !== 'const' ? first : settle(it, first, at)
  }
  if (CALLBACKS.has(name)) {
    if (first.v === 'fn') maybe(it, () => settle(it, callFunction(it, first, [], at), at))
    return UNKNOWN
  }
  if (name.startsWith('console.')) {
    it.emit({ kind: 'log', name, args }, at)
    return UNDEFINED
  }
  switch (name) {
    case 'Promise.all':
    case 'Promise.allSettled':
    case 'Promise.race':
    case 'Promise.any': {
      if (first.v !== 'array') return settle(it, first, at)
      const items = first.items.map((x) => settle(it, x, at))
      if (name === 'Promise.race' || name === 'Promise.any') {
        // a time limit gives no value: it only rejects
        const values = items.filter((x) => x !== NEVER_FULFILLED)
        return values.length ? it.alternatives(values.map((value) => ({ value, under: [] }))) : UNKNOWN
      }
      return name === 'Promise.all'
        ? array(items, first.more)
        : array(
            items.map((value) => object({ value, status: UNKNOWN })),
            first.more,
          )
    }
    case 'fetch':
    case '$fetch':
    case 'useFetch':
      return fetchCall(it, name, args, at)
    case 'Number':
    case 'parseInt':
    case 'Number.parseInt':
      // whoever calls and whatever a row is about stays the same as a number
      if (first.v === 'caller' || (first.v === 'row' && first.field !== undefined)) return first
      return asNumber(it, first, at)
    case 'parseFloat':
    case 'BigInt':
    case 'Number.parseFloat':
    case 'Math.floor':
    case 'Math.round':
    case 'Math.abs':
    case 'Math.trunc':
    case 'Math.ceil':
      return asNumber(it, first, at)
    case 'Math.max':
    case 'Math.min':
      return { v: 'call', name: 'Number', args, at }
    case 'Boolean':
      return op('!', op('!', first))
    case 'Reflect.get':
      return index(it, first, args[1] ?? UNKNOWN, at)
    case 'Array.isArray':
      return first.v === 'array' ? constant(true) : first.v === 'object' || first.v === 'const' ? constant(false) : op('isArray', first)
    case 'Object.keys':
      if (first.v === 'object' && !first.rest) return array(Object.keys(first.props).map((k) => constant(k)))
      return { v: 'call', name, args, at }
    case 'Object.values':
      if (first.v === 'object' && !first.rest) return array(Object.values(first.props))
      return { v: 'call', name, args, at }
    case 'Object.entries':
      if (first.v === 'object' && !first.rest) return array(Object.entries(first.props).map(([k, x]) => array([constant(k), x])))
      return { v: 'call', name, args, at }
    case 'Object.fromEntries':
      return first.v === 'host' ? request(first.part ?? 'form') : first.v === 'request' ? first : { v: 'call', name, args, at }
    case 'Object.assign': {
      if (first.v === 'row') {
        for (const a of args.slice(1)) setAll(it, first, a)
        return first
      }
      let props: Record<string, Val> = {}
      let rest: Val | undefined
      for (const a of args) {
        if (a.v === 'object') {
          props = { ...props, ...a.props }
          rest = a.rest ?? rest
        } else if (a.v === 'host' || a.v === 'instance') return a
        else if (a.v !== 'const') rest = a
      }
      return object(props, rest)
    }
    case 'JSON.parse': {
      it.hazards++
      const claims = decodedToken(it, first)
      if (claims) return claims
      // `JSON.parse(body ?? '{}')`: of what is written in the code only an empty form is left
      const sent = first.v === 'any' ? first.alts.map((a) => a.value).filter((x) => x.v !== 'const') : []
      if (sent.length === 1 && sent[0]?.v === 'request') return builtinCall(it, name, sent, at)
      return first.v === 'request' && first.part === 'raw-body'
        ? { v: 'request', part: 'body' }
        : first.v === 'call' && first.name === 'JSON.stringify'
          ? (first.args[0] ?? UNKNOWN)
          : first.v === 'const'
            ? UNKNOWN
            : first
    }
    case 'JSON.stringify':
      // which keys are written, and in which order, is somebody's rule; how far they stand apart is nobody's
      return { v: 'call', name, args: args.slice(0, args[1]?.v === 'call' || args[1]?.v === 'array' ? 2 : 1), at }
    case 'Array':
      return newArray(args)
    case 'Buffer.from':
    case 'Uint8Array.from':
      return first.v === 'request' ? first : { v: 'call', name: 'Buffer.from', args, at }
    case 'Buffer.concat':
      return { v: 'call', name, args, at }
    case 'Deno.env.get':
    case 'Netlify.env.get': {
      const n = constantString(first)
      return n === undefined ? { v: 'env', name: '*' } : { v: 'env', name: n }
    }
    case 'Deno.serve':
    case 'serve':
    case 'addEventListener':
      return UNDEFINED
    case 'Response.json':
      return { v: 'response', how: 'json', ...answeredWith(args[1], 200), body: first, at }
    case 'Response.redirect':
      return { v: 'response', how: 'redirect', status: statusIn(args[1]) ?? 302, body: first, at }
    case 'Response.error':
      return { v: 'response', how: 'other', status: 500, at }
    case 'Symbol':
    case 'Date.now':
    case 'Math.random':
    case 'performance.now':
      return { v: 'call', name, args: [], at }
    case 'require':
      return first.v === 'const' && typeof first.value === 'string' ? { v: 'lib', pkg: first.value.replace(/^node:/, ''), name: '*' } : UNKNOWN
    case 'process.exit':
      it.ending({ ends: true, how: 'throw' })
      return UNDEFINED
  }
  if (name.startsWith('crypto.') || name.startsWith('globalThis.crypto.'))
    return cryptoCall(it, name.replace(/^globalThis\./, '').slice('crypto.'.length), args, at)
  return nuxtAutoImport(it, name, args, at)
}

function asNumber(it: Interpreter, of: Val, at: Place): Val {
  if (of.v === 'const') return constant(typeof of.value === 'string' ? askOf(of.value, it, Number) : Number(of.value))
  return of.v === 'request' ? { ...of, as: 'number' } : { v: 'call', name: 'Number', args: [of], at }
}

function fetchCall(it: Interpreter, name: string, args: readonly Val[], at: Place): Val {
  const stored = redisCommand(args)
  const step = it.emit(stored === undefined ? { kind: 'http', name, args } : { kind: 'kv', name: stored, args }, at)
  return { v: 'result', step }
}
