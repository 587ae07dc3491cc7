import type { Place } from '../../../lib/place.ts'
import { askOf } from '../../frameworks/path-pattern.ts'
import { libraryBase, parentOf } from '../calls/superclass.ts'
import { tokenClaim } from '../identity/token-claims.ts'
import type { Interpreter } from '../interpreter.ts'
import { modelOf, ormOf } from '../libraries/databases/orm-models.ts'
import { enumMember } from '../libraries/package-enums.ts'
import { callValue, evaluate, exportedValue, functionValue, hostMember, lookup, settleChain } from '../operations.ts'
import { snapshotMember } from '../platform/firestore-snapshot.ts'
import { STATUS_MEMBER } from '../platform/responses.ts'
import { sideNamed } from '../platform/runtime-side.ts'
import type { Value } from '../types.ts'
import { array, type ClassVal, type Cond, constant, type InstanceVal, isDigestValue, isNullish, op, UNDEFINED, UNKNOWN, type Val } from './abstract-value.ts'
import { keyOf } from './structural-hash.ts'

/** Fields of an identity that the person it belongs to can change. */
const SELF_EDITABLE_IDENTITY_FIELD = /^(?:user_metadata|raw_user_meta_data|unsafeMetadata|identities)(?:\.|$)/

/** `of.name`. */
export function member(it: Interpreter, of: Val, name: string, at: Place): Val {
  switch (of.v) {
    case 'any':
      return it.distribute(of, (value) => (isNullish(value) ? UNDEFINED : member(it, value, name, at)))
    case 'object': {
      const own = Object.hasOwn(of.props, name) ? of.props[name] : undefined
      if (own?.v === 'fn' && own.getter) {
        const given = callValue(it, { ...own, self: of }, [], at)
        // a method picked among databases is not followed: the property stays the function that it is
        return isPlain(given) ? given : own
      }
      if (own) return it.narrow(own)
      return of.rest ? member(it, of.rest, name, at) : UNDEFINED
    }
    case 'array':
      if (name === 'length') return of.more ? op('length', of) : constant(of.items.length)
      return { v: 'call', name, args: [of], at }
    case 'request':
      if (of.part === 'params' && of.name === undefined && it.request?.parameters?.includes(name) === false) return UNDEFINED
      if (of.part === 'header' && of.name === undefined) return tokenClaim(it, of, name, at) ?? it.header(name, at)
      return tokenClaim(it, of, name, at) ?? { v: 'request', part: of.part === 'raw-body' ? 'body' : of.part, name: of.name ? `${of.name}.${name}` : name }
    case 'caller': {
      const field = of.field ? `${of.field}.${name}` : name
      return { ...of, field, ...(SELF_EDITABLE_IDENTITY_FIELD.test(field) && of.trust === 'verified' ? { trust: 'editable' } : {}) }
    }
    case 'row': {
      if (name === 'length') return op('length', of)
      const shot = snapshotMember(it, of, name)
      if (shot) return shot
      const field = of.field ? `${of.field}.${name}` : name
      return { v: 'row', table: of.table, step: of.step, field, ...(isEmbeddedList(it, of.step, field) ? { many: true as const } : {}) }
    }
    case 'error':
      return name === 'message' || name === 'code' || STATUS_MEMBER.test(name) ? { v: 'call', name, args: [of], at } : UNKNOWN
    case 'result':
      return { ...of, field: of.field ? `${of.field}.${name}` : name }
    case 'event':
      return { ...of, field: of.field ? `${of.field}.${name}` : name }
    case 'const':
      if (typeof of.value === 'string' && name === 'length') return constant(askOf(of.value, it, (x) => x.length))
      return isNullish(of) ? UNDEFINED : { v: 'call', name, args: [of], at }
    case 'response':
      if (name === 'ok') return of.status === undefined ? UNKNOWN : constant(of.status < 400)
      if (name === 'status' || name === 'statusCode') return of.status === undefined ? UNKNOWN : constant(of.status)
      // an answer that stands where an event was expected is none of the events that are asked for
      if (name === 'type') return constant('default')
      return { v: 'call', name, args: [of], at }
    case 'instance':
      return instanceMember(it, of, name, at)
    case 'class': {
      const holder = of.statics
      if (holder.vars.has(name) || holder.lazy?.has(name)) return lookup(it, name, holder)
      if (name === 'name' && of.name) return constant(of.name)
      const parent = parentOf(it, of)
      if (parent) return member(it, parent, name, at)
      const orm = of.ir.extends ? ormOf(evaluate(it, of.ir.extends, of.scope)) : undefined
      return orm ? member(it, modelOf(orm, of, at), name, at) : UNDEFINED
    }
    case 'namespace':
      return exportedValue(it, of.path, name) ?? memberOfDefault(it, of.path, name, at)
    case 'host':
      return of.props.vars.get(name) ? it.narrow(of.props.vars.get(name) as Val) : hostMember(it, of, name, at)
    case 'global':
      return globalMember(it, of.name, name)
    case 'lib':
      return libMember(of, name, at)
    case 'client':
      // prisma-extension-kysely: queries built with Kysely over the same connection
      if (name === '$kysely') return { v: 'client', client: { ...of.client, library: 'kysely' } }
      return { v: 'chain', root: of, links: [{ name }], at }
    case 'chain': {
      const last = of.links[of.links.length - 1]
      if (last?.args) {
        const done = settleChain(it, of, at, name)
        if (done) return member(it, done, name, at)
      }
      // `mongoose.models.User || mongoose.model('User', schema)`: what is there already is what the other side makes
      if (of.root.v === 'lib' && of.root.pkg === 'mongoose' && last?.name === 'models' && !last.args) return UNDEFINED
      return { v: 'chain', root: of.root, links: [...of.links, { name }], at }
    }
    case 'fn': {
      const statics = of.scope.vars.get(`${of.id}.${name}`)
      return statics ?? { v: 'call', name, args: [of], at }
    }
    case 'unknown':
      return { v: 'chain', root: of, links: [{ name }], at }
    case 'call':
      // Vue's `computed(() => …)` is worked out when it is asked
      if (of.name === 'computed' && name === 'value' && of.args[0]?.v === 'fn') return callValue(it, of.args[0], [], at)
      return { v: 'chain', root: of, links: [{ name }], at }
    case 'env':
      return { v: 'call', name, args: [of], at }
    default:
      return { v: 'call', name, args: [of], at }
  }
}

function libMember(of: Extract<Val, { v: 'lib' }>, name: string, at: Place): Val {
  if (of.name === '*') return { v: 'lib', pkg: of.pkg, name }
  if (of.pkg === 'mongoose' && of.name === 'models') return UNDEFINED
  const text = enumMember(of.pkg, of.name, name)
  if (text !== undefined) return constant(text)
  return { v: 'chain', root: of, links: [{ name }], at }
}

function memberOfDefault(it: Interpreter, path: string, name: string, at: Place): Val {
  const main = exportedValue(it, path, 'default')
  return main ? (name === 'default' ? main : member(it, main, name, at)) : UNKNOWN
}

/** Environment objects of the runtimes. */
const ENVIRONMENTS = new Set(['process.env', 'import.meta.env', 'Bun.env', 'Netlify.env', 'Deno.env.toObject'])

function globalMember(it: Interpreter, of: string, name: string): Val {
  const side = sideNamed(it, `${of}.${name}`)
  if (side) return side
  if (ENVIRONMENTS.has(of)) return { v: 'env', name }
  if (GLOBAL_OBJECTS.has(of)) return name === 'process' || name in STANDARD ? { v: 'global', name } : it.narrow(it.globals.vars.get(name) ?? UNDEFINED)
  return { v: 'global', name: `${of}.${name}` }
}

/** Names of the global object, where applications keep what survives a reload (`globalThis.prisma`). */
export const GLOBAL_OBJECTS: ReadonlySet<string> = new Set(['globalThis', 'window', 'global', 'self'])

const STANDARD: Record<string, true> = {
  crypto: true,
  fetch: true,
  console: true,
  Response: true,
  Request: true,
  URL: true,
  Deno: true,
  Bun: true,
  localStorage: true,
  location: true,
}

/** A setting, or one thing whichever way the getter goes. */
function isPlain(value: Val): boolean {
  if (value.v === 'any') return value.alts.every((a) => a.value.v === 'const' || a.value.v === 'env' || a.value.v === 'text')
  return value.v !== 'unknown' && value.v !== 'call' && value.v !== 'chain'
}

function instanceMember(it: Interpreter, of: InstanceVal, name: string, at: Place): Val {
  const own = of.fields.vars.get(name)
  if (own) return it.narrow(own)
  for (let cls: ClassVal | undefined = of.of, n = 0; cls && n < 8; cls = parentOf(it, cls), n++) {
    const m = cls.ir.members.find((x) => x.name === name && !x.static && x.how !== 'set' && x.how !== 'constructor')
    if (m?.fn !== undefined) {
      const fn = functionValue(it, cls.path, m.fn, cls.scope, of, cls)
      return m.how === 'get' ? callValue(it, fn, [], at) : m.how === 'method' ? fn : UNKNOWN
    }
  }
  const base = libraryBase(it, of.of)
  if (base) return member(it, base, name, at)
  return { v: 'chain', root: { v: 'call', name: of.of.name || 'object', args: [] }, links: [{ name }], at }
}

/** `of[index]`. */
export function index(it: Interpreter, of: Val, key: Val, at: Place): Val {
  if (key.v === 'const' && typeof key.value === 'number') {
    const n = key.value
    if (of.v === 'any') return it.distribute(of, (value) => index(it, value, key, at))
    if (of.v === 'array') return of.items[n] ?? of.more ?? UNDEFINED
    if (of.v === 'row') return of.many ? { v: 'row', table: of.table, step: of.step, ...(of.field ? { field: of.field } : {}) } : of
    if (of.v === 'request') return of
    if (n === 0 && it.request?.path !== undefined && isAddressBeforeQuery(of)) return constant(it.request.path)
    if (of.v === 'call' && of.name === 'split') return { v: 'call', name: 'split', args: [...of.args, key], ...(of.at ? { at: of.at } : {}) }
    return elementOf(it, of)
  }
  if (key.v === 'const' && typeof key.value === 'string') return member(it, of, key.value, at)
  if (of.v === 'any') return it.distribute(of, (value) => index(it, value, key, at))
  if (of.v === 'object' && !of.rest) {
    // a look-up in a fixed table: one of its values, or nothing
    const values = lookedUp(of.props, key, at)
    if (values.length && values.length <= 60) return it.alternatives([...values.slice(0, 24), { value: UNDEFINED, under: [] }])
  }
  if (of.v === 'global' && of.name === 'process.env') return { v: 'env', name: '*' }
  if (of.v === 'array' || of.v === 'row') return elementOf(it, of)
  return { v: 'call', name: 'index', args: [of, key], at }
}

/** Whether a field holds related rows, of which the query took some along. */
function isEmbeddedList(it: Interpreter, step: number, field: string): boolean {
  const effect = it.steps[step]?.effect
  return effect?.kind === 'db' && effect.embedded?.some((f) => f.column.startsWith(`${field}.`)) === true
}

/** `request.url.split('?')`, whose first part is the path. */
function isAddressBeforeQuery(of: Val): boolean {
  if (of.v !== 'call' || of.name !== 'split') return false
  const [address, by] = of.args
  return address?.v === 'request' && address.part === 'url' && address.name === undefined && by?.v === 'const' && by.value === '?'
}

/** The values of a table, each under the keys that lead to it when the key is what a request, an event, a row or the session says. */
function lookedUp(props: Readonly<Record<string, Val>>, key: Val, at: Place): { value: Val; under: Cond[] }[] {
  const byValue = new Map<number, { value: Val; names: string[] }>()
  for (const [name, value] of Object.entries(props)) {
    const k = keyOf(value)
    const known = byValue.get(k)
    if (known) known.names.push(name)
    else byValue.set(k, { value, names: [name] })
  }
  const chosen = key.v === 'event' || key.v === 'request' || ((key.v === 'row' || key.v === 'caller') && key.field !== undefined)
  return [...byValue.values()].map(({ value, names }) => {
    if (!chosen) return { value, under: [] }
    const tests = names.map((name) => op('===', key, constant(name)))
    return { value, under: [{ test: tests.length === 1 ? (tests[0] as Val) : op('||', ...tests), negated: false, at, otherwise: { ends: false } }] }
  })
}

function dedupe(values: readonly Val[]): Val[] {
  const seen = new Set<number>()
  return values.filter((x) => {
    const k = keyOf(x)
    if (seen.has(k)) return false
    seen.add(k)
    return true
  })
}

/** An element of a collection. */
export function elementOf(it: Interpreter, of: Val): Val {
  switch (of.v) {
    case 'array': {
      const all = [...of.items, ...(of.more ? [of.more] : [])]
      if (!all.length) return UNKNOWN
      return it.alternatives(
        dedupe(all)
          .slice(0, 8)
          .map((value) => ({ value, under: [] })),
      )
    }
    case 'row':
      return { v: 'row', table: of.table, step: of.step, ...(of.field ? { field: of.field } : {}) }
    case 'request':
    case 'event':
    case 'result':
    case 'caller':
      return of
    case 'any':
      return it.distribute(of, (value) => elementOf(it, value))
    case 'call':
      // a set that was filled: what it was made from, then what was added
      if (of.name === 'Set' && of.args.length > 1)
        return it.alternatives(
          dedupe([...(of.args[0]?.v === 'array' && !of.args[0].items.length ? [] : [elementOf(it, of.args[0] ?? UNKNOWN)]), ...of.args.slice(1)])
            .slice(0, 8)
            .map((value) => ({ value, under: [] })),
        )
      return of.name === 'Object.entries' || of.name === 'Object.keys' || of.name === 'Object.values'
        ? array([
            { v: 'call', name: 'key', args: of.args },
            { v: 'call', name: 'value', args: of.args },
          ])
        : isDigestValue(of)
          ? of
          : { v: 'call', name: 'element', args: [of] }
    case 'object':
      return UNKNOWN
    case 'unknown':
      return UNKNOWN
    default:
      return { v: 'call', name: 'element', args: [of] }
  }
}

/** A value of the request. */
export function request(part: Extract<Value, { v: 'request' }>['part'], name?: string): Val {
  return name === undefined ? { v: 'request', part } : { v: 'request', part, name }
}
