/**
 * How much of real repositories' SQL the sandbox applies or explains.
 *
 *   node bench/sql-coverage.ts --clones DIR [--repositories FILE] [--only TEXT]
 *
 * `applied` statements took effect (or had none left to take); `explained` ones are gaps that say what they could have changed; the rest
 * could have changed anything. A clone of OWNER/NAME is expected at CLONES/OWNER+NAME; repositories without SQL are left out.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { planReplay } from '../src/database/plan-replay.ts'
import { SandboxDatabase } from '../src/database/sandbox-database.ts'
import { extractInProcess } from '../src/facts/extract.ts'
import { gatherFacts } from '../src/facts/gather.ts'
import { GitSource } from '../src/platform/local/git-source.ts'

const { values } = parseArgs({ options: { clones: { type: 'string' }, repositories: { type: 'string' }, only: { type: 'string' } } })
if (!values.clones) {
  process.stderr.write('usage: sql-coverage.ts --clones DIR [--repositories FILE] [--only TEXT]\n')
  process.exit(2)
}
const file = values.repositories ?? new URL('./detection/repositories.json', import.meta.url)
const list = JSON.parse(readFileSync(file, 'utf8')) as { unlabelled: readonly { readonly repository: string; readonly commit?: string }[] }
const database = new SandboxDatabase({ budgetMs: 120_000, stepMs: 20_000 })
const sum = { repositories: 0, total: 0, applied: 0, explained: 0 }

for (const { repository, commit } of list.unlabelled) {
  const dir = join(resolve(values.clones), repository.replace('/', '+'))
  if ((values.only && !repository.includes(values.only)) || !existsSync(dir)) continue
  const source = new GitSource(dir)
  const snapshot = await source.snapshot(commit ?? 'HEAD')
  const { facts, blobs } = await gatherFacts(snapshot, source, extractInProcess, [])
  const plan = planReplay(
    facts,
    blobs.map((b) => b.path),
  )
  if (!plan.files.length) continue
  const { statements, gaps } = await database.replay(plan)
  const { total, applied, explained } = statements
  process.stdout.write(
    `${repository.padEnd(48)} ${String(plan.files.length).padStart(4)} files ${String(total).padStart(6)} statements ${String(applied).padStart(6)} applied ${String(explained).padStart(5)} explained ${gaps.length} gaps\n`,
  )
  sum.repositories += 1
  sum.total += total
  sum.applied += applied
  sum.explained += explained
}
await database.close()
const share = (n: number) => `${((100 * n) / Math.max(1, sum.total)).toFixed(2)} %`
process.stdout.write(
  `\n${sum.repositories} repositories, ${sum.total} statements: ${sum.applied} applied (${share(sum.applied)}), ${sum.explained} explained (${share(sum.explained)}), ${share(sum.applied + sum.explained)} together\n`,
)
