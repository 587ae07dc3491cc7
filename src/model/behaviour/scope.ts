import type { Place } from '../../lib/place.ts'
import type { Val } from './abstract-value.ts'

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
