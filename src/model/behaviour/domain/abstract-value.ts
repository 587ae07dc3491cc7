import type { ClassIR, FunctionId } from '../../../facts/javascript.ts'
import type { Place } from '../../../lib/place.ts'
import { type Client, HIDDEN_LITERAL, type Otherwise, type Value } from '../types.ts'

/** Values that mean the same inside the interpreter and outside. */
export type Leaf = Extract<Value, { v: 'const' | 'request' | 'caller' | 'env' | 'row' | 'error' | 'result' | 'event' | 'unknown' }>

/** A condition while the interpreter still learns what the other branch does. */
export interface Cond {
  readonly test: Val
  readonly negated: boolean
  readonly at: Place
  otherwise: Otherwise
  /** `keyOf(test)`, once computed, and the run for which it was. */
  key?: number | undefined
  keyRun?: number | undefined
  /** How much the test tells of who came, once weighed. */
  weight?: number | undefined
}

/** One alternative of a join; `i` identifies it among its siblings through every value derived from the join. */
export interface Alt {
  readonly i: number
  readonly value: Val
  readonly under: readonly Cond[]
}

/** `.name` or, once called, `.name(...args)`. */
export interface Link {
  readonly name: string
  readonly args?: readonly Val[]
}

export type FunctionVal = {
  readonly v: 'fn'
  readonly path: string
  readonly id: FunctionId
  readonly scope: Scope
  readonly self?: Val
  readonly home?: ClassVal
  /** Of an object: whoever reads the property gets what the function gives. */
  readonly getter?: true
}
export type ClassVal = {
  readonly v: 'class'
  readonly ir: ClassIR
  readonly name: string
  readonly path: string
  readonly scope: Scope
  readonly statics: Scope
}
export type InstanceVal = { readonly v: 'instance'; readonly of: ClassVal; readonly fields: Scope }
/** A call chain on something a library gave: `supabase.from('x').select()`. */
export type ChainVal = { readonly v: 'chain'; readonly root: Val; readonly links: readonly Link[]; readonly at: Place }
/** An object of a web framework or of the web platform: request, headers, cookies, URL, context. */
export type HostVal = { readonly v: 'host'; readonly host: string; readonly props: Scope; readonly part?: Extract<Value, { v: 'request' }>['part'] }
/** `tables`: where the names stand by which relational queries call tables (`drizzle(pool, { schema })`). */
export type ClientVal = { readonly v: 'client'; readonly client: Client; readonly tables?: Val }
export type ResponseVal = {
  readonly v: 'response' /** Recorded as a step already. */
  readonly sent?: true
  readonly how: 'json' | 'redirect' | 'next' | 'not-found' | 'other'
  readonly status?: number
  readonly body?: Val
  /** Middleware rewrites the request to the page that is asked about. */
  readonly arrives?: true
  readonly at?: Place
}
export type AnyVal = { readonly v: 'any'; readonly choice: number; readonly alts: readonly Alt[] }
export type ObjectVal = { readonly v: 'object'; readonly props: Readonly<Record<string, Val>>; readonly rest?: Val }
/** `more` stands for any number of items of which the code does not say how many there are, `kept` for what a filter asked of each of them. */
export type ArrayVal = { readonly v: 'array'; readonly items: readonly Val[]; readonly more?: Val; readonly kept?: readonly Cond[] }

/**
 * The run in which a native function is called: always an `Interpreter`, of which values know no more than its path, so that no value depends on the
 * interpreter. `native` makes functions that take the whole of it.
 */
export interface NativeRun {
  readonly pc: readonly Cond[]
}

/** What the interpreter computes with. */
export type Val =
  | Leaf
  | ObjectVal
  | ArrayVal
  | { readonly v: 'text'; readonly parts: readonly Val[] }
  | { readonly v: 'op'; readonly op: string; readonly of: readonly Val[] }
  | { readonly v: 'call'; readonly name: string; readonly args: readonly Val[]; readonly at?: Place }
  | ResponseVal
  | AnyVal
  | FunctionVal
  | { readonly v: 'native'; readonly name: string; call(it: NativeRun, args: readonly Val[], at: Place): Val }
  | ClassVal
  | InstanceVal
  /** What a package exports: `name` is the export, 'default' or '*'. */
  | { readonly v: 'lib'; readonly pkg: string; readonly name: string }
  /** A name that no scope defines: `process`, `JSON`, `console`. */
  | { readonly v: 'global'; readonly name: string }
  /** `import * as x` of a file of the repository. */
  | { readonly v: 'namespace'; readonly path: string }
  | ClientVal
  | ChainVal
  | HostVal

export const UNKNOWN: Val = { v: 'unknown' }
export const UNDEFINED: Val = { v: 'const', value: undefined }

export const constant = (value: string | number | boolean | null | undefined): Val => ({ v: 'const', value })
export const object = (props: Readonly<Record<string, Val>>, rest?: Val): ObjectVal => (rest ? { v: 'object', props, rest } : { v: 'object', props })
export const array = (items: readonly Val[], more?: Val): ArrayVal => (more ? { v: 'array', items, more } : { v: 'array', items })
export const op = (name: string, ...of: readonly Val[]): Val => ({ v: 'op', op: name, of })

/** A value written in the code, also one that is hidden because it looks like a secret. */
export function isLiteral(val: Val): val is Val & Value {
  return val.v === 'const' || (val.v === 'call' && val.name.startsWith(HIDDEN_LITERAL))
}

/** The string of a constant, also of a template that is constant throughout. */
export function constantString(val: Val | undefined): string | undefined {
  if (!val) return undefined
  if (val.v === 'const') return typeof val.value === 'string' ? val.value : undefined
  if (val.v === 'env' && val.fallback?.v === 'const' && typeof val.fallback.value === 'string' && val.fallback.value) return undefined
  return undefined
}

/** Packages of which every builder gives a schema: an object, whatever it describes. */
const SCHEMAS = /^(?:zod|yup|joi|@hapi\/joi|valibot|superstruct|@sinclair\/typebox|arktype)(?:\/|$)/

/** True or false when every run gives that truth value; undefined when it depends. */
export function truth(val: Val): boolean | undefined {
  switch (val.v) {
    case 'const':
      return Boolean(val.value)
    case 'object':
      // a session: an object when somebody is signed in, else nothing; so is a cookie by its name
      return val.rest?.v === 'caller' || (val.rest?.v === 'request' && val.rest.part === 'cookie') ? undefined : true
    case 'array':
    case 'response':
    case 'fn':
    case 'native':
    case 'class':
    case 'instance':
    case 'lib':
    case 'namespace':
    case 'client':
    case 'host':
      return true
    case 'text':
      return val.parts.some((p) => p.v === 'const' && String(p.value ?? '').length > 0) ? true : undefined
    case 'chain':
      return val.root.v === 'lib' && SCHEMAS.test(val.root.pkg) ? true : undefined
    case 'any': {
      const each = val.alts.map((a) => truth(a.value))
      return each.every((t) => t === true) ? true : each.every((t) => t === false) ? false : undefined
    }
    default:
      return undefined
  }
}

/** `null` and `undefined` for certain. */
export function isNullish(val: Val): boolean {
  return val.v === 'const' && (val.value === null || val.value === undefined)
}

/** The bytes of a MAC or a hash: in whatever way they are written out, they stay what they are. */
export const isDigestValue = (val: Val): boolean => val.v === 'call' && (val.name === 'hmac' || val.name === 'hash')

/** Whether the value means the same outside of the interpreter. */
export function isLeaf(val: Val): val is Leaf {
  switch (val.v) {
    case 'const':
    case 'request':
    case 'caller':
    case 'env':
    case 'row':
    case 'error':
    case 'result':
    case 'event':
    case 'unknown':
      return true
    default:
      return false
  }
}

/** The dotted name of a chain, calls and roots left out: `emails.send`. */
export function chainName(chain: ChainVal): string {
  const names = chain.links.map((l) => l.name).filter((n) => n !== 'new' && n !== 'default' && n !== '*')
  return names.join('.')
}
let serial = 0

/** The serial of the youngest scope. */
export const youngest = (): number => serial

const SHARED = 0

let made: Scope[] | undefined

/** Runs what makes a value for all entries: the scopes in it are its own while it is made, and shared afterwards. */
export function makeShared<T>(make: () => T): T {
  const outer = made
  const own: Scope[] = []
  made = own
  try {
    return make()
  } finally {
    made = outer
    for (const scope of own) scope.serial = SHARED
  }
}

/** Names and their values at one level; looked up outwards. Names of modules are evaluated when first read. */
export class Scope {
  readonly vars = new Map<string, Val>()
  readonly parent: Scope | undefined
  readonly path: string
  /** Names that are evaluated on first use (module level). */
  lazy: Map<string, () => Val> | undefined
  /** Names to which a function that answers later gave its promise, for which nobody waited. */
  promised: Set<string> | undefined
  /** Grows with every scope made: tells whether a scope is younger than a branch. Those that all entries share are older than any. */
  serial: number
  /** Tells scopes apart for good. */
  readonly id: number

  /** Places in the file by line, shared by the scopes of a module: steps and conditions are many, places few. */
  readonly #places: Place[]

  constructor(path: string, parent?: Scope, shared = false) {
    this.path = path
    this.parent = parent
    this.#places = parent?.path === path ? parent.#places : []
    this.id = ++serial
    this.serial = shared ? SHARED : this.id
    made?.push(this)
  }

  /** A line of the file. */
  at(line: number): Place {
    let place = this.#places[line]
    if (!place) {
      place = { path: this.path, line }
      this.#places[line] = place
    }
    return place
  }

  /** The scope that defines `name`. */
  holder(name: string): Scope | undefined {
    for (let s: Scope | undefined = this; s; s = s.parent) if (s.vars.has(name) || s.lazy?.has(name)) return s
    return undefined
  }
}

/** A value, and what a path must hold for it to be the one. */
export interface Alternative {
  readonly value: Val
  readonly under: readonly Cond[]
  /** Its number in the choice that it belongs to; its place in the list when absent. */
  readonly i?: number
}
