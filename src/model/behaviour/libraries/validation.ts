import { admitsPlainTextOnly } from '../../../lib/plain-pattern.ts'
import { raise } from '../control-flow/throw.ts'
import { array, type ChainVal, isNullish, object, UNKNOWN, type Val } from '../domain/abstract-value.ts'
import { ACCEPTED, REJECTED } from '../domain/contains.ts'
import { member } from '../domain/members.ts'
import type { Interpreter } from '../interpreter.ts'
import { native } from '../native.ts'
import { callValue, settle, unknownCall } from '../operations.ts'
import type { Narrowed } from '../types.ts'
import type { Library, LibraryCall } from './library.ts'

/** zod and its relatives: what passes keeps its origin, takes the schema's shape and, where the schema says so, a narrow form. */
export const validation: Library = {
  packages: [
    'zod',
    'zod/',
    'valibot',
    'yup',
    'joi',
    '@hapi/joi',
    'superstruct',
    'arktype',
    '@sinclair/typebox/',
    'zod-form-data',
    'drizzle-zod',
    '@t3-oss/',
    'envalid',
    'sveltekit-superforms',
    'sveltekit-superforms/',
    'class-validator',
    'ajv',
    '@conform-to/zod',
  ],
  call(c) {
    const last = c.links[c.links.length - 1]
    switch (last?.name) {
      case 'refine':
      case 'superRefine':
      case 'check':
      case 'test':
      case 'default':
      case 'prefault': {
        // what a function says of a value leaves the form as it is: `.refine((data) => data.password === data.again)`
        const functions = c.args.filter((a) => a.v === 'fn')
        if (!functions.length || c.links.length < 2) return undefined
        if (last.name !== 'default' && last.name !== 'prefault' && functions.some((f) => asks(c.it, f))) return c.chain
        if (!c.it.quiet) unknownCall(c.it, c.name, undefined, functions, c.at)
        return { ...c.chain, links: c.links.slice(0, -1) }
      }
      case 'parse':
      case 'parseAsync':
      case 'validate':
      case 'validateAsync':
      case 'validateSync':
      case 'assert':
      case 'cast':
      case 'attempt': {
        const [schema, value] = schemaAndValue(c)
        const parsed = shaped(c, schema, value)
        if (last.name !== 'cast') c.it.require({ v: 'call', name: ACCEPTED, args: [value], at: c.at }, c.at)
        return last.name === 'validate' && c.root.v === 'lib' && /joi/.test(c.root.pkg)
          ? object({ value: parsed, error: { v: 'call', name: REJECTED, args: [value], at: c.at } })
          : parsed
      }
      case 'safeParse':
      case 'safeParseAsync':
      case 'spa': {
        const [schema, value] = schemaAndValue(c)
        const data = shaped(c, schema, value)
        return object({
          success: { v: 'call', name: ACCEPTED, args: [value], at: c.at },
          data,
          output: data,
          error: { v: 'call', name: REJECTED, args: [value], at: c.at },
        })
      }
      case 'superValidate':
        return object({
          valid: { v: 'call', name: ACCEPTED, args: c.args.slice(0, 1), at: c.at },
          data: c.args[0] && c.args[0].v !== 'chain' ? origin(c.args[0]) : UNKNOWN,
        })
      case 'createEnv':
      case 'cleanEnv': {
        const options = c.args[0]
        const runtime = options?.v === 'object' ? (options.props.runtimeEnv ?? options.props.experimental__runtimeEnv) : options
        const names =
          options?.v === 'object'
            ? [options.props.server, options.props.client, options.props.shared].flatMap((x) => (x?.v === 'object' ? Object.keys(x.props) : []))
            : []
        const props: Record<string, Val> = {}
        for (const n of names) props[n] = { v: 'env', name: n }
        if (runtime?.v === 'object') Object.assign(props, Object.fromEntries(Object.entries(runtime.props).filter(([, x]) => x.v === 'env')))
        return object(props, { v: 'global', name: 'process.env' })
      }
    }
    return undefined
  },
}

function origin(val: Val): Val {
  return val.v === 'host' ? { v: 'request', part: val.part ?? 'body' } : val
}

function schemaAndValue(c: LibraryCall): [Val | undefined, Val] {
  // valibot: `parse(schema, value)`; the others: `schema.parse(value)`
  if (c.links.length <= 2 && c.args.length >= 2 && c.args[0]?.v === 'chain') return [c.args[0], origin(c.args[1] as Val)]
  const schema: ChainVal = { v: 'chain', root: c.root, links: c.links.slice(0, -1), at: c.at }
  return [schema, origin(c.args[0] ?? UNKNOWN)]
}

const FORMS: Readonly<Record<string, Narrowed>> = {
  uuid: 'uuid',
  guid: 'uuid',
  cuid: 'uuid',
  cuid2: 'uuid',
  ulid: 'uuid',
  enum: 'enum',
  nativeEnum: 'enum',
  literal: 'enum',
  picklist: 'enum',
  number: 'number',
  bigint: 'number',
  int: 'number',
  boolean: 'boolean',
  email: 'email',
  date: 'date',
  datetime: 'date',
  url: 'url',
  nanoid: 'plain',
  hex: 'plain',
  alphanum: 'plain',
  ip: 'plain',
  ipv4: 'plain',
}

/** The texts of `enum(['a', 'b'])`, `literal('a')` and `nativeEnum({ A: 'a' })`. */
function choicesOf(list: Val | undefined): { choices?: readonly string[]; listed?: string } {
  const exported = list?.v === 'chain' ? list.links.at(-1) : list
  if (exported && 'name' in exported && (list?.v === 'lib' || (list?.v === 'chain' && list.root.v === 'lib' && !list.links.at(-1)?.args)))
    return { listed: exported.name }
  const items = list?.v === 'array' ? list.items : list?.v === 'object' && !list.rest ? Object.values(list.props) : list ? [list] : []
  const choices = items.flatMap((x) => (x.v === 'const' ? [String(x.value)] : []))
  return choices.length > 0 && choices.length === items.length ? { choices } : {}
}

/** `regex(/^[\w-]+$/)`. */
function isPlain(pattern: Val | undefined): boolean {
  return pattern?.v === 'call' && pattern.name.startsWith('regex:') && admitsPlainTextOnly(pattern.name.slice('regex:'.length))
}

/** What `createInsertSchema(table)` lets through: every column of the table that nothing leaves out. */
function rowOf(c: Pick<LibraryCall, 'it' | 'at'>, schema: ChainVal, value: Val, depth: number): Val {
  const set: Record<string, Val> = { ...(value.v === 'object' ? value.props : {}) }
  let rest = value.v === 'object' ? value.rest : value
  const without = new Set<string>()
  for (const { name, args } of schema.links) {
    const named = args?.[0]
    if (named?.v !== 'object') continue
    const names = Object.keys(named.props)
    for (const n of names) {
      if (name === 'omit') {
        delete set[n]
        without.add(n)
      } else if (name === 'extend' || name === 'pick')
        set[n] = shaped(c, name === 'extend' ? named.props[n] : undefined, member(c.it, value, n, c.at), depth + 1)
    }
    if (name !== 'pick') continue
    for (const n of Object.keys(set)) if (!names.includes(n)) delete set[n]
    rest = undefined
  }
  if (rest) rest = leaving(rest, [...without])
  return rest && !Object.keys(set).length ? rest : object(set, rest)
}

function leaving(value: Val, without: readonly string[]): Val {
  if (value.v === 'any') return { ...value, alts: value.alts.map((a) => ({ ...a, value: leaving(a.value, without) })) }
  return value.v === 'request' ? { ...value, without } : value
}

/** A function of a schema that waits for something asks somebody: a row of a code that was sent, a name that may be taken. */
const asks = (it: Interpreter, f: Val): boolean => f.v === 'fn' && it.program.function(f.path, f.id)?.async === true

const REFINEMENT_METHOD = /^(?:refine|superRefine|check|test)$/

/** What the functions of a schema ask of a value: where they find fault with it, nothing behind the schema runs. */
function asked(c: Pick<LibraryCall, 'it' | 'at'>, schema: ChainVal, value: Val): void {
  if (c.it.quiet) return
  for (const { name, args } of schema.links) {
    if (!args || !REFINEMENT_METHOD.test(name)) continue
    for (const f of args) {
      if (!asks(c.it, f)) continue
      const faults = native('addIssue', (it, _args, at) => raise(it, UNKNOWN, at))
      const context = object({ value, addIssue: faults, issues: object({ push: faults }), createError: native('createError', () => FALSE), path: array([]) })
      const says = settle(c.it, callValue(c.it, f, name === 'check' ? [context] : [value, context], c.at), c.at)
      if (name === 'refine' || name === 'test') c.it.require(says, c.at)
    }
  }
}

const FALSE: Val = { v: 'const', value: false }

/** The value after it passed the schema. */
export function shaped(c: Pick<LibraryCall, 'it' | 'at'>, schema: Val | undefined, value: Val, depth = 0): Val {
  const formed = inForm(c, schema, value, depth)
  if (schema?.v === 'chain' && depth <= 5 && !isNullish(value)) asked(c, schema, formed)
  return formed
}

/** Links that say which members an object has, and those that let through what nothing names. */
const SHAPE = new Set(['object', 'strictObject', 'extend', 'safeExtend', 'shape', 'merge', 'and', 'intersection'])
const PASSTHROUGH_METHODS = new Set(['passthrough', 'loose', 'looseObject', 'catchall'])

/**
 * What an object's schema lets through: the members that it names, in its own place or by another schema that it takes in (`base.merge(other.partial())`,
 * `{ ...base.shape, name }`). Where one of those is not known the value stays open; undefined when the schema is no object's.
 */
function ofShape(c: Pick<LibraryCall, 'it' | 'at'>, schema: ChainVal, value: Val, depth: number): Val | undefined {
  if (!schema.links.some((l) => l.args?.[0] && SHAPE.has(l.name)) || schema.links.some((l) => PASSTHROUGH_METHODS.has(l.name))) return undefined
  const props: Record<string, Val> = {}
  let rest: Val | undefined
  for (const { name, args = [] } of schema.links) {
    const [named] = args
    if (!named) continue
    if (SHAPE.has(name)) {
      for (const taken of name === 'intersection' ? args : [named]) {
        const members = taken.v === 'object' ? taken : undefined
        for (const [n, s] of Object.entries(members?.props ?? {})) props[n] = shaped(c, s, member(c.it, value, n, c.at), depth + 1)
        // a schema, or the shape of one: `merge(other)`, `extend(other.shape)`, `object({ ...other.shape })`
        const further = members ? members.rest : taken
        if (!further) continue
        const of = further.v === 'chain' ? ofShape(c, withoutShape(further), value, depth + 1) : undefined
        if (of?.v === 'object') Object.assign(props, of.props)
        rest = of?.v === 'object' ? (of.rest ?? rest) : value
      }
    } else if (name === 'omit' && named.v === 'object') for (const n of Object.keys(named.props)) delete props[n]
    else if (name === 'pick' && named.v === 'object') {
      for (const n of Object.keys(props)) if (!Object.hasOwn(named.props, n)) delete props[n]
      rest = undefined
    }
  }
  return object(props, rest)
}

/** `schema.shape` names the same members as `schema`. */
function withoutShape(schema: ChainVal): ChainVal {
  const last = schema.links.at(-1)
  return last?.name === 'shape' && !last.args ? { ...schema, links: schema.links.slice(0, -1) } : schema
}

function inForm(c: Pick<LibraryCall, 'it' | 'at'>, schema: Val | undefined, value: Val, depth: number): Val {
  if (isNullish(value) || depth > 5) return value
  if (schema?.v !== 'chain') return value
  if (value.v === 'global' && value.name === 'process.env') return value
  const ofTable = schema.root.v === 'lib' && schema.root.pkg === 'drizzle-zod' && schema.links[0]?.name === 'createInsertSchema'
  if (ofTable) return rowOf(c, schema, value, depth)
  const members = ofShape(c, schema, value, depth)
  if (members) return members
  const elements = schema.links.find((l) => l.name === 'array' && l.args)
  if (elements) return array([], shaped(c, elements.args?.[0] ?? { ...schema, links: schema.links.slice(0, schema.links.indexOf(elements)) }, value, depth + 1))
  for (const l of schema.links) {
    const form = l.args ? (FORMS[l.name] ?? (/^(?:regex|matches|pattern)$/.test(l.name) && isPlain(l.args[0]) ? 'plain' : undefined)) : undefined
    if (form && value.v === 'request' && !value.as) return { ...value, as: form, ...(form === 'enum' ? choicesOf(l.args?.[0]) : {}) }
  }
  return value
}
