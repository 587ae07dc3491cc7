import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { isPlaceholder } from '../../../src/facts/secrets/placeholder.ts'

/** Values as generators make them, the same ones in every run. */
const generated = (encoding: 'hex' | 'base64', length: number, count: number) =>
  Array.from({ length: count }, (_, i) => createHash('sha512').update(`${encoding} ${length} ${i}`).digest(encoding).replace(/[+/=]/g, '').slice(0, length))

describe('placeholders', () => {
  // What chance puts into long random values was taken for a hand's work: one key of 1,600 was missed.
  test.each([
    ['hex', 32],
    ['hex', 48],
    ['hex', 64],
    ['base64', 24],
    ['base64', 80],
  ] as const)('of random values (%s, %i characters) hardly one is called a placeholder', (encoding, length) => {
    expect(generated(encoding, length, 20_000).filter((v) => isPlaceholder(v)).length).toBeLessThanOrEqual(3)
  })

  test.each([
    '02c4f5f2a7f7a2b6c51efccf099eaab7f7d302518352f1e3',
    '94e94ce72445aa8acb5b6b2d8d0c0d9f3e2a60bdb5929375',
    'hLahH74SaKtEhoMxPAVRxWMucLc3tEpLnRsMarNaI9fAkEtaaIAOluVQUGw0zCN43BjWnxa0Et',
    '4f1c000000a97d3e51b8c26f90ad47e3b85c12fd6e0a93b7',
  ])('a random value that holds turns, a repetition or a short word by chance is none: %s', (value) => {
    expect(isPlaceholder(value)).toBe(false)
  })

  test.each([
    '1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d',
    'a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6',
    '12ab34cd56ef78gh90ij12kl',
    '00000000000000000000000000000000',
    '51Hxxxxxxxxxxxxxxxxxxxxxxxx',
    'fake0f4b8a1c7d2e9356',
    'FAKE0F4B8A1C7D2E9356',
    'YourSecretKey0f4b8a1c',
    'changeMe0f4b8a1c7d2e',
    '0f4b8aaaaaaaaaaaaaaaaaaa',
  ])('a value that somebody typed is one: %s', (value) => {
    expect(isPlaceholder(value)).toBe(true)
  })
})
