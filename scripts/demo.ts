/**
 * The whole product on one machine: a local server that speaks GitHub's API, the App beside it with its embedded store, a leaky pull request,
 * a signed webhook, and what the App published, read back from the server. `--keep` leaves everything running.
 */
import { Octokit } from '@octokit/rest'
import { createLog } from '../src/app/log.ts'
import { startStage } from '../test/support/github/start-app.ts'
import { BASE_FILES, PULL_FILES } from './demo-app.ts'

const keep = process.argv.includes('--keep')
const log = createLog({ level: process.env['LOG_LEVEL'] ?? 'warn', destination: process.stderr })
const say = (text = '') => console.log(text)
const heading = (text: string) => say(`\n\u2500\u2500 ${text} ${'\u2500'.repeat(Math.max(3, 74 - text.length))}`)

const stage = await startStage({ log })
const { github } = stage
say(`GitHub's API, local:  ${github.url}`)
say(`The App, beside it:   ${stage.app.url}`)

const repo = github.createRepository('acme/leaky-notes')
repo.collaborators.set('dev', 'write')
github.push(repo, 'main', BASE_FILES, { message: 'A notes application' })
say('\nPushed a small application to acme/leaky-notes, branch main; the App audits it ...')
await stage.settled()

repo.git.commit('feature/teams', PULL_FILES, { from: 'refs/heads/main', message: 'Add teams, sharing and payments' })
const from = performance.now()
const pull = github.openPullRequest(repo, { head: 'feature/teams', title: 'Add teams, sharing and payments' })
say(`Opened pull request #${pull.number}: GitHub sends a signed webhook, the App answers and audits ...`)
await stage.settled()
say(`Concluded ${((performance.now() - from) / 1000).toFixed(1)} s after the pull request was opened.`)

// Read back over HTTP as anybody with a token could, not from the server's memory.
const octokit = new Octokit({ auth: github.createUserToken('dev'), baseUrl: github.url })
const at = { owner: 'acme', repo: 'leaky-notes' }
const { data: runs } = await octokit.rest.checks.listForRef({ ...at, ref: pull.headSha })
const run = runs.check_runs[0]
if (!run) throw new Error('the App published no check run')
const annotations = await octokit.paginate(octokit.rest.checks.listAnnotations, { ...at, check_run_id: Number(run.id), per_page: 100 })
const { data: comments } = await octokit.rest.issues.listComments({ ...at, issue_number: pull.number })

heading(`Check run \u201c${run.name}\u201d`)
say(`status: ${run.status}   conclusion: ${run.conclusion}   title: ${run.output.title}`)
heading('Summary')
say(run.output.summary ?? '')
heading(`Annotations (${annotations.length})`)
const label = { failure: 'Critical', warning: 'High', notice: 'Medium' } as Record<string, string>
for (const a of annotations)
  say(
    `${(label[a.annotation_level ?? ''] ?? '').padEnd(8)} ${a.path}:${a.start_line}  ${a.title}\n         ${(a.message ?? '').split('\n').slice(0, 3).join('\n         ')}`,
  )
heading(`Comment by ${comments[0]?.user?.login ?? 'nobody'}`)
say(comments[0]?.body ?? '(none)')
heading('Requests that the App made for this pull request')
const requests = github.apiRequests()
say(`${requests.length} in all since the first push; answers that broke GitHub's contract: ${github.violations.length}`)
for (const violation of github.violations) say(`  ${violation}`)

if (keep) {
  const token = github.createUserToken('dev')
  say(
    `\nLeft running. Push to it:\n  git clone http://dev:${token}@${new URL(github.url).host}/acme/leaky-notes.git\nA push to feature/teams moves the pull request and is audited. Ctrl-C ends it.`,
  )
  process.on('SIGINT', () => void stage.stop().then(() => process.exit(0)))
} else {
  await stage.stop()
  const published = run.status === 'completed' && run.conclusion !== null && comments.length === 1
  process.exitCode = published && github.violations.length === 0 ? 0 : 1
}
