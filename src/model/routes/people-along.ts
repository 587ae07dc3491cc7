import type { SchemaModel } from '../app-model.ts'
import type { Behaviour, Step } from '../behaviour/behaviour.ts'
import { mentions } from '../behaviour/mentions.ts'

/** By which somebody is reached or let in: no list of those whom everybody may know shows that. */
const REACHES = /e_?mail|phone|password|token|secret/i

/** A table of people whose whole rows are joined to what a step reads and stand in an answer: `select().from(instructors).innerJoin(users, …)`. */
export function peopleAlong({ effect: e }: Step, index: number, { steps }: Behaviour, { tables }: Pick<SchemaModel, 'tables'>): string | undefined {
  if (e.kind !== 'db' || e.op !== 'select' || e.client.rights !== 'service' || e.countOnly) return undefined
  return e.joined?.find((name) => {
    if (!tables.some((t) => t.name === name && t.userData?.personalColumns.some((c) => REACHES.test(c)))) return false
    return steps.some(
      ({ effect }) =>
        effect.kind === 'respond' &&
        (effect.status ?? 200) < 400 &&
        effect.body !== undefined &&
        mentions(effect.body, (x) => x.v === 'row' && x.step === index && (!x.field || x.field === name)),
    )
  })
}
