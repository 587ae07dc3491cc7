/**
 * Prints how the code is arranged: each figure beside its limit and its target (`structure.json`), and ends with status 1 when one is over its limit.
 *
 *   node scripts/structure.ts [--list FIGURE] [--tighten]
 *
 * --list prints what a figure consists of: any part of its name. --tighten lowers each limit that is higher than its figure to the figure.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type CountedWords, measure } from './structure/measure.ts'
import { readSourceFiles } from './structure/source-files.ts'

interface Settings extends CountedWords {
  readonly limits: Readonly<Record<string, { readonly limit: number; readonly target?: number }>>
}

const { values } = parseArgs({ options: { list: { type: 'string' }, tighten: { type: 'boolean', default: false } } })
const settingsFile = new URL('./structure.json', import.meta.url)
const settings = JSON.parse(readFileSync(settingsFile, 'utf8')) as Settings
const figures = measure(readSourceFiles(new URL('..', import.meta.url).pathname), settings)

const rows = Object.entries(figures).map(([name, { value }]) => ({ name, value, ...limitOf(name) }))
for (const { name, value, limit, target } of rows) {
  const verdict = value > limit ? 'OVER THE LIMIT' : value < limit ? 'the limit can be lowered' : ''
  process.stdout.write(
    `${name.padEnd(42)}${String(value).padStart(6)}  limit ${String(limit).padStart(5)}  target ${String(target ?? '').padStart(4)}  ${verdict}\n`,
  )
}
for (const [name, { items }] of Object.entries(figures))
  if (values.list && name.includes(values.list)) process.stdout.write(`\n${name}\n  ${items.join('\n  ')}\n`)
if (values.tighten) tighten()
process.exitCode = rows.some((r) => r.value > r.limit) ? 1 : 0

function limitOf(name: string): Settings['limits'][string] {
  const known = settings.limits[name]
  if (!known) throw new Error(`structure.json has no limit for "${name}"`)
  return known
}

function tighten(): void {
  const limits = Object.fromEntries(rows.map((r) => [r.name, { ...limitOf(r.name), limit: Math.min(r.limit, r.value) }]))
  writeFileSync(settingsFile, `${JSON.stringify({ ...settings, limits }, null, 2)}\n`)
}
