import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import type { Boundaries } from '../../src/platform/isolated/boundaries.ts'
import { launchIsolated } from '../../src/platform/isolated/launch.ts'

// A checkout holds DATA_DIR (./data unless it is set) with app.env, and .env: the named reads of processes that read repositories must leave both out.
const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = mkdtempSync(join(root, 'data-of-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** No namespace: Node's permissions alone. */
const nothing: Boundaries = { wrapper: [], holds: [], missing: [] } as unknown as Boundaries

async function read(path: string, parent: boolean): Promise<unknown> {
  const { channel } = launchIsolated({ entry: new URL('./prisoner.mjs', import.meta.url), args: [String(process.pid), '1', path], boundaries: nothing, parent })
  return (JSON.parse(await text(channel)) as { file: unknown }).file
}

test.each([
  ['app.env of the default data folder', 'app.env'],
  ['the embedded database', 'postgres'],
])('%s cannot be read by the process that reads repositories, nor by the sandbox', async (_what, name) => {
  const path = join(folder, name)
  writeFileSync(path, 'PRIVATE_KEY=x')
  expect(await read(path, true)).toBe('ERR_ACCESS_DENIED')
  expect(await read(path, false)).toBe('ERR_ACCESS_DENIED')
})

test('.env of the folder of the package cannot be read, what the program is made of can', async () => {
  expect(await read(join(root, '.env'), true)).toBe('ERR_ACCESS_DENIED')
  expect(await read(join(dirname(folder), 'package.json'), true)).toContain('"prelaunch"')
})
