/**
 * Audits a list of repositories from local clones and prints a table; with labels, their score.
 *
 *   node bench/detection/run.ts --clones DIR --reports DIR [--labels DIR --score FILE] [--only TEXT] [--set labelled|blind|heldOut|unlabelled|all] [--jobs N]
 *
 * The labels of the sets `blind` and `heldOut` are in `bench/detection/labels`, without the words that were written to them. What is fixed is fixed on `blind`;
 * `heldOut` tells what that was worth elsewhere.
 * A clone of OWNER/NAME is expected at CLONES/OWNER+NAME. Its content never enters this repository.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Report } from '../../src/report/report.ts'

const { values } = parseArgs({
  options: {
    clones: { type: 'string' },
    reports: { type: 'string' },
    labels: { type: 'string' },
    score: { type: 'string' },
    only: { type: 'string' },
    set: { type: 'string', default: 'labelled' },
    jobs: { type: 'string', default: '2' },
  },
})
if (!values.clones || !values.reports) {
  process.stderr.write(
    'usage: run.ts --clones DIR --reports DIR [--labels DIR --score FILE] [--only TEXT] [--set labelled|blind|heldOut|unlabelled|all] [--jobs N]\n',
  )
  process.exit(2)
}

interface Entry {
  readonly repository: string
  readonly commit?: string
}

const list = JSON.parse(readFileSync(new URL('./repositories.json', import.meta.url), 'utf8')) as Record<
  'labelled' | 'blind' | 'heldOut' | 'unlabelled',
  Entry[]
>
const wanted = (values.set === 'all' ? Object.values(list).flat() : (list[values.set as keyof typeof list] ?? [])).filter(
  (e) => !values.only || e.repository.includes(values.only),
)
mkdirSync(values.reports, { recursive: true })
const cli = new URL('../../src/cli.ts', import.meta.url).pathname

/** Audits one repository in a process of its own; gives its table row. */
async function auditOne(entry: Entry): Promise<string> {
  const name = entry.repository.replace('/', '+')
  const dir = join(resolve(values.clones as string), name)
  if (!existsSync(dir)) return `${entry.repository.padEnd(48)} no clone`
  const output = join(resolve(values.reports as string), `${name}.json`)
  const started = performance.now()
  const status = await new Promise<number | null>((done) => {
    const child = spawn(process.execPath, [cli, 'audit', dir, '--commit', entry.commit ?? 'HEAD', '--format', 'json', '--output', output], {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    child.on('close', done)
  })
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  if (status !== 0 && status !== 1) return `${entry.repository.padEnd(48)} exit ${status} after ${seconds} s`
  const report = JSON.parse(readFileSync(output, 'utf8')) as Report
  const s = report.summary
  const statuses = `${s.passed} passed ${s.failed} failed ${s.unverified} unverified ${s.notApplicable} n/a`
  return `${entry.repository.padEnd(48)} ${String(s.critical).padStart(3)} C ${String(s.high).padStart(3)} H ${String(s.medium).padStart(3)} M  ${statuses.padEnd(44)} ${report.gaps.length} gaps, ${report.routes.length} routes, ${seconds} s`
}

const queue = [...wanted]
await Promise.all(
  Array.from({ length: Number(values.jobs) }, async () => {
    for (let next = queue.shift(); next; next = queue.shift()) process.stdout.write(`${await auditOne(next)}\n`)
  }),
)
if (values.labels && values.score) spawnSync(process.execPath, [values.score, values.labels, values.reports, '--list'], { stdio: 'inherit' })
