import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { GitRepository } from '../support/github/git-repository.ts'
import { validateSarif } from '../support/sarif-schema.ts'
import { checkOut, pullRequest, runStep } from './runner.ts'

// Several audits one after the other, each in a process of its own.
vi.setConfig({ testTimeout: 300_000 })

const PACKAGE = '{"dependencies":{"@supabase/supabase-js":"2"}}'
const open = (name: string) => `create table public."${name}" (id uuid primary key, user_id uuid references auth.users, body text);\n`
const HOSTILE = 'notes::error::x\n::set-output name=verdict::success'

let root: string
let repository: GitRepository
let [base, feature, quiet, moved]: string[] = []
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'prelaunch-action-'))
  repository = new GitRepository(join(root, 'shop.git'))
  base = repository.commit('main', { '.gitignore': '.env*\n', 'package.json': PACKAGE, 'supabase/migrations/1.sql': open('old') })
  feature = repository.commit('feature', { 'supabase/migrations/2.sql': open('notes') }, { from: 'refs/heads/main' })
  quiet = repository.commit('quiet', { 'README.md': '# Shop\n' }, { from: 'refs/heads/main' })
  repository.commit('hostile', { [`supabase/migrations/2,line=1::warning::%0A.sql`]: open(HOSTILE) }, { from: 'refs/heads/main' })
  moved = repository.commit('later', { 'supabase/migrations/3.sql': open('theirs') }, { from: 'refs/heads/main' })
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** The commands that the runner hears: none between `stop-commands` and its token. */
function heard(lines: readonly string[]): string[] {
  let token: string | undefined
  return lines.filter((line) => {
    if (token) {
      if (line === `::${token}::`) token = undefined
      return false
    }
    token = /^::stop-commands::(.+)/.exec(line)?.[1]
    return !token && /^\s*::|##\[/.test(line)
  })
}

describe('a pull request that opens a table', () => {
  it('fails from a fork as well, with an annotation, a summary, outputs and SARIF and without a token', async () => {
    const step = await runStep(root, checkOut(repository, root, 'feature'), pullRequest(base as string, feature as string, { fork: true }))
    expect(step.status, step.lines.join('\n')).toBe(1)
    expect(step.outputs).toMatchObject({ verdict: 'failure', introduced: '1', 'introduced-critical': '1', 'introduced-high': '0', fixed: '0', existing: '2' })
    const commands = heard(step.lines)
    expect(commands).toHaveLength(2)
    expect(commands[0]).toMatch(/^::error title=Prelaunch::1 Critical problem introduced/)
    expect(commands[1]).toMatch(/^::error file=supabase\/migrations\/2\.sql,line=1,endLine=1,title=Critical%3A /)
    expect(step.summary).toContain('Do not merge yet')
    expect(step.summary).toContain('public.notes')
    // the repository is public: what was there before is counted, not described
    expect(step.summary).not.toContain('public.old')
    const sarif = JSON.parse(step.sarif ?? '')
    expect(validateSarif(sarif), JSON.stringify(validateSarif.errors)).toBe(true)
    expect(sarif.runs[0].results).toHaveLength(3)
  })
})

it('a change without findings passes', async () => {
  const step = await runStep(root, checkOut(repository, root, 'quiet'), pullRequest(base as string, quiet as string))
  expect([step.status, heard(step.lines)]).toEqual([0, []])
  expect(step.outputs).toMatchObject({ verdict: 'success', introduced: '0', existing: '2' })
})

it('names of the repository are no commands and no properties', async () => {
  const head = repository.resolve('refs/heads/hostile') as string
  const step = await runStep(root, checkOut(repository, root, 'hostile'), pullRequest(base as string, head))
  const commands = heard(step.lines)
  expect(commands.map((c) => c.slice(0, c.indexOf(' ')))).toEqual(['::error', '::error'])
  expect(commands[1]).toContain('file=supabase/migrations/2%2Cline=1%3A%3Awarning%3A%3A%250A.sql,line=1,')
  expect(step.outputs['verdict']).toBe('failure')
  expect(Object.keys(step.outputs)).toHaveLength(9)
})

it('what others merged since the event is not of this change', async () => {
  const branch = repository.commit('rebased', { 'README.md': '# New\n' }, { from: 'refs/heads/later' })
  repository.git('update-ref', 'refs/heads/main', moved as string)
  try {
    const step = await runStep(root, checkOut(repository, root, 'rebased'), pullRequest(base as string, branch))
    expect([step.status, step.outputs['introduced']]).toEqual([0, '0'])
  } finally {
    repository.git('update-ref', 'refs/heads/main', base as string)
  }
})

describe('the configuration', () => {
  it('is that of the base: a change cannot switch the verdict off, and the base can', async () => {
    const never = { '.github/prelaunch.yml': 'fail_on: never\n' }
    const bypass = repository.commit('bypass', { ...never, 'supabase/migrations/2.sql': open('notes') }, { from: 'refs/heads/main' })
    expect((await runStep(root, checkOut(repository, root, 'bypass'), pullRequest(base as string, bypass))).status).toBe(1)
    const lenient = repository.commit('lenient', never, { from: 'refs/heads/main' })
    const change = repository.commit('change', { 'supabase/migrations/2.sql': open('notes') }, { from: 'refs/heads/lenient' })
    const event = pullRequest(lenient, change)
    event.payload.pull_request.base.ref = 'lenient'
    const step = await runStep(root, checkOut(repository, root, 'change'), event)
    expect([step.status, step.outputs['verdict'], step.outputs['introduced-critical']]).toEqual([0, 'success', '1'])
  })

  it('a baseline that the change brings along accepts nothing', async () => {
    const baseline = JSON.stringify({ version: 1, findings: [] })
    const head = repository.commit('own-baseline', { 'accepted.json': baseline, 'supabase/migrations/2.sql': open('notes') }, { from: 'refs/heads/main' })
    const step = await runStep(root, checkOut(repository, root, 'own-baseline'), pullRequest(base as string, head), { BASELINE: 'accepted.json' })
    expect(step.status).toBe(1)
    expect(step.lines).toContain('the base has no accepted.json, so no finding is taken from a baseline')
  })
})

describe('other events', () => {
  const repositoryOfEvent = { full_name: 'acme/shop', html_url: 'https://github.com/acme/shop', private: true }

  it('a push is compared with what was there before', async () => {
    const payload = { repository: repositoryOfEvent, before: base, after: feature }
    const step = await runStep(root, checkOut(repository, root, 'feature'), { name: 'push', payload })
    expect([step.status, step.outputs['introduced']]).toEqual([1, '1'])
  })

  it('the first push of a branch is compared with nothing', async () => {
    const payload = { repository: repositoryOfEvent, before: '0'.repeat(40), after: feature }
    const step = await runStep(root, checkOut(repository, root, 'feature'), { name: 'push', payload })
    expect([step.status, step.outputs['introduced'], step.outputs['existing']]).toEqual([0, '0', '3'])
  })

  it('a merge group is compared with its base', async () => {
    const payload = { repository: repositoryOfEvent, merge_group: { base_sha: base, head_sha: feature } }
    expect((await runStep(root, checkOut(repository, root, 'feature'), { name: 'merge_group', payload })).status).toBe(1)
  })

  it.each([
    ['pull_request_target', {}, 'Prelaunch does not run on pull_request_target'],
    ['workflow_run', {}, 'Prelaunch does not run on workflow_run'],
    ['pull_request', { repository: repositoryOfEvent, pull_request: { number: 1, base: { sha: 'x' } } }, 'no valid pull_request.base.sha'],
    ['push', [], 'The event of this run has no valid'],
    ['push', { repository: repositoryOfEvent, before: '1'.repeat(40), after: '2'.repeat(40) }, 'fetch-depth: 0'],
  ])('%s: %j is refused with a sentence', async (name, payload, sentence) => {
    const step = await runStep(root, checkOut(repository, root, 'feature'), { name, payload })
    expect([step.status, step.outputs, step.summary]).toEqual([2, {}, ''])
    expect(heard(step.lines)).toEqual([expect.stringContaining(sentence)])
  })
})

describe('what is kept between runs', () => {
  it('gives the same answers, and damage to it costs time only', async () => {
    const folder = join(root, 'kept')
    const checkout = checkOut(repository, root, 'feature')
    const run = () => runStep(root, checkout, pullRequest(base as string, feature as string), { CACHE_DIR: folder })
    const cold = await run()
    const file = join(folder, readdirSync(folder)[0] as string)
    const written = readFileSync(file, 'utf8')
    expect(written).toMatch(/^replay:[0-9a-f]{64}\tH4sI/m)
    const warm = await run()
    const wasRead = (step: typeof cold) => step.lines.map((line) => / came from the cache, (\d+) were read$/.exec(line)?.[1]).find((n) => n !== undefined)
    expect([Number(wasRead(cold)) > 0, wasRead(warm)]).toEqual([true, '0'])
    const told = ({ status, summary, sarif, outputs: { sarif: _, ...outputs } }: typeof cold) => ({ status, summary, sarif, outputs })
    expect(told(warm)).toEqual(told(cold))
    writeFileSync(file, written.replaceAll(/\tH4sI.{20}/g, '\tH4sIAAAAAAAAAAAAAAAAAAAA'))
    expect(told(await run())).toEqual(told(cold))
    expect(existsSync(file)).toBe(true)
  })
})
