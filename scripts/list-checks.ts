/** Writes the list of checks into README.md, from the checks themselves. `--verify` only tells whether it is up to date. */
import { readFileSync, writeFileSync } from 'node:fs'
import { CHECKS } from '../src/checks/index.ts'

const readme = new URL('../README.md', import.meta.url)
const rows = CHECKS.map((c) => `| ${c.number} | [\`${c.id}\`](src/checks/${c.id}.md) | ${c.category} | ${c.rule} |`)
const table = ['| # | check | category | rule |', '| --- | --- | --- | --- |', ...rows].join('\n')
const before = readFileSync(readme, 'utf8')
const after = before.replace(/(<!-- checks:begin -->\n)[\s\S]*?(<!-- checks:end -->)/, (_, begin: string, end: string) => `${begin}${table}\n${end}`)
if (process.argv.includes('--verify')) process.exitCode = after === before ? 0 : 1
else writeFileSync(readme, after)
