import { createHash } from 'node:crypto'

let made = 0

/** A key as Stripe makes them: another one at each call, the same ones in every run, and none that a scanner finds in a file. */
export function stripeKey(mode: 'live' | 'test' = 'live'): string {
  const body = createHash('sha256').update(`key ${++made}`).digest('hex').slice(0, 48)
  return ['sk', mode, body].join('_')
}

/** The content of an env file that leaks such a key. */
export const leak = (): string => `STRIPE_SECRET_KEY=${stripeKey()}\n`
