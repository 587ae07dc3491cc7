import { expect, test } from 'vitest'
import { successorOf } from '../../../src/database/access/sql.ts'

test('two policies that are repaired keep two names', () => {
  const names = [
    'Authenticated users can upload chat attachments',
    'Authenticated users can delete chat attachments',
    'Usuários podem ver as próprias ações de atendimento 🙂🙂🙂',
  ]
  const repaired = names.map((n) => successorOf(n, '(own folder)'))
  expect(repaired[0]).toBe('Authenticated users can upload chat attachments (own folder)')
  expect(new Set(repaired).size).toBe(3)
  for (const name of repaired) {
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(63)
    expect(name.isWellFormed()).toBe(true)
  }
})
