import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isEnvFile } from '../../../src/lib/env-file-name.ts'
import { FolderSource } from '../../../src/platform/local/folder-source.ts'
import { GitSource, WORKING_TREE } from '../../../src/platform/local/git-source.ts'
import { shaOf } from '../../support/memory-source.ts'

let dir: string
const run = (...args: string[]) =>
  execFileSync('git', ['-C', dir, '-c', 'user.name=Ann', '-c', 'user.email=ann@shop.test', ...args], { encoding: 'utf8' }).trim()
const write = (path: string, text: string | Buffer) => {
  mkdirSync(join(dir, path, '..'), { recursive: true })
  writeFileSync(join(dir, path), text)
}
const commits: string[] = []

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'prelaunch-git-'))
  run('init', '-q', '-b', 'main')
  write('.env', 'A=1\n')
  write('src/a b.ts', 'export {}\n')
  write('größe/日本.txt', 'x\n')
  run('add', '-A')
  run('commit', '-qm', 'one')
  commits.push(run('rev-parse', 'HEAD'))
  run('rm', '-q', '.env')
  write('.gitignore', '.env\n')
  write('bin.dat', Buffer.from([0, 1, 2, 255]))
  symlinkSync('/etc/passwd', join(dir, 'link'))
  run('add', '-A')
  run('commit', '-qm', 'two')
  commits.push(run('rev-parse', 'HEAD'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

describe('GitSource', () => {
  test('lists a commit with paths as they are, sizes, SHAs and modes', async () => {
    const snapshot = await new GitSource(dir).snapshot('HEAD')
    expect(snapshot.commit).toBe(commits[1])
    expect(snapshot.complete).toBe(true)
    expect(snapshot.blobs.map((b) => [b.path, b.size, b.mode])).toEqual([
      ['.gitignore', 5, 'file'],
      ['bin.dat', 4, 'file'],
      ['größe/日本.txt', 2, 'file'],
      ['link', 11, 'symlink'],
      ['src/a b.ts', 10, 'file'],
    ])
    expect(snapshot.blobs[0]?.sha).toBe(shaOf('.env\n'))
  })

  test('reads blobs whole, and leaves out what is not there', async () => {
    const source = new GitSource(dir)
    const wanted = [shaOf('A=1\n'), shaOf(new Uint8Array([0, 1, 2, 255])), '0'.repeat(40)]
    const read = await source.read(wanted)
    expect([...read.keys()].sort()).toEqual(wanted.slice(0, 2).sort())
    expect(Buffer.from(read.get(wanted[1] as string) as Uint8Array)).toEqual(Buffer.from([0, 1, 2, 255]))
  })

  test('finds an env file that a later commit removed, and who wrote it', async () => {
    const history = await new GitSource(dir).history('HEAD', isEnvFile)
    expect(history).toEqual({ commits: 2, complete: true, authors: ['ann@shop.test'], files: [{ path: '.env', sha: shaOf('A=1\n'), commit: commits[0] }] })
  })

  test('a shallow clone says that older commits are missing', async () => {
    const shallow = mkdtempSync(join(tmpdir(), 'prelaunch-shallow-'))
    execFileSync('git', ['clone', '-q', '--depth', '1', `file://${dir}`, shallow])
    expect(await new GitSource(shallow).history('HEAD', isEnvFile)).toEqual({
      commits: 1,
      complete: false,
      because: 'the clone is shallow: older commits are not here',
      authors: ['ann@shop.test'],
      files: [],
    })
    rmSync(shallow, { recursive: true, force: true })
  })

  test('the working tree holds new files and not the ignored ones, under the same SHAs', async () => {
    write('.env', 'SECRET=1\n')
    write('new.ts', 'export {}\n')
    const source = new GitSource(dir)
    const snapshot = await source.snapshot(WORKING_TREE)
    expect(snapshot.blobs.map((b) => b.path).sort()).toEqual(['.gitignore', 'bin.dat', 'größe/日本.txt', 'link', 'new.ts', 'src/a b.ts'])
    expect(snapshot.blobs.find((b) => b.path === 'new.ts')?.sha).toBe(shaOf('export {}\n'))
    expect(snapshot.blobs.find((b) => b.path === 'link')?.mode).toBe('symlink')
    expect(Buffer.from((await source.read([shaOf('export {}\n')])).get(shaOf('export {}\n')) as Uint8Array).toString()).toBe('export {}\n')
  })

  test('an unknown revision and an option in its place are refused with a sentence', async () => {
    await expect(new GitSource(dir).snapshot('nope')).rejects.toThrow(`there is no commit "nope" in ${dir}`)
    await expect(new GitSource(dir).snapshot('--upload-pack=x')).rejects.toThrow('--upload-pack=x is not a revision')
  })

  test('the merge base of a commit with its parent is the parent; unrelated histories have none', async () => {
    expect(await new GitSource(dir).mergeBase(commits[0] as string, 'HEAD')).toBe(commits[0])
  })

  test('a hostile configuration of the repository runs nothing', async () => {
    const marker = join(dir, 'owned')
    run('config', 'core.fsmonitor', `touch ${marker}`)
    run('config', 'core.sshCommand', `touch ${marker}`)
    const source = new GitSource(dir)
    await source.snapshot(WORKING_TREE)
    await source.history('HEAD', isEnvFile)
    expect((await new FolderSource(dir).snapshot()).blobs.some((b) => b.path === 'owned')).toBe(false)
  })
})
