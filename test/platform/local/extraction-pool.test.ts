import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type ExtractionJob, extractInProcess } from '../../../src/facts/extract.ts'
import { ExtractionPool, type ExtractionPoolOptions } from '../../../src/platform/local/extraction-pool.ts'

const always = { files: 0, bytes: 0 }
const job = (path: string, text = '', kinds: ExtractionJob['kinds'] = ['text']): ExtractionJob => ({ path, bytes: Buffer.from(text), kinds })
let pool: ExtractionPool | undefined
const create = (options: ExtractionPoolOptions) => {
  pool = new ExtractionPool({ size: 2, inProcessBelow: always, ...options })
  return pool
}
afterEach(() => {
  vi.unstubAllEnvs()
  return pool?.close()
})

describe('the extraction pool', () => {
  test('gives what extraction in process gives, in the order of the jobs', async () => {
    const jobs = Array.from({ length: 200 }, (_, i) =>
      job(`src/${i}.tsx`, `export const a${i} = ${'x + '.repeat(i)}1 // TODO\nconst u = undefined`, ['javascript', 'secrets']),
    )
    jobs.push(job('a.ts', 'let = ', ['javascript']), job('b.bin', '\0\0', ['secrets']), job('c.ts', `${'('.repeat(20_000)}`, ['javascript']))
    const results = await create({}).extractAll(jobs)
    expect(results).toEqual(JSON.parse(JSON.stringify(await extractInProcess(jobs))))
  })

  test('a file that hangs, ends its thread or eats the memory is a problem of that file alone', async () => {
    const entry = new URL('./test-worker.mjs', import.meta.url)
    const paths = ['a', 'hang', 'b', 'exit', 'c', 'grow', 'd']
    const results = await create({ entry, fileTimeout: 2000, heap: 40 }).extractAll(paths.map((p) => job(p)))
    expect(results.map((r, i) => (r[0]?.facts ? `${paths[i]} ok` : `${paths[i]}: ${r[0]?.problems[0]?.message}`))).toEqual([
      'a ok',
      'hang: took more than 2 s to analyse',
      'b ok',
      'exit: could not be analysed: its thread ended',
      'c ok',
      'grow: could not be analysed within the memory limit',
      'd ok',
    ])
  }, 30_000)

  test('threads know of the environment only where compiled code is kept', async () => {
    vi.stubEnv('NODE_COMPILE_CACHE', join(tmpdir(), 'prelaunch-compiled'))
    const results = await create({ entry: new URL('./test-worker.mjs', import.meta.url) }).extractAll([job('environment')])
    expect(results[0]?.[0]?.facts).toEqual({ text: 'NODE_COMPILE_CACHE' })
  })

  test('several batches at once do not mix', async () => {
    const p = create({ entry: new URL('./test-worker.mjs', import.meta.url) })
    const batches = await Promise.all(['x', 'y', 'z'].map((name) => p.extractAll(Array.from({ length: 120 }, (_, i) => job(`${name}${i}`)))))
    expect(batches.map((b) => b.map((r) => (r[0]?.facts as { text: string } | undefined)?.text))).toEqual(
      ['x', 'y', 'z'].map((name) => Array.from({ length: 120 }, (_, i) => `${name}${i}`)),
    )
  })

  test('where no thread can be started, this one does the work', async () => {
    const results = await create({ entry: new URL('./no-such-worker.mjs', import.meta.url) }).extractAll(
      Array.from({ length: 60 }, (_, i) => job(`${i}.sh`, 'ls')),
    )
    expect(results.every((r) => r[0]?.facts)).toBe(true)
  })

  test('threads that rest come back when there is work', async () => {
    const p = create({ entry: new URL('./test-worker.mjs', import.meta.url) })
    const jobs = Array.from({ length: 120 }, (_, i) => job(`${i}`))
    const facts = (results: readonly (readonly { facts: unknown }[])[]) => results.map((r) => r[0]?.facts)
    p.warm()
    p.rest()
    const during = p.extractAll(jobs)
    p.rest()
    expect(facts(await during)).toEqual(jobs.map(({ path }) => ({ text: path })))
    p.rest()
    expect(facts(await p.extractAll(jobs))).toEqual(jobs.map(({ path }) => ({ text: path })))
  })

  test('nothing to do, and after closing', async () => {
    const p = create({})
    expect(await p.extractAll([])).toEqual([])
    await p.close()
    expect(await p.extractAll([job('a.sh', 'ls')])).toMatchObject([[{ kind: 'text' }]])
  })
})
