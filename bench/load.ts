/**
 * Load on loopback: many pull requests at once against the whole App.
 *   node bench/load.ts [--pulls 50] [--repositories 5] [--postgres] [--concurrency 2]
 * Prints webhooks accepted per second, audits per minute, seconds from webhook to verdict (p50, p95) and memory, and fails when a pull
 * request does not end with exactly one concluded run and one comment.
 */
import { parseArgs } from 'node:util'
import { startStage } from '../test/support/github/start-app.ts'
import { startPostgres } from '../test/support/postgres.ts'

const { values } = parseArgs({
  options: {
    pulls: { type: 'string', default: '50' },
    repositories: { type: 'string', default: '5' },
    concurrency: { type: 'string', default: '2' },
    postgres: { type: 'boolean', default: false },
  },
})
const postgres = values.postgres ? await startPostgres() : undefined
const stage = await startStage({ app: { concurrency: Number(values.concurrency), ...(postgres ? { databaseUrl: postgres.url } : {}) } })
const { github } = stage

const table = (i: number) =>
  `create table public.t${i} (id uuid primary key, user_id uuid references auth.users (id));\nalter table public.t${i} enable row level security;\n`
const repositories = Array.from({ length: Number(values.repositories) }, (_, i) => {
  const repo = github.createRepository(`load/repo-${i}`)
  const files: Record<string, string> = {
    'package.json': '{"dependencies":{"@supabase/supabase-js":"2"}}',
    '.gitignore': '.env*\n',
    'supabase/migrations/001.sql': table(0),
  }
  for (let n = 0; n < 100; n++) files[`src/module-${n}.ts`] = `export const value${n} = ${n}\n`
  github.push(repo, 'main', files)
  return repo
})
await stage.settled()

const opened = new Map<string, number>()
const begin = performance.now()
for (let i = 0; i < Number(values.pulls); i++) {
  const repo = repositories[i % repositories.length] as (typeof repositories)[number]
  repo.git.commit(
    `feature-${i}`,
    { [`src/module-${i % 100}.ts`]: `export const changed = ${i}\n`, ...(i % 4 ? {} : { [`supabase/migrations/${100 + i}.sql`]: table(100 + i) }) },
    { from: 'refs/heads/main' },
  )
  const pull = github.openPullRequest(repo, { head: `feature-${i}` })
  opened.set(pull.headSha, Date.now())
}
await github.webhooks.settled()
const accepted = (performance.now() - begin) / 1000
await stage.settled()
const total = (performance.now() - begin) / 1000

const wrong: string[] = []
const seconds: number[] = []
for (const [sha, at] of opened) {
  const runs = github.checkRuns.filter((r) => r.headSha === sha)
  if (runs.length !== 1 || runs[0]?.status !== 'completed') wrong.push(`${sha.slice(0, 8)}: ${runs.map((r) => r.status).join(', ') || 'no run'}`)
  else seconds.push((Date.parse(runs[0].completedAt ?? '') - at) / 1000)
}
for (const repo of repositories)
  for (const pull of repo.pulls)
    if (repo.comments.filter((c) => c.issue === pull.number).length !== 1) wrong.push(`${repo.name}#${pull.number}: not one comment`)
seconds.sort((a, b) => a - b)
const at = (share: number) => seconds[Math.min(seconds.length - 1, Math.floor(seconds.length * share))]
const answers = github.webhooks.deliveries.filter((d) => d.statusCode !== 200).length
console.log(
  JSON.stringify(
    {
      store: values.postgres ? 'PostgreSQL' : 'embedded',
      pulls: opened.size,
      webhooksPerSecond: Number((github.webhooks.deliveries.length / accepted).toFixed(1)),
      webhooksRefused: answers,
      auditsPerMinute: Number(((opened.size / total) * 60).toFixed(1)),
      secondsToVerdict: { p50: at(0.5), p95: at(0.95) },
      requestsPerAudit: Number((github.apiRequests().length / (opened.size + repositories.length)).toFixed(1)),
      residentMiB: Math.round(process.memoryUsage().rss / 2 ** 20),
      wrong,
      violations: github.violations,
    },
    null,
    2,
  ),
)
await stage.stop()
postgres?.stop()
process.exitCode = wrong.length || github.violations.length ? 1 : 0
