/** Keys of values: numbers under which two values are the same in one run of an entry. */
import type { Place } from '../../../lib/place.ts'
import { SequenceNumbers } from '../../../lib/sequence-numbers.ts'
import { type Cond, isLeaf, type Val } from './abstract-value.ts'

let serial = 0
const identities = new WeakMap<object, number>()
function identity(of: object): number {
  let id = identities.get(of)
  if (id === undefined) {
    id = ++serial
    identities.set(of, id)
  }
  return id
}

/** Where a value keeps its key, with the value that it is the key of: a copy with other parts brings along a key that is not its own. */
const KEY = Symbol('key')
interface Keyed {
  [KEY]?: { readonly of: Val; readonly run: number; readonly key: number }
}

/** Keys by what they stand for: a constant, or a value in which the values that it is made of stand by their keys. */
const constants = new Map<unknown, number>()
const sequences = new SequenceNumbers()
let run = 0

/** Begins another run: keys are only compared within one, and what all runs take would grow without end. */
export function forgetKeys(): void {
  run++
  constants.clear()
  sequences.forget()
}

/** Levels below which a value is known by its identity. */
const MAX_KEY_DEPTH = 5

/**
 * The number under which two values are the same in one run of the entry. Values that may differ from one evaluation to the
 * next (unknown ones) are known by their identity.
 */
export function keyOf(val: Val, depth = 0): number {
  if (val.v === 'const' && depth <= MAX_KEY_DEPTH) return keyOfConstant(val.value)
  // cheaper to write down again than to remember
  if (depth > MAX_KEY_DEPTH || isLeaf(val)) return keyAnew(val, depth)
  const known = (val as Keyed)[KEY]
  if (known?.of === val && known.run === run) return known.key
  const key = keyAnew(val, depth)
  // a key that was cut off deep inside a value only makes equal values look different
  ;(val as Keyed)[KEY] = { of: val, run, key }
  return key
}

function keyOfConstant(value: unknown): number {
  let key = constants.get(value)
  if (key === undefined) {
    key = sequences.fresh()
    constants.set(value, key)
  }
  return key
}

function keyAnew(val: Val, depth: number): number {
  const start = sequences.open()
  if (depth > MAX_KEY_DEPTH || isOfNoStep(val)) writeIdentity(val)
  else writeDown(val, depth + 1)
  return sequences.close(start)
}

/** What each sequence begins with: the kind of value that it stands for. */
const HASH_PREFIX_BY_KIND = {
  identity: 0,
  request: 1,
  caller: 2,
  env: 3,
  row: 4,
  error: 5,
  result: 6,
  event: 7,
  object: 8,
  array: 9,
  text: 10,
  op: 11,
  call: 12,
  response: 13,
  lib: 14,
  global: 15,
  namespace: 16,
  client: 17,
  chain: 18,
  fn: 19,
  any: 20,
  host: 21,
  instance: 22,
  class: 23,
} as const

/** In place of a number that is not there. */
const NONE = -(2 ** 31)

const begin = (kind: keyof typeof HASH_PREFIX_BY_KIND): void => sequences.put(HASH_PREFIX_BY_KIND[kind])

/** What was not given by any step that is noted, such as the error of a `catch`. */
const isOfNoStep = (val: Val): boolean => ((val.v === 'row' || val.v === 'result') && val.step < 0) || (val.v === 'error' && val.of < 0)

function writeIdentity(val: Val): void {
  begin('identity')
  sequences.put(identity(val))
}

/** Writes down a value, the values that it is made of by their keys; these are `depth` levels below the value that was asked about. */
function writeDown(val: Val, depth: number): void {
  switch (val.v) {
    case 'request':
      writeNames('request', val.part, val.name)
      break
    case 'caller':
      begin('caller')
      sequences.putName(val.how)
      sequences.put(val.step ?? NONE)
      sequences.putName(val.field)
      break
    case 'env':
      writeNames('env', val.name)
      break
    case 'row':
      begin('row')
      sequences.put(val.step)
      sequences.putName(val.field)
      sequences.put(val.many ? 1 : 0)
      break
    case 'error':
      begin('error')
      sequences.put(val.of)
      break
    case 'result':
      begin('result')
      sequences.put(val.step)
      sequences.putName(val.field)
      break
    case 'event':
      writeNames('event', val.processor, val.field)
      break
    case 'object':
      begin('object')
      for (const name in val.props) {
        sequences.putName(name)
        sequences.put(keyOf(val.props[name] as Val, depth))
      }
      if (val.rest) {
        sequences.put(NONE)
        sequences.put(keyOf(val.rest, depth))
      }
      break
    case 'array':
      begin('array')
      writeEach(val.items, depth)
      sequences.put(val.more ? keyOf(val.more, depth) : NONE)
      for (const c of val.kept ?? []) sequences.put((c.negated ? -1 : 1) * keyOf(c.test, depth))
      break
    case 'text':
      begin('text')
      writeEach(val.parts, depth)
      break
    case 'op':
      begin('op')
      sequences.putName(val.op)
      writeEach(val.of, depth)
      break
    case 'call':
      begin('call')
      sequences.putName(val.name)
      writePlace(val.at)
      writeEach(val.args, depth)
      break
    case 'response':
      // a helper that makes every answer of an application is one place: what was asked for tells its answers apart, refusals are all alike
      begin('response')
      sequences.putName(val.how)
      sequences.put(val.arrives ? 1 : 0)
      sequences.put(val.status ?? NONE)
      writePlace(val.at)
      if (val.body && (val.status ?? 200) < 400) sequences.put(keyOf(val.body, depth))
      break
    case 'lib':
      writeNames('lib', val.pkg, val.name)
      break
    case 'global':
      writeNames('global', val.name)
      break
    case 'namespace':
      writeNames('namespace', val.path)
      break
    case 'client': {
      const { library, rights, driver, at } = val.client
      begin('client')
      sequences.putName(library)
      sequences.putName(rights)
      // the hosted database or a file on somebody's own machine, by a variable: what is asked of it is the same
      if (library === 'supabase') writePlace(at)
      else sequences.putName(driver)
      break
    }
    case 'chain':
      begin('chain')
      sequences.put(keyOf(val.root, depth))
      for (const l of val.links) {
        sequences.putName(l.name)
        if (l.args) writeEach(l.args, depth)
        else sequences.put(NONE)
      }
      break
    case 'fn':
      begin('fn')
      sequences.putName(val.path)
      sequences.put(val.id)
      sequences.put(val.scope.id)
      break
    case 'any':
      begin('any')
      sequences.put(val.choice)
      for (const a of val.alts) {
        sequences.put(a.i)
        sequences.put(keyOf(a.value, depth))
      }
      break
    case 'host':
      begin('host')
      sequences.putName(val.host)
      sequences.put(val.props.id)
      break
    case 'instance':
      begin('instance')
      sequences.put(val.fields.id)
      break
    case 'class':
      writeNames('class', val.path, val.name)
      break
    default:
      writeIdentity(val)
  }
}

/** What nothing but names tells apart from others of its kind. */
function writeNames(kind: keyof typeof HASH_PREFIX_BY_KIND, name: string, inner?: string): void {
  begin(kind)
  sequences.putName(name)
  sequences.putName(inner)
}

function writeEach(values: readonly Val[], depth: number): void {
  sequences.put(values.length)
  for (const val of values) sequences.put(keyOf(val, depth))
}

function writePlace(at: Place | undefined): void {
  sequences.putName(at?.path)
  sequences.put(at?.line ?? NONE)
}

/** The name of what a condition tests. */
export function keyOfCond(cond: Cond): number {
  if (cond.key === undefined || cond.keyRun !== run) {
    cond.key = keyOf(cond.test)
    cond.keyRun = run
  }
  return cond.key
}
