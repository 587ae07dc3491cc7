/**
 * A long fuzzing session over every extractor and the configuration.
 *   node bench/fuzz.ts [--seconds 600] [--seed 1] [--only lock] [--files FOLDER]
 * `--files` takes real files as starting points besides the shapes in test/fuzz. Every input that is wrong is written to test/data/fuzz,
 * where the tests replay it from then on.
 */
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { parseConfig } from '../src/config/parse-config.ts'
import { extractorsFor } from '../src/facts/extract.ts'
import { whatIsWrong } from '../test/fuzz/extraction.ts'
import { mutate } from '../test/fuzz/mutate.ts'
import { CONFIGURATION, SEEDS } from '../test/fuzz/seeds.ts'
import { seededRandom } from '../test/support/random.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '600' }, seed: { type: 'string', default: '1' }, only: { type: 'string' }, files: { type: 'string' } },
})
const random = seededRandom(Number(values.seed))
const seeds = [...SEEDS, ...(values.files ? realFiles(values.files) : [])].filter(([path]) => path.includes(values.only ?? ''))
const end = Date.now() + Number(values.seconds) * 1000
const found = new Map<string, string>()
let runs = 0
while (Date.now() < end) {
  const [path, text] = seeds[Math.floor(random() * seeds.length)] as (typeof seeds)[number]
  const input = mutate(text, random)
  runs++
  const wrong = whatIsWrong(path, input)
  if (wrong && !found.has(wrong.replace(/\d+/g, '0'))) keep(path, input, wrong)
  const configuration = mutate(CONFIGURATION, random)
  try {
    parseConfig(configuration)
  } catch (error) {
    const message = `configuration: ${error instanceof Error ? error.message : String(error)}`
    if (!found.has(message)) keep('.github/prelaunch.yml', configuration, message)
  }
}
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
    .filter((path) => statSync(join(folder, path)).isFile() && statSync(join(folder, path)).size < 50_000 && extractorsFor(path).length > 0)
    .map((path) => [path, readFileSync(join(folder, path), 'utf8')])
}
