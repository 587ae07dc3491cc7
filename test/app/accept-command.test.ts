import { expect, test } from 'vitest'
import { answerCommand } from '../../src/app/command.ts'

const STORED = [
  { fingerprint: 'a'.repeat(16), check: 'rls/write-owner', subject: 'policy public.notes "all"', severity: 'Critical', cause: 'c'.repeat(16) },
  { fingerprint: 'b'.repeat(16), check: 'rls/select-owner', subject: 'policy public.notes "all"', severity: 'Critical', cause: 'c'.repeat(16) },
  { fingerprint: 'd'.repeat(16), check: 'api/auth', subject: 'route GET /a', severity: 'Critical', cause: 'e'.repeat(16) },
  { fingerprint: 'f'.repeat(16), check: 'api/auth', subject: 'route GET /b', severity: 'Critical' },
]

const answer = (id: string) =>
  answerCommand(`/prelaunch accept ${id} shared on purpose`, {
    ref: { id: 1 },
    number: 7,
    login: 'maintainer',
    store: { targets: { findings: async () => STORED } },
  } as never)

test('accepting what is shown as one item gives an entry for each check that the same cause fails', async () => {
  const entry = /```yaml\n([\s\S]*?)\n```/.exec(await answer('a'.repeat(16)))?.[1] ?? ''
  expect(entry.match(/- check: .+/g)).toEqual(['- check: rls/write-owner', '- check: rls/select-owner'])
  expect(entry.match(/subject: .+/g)).toEqual(Array(2).fill('subject: "policy public.notes \\"all\\""'))
})

test('findings that an older version stored, without a cause, are accepted one by one', async () => {
  for (const id of ['d', 'f']) expect((await answer(id.repeat(16))).match(/- check: /g)).toHaveLength(1)
})
