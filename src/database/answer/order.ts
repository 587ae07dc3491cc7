import type { DatabaseResult } from '../database.ts'
import type { Sent, SentSql } from './sent.ts'

/** In which order the sandbox says that it applied the statements. */
export class AppliedOrder {
  private readonly of: ReadonlyMap<string, number>
  private readonly isAmbiguous: ReadonlySet<string>

  constructor(sent: SentSql, order: NonNullable<DatabaseResult['order']>) {
    this.of = new Map(order.map((path, i) => [path, i]))
    const paths = sent.input.files.map((f) => f.path)
    this.isAmbiguous = new Set(repeated(paths))
  }

  /** Whether one statement was applied after another; yes as well where that cannot be told. */
  isLater(s: Sent, than: Sent): boolean {
    if (this.isAmbiguous.has(s.file.path) || this.isAmbiguous.has(than.file.path)) return true
    const [a, b] = [this.of.get(s.file.path), this.of.get(than.file.path)]
    if (a === undefined || b === undefined) return true
    return a === b ? s.index > than.index : a > b
  }
}

/**
 * Why an order cannot be that of the files, or undefined. Migrations and declared schemas keep the order in which they were sent; only one that takes away
 * what another makes may come before it. Loose files may stand anywhere.
 */
export function notAnOrder(sent: SentSql, order: NonNullable<DatabaseResult['order']>): string | undefined {
  const known = new Map(sent.input.files.map((f, i) => [f.path, i]))
  if (new Set(order).size !== order.length) return 'it names a file twice in the order of the files'
  const foreign = order.find((path) => !known.has(path))
  if (foreign !== undefined) return 'its order names a file that was not sent'
  let last = -1
  for (const path of order) {
    const position = known.get(path) as number
    const file = sent.input.files[position]
    if (file?.role === 'loose' || file?.role === 'outline') continue
    if (sent.byFile.get(position)?.every((s) => s.read.does !== 'create relation')) continue
    if (position < last) return `it moves ${path} before a migration that comes earlier`
    last = position
  }
  return undefined
}

function repeated(paths: readonly string[]): string[] {
  const seen = new Set<string>()
  return paths.filter((p) => seen.size === seen.add(p).size)
}
