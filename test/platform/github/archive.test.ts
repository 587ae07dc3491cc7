import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import nock from 'nock'
import { type Header, pack } from 'tar-stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { BlobSpool, spoolArchive } from '../../../src/platform/github/archive.ts'
import { blobSha } from '../../../src/platform/github/blobs.ts'
import { tokenClient } from '../../../src/platform/github/client.ts'
import { GitHubSource } from '../../../src/platform/github/github-source.ts'
import type { RepositoryRef } from '../../../src/platform/github/repository-ref.ts'

const REF: RepositoryRef = {
  id: 1,
  owner: 'octo',
  name: 'shop',
  cloneUrl: 'https://github.com/octo/shop.git',
  url: 'https://github.com/octo/shop',
  private: false,
}
const COMMIT = 'c'.repeat(40)
const LIMITS = { file: 1000, unpacked: 1 << 20, entries: 50 }

let root: string
let before: string | undefined

// A real git host never packs these archives; nock stands in for a host that lies.
beforeEach(async () => {
  nock.disableNetConnect()
  root = await mkdtemp(join(tmpdir(), 'prelaunch-archive-test-'))
  await mkdir(join(root, 'tmp'))
  before = process.env['TMPDIR']
  process.env['TMPDIR'] = join(root, 'tmp')
})
afterEach(async () => {
  if (before === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = before
  nock.cleanAll()
  nock.enableNetConnect()
  await rm(root, { recursive: true, force: true })
})

async function tarball(entries: readonly (Header & { body?: string | Buffer })[]): Promise<Buffer> {
  const archive = pack()
  for (const { body, ...header } of entries) archive.entry({ ...header }, body ?? '')
  archive.finalize()
  return gzipSync(await buffer(archive))
}

function serve(body: Buffer): void {
  nock('https://api.github.com')
    .get(`/repos/octo/shop/tarball/${COMMIT}`)
    .reply(302, undefined, { location: 'https://codeload.github.com/octo/shop/legacy.tar.gz' })
  nock('https://codeload.github.com').get('/octo/shop/legacy.tar.gz').reply(200, body, { 'content-type': 'application/x-gzip' })
}

const spooled = async (body: Buffer, limits = LIMITS): Promise<BlobSpool> => {
  serve(body)
  const spool = await BlobSpool.create()
  await spoolArchive(tokenClient('t0', 'https://api.github.com', { patience: 0 }), REF, COMMIT, spool, limits)
  return spool
}
const filesUnderRoot = async () => (await readdir(root, { recursive: true, withFileTypes: true })).filter((e) => !e.isDirectory()).map((e) => e.name)

describe('an archive', () => {
  test('with paths that climb out, links and devices leaves nothing but contents under their own SHA', async () => {
    const spool = await spooled(
      await tarball([
        { name: 'octo-shop-c/../../../escaped.txt', body: 'one' },
        { name: '/etc/cron.d/prelaunch', body: 'two' },
        { name: 'octo-shop-c/link', type: 'symlink', linkname: '/etc/passwd' },
        { name: 'octo-shop-c/hard', type: 'link', linkname: '../../outside' },
        { name: 'octo-shop-c/pipe', type: 'fifo' },
        { name: 'octo-shop-c/name\u0000.ts', body: 'three' },
        { name: 'octo-shop-c/large.bin', body: Buffer.alloc(1001) },
      ]),
    )
    const shas = ['one', 'two', 'three'].map((text) => blobSha(Buffer.from(text)))
    expect((await filesUnderRoot()).sort()).toEqual([...shas].sort())
    expect(Buffer.from(await spool.get(shas[0] as string)).toString()).toBe('one')
    expect(spool.has(blobSha(Buffer.alloc(1001)))).toBe(false)
    await spool.close()
    expect(await filesUnderRoot()).toEqual([])
  })

  test('that unpacks to a thousand times its size is given up at the limit', async () => {
    const bomb = await tarball([{ name: 'octo-shop-c/zeros', body: Buffer.alloc(8 << 20) }])
    expect(bomb.length).toBeLessThan(20_000)
    await expect(spooled(bomb)).rejects.toThrow('the archive unpacks to too much')
    expect(await filesUnderRoot()).toEqual([])
  })

  test('of too many files is given up', async () => {
    await expect(spooled(await tarball(Array.from({ length: 60 }, (_, i) => ({ name: `octo-shop-c/${i}`, body: `${i}` }))))).rejects.toThrow('too many files')
  })

  test.each([
    ['cut off', async () => (await tarball([{ name: 'a', body: 'x'.repeat(900) }])).subarray(0, 40)],
    ['no gzip at all', async () => Buffer.from('<html>rate limited</html>')],
  ])('that is %s fails without a file', async (_name, body) => {
    await expect(spooled(await body())).rejects.toThrow()
    expect(await filesUnderRoot()).toEqual([])
  })

  test('that cannot be used is replaced by batches, and a file that differs from its SHA is never taken', async () => {
    const texts = Array.from({ length: 260 }, (_, i) => `export const n = ${i}\n`)
    const shas = texts.map((text) => blobSha(Buffer.from(text)))
    serve(Buffer.from('not an archive'))
    nock('https://api.github.com')
      .get(`/repos/octo/shop/git/trees/${COMMIT}`)
      .query({ recursive: '1' })
      .reply(200, { truncated: false, tree: shas.map((sha, i) => ({ path: `m/${i}.ts`, mode: '100644', type: 'blob', sha, size: texts[i]?.length })) })
      .post('/graphql')
      .times(3)
      .reply(200, (_uri: string, body: unknown) => {
        if (process.env['DEBUG_BODY']) console.log(typeof body, JSON.stringify(body).slice(0, 300))
        const { query } = (typeof body === 'string' ? JSON.parse(body) : body) as { query: string }
        const fields = [...query.matchAll(/b(\d+): object\(oid: "([0-9a-f]{40})"\)/g)].map(([, i, sha]) => {
          const at = shas.indexOf(sha as string)
          // The host lies about one file.
          return [`b${i}`, { text: at === 7 ? 'export const n = "other"\n' : texts[at], isBinary: false, isTruncated: false }]
        })
        return { data: { repository: Object.fromEntries(fields) } }
      })
      .get(`/repos/octo/shop/git/blobs/${shas[7]}`)
      .reply(200, 'still something else', { 'content-type': 'application/vnd.github.raw; charset=utf-8' })
    const problems: string[] = []
    const source = new GitHubSource(tokenClient('t0', 'https://api.github.com', { patience: 0 }), REF, { log: (message) => problems.push(message) })
    await source.snapshot(COMMIT)
    const found = await source.read(shas)
    expect(problems).toEqual(['the archive could not be read; files are read in batches'])
    expect(found.size).toBe(259)
    expect(found.has(shas[7] as string)).toBe(false)
    expect(Buffer.from(found.get(shas[8] as string) ?? []).toString()).toBe(texts[8])
    expect(nock.pendingMocks()).toEqual([])
    await source.close()
  })
})

test('the spool of a test ends in its own folder', async () => {
  const spool = await BlobSpool.create()
  await spool.put(Buffer.from('x'))
  expect(await readFile(join(root, 'tmp', (await readdir(join(root, 'tmp')))[0] as string, blobSha(Buffer.from('x'))), 'utf8')).toBe('x')
  await spool.close()
})
