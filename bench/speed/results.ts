import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { median, spread } from './measure.ts'

/** One line of the table. */
interface Row {
  readonly repository: string
  readonly name: string
  readonly wall: readonly number[]
  readonly cpu: readonly number[]
  readonly peak: readonly number[]
  readonly bytes: readonly number[]
  /** Requests to GitHub. */
  readonly requests?: number
  /** Said instead of figures. */
  readonly absent?: string
}

/** Rows by repository and name; with a file they outlive the process, so that a long measurement is taken in parts. */
export class Results {
  readonly #rows = new Map<string, Row>()
  readonly #file: string | undefined
  /** Source files by repository. */
  readonly sizes: Record<string, number> = {}

  constructor(file?: string) {
    this.#file = file
    if (!file || !existsSync(file)) return
    const kept = JSON.parse(readFileSync(file, 'utf8')) as { rows: Row[]; sizes: Record<string, number> }
    for (const row of kept.rows) this.#rows.set(keyOf(row), row)
    Object.assign(this.sizes, kept.sizes)
  }

  /** Adds a row, or puts it in the place of what was known. */
  add(row: Row): void {
    this.#rows.set(keyOf(row), row)
    if (this.#file) writeFileSync(this.#file, JSON.stringify({ rows: [...this.#rows.values()], sizes: this.sizes }, null, 1))
  }

  has(repository: string, name: string): boolean {
    const row = this.#rows.get(keyOf({ repository, name }))
    return row !== undefined && row.absent === undefined && row.wall.length > 0
  }

  of(repository: string): readonly Row[] {
    return [...this.#rows.values()].filter((r) => r.repository === repository)
  }

  /** Median of one figure; undefined where there is none. */
  median(repository: string, name: string, figure: 'wall' | 'cpu' | 'peak'): number | undefined {
    const numbers = this.#rows.get(keyOf({ repository, name }))?.[figure] ?? []
    return numbers.length > 0 ? median(numbers) : undefined
  }

  /** The table in Markdown. Ratios are of CPU time to that of a cold audit. */
  table(repositories: readonly string[]): string {
    const lines = ['| repository | what | wall ms | CPU ms | of cold | peak MB | MB read | requests |', '| --- | --- | --: | --: | --: | --: | --: | --: |']
    for (const repository of repositories) {
      const cold = this.median(repository, COLD, 'cpu')
      for (const r of this.of(repository)) {
        const cpu = this.median(repository, r.name, 'cpu')
        const ratio = cold && cpu && r.name !== COLD ? `${(cpu / cold).toFixed(2)}x` : '–'
        lines.push(
          r.absent
            ? `| ${repository} | ${r.name}: ${r.absent} | | | | | | |`
            : `| ${repository} | ${r.name} | ${spread(r.wall)} | ${spread(r.cpu)} | ${ratio} | ${spread(r.peak)} | ${spread(r.bytes, 2)} | ${r.requests ?? '–'} |`,
        )
      }
    }
    return `${lines.join('\n')}\n`
  }
}

/** The row that the others are compared with. */
export const COLD = 'cold'

const keyOf = (row: { readonly repository: string; readonly name: string }) => `${row.repository} ${row.name}`
