import type { Val } from './abstract-value.ts'

let serial = 0
/** The serial of the youngest scope. */
export const youngest = (): number => serial

/** Names and their values at one level; looked up outwards. Names of modules are evaluated when first read. */
export class Scope {
  readonly vars = new Map<string, Val>()
  readonly parent: Scope | undefined
  readonly path: string
  /** Names that are evaluated on first use (module level). */
  lazy: Map<string, () => Val> | undefined
  /** Grows with every scope made: tells whether a scope is younger than a branch. */
  readonly serial: number = ++serial

  constructor(path: string, parent?: Scope) {
    this.path = path
    this.parent = parent
  }

  /** The scope that defines `name`. */
  holder(name: string): Scope | undefined {
    for (let s: Scope | undefined = this; s; s = s.parent) if (s.vars.has(name) || s.lazy?.has(name)) return s
    return undefined
  }
}
