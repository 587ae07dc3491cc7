import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { confinementOf } from '../../../src/database/isolation/confinement.ts'
import { ALL_LAYERS, onlyLayers } from '../../../src/database/isolation/layers.ts'
import { residentBytes } from '../../../src/database/isolation/resident-memory.ts'
import { JsonLines } from '../../../src/lib/json-lines.ts'
import { migration, replaySql, tableNames } from '../replay-sql.ts'
import { startProbe } from './answer-of.ts'

describe('messages as lines of JSON', () => {
  function reader(limits = { message: 20, total: 60, count: 20 }) {
    const stream = new PassThrough()
    const got: unknown[] = []
    const lines = new JsonLines(stream, limits, { onMessage: (m) => got.push(m), onBreach: (because) => got.push(`breach: ${because}`) })
    return { lines, got, write: (text: string) => stream.emit('data', Buffer.from(text)) }
  }

  test('arrive whole however the bytes were cut', () => {
    const { got, write } = reader()
    for (const char of '{"a":1}\n[2]\n') write(char)
    write('"x"\n"y')
    write('z"\n')
    expect(got).toEqual([{ a: 1 }, [2], 'x', 'yz'])
  })

  test('end with the first that breaks a limit', () => {
    for (const [text, because] of [
      [`${'1'.repeat(21)}\n"later"\n`, 'breach: it sent a message that is larger than allowed'],
      [`${'1'.repeat(15)}\n`.repeat(4), 'breach: it sent more than allowed'],
      ['1\n'.repeat(21), 'breach: it sent more messages than allowed'],
      ['nonsense\n"later"\n', 'breach: it sent something that is not JSON'],
    ] as const) {
      const { got, write } = reader()
      write(text)
      write('"after"\n')
      expect(got.filter((m) => typeof m === 'string')).toEqual([because])
    }
  })

  test('may be as many again after the count begins anew', () => {
    const { lines, got, write } = reader({ message: 20, total: 4, count: 2 })
    write('1\n2\n')
    lines.renew()
    write('3\n4\n')
    expect(got).toEqual([1, 2, 3, 4])
  })
})

test.each([
  ['one line without end', true, 'it sent a message that is larger than allowed'],
  ['lines without end', false, 'it sent more messages than allowed'],
])('a sandbox that answers with %s is ended', async (_, line, because) => {
  const sandbox = await startProbe(onlyLayers(), 'flood.mjs', { line })
  const ended = await new Promise((resolve) => sandbox.listen({ onAnswer: () => undefined, onEnd: resolve }))
  expect(ended).toBe(because)
  await sandbox.gone()
})

test.for(['none', 'otherUser', 'namespaces'])('SQL is replayed alike under %s', async (by, { skip }) => {
  const layers = by === 'none' ? onlyLayers() : { ...ALL_LAYERS, namespaces: by === 'namespaces', otherUser: by === 'otherUser' }
  skip((await confinementOf(layers)).by !== by, `this system does not allow ${by}`)
  const result = await replaySql(migration('create extension vector; create table public.a (id int, at vector(3));'), { layers })
  expect(tableNames(result)).toEqual(['public.a'])
  expect(result.gaps).toEqual([])
  expect(result.statements).toEqual({ total: 2, applied: 2, explained: 0 })
})

const linux = process.platform === 'linux'

describe.runIf(linux)('a sandbox in namespaces', () => {
  test('counts the memory of what runs in it, and ends with all of it', async ({ skip }) => {
    skip((await confinementOf(ALL_LAYERS)).by !== 'namespaces', 'this system does not allow namespaces')
    const sandbox = await startProbe(ALL_LAYERS, 'hang.mjs', {})
    await new Promise((resolve) => sandbox.listen({ onAnswer: resolve, onEnd: resolve }))
    const tree = descendants(process.pid).filter((pid) => commandOf(pid).includes('hang.mjs'))
    // the wrapper that waits, and the program
    expect(tree).toHaveLength(2)
    expect(sandbox.residentBytes).toBeGreaterThan(20 * 2 ** 20)
    expect(sandbox.residentBytes).toBeGreaterThanOrEqual(residentBytes(tree[1]) ?? Number.POSITIVE_INFINITY)
    sandbox.end()
    await sandbox.gone()
    await until(() => tree.every((pid) => !runs(pid)))
  })

  test('ends with the process that started it, although it hears nothing', async ({ skip }) => {
    skip((await confinementOf(ALL_LAYERS)).by !== 'namespaces', 'this system does not allow namespaces')
    const parent = spawn(process.execPath, ['test/database/isolation/parent.mts', 'all'], { stdio: ['ignore', 'pipe', 'inherit'] })
    expect(String(await once(parent.stdout, 'data'))).toBe('runs\n')
    const tree = descendants(parent.pid as number)
    expect(tree.length).toBeGreaterThanOrEqual(2)
    parent.kill('SIGKILL')
    await until(() => tree.every((pid) => !runs(pid)))
  })
})

function descendants(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  return children.flatMap((child) => [child, ...descendants(child)])
}

const commandOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8')

/** A process that ended and waits for its parent to hear of it does not run. */
function runs(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
}

async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 400 && !holds(); i++) await sleep(50)
  expect(holds()).toBe(true)
}
