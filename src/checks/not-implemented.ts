import { type Outcome, unverified } from './outcome.ts'

/** What a check says that this version does not have yet: never anything better than `unverified`. */
export function notImplemented(): Outcome {
  return unverified('not implemented in this version', { where: 'a later version of Prelaunch', attest: 'nothing: update Prelaunch' })
}
