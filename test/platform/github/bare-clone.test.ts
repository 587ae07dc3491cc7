import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { forgetClones, sweepClones } from '../../../src/platform/github/bare-clone.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const LIMITS = { maxBytes: 100_000, unusedDays: 30, maxRefs: 5 }
let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'prelaunch-clones-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

/** A clone of some size, last used a number of hours ago. */
async function clone(id: number, bytes: number, hours: number, refs = 1): Promise<void> {
  const dir = join(root, `${id}.git`)
  await mkdir(join(dir, 'refs', 'prelaunch'), { recursive: true })
  await mkdir(join(dir, 'objects', 'pack'), { recursive: true })
  await writeFile(join(dir, 'objects', 'pack', 'p.pack'), Buffer.alloc(bytes))
  for (let i = 0; i < refs; i++) await writeFile(join(dir, 'refs', 'prelaunch', String(i).repeat(40)), '')
  await writeFile(join(dir, 'config.prelaunch'), '')
  const used = new Date(NOW - hours * 3_600_000)
  await utimes(join(dir, 'config.prelaunch'), used, used)
}
const left = async () => (await readdir(root)).sort()

describe('clones kept between audits', () => {
  test('go, the least recently used first, until they fit', async () => {
    await clone(1, 60_000, 10)
    await clone(2, 60_000, 30)
    await clone(3, 30_000, 20)
    await sweepClones(root, LIMITS, NOW)
    expect(await left()).toEqual(['1.git', '3.git'])
  })

  test('go when no audit used them for a month or when they hold too many commits; one in use stays', async () => {
    await clone(1, 10, 31 * 24)
    await clone(2, 10, 5, 6)
    await clone(3, 10, 5, 5)
    await clone(4, 10, 0.1, 9)
    await sweepClones(root, LIMITS, NOW)
    expect(await left()).toEqual(['3.git', '4.git'])
  })

  test('are forgotten with their repositories', async () => {
    await clone(1, 10, 1)
    await clone(2, 10, 1)
    await forgetClones(root, [1, 99])
    expect(await left()).toEqual(['2.git'])
  })

  test('need no folder to begin with', async () => {
    await sweepClones(join(root, 'none'), LIMITS, NOW)
    await forgetClones(join(root, 'none'), [1])
    expect(await left()).toEqual([])
  })
})
