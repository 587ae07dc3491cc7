/**
 * Do reports stay the same, byte for byte, while the code is rearranged? Audits the repositories of `bench/detection/repositories.json` of which
 * a clone is at hand, each at its commit.
 *
 *   node bench/same-reports.ts record|compare [--dir MIRRORS] [--cache DIR] [--replays version|input] [--only TEXT] [--jobs N] [--at-least 60]
 *
 * A clone of OWNER/NAME, bare or with a working tree, is expected at MIRRORS/OWNER+NAME, MIRRORS/OWNER+NAME/repo or MIRRORS/OWNER+NAME/.git. `record` writes one report for each
 * and their digests to CACHE/baseline; `compare` audits again, names each report that differs, shows the first difference and leaves the new report in
 * CACHE/compared. Exit status 1: a report differs, 2: fewer repositories than `--at-least`, or one could not be audited.
 *
 * Results of the database are taken from CACHE/replays. With `--replays version`, the default, a result counts for the replay version of today; with
 * `--replays input` it counts for its input whatever the sandbox is today, so that everything else is compared while the sandbox changes.
 */
import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const USAGE = 'usage: same-reports.ts record|compare [--dir MIRRORS] [--cache DIR] [--replays version|input] [--only TEXT] [--jobs N] [--at-least N]\n'
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dir: { type: 'string', default: process.env['PRELAUNCH_MIRRORS'] ?? '.mirrors' },
    cache: { type: 'string', default: join(homedir(), '.cache', 'prelaunch', 'same-reports') },
    replays: { type: 'string', default: 'version' },
    only: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    'at-least': { type: 'string' },
  },
})
const [mode] = positionals
if ((mode !== 'record' && mode !== 'compare') || !['version', 'input'].includes(values.replays)) {
  process.stderr.write(USAGE)
  process.exit(2)
}

interface Entry {
  readonly repository: string
  readonly commit?: string
}
interface Clone {
  readonly repository: string
  readonly commit: string
  readonly dir: string
}
/** What `record` found: the digest of a report is that of its file. */
interface Recorded {
  readonly repository: string
  readonly commit: string
  readonly sha256: string
}

const cache = resolve(values.cache)
const baseline = join(cache, 'baseline')
const digestsFile = join(baseline, 'digests.json')
const output = mode === 'record' ? baseline : join(cache, 'compared')
const known = mode === 'compare' ? new Map(recorded().map((r) => [r.repository, r])) : undefined
const clones = clonesAtHand().filter((c) => !known || known.has(c.repository))
const atLeast = Number(values['at-least'] ?? (values.only ? 1 : 60))
if (mode === 'compare') rmSync(output, { recursive: true, force: true })
mkdirSync(output, { recursive: true })

const started = performance.now()
const found: Recorded[] = []
const failed: string[] = []
const changed: string[] = []
let replayed = 0
const queue = [...clones]
await Promise.all(
  Array.from({ length: Number(values.jobs) }, async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      if (process.stderr.isTTY) process.stderr.write(`\r${clones.length - queue.length} of ${clones.length} ${next.repository.padEnd(72)}`)
      await auditClone(next)
    }
  }),
)
if (process.stderr.isTTY) process.stderr.write('\r')
if (mode === 'record') recordDigests()
const seconds = ((performance.now() - started) / 1000).toFixed(0)
const verdict = mode === 'record' ? 'recorded' : `${found.length - changed.length} equal, ${changed.length} differ`
process.stdout.write(`${clones.length} repositories in ${seconds} s, ${replayed} databases replayed: ${verdict}, ${failed.length} failed\n`)
if (clones.length < atLeast) process.stderr.write(`only ${clones.length} of at least ${atLeast} repositories are at hand\n`)
process.exitCode = failed.length || clones.length < atLeast ? 2 : changed.length ? 1 : 0

async function auditClone(clone: Clone): Promise<void> {
  const file = reportFile(output, clone.repository)
  const { status, databases } = await auditApart(clone, file)
  replayed += databases
  if (status !== 0) {
    failed.push(clone.repository)
    process.stdout.write(`failed  ${clone.repository}: exit status ${status}\n`)
    return
  }
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex')
  found.push({ repository: clone.repository, commit: clone.commit, sha256 })
  const before = known?.get(clone.repository)
  if (!before) return
  if (before.sha256 === sha256) rmSync(file)
  else {
    changed.push(clone.repository)
    process.stdout.write(`differs ${clone.repository}: ${firstDifferingLine(reportFile(baseline, clone.repository), file)}\n`)
  }
}

/** Audits in a process of its own; gives its exit status and how many databases it replayed. */
function auditApart({ dir, commit }: Clone, file: string): Promise<{ status: number | null; databases: number }> {
  const program = new URL('./same-reports/audit-one.ts', import.meta.url)
  const child = fork(program, [dir, commit, join(cache, 'replays'), values.replays, file], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  let databases = 0
  child.on('message', (message: { replayed: number }) => {
    databases = message.replayed
  })
  return new Promise((done) => child.on('close', (status) => done({ status, databases })))
}

/** The listed repositories that have a clone, with the commit of the list; in `compare` those that were recorded. */
function clonesAtHand(): Clone[] {
  const lists = JSON.parse(readFileSync(new URL('./detection/repositories.json', import.meta.url), 'utf8')) as Record<string, Entry[]>
  return Object.values(lists)
    .flat()
    .filter((e) => !values.only || e.repository.includes(values.only))
    .flatMap(({ repository, commit }) => {
      const base = join(resolve(values.dir), repository.replace('/', '+'))
      const dir = [join(base, '.git'), join(base, 'repo', '.git'), join(base, 'repo'), base].find((d) => existsSync(join(d, 'HEAD')))
      const at = known?.get(repository)?.commit ?? commit
      return dir && at ? [{ repository, commit: at, dir }] : []
    })
}

function recorded(): Recorded[] {
  if (existsSync(digestsFile)) return JSON.parse(readFileSync(digestsFile, 'utf8')) as Recorded[]
  if (mode === 'record') return []
  process.stderr.write(`nothing is recorded in ${baseline}: run record first\n`)
  process.exit(2)
}

/** A part that was recorded again replaces its entries, the others stay. */
function recordDigests(): void {
  const all = new Map([...recorded(), ...found].map((r) => [r.repository, r]))
  const sorted = [...all.values()].sort((a, b) => (a.repository < b.repository ? -1 : 1))
  writeFileSync(digestsFile, `${JSON.stringify(sorted, null, 1)}\n`)
}

function reportFile(dir: string, repository: string): string {
  return join(dir, `${repository.replace('/', '+')}.json`)
}

function firstDifferingLine(before: string, after: string): string {
  const [a, b] = [before, after].map((file) => readFileSync(file, 'utf8').split('\n')) as [string[], string[]]
  const at = a.findIndex((line, i) => line !== b[i])
  const line = at < 0 ? a.length : at
  const short = (text: string | undefined) => JSON.stringify((text ?? '').trim().slice(0, 160))
  return `line ${line + 1}: ${short(a[line])} -> ${short(b[line])}`
}
