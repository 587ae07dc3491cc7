import { expect, test } from 'vitest'
import { extractInProcess } from '../../src/facts/extract.ts'
import { gatherFacts } from '../../src/facts/gather.ts'
import type { Blob, Snapshot, Source } from '../../src/source/source.ts'

/** More files than are read at once. */
const texts = new Map(Array.from({ length: 1201 }, (_, i) => [`src/file${i}.ts`, `export const value${i} = ${i}\n`]))
const blobs: Blob[] = [...texts].map(([path, text]) => ({ path, sha: `sha of ${path}`, size: text.length, mode: 'file' }))
const snapshot: Snapshot = { commit: 'c', blobs, complete: true }
const source = {
  read: async (shas: readonly string[]) => new Map(shas.map((sha) => [sha, new TextEncoder().encode(texts.get(sha.slice('sha of '.length)))])),
} as unknown as Source

test('every fact is there and told once, however many batches the files make', async () => {
  const told = new Set<string>()
  const { facts, gaps, misses } = await gatherFacts(snapshot, source, extractInProcess, [], undefined, undefined, undefined, (path, { kind }) => {
    expect(told.has(`${kind} ${path}`)).toBe(false)
    told.add(`${kind} ${path}`)
  })
  expect(gaps).toEqual([])
  expect(facts.of('javascript').size).toBe(1201)
  expect([...told].filter((t) => t.startsWith('javascript ')).length).toBe(1201)
  expect(told.size).toBe(misses)
})

test('a batch that fails is the error of the whole, whatever came of the others', async () => {
  let batches = 0
  const failing = async (jobs: Parameters<typeof extractInProcess>[0]) => {
    batches += 1
    if (batches === 2) throw new Error('the pool is gone')
    return extractInProcess(jobs)
  }
  await expect(gatherFacts(snapshot, source, failing, [])).rejects.toThrow('the pool is gone')
})
