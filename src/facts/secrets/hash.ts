import { createHmac } from 'node:crypto'
import { bits } from './entropy.ts'

/**
 * The key makes the hash this application's own; it is no secret (the code is public), so the hash is an identity and no
 * protection. What protects: a value that could be guessed keeps 12 bits only, enough to tell two values of one repository
 * apart and far too few to confirm a guess. Hashes never leave in reports.
 */
const IDENTITY_KEY = 'prelaunch.secret-identity.v1'
const GUESSABLE_BITS = 70

/** Identity of a value, for comparing values without holding them: 32 hexadecimal digits, 3 for values that could be guessed. */
export function hashValue(value: string): string {
  const digest = createHmac('sha256', IDENTITY_KEY).update(value).digest('hex')
  return bits(value) < GUESSABLE_BITS ? digest.slice(0, 3) : digest.slice(0, 32)
}

/** True when the hash is long enough to say that two values are the same. */
export function identifies(hash: string): boolean {
  return hash.length > 3
}
