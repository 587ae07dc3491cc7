import { mentions } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour } from '../../../model/behaviour/types.ts'

const QUEUE_TABLE = /queue|wait_?list|waiting|(?:^|_)rsvps?$/i

/** Whoever calls gets a place of the own in the queue that was found: how many stand in it says which. */
export const queuesUp = (index: number, { steps }: Behaviour): boolean =>
  steps.some(({ effect: e }, i) => {
    if (i <= index || e.kind !== 'db' || e.op !== 'insert' || !QUEUE_TABLE.test(e.table) || e.payload?.v !== 'object' || e.payload.rest) return false
    const values = Object.values(e.payload.props)
    return values.some((v) => v.v === 'caller' && v.trust === 'verified') && values.some((v) => mentions(v, (x) => x.v === 'row' && x.step === index))
  })
