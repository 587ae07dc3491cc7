import type { LockedPackage } from '../../kinds.ts'

/** Above this many packages a lock file is cut off and the rest declared as not read. */
export const MAX_PACKAGES = 60_000

/** `name@version`, the key of a package in facts and model. */
export function packageKey(name: string, version: string): string {
  return `${name}@${version}`
}

/** Splits `@scope/name@version` at the last `@` that is not the scope's. Undefined when there is no version. */
export function splitKey(key: string): { readonly name: string; readonly version: string } | undefined {
  const at = key.indexOf('@', 1)
  return at === -1 || at === key.length - 1 ? undefined : { name: key.slice(0, at), version: key.slice(at + 1) }
}

/** Collects packages; the same version installed in several places becomes one package, at its first line. */
export class PackageTable {
  private readonly byKey = new Map<string, { name: string; version: string; line: number; requires: Set<string>; dev: boolean | undefined }>()

  add(p: {
    readonly name: string
    readonly version: string
    readonly line: number
    readonly requires: Iterable<string>
    readonly dev?: boolean | undefined
  }): void {
    const key = packageKey(p.name, p.version)
    const known = this.byKey.get(key)
    if (known) {
      for (const r of p.requires) known.requires.add(r)
      // Needed by production in one place is needed by production.
      if (known.dev && p.dev !== true) known.dev = p.dev
      return
    }
    if (this.byKey.size >= MAX_PACKAGES) return
    this.byKey.set(key, { name: p.name, version: p.version, line: p.line, requires: new Set(p.requires), dev: p.dev })
  }

  has(key: string): boolean {
    return this.byKey.has(key)
  }

  /** In code-unit order of `name@version`. */
  list(): LockedPackage[] {
    return [...this.byKey.entries()]
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([, p]) => ({ name: p.name, version: p.version, line: p.line, requires: [...p.requires].sort(), ...(p.dev === undefined ? {} : { dev: p.dev }) }))
  }
}

/** A plain object, or undefined for everything else. */
export function record(value: unknown): Record<string, unknown> | undefined {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
}

/** Entries of an object whose values are strings. */
export function strings(value: unknown): [string, string][] {
  return Object.entries(record(value) ?? {}).filter((e): e is [string, string] => typeof e[1] === 'string')
}
