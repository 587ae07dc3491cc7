import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, json } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
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

/** Answers by method and path: a host that lies, as no real one can be made to. */
let answers: Map<string, (body: unknown) => unknown>
let host: Server
let url: string

beforeEach(async () => {
  answers = new Map()
  host = createServer(async (request, response) => {
    const answer = answers.get(`${request.method} ${request.url}`)
    const body = request.method === 'POST' ? await json(request) : undefined
    const value = answer?.(body)
    if (value === undefined) response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"Not Found"}')
    else if (Buffer.isBuffer(value)) response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(value)
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  })
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
  root = await mkdtemp(join(tmpdir(), 'prelaunch-archive-test-'))
  await mkdir(join(root, 'tmp'))
  before = process.env['TMPDIR']
  process.env['TMPDIR'] = join(root, 'tmp')
})
afterEach(async () => {
  if (before === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = before
  host.closeAllConnections()
  await new Promise((resolve) => host.close(resolve))
  await rm(root, { recursive: true, force: true })
})

const client = () => tokenClient('t0', url, { patience: 0 })

async function tarball(entries: readonly (Partial<Header> & { name: string; body?: string | Buffer })[]): Promise<Buffer> {
  const archive = pack()
  for (const { body, ...header } of entries) archive.entry({ ...header }, body ?? '')
  archive.finalize()
  return gzipSync(await buffer(archive))
}

function serve(body: Buffer): void {
  answers.set(`GET /repos/octo/shop/tarball/${COMMIT}`, () => body)
}

const spooled = async (body: Buffer, limits = LIMITS): Promise<BlobSpool> => {
  serve(body)
  const spool = await BlobSpool.create()
  await spoolArchive(client(), REF, COMMIT, spool, limits)
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
    answers.set(`GET /repos/octo/shop/git/trees/${COMMIT}?recursive=1`, () => ({
      truncated: false,
      tree: shas.map((sha, i) => ({ path: `m/${i}.ts`, mode: '100644', type: 'blob', sha, size: texts[i]?.length })),
    }))
    answers.set('POST /graphql', (body) => {
      const fields = [...(body as { query: string }).query.matchAll(/b(\d+): object\(oid: "([0-9a-f]{40})"\)/g)].map(([, i, sha]) => {
        const at = shas.indexOf(sha as string)
        // The host lies about one file.
        return [`b${i}`, { text: at === 7 ? 'export const n = "other"\n' : texts[at], isBinary: false, isTruncated: false }]
      })
      return { data: { repository: Object.fromEntries(fields) } }
    })
    answers.set(`GET /repos/octo/shop/git/blobs/${shas[7]}`, () => Buffer.from('still something else'))
    const problems: string[] = []
    const source = new GitHubSource(client(), REF, { log: (message) => problems.push(message) })
    await source.snapshot(COMMIT)
    const found = await source.read(shas)
    expect(problems).toEqual(['the archive could not be read; files are read in batches'])
    expect(found.size).toBe(259)
    expect(found.has(shas[7] as string)).toBe(false)
    expect(Buffer.from(found.get(shas[8] as string) ?? []).toString()).toBe(texts[8])
    await source.close()
  })
})

test('the spool of a test ends in its own folder', async () => {
  const spool = await BlobSpool.create()
  await spool.put(Buffer.from('x'))
  expect(await readFile(join(root, 'tmp', (await readdir(join(root, 'tmp')))[0] as string, blobSha(Buffer.from('x'))), 'utf8')).toBe('x')
  await spool.close()
})
