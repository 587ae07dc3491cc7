import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operationHandler } from '../../src/app/http.ts'
import type { Metrics } from '../../src/app/metrics.ts'
import type { Store } from '../../src/store/store.ts'

const full = Object.assign(new Error('could not extend file "base/5/1": No space left on device'), { code: '53100' })

/** What the store does when something is written; undefined when it takes it. */
let failure: Error | undefined
let disk: Error | undefined
let writes = 0
const store = {
  sql: {
    probe: async () => {
      if (disk) throw disk
    },
  },
  targets: {
    setMark: async () => {
      writes++
      if (failure) throw failure
    },
  },
} as unknown as Store

const url: string[] = []
const servers = [0, 1, 2].map(() => {
  const handler = operationHandler(store, {} as Metrics, () => false)
  return createServer((request, response) => void handler(request, response))
})
beforeAll(async () => {
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}/readyz`)
  }
})
afterAll(() => {
  for (const server of servers) server.close()
})

const ask = async (i: number) => {
  const response = await fetch(url[i] as string)
  return [response.status, (await response.text()).trim()]
}

test('/readyz writes to the store, once for many that ask', async () => {
  expect(await Promise.all([ask(0), ask(0), ask(0)])).toEqual(Array.from({ length: 3 }, () => [200, 'ready']))
  expect(writes).toBe(1)
})

test('/readyz says in sentences why nothing can be stored: the store refuses, or its disk takes nothing new', async () => {
  failure = full
  expect(await ask(1)).toEqual([503, expect.stringMatching(/^The store has no room left\. Make room on its disk/)])
  failure = undefined
  disk = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  expect(await ask(2)).toEqual([503, expect.stringMatching(/^The store has no room left\./)])
})
