import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { confinementOf } from '../../../src/database/isolation/confinement.ts'
import { type Layers, onlyLayers } from '../../../src/database/isolation/layers.ts'
import { answerOf } from './answer-of.ts'

/** Attack and layer: whether that layer alone stops it. Where it says no, the attack succeeds without the others. */
const TABLE = `
| Attack | wasmGate | flags | builtins | namespaces | otherUser |
| --- | --- | --- | --- | --- | --- |
| load a foreign WebAssembly module | stopped | stopped | no | no | no |
| run a string as JavaScript | no | stopped | no | no | no |
| read the environment of the App | no | stopped | no | stopped | stopped |
| read a file of the App | no | stopped | no | stopped | stopped |
| write a file | no | stopped | no | stopped | stopped |
| send what it knows away | no | no | stopped | stopped | no |
| signal the App | no | no | stopped | stopped | stopped |
| see other processes | no | stopped | no | stopped | no |
| start a program | no | stopped | stopped | no | no |
`.trim()

const [COLUMNS = [], , ...ROWS] = TABLE.split('\n').map((line) => line.slice(2, -2).split(' | '))
const NAMES = COLUMNS.slice(1) as (keyof Layers)[]
const expected = (layer: string) => Object.fromEntries(ROWS.map(([attack = '', ...cells]) => [attack, cells[NAMES.indexOf(layer as keyof Layers)]]))

const folder = mkdtempSync(join(tmpdir(), 'prelaunch-secret-'))
const secretFile = join(folder, 'secret')
let received = 0
const listener = createServer((_, response) => {
  received++
  response.end()
})

beforeAll(async () => {
  writeFileSync(secretFile, 'canary', { mode: 0o600 })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  listener.close()
  rmSync(folder, { recursive: true })
})

interface Loaded {
  readonly ran: boolean
  readonly said: string
  readonly works: string
}

async function attack(layers: Layers): Promise<Record<string, string>> {
  const target = { builtins: layers.builtins, parent: process.pid, listener: (listener.address() as AddressInfo).port, secretFile }
  const before = received
  const results = (await answerOf(layers, 'probe.mts', target)) as Record<string, string>
  expect(received > before, 'the listener heard it').toBe(results['send what it knows away'] === 'done')
  const loaded = (await answerOf(layers, 'load-probe.mts', { wasmGate: layers.wasmGate })) as Loaded
  // our own extension is a side module too, and works in any case
  expect(loaded.works).toBe('86f7e437faa5a7fce15d1ddcb9eaeaea377667b8')
  const cells = Object.entries(results).map(([name, result]) => [name, result === 'done' ? 'no' : 'stopped'] as const)
  return Object.fromEntries([['load a foreign WebAssembly module', loaded.ran ? 'no' : 'stopped'], ...cells])
}

const linux = process.platform === 'linux'
const namespaces = linux && (await confinementOf(onlyLayers('namespaces'))).by === 'namespaces'
const otherUser = linux && (await confinementOf(onlyLayers('otherUser'))).by === 'otherUser'
const possible: Readonly<Record<string, boolean>> = { namespaces, otherUser }

describe.runIf(linux)('what a layer stops with all others switched off', () => {
  test('without layers every attack succeeds', async () => {
    const results = await attack(onlyLayers())
    expect(results).toEqual(Object.fromEntries(ROWS.map(([name]) => [name, 'no'])))
  })

  test.for(NAMES)('%s', async (name, { skip }) => {
    skip(possible[name] === false, `this system does not allow ${name}`)
    expect(await attack(onlyLayers(name))).toEqual(expected(name))
  })

  test('the gate says why, as an error of SQL', async () => {
    const { ran, said } = (await answerOf(onlyLayers('wasmGate'), 'load-probe.mts', { wasmGate: true })) as Loaded
    expect(ran).toBe(false)
    expect(said).toMatch(/could not load library .*not part of the installed database engine/s)
  })
})

test('docs/deployment.md shows this table', () => {
  expect(readFileSync('docs/deployment.md', 'utf8')).toContain(TABLE)
})
