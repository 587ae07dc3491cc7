import { mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ALL_LAYERS } from '../../../src/database/isolation/layers.ts'
import { reportLayers } from '../../../src/database/isolation/report.ts'
import { SandboxProcess } from '../../../src/database/isolation/sandbox-process.ts'
import { startService } from '../../../src/database/isolation/service.ts'
import { cachePath } from '../../../src/lib/cache-path.ts'
import { migration, replaySql, tableNames } from '../replay-sql.ts'

const folder = mkdtempSync(join(tmpdir(), 'prelaunch-service-'))
const servers: Server[] = []
afterAll(async () => {
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  rmSync(folder, { recursive: true })
})

async function service(name: string, limits: { memoryBytes?: number; most?: number } = {}): Promise<string> {
  const socket = join(folder, name)
  servers.push(await startService({ socket, cacheDir: cachePath(), layers: ALL_LAYERS, memoryBytes: 2.6 * 2 ** 30, most: 4, ...limits }))
  return socket
}

test('the service replays SQL as a process of this machine does', async () => {
  const socket = await service('a.sock')
  const sql = migration('create table public.a (id int); create table public.b (id int, note text);')
  const result = await replaySql(sql, { socket })
  expect(tableNames(result)).toEqual(['public.a', 'public.b'])
  expect(result).toEqual(await replaySql(sql, {}))
  expect((await reportLayers(ALL_LAYERS, socket)).service).toBe('answers')
})

test('a sandbox that takes too much memory is ended by the service', async () => {
  const result = await replaySql(migration('create table public.a (id int);'), { socket: await service('b.sock', { memoryBytes: 2 ** 20 }) })
  expect(result.gaps).toEqual([expect.objectContaining({ because: 'the SQL could not be replayed: the sandbox ended by itself', lost: true })])
})

test('more connections than allowed are closed', async () => {
  const socket = await service('c.sock', { most: 1 })
  const first = SandboxProcess.at(socket)
  first.send({ type: 'start', template: { base64: '' } })
  const second = SandboxProcess.at(socket)
  await second.gone()
  expect(first.ended).toBe(false)
  first.end()
})

test('no service, no verdict about the database', async () => {
  const socket = join(folder, 'nobody.sock')
  const result = await replaySql(migration('create table public.a (id int);'), { socket })
  expect(result.gaps[0]).toMatchObject({ lost: true, because: expect.stringContaining('the sandbox could not be reached') })
  expect((await reportLayers(ALL_LAYERS, socket)).service).toBe('does not answer')
})
