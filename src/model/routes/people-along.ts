import type { SchemaModel } from '../app-model.ts'
import type { Behaviour, Step } from '../behaviour/behaviour.ts'
import { mentions } from '../behaviour/mentions.ts'

/** By which somebody is reached or let in: no list of those whom everybody may know shows that. */
const REACHES = /e_?mail|phone|password|token|secret/i

/** Those who write, buy and take part, by what a row calls them: `userId`, `author`. Who sells something wants to be reached. */
const WHO = /^(?:user|author|reviewer|commenter|customer|client|buyer|member|student|patient|guest|participant|attendee)s?(?:_?id)?$/i

/**
 * People of whom more than the name stands in an answer, beside what was asked for: a table of people whose whole rows are joined to what a step reads
 * (`select().from(instructors).innerJoin(users, …)`), or a relation that takes them along (`populate('userId', 'name email')`).
 */
export function peopleAlong({ effect: e }: Step, index: number, { steps }: Behaviour, { tables }: Pick<SchemaModel, 'tables'>): People | undefined {
  if (e.kind !== 'db' || e.op !== 'select' || e.client.rights !== 'service' || e.countOnly) return undefined
  const answered = (name: string) =>
    steps.some(
      ({ effect }) =>
        effect.kind === 'respond' &&
        (effect.status ?? 200) < 400 &&
        effect.body !== undefined &&
        mentions(effect.body, (x) => x.v === 'row' && x.step === index && (!x.field || x.field === name)),
    )
  const joined = e.joined?.find((name) => tables.some((t) => t.name === name && t.userData?.personalColumns.some((c) => REACHES.test(c))) && answered(name))
  if (joined) return { of: joined, what: `all of ${joined}` }
  const relation = e.columns?.flatMap(reached).find(answered)
  return relation === undefined ? undefined : { of: relation, what: `how to reach whom \`${relation}\` names` }
}

interface People {
  /** The table, or the relation of the rows. */
  readonly of: string
  readonly what: string
}

/** The relation that a column is, where it says how to reach somebody: `userId(name, email)`. */
function reached(column: string): readonly string[] {
  const open = column.indexOf('(')
  const relation = column.slice(0, open)
  return open > 0 && WHO.test(relation) && REACHES.test(column.slice(open)) ? [relation] : []
}
