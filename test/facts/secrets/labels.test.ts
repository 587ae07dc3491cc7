import { expect, test } from 'vitest'
import { SECRET_FORMATS } from '../../../src/facts/secrets/formats.ts'
import { secretLabel } from '../../../src/facts/secrets/labels.ts'

test('secrets are called by the name of their service, with the right article', () => {
  expect(secretLabel('stripe-live-secret')).toBe('a live Stripe secret key')
  expect(secretLabel('anthropic-api-key')).toMatch(/^an Anthropic /)
  expect(secretLabel('generic-secret')).toBe('a secret')
  expect(secretLabel('npm-token')).toBe('an npm token')
})

test('a kind with several formats is called as its first one', () => {
  expect(secretLabel('webhook-secret')).toBe('a webhook signing secret')
})

test('every published format has a label that names no placeholder', () => {
  for (const format of SECRET_FORMATS) expect(secretLabel(format.kind)).toMatch(/^an? [\w].*[a-z)]$/i)
})
