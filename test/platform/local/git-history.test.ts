import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isEnvFile } from '../../../src/lib/env-file-name.ts'
import { git, streamGit } from '../../../src/platform/local/git.ts'
import { HistoryReader, LOG_ARGUMENTS } from '../../../src/platform/local/git-history.ts'
import { GitSource } from '../../../src/platform/local/git-source.ts'
import { shaOf } from '../../support/memory-source.ts'

let dir: string
const run = (...args: string[]) => runAs('ann@shop.test', ...args)
const runAs = (address: string, ...args: string[]) =>
  execFileSync('git', ['-C', dir, '-c', 'user.name=Ann', '-c', `user.email=${address}`, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim()
const write = (path: string, text: string) => {
  mkdirSync(join(dir, path, '..'), { recursive: true })
  writeFileSync(join(dir, path), text)
}
/** Commits everything; gives the SHA. */
const commit = (address = 'ann@shop.test') => {
  run('add', '-A')
  runAs(address, 'commit', '-qm', 'x', '--allow-empty')
  return run('rev-parse', 'HEAD')
}
const history = () => new GitSource(dir).history('HEAD', isEnvFile)

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'prelaunch-history-'))
  run('init', '-q', '-b', 'main')
  write('a.ts', 'export {}\n')
  commit()
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

describe('the history of env files', () => {
  test('holds what a merged side branch added and removed again', async () => {
    run('checkout', '-qb', 'side')
    write('.env', 'A=1\n')
    const added = commit()
    unlinkSync(join(dir, '.env'))
    commit()
    run('checkout', '-q', 'main')
    write('b.ts', 'export {}\n')
    commit()
    run('merge', '-q', '--no-ff', '-m', 'merge', 'side')
    expect(await history()).toMatchObject({ commits: 5, complete: true, files: [{ path: '.env', sha: shaOf('A=1\n'), commit: added }] })
  })

  test.each([1, 2])('holds what only a merge of %i side branches wrote, and names the commit that wrote what it brought', async (sides) => {
    write('.env', 'A=0\n')
    const start = commit()
    const tips = Array.from({ length: sides }, (_, i) => {
      run('checkout', '-q', '--detach', start)
      write(`side-${i}.env`, `B=${i}\n`)
      return commit()
    })
    run('checkout', '-q', 'main')
    write('.env', 'A=1\n')
    write('prod.env', 'C=1\n')
    for (const i of tips.keys()) write(`side-${i}.env`, `B=${i}\n`)
    run('add', '-A')
    const merge = run('commit-tree', '-m', 'merge', '-p', start, ...tips.flatMap((t) => ['-p', t]), run('write-tree'))
    run('reset', '-q', '--hard', merge)
    expect((await history()).files).toEqual([
      ...[
        { path: '.env', sha: shaOf('A=0\n'), commit: start },
        { path: '.env', sha: shaOf('A=1\n'), commit: merge },
      ].sort((a, b) => (a.sha < b.sha ? -1 : 1)),
      { path: 'prod.env', sha: shaOf('C=1\n'), commit: merge },
      ...tips.map((tip, i) => ({ path: `side-${i}.env`, sha: shaOf(`B=${i}\n`), commit: tip })),
    ])
  })

  test('takes names as they are', async () => {
    const names = ['.ENV', 'Web/Prod.Env', 'größe/日本.env', 'a "b"\t.env', ':100644 000000.env', 'commit 1\ncommit 2.env', '\n.env']
    for (const name of names) write(name, 'A=1\n')
    const added = commit()
    for (const name of names) unlinkSync(join(dir, name))
    commit()
    const { commits, files } = await history()
    expect(commits).toBe(3)
    expect(files).toEqual([...names].sort().map((path) => ({ path, sha: shaOf('A=1\n'), commit: added })))
  })

  test('leaves out what is deleted and what is linked, and holds the file that a link became', async () => {
    symlinkSync('elsewhere', join(dir, '.env'))
    commit()
    unlinkSync(join(dir, '.env'))
    write('.env', 'A=1\n')
    const written = commit()
    unlinkSync(join(dir, '.env'))
    commit()
    expect((await history()).files).toEqual([{ path: '.env', sha: shaOf('A=1\n'), commit: written }])
  })

  test('names people who committed, the most frequent first', async () => {
    commit('bob@shop.test')
    commit('zoe b@shop.test')
    commit('bob@shop.test')
    commit('1+bot@users.noreply.github.com')
    expect((await history()).authors).toEqual(['bob@shop.test', 'ann@shop.test', 'zoe b@shop.test'])
  })

  test('does not depend on where the output is cut', async () => {
    write('größe/.env', 'A=1\n')
    commit()
    const output = await git(dir, [...LOG_ARGUMENTS, 'HEAD'])
    const reader = new HistoryReader(isEnvFile)
    for (let at = 0; at < output.length; at++) reader.take(output.subarray(at, at + 1))
    expect(reader.history(false)).toEqual(await history())
  })

  test('says what was not read when a limit is reached', async () => {
    for (const path of ['.env', '.env.local', '.env.production']) write(path, `${path}=1\n`)
    commit()
    const read = async (limits: { bytes?: number; kept?: number }) => {
      const reader = new HistoryReader(isEnvFile, { bytes: 1000, kept: 3, ...limits })
      const whole = await streamGit(dir, [...LOG_ARGUMENTS, 'HEAD'], (piece) => reader.take(piece))
      const { complete, because } = reader.history(false)
      return { whole, complete, because }
    }
    expect(await read({})).toEqual({ whole: true, complete: true })
    expect(await read({ bytes: 400 })).toEqual({
      whole: false,
      complete: false,
      because: 'only the newest commits of the history (2) were read: there is more of it than is read',
    })
    expect(await read({ kept: 2 })).toMatchObject({
      whole: false,
      because: 'only the newest commits of the history (1) were read: it holds too many env files or authors',
    })
  })
})
