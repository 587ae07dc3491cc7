import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { GITHUB_EVENTS } from '../../src/app/events.ts'
import { ENDPOINT_PERMISSIONS, EVENT_PERMISSIONS, isGranted } from '../support/github/permissions.ts'
import { MANIFEST } from '../support/github/start-app.ts'

/** Endpoints named in the sources, as `api.request('GET /…')` writes them; the set-up serves pages of its own, and runs before there is an App. */
const called = new Set(
  ['src/platform/github', 'src/app'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.startsWith('setup/'))
      .flatMap((file) => [...readFileSync(`${folder}/${file}`, 'utf8').matchAll(/'((?:GET|POST|PATCH|PUT|DELETE) \/[^']+)'/g)].map((m) => m[1] as string)),
  ),
)
const granted = MANIFEST.default_permissions

describe('app.yml', () => {
  test('grants what every called endpoint needs', () => {
    expect(called.size).toBeGreaterThan(15)
    for (const endpoint of called) {
      const needed = ENDPOINT_PERMISSIONS[endpoint]
      expect(needed, `the permission of ${endpoint} is not recorded`).toBeDefined()
      if (needed !== 'jwt') expect(isGranted(needed as string, granted), `${endpoint} needs ${needed}`).toBe(true)
    }
  })

  test('subscribes to the events that are handled, and to no other', () => {
    const handled = new Set(GITHUB_EVENTS.map((e) => e.split('.')[0] as string).filter((e) => EVENT_PERMISSIONS[e] !== 'always'))
    expect(new Set(MANIFEST.default_events)).toEqual(handled)
    for (const event of handled) expect(isGranted(EVENT_PERMISSIONS[event] as string, granted), `${event} needs ${EVENT_PERMISSIONS[event]}`).toBe(true)
  })

  test('asks for no permission, and no level of one, that nothing uses', () => {
    const needs = [...[...called].map((e) => ENDPOINT_PERMISSIONS[e] as string), ...MANIFEST.default_events.map((e) => EVENT_PERMISSIONS[e] as string)].filter(
      (n) => n !== 'jwt' && n !== 'none',
    )
    for (const [name, level] of Object.entries(granted)) {
      const lower = { write: 'read', read: 'none', admin: 'write' }[level] as string
      const reduced = { ...granted, [name]: lower }
      expect(
        needs.some((n) => !isGranted(n, reduced)),
        `${name}: ${level} is not needed`,
      ).toBe(true)
    }
  })
})
