import { afterAll, expect, test } from 'vitest'
import { isolatedDatabase } from '../../../src/platform/isolated/isolated-database.ts'
import { descendants, environmentOf, isNode, type Shown } from '../../support/processes.ts'

const database = isolatedDatabase()
afterAll(() => database.close())

const input = {
  files: [{ path: 'a.sql', text: 'create table public.t (id int);', role: 'migration' as const }],
  exposedSchemas: ['public'],
  exposedToBrowsers: true,
}
const below = (name: string) => descendants(process.pid).filter((p) => p.command.includes(name) && isNode(p))

test('the sandbox of the command line has a parent with an empty environment', async () => {
  const seen = new Map<string, { readonly shown: Shown; readonly environment: string }>()
  const replayed = database.replay(input)
  let done = false
  const result = replayed.finally(() => {
    done = true
  })
  while (process.platform === 'linux' && !done && !seen.has('sandbox/process')) {
    for (const name of ['database-process', 'sandbox/process'])
      for (const shown of below(name)) {
        try {
          seen.set(name, { shown, environment: environmentOf(shown.pid) })
        } catch {
          // It ended meanwhile.
        }
      }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  expect((await result).catalog.tables.map((t) => t.name)).toEqual(['t'])
  if (process.platform !== 'linux') return
  expect(seen.get('database-process')?.environment).toBe('')
  expect(seen.get('sandbox/process')?.shown.parent).not.toBe(process.pid)
})

test.runIf(process.platform === 'linux')('a parent that is killed loses its replay, and the next one has another', async () => {
  const lost = database.replay({ ...input, files: [{ ...input.files[0], text: 'create table public.u (id int);' }] } as typeof input)
  await expect.poll(() => below('database-process').length).toBeGreaterThan(0)
  for (const { pid } of below('database-process')) process.kill(pid, 'SIGKILL')
  await expect(lost).rejects.toThrow('ended by itself')
  expect((await database.replay(input)).statements.applied).toBe(1)
})
