/**
 * A long fuzzing session over every extractor and the configuration, or with `--sql` over whole audits of mutated SQL, sandbox included.
 *   node bench/fuzz.ts [--seconds 600] [--seed 1] [--only lock] [--files FOLDER] [--sql]
 * `--files` takes real files as starting points besides the shapes in test/fuzz. Every input that is wrong is written to test/data/fuzz,
 * where the tests replay it from then on.
 */
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { parseConfig } from '../src/config/parse-config.ts'
import { extractorsFor } from '../src/facts/extract.ts'
import { localDatabase } from '../src/platform/local/database.ts'
import { whatIsWrong } from '../test/fuzz/extraction.ts'
import { mutate } from '../test/fuzz/mutate.ts'
import { auditSql } from '../test/fuzz/replay.ts'
import { CONFIGURATION, SEEDS } from '../test/fuzz/seeds.ts'
import { SQL_SEEDS } from '../test/fuzz/sql-seeds.ts'
import { seededRandom } from '../test/support/random.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    files: { type: 'string' },
    sql: { type: 'boolean', default: false },
  },
})
const random = seededRandom(Number(values.seed))
const shapes = values.sql
  ? SQL_SEEDS.map(([name, text]): [string, string] => [`supabase/migrations/20250101000000_${name.replaceAll(' ', '_')}.sql`, text])
  : SEEDS
const seeds = [...shapes, ...(values.files ? realFiles(values.files) : [])].filter(
  ([path]) => path.includes(values.only ?? '') && (!values.sql || path.endsWith('.sql')),
)
const end = Date.now() + Number(values.seconds) * 1000
const found = new Map<string, string>()
const database = values.sql ? localDatabase() : undefined
let runs = 0
while (Date.now() < end) {
  const [path, text] = seeds[Math.floor(random() * seeds.length)] as (typeof seeds)[number]
  const input = mutate(text, random)
  runs++
  const wrong = database ? (await auditSql({ [path]: input }, database)).wrong : whatIsWrong(path, input)
  if (wrong && !found.has(wrong.replace(/\d+/g, '0'))) keep(path, input, wrong)
  if (database) continue
  const configuration = mutate(CONFIGURATION, random)
  try {
    parseConfig(configuration)
  } catch (error) {
    const message = `configuration: ${error instanceof Error ? error.message : String(error)}`
    if (!found.has(message)) keep('.github/prelaunch.yml', configuration, message)
  }
}
await database?.close?.()
console.log(JSON.stringify({ runs, seeds: seeds.length, found: [...found] }, null, 2))
process.exitCode = found.size ? 1 : 0

function keep(path: string, input: string, wrong: string): void {
  found.set(wrong.replace(/\d+/g, '0'), path)
  const folder = join('test/data/fuzz', createHash('sha1').update(input).digest('hex').slice(0, 12))
  const file = join(folder, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, input)
  console.error(`${wrong}: ${file}`)
}

function realFiles(folder: string): [string, string][] {
  return globSync('**/*', { cwd: folder, exclude: ['**/node_modules/**', '.git/**'] })
    .filter((path) => extractorsFor(path).length > 0)
    .filter((path) => {
      // A link may lead nowhere.
      const stat = statSync(join(folder, path), { throwIfNoEntry: false })
      return stat?.isFile() && stat.size < 50_000
    })
    .map((path) => [path, readFileSync(join(folder, path), 'utf8')])
}
