import { tablesCalled } from '../../../database/called-table.ts'
import type { Table } from '../../../database/database.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { snakeCase } from '../../../lib/snake-case.ts'
import { mentions } from '../../behaviour/domain/contains.ts'
import type { Behaviour, Step } from '../../behaviour/types.ts'
import type { SchemaModel } from '../../schema/schema-model.ts'

/** By which somebody is reached or let in: no list of those whom everybody may know shows that. */
const CONTACT_OR_CREDENTIAL_FIELD = /e_?mail|phone|password|token|secret/i
/** By which somebody is let in: that is nobody else's, whoever it is. */
const LETS_IN = /password|passwd|pwd_?hash|(?:access|refresh|reset|session)_?token/i

/** Those who write, buy and take part, by what a row calls them: `userId`, `author`. Who sells something wants to be reached. */
const AUTHOR_OR_CUSTOMER_RELATION = /^(?:user|author|reviewer|commenter|customer|client|buyer|member|student|patient|guest|participant|attendee)s?(?:_?id)?$/i

/** ORMs whose models leave a column out of what is read where they say so (`select: false`). */
const COLUMN_HIDING_ORMS: ReadonlySet<string> = new Set(['mongoose', 'typeorm'])

/**
 * People of whom more than the name stands in an answer, beside what was asked for: a table of people whose whole rows are joined to what a step reads
 * (`select().from(instructors).innerJoin(users, …)`), or a relation that takes them along (`populate('userId', 'name email')`, `include: { user: true }`).
 */
export function peopleAlong({ effect: e }: Step, index: number, { steps }: Behaviour, { tables }: Pick<SchemaModel, 'tables'>): People | undefined {
  if (e.kind !== 'db' || e.op !== 'select' || e.client.rights !== 'service' || e.countOnly) return undefined
  const answered = (name: string) =>
    steps.some(
      ({ effect }) =>
        effect.kind === 'respond' &&
        (effect.status ?? 200) < 400 &&
        effect.body !== undefined &&
        mentions(effect.body, (x) => x.v === 'row' && x.step === index && (!x.field || name === x.field || name.startsWith(`${x.field}.`))),
    )
  const joined = e.joined?.find(
    (name) => tables.some((t) => t.name === name && t.userData?.personalColumns.some((c) => CONTACT_OR_CREDENTIAL_FIELD.test(c))) && answered(name),
  )
  if (joined) return { of: joined, what: `all of ${joined}` }
  const relation = e.columns?.flatMap(reached).find(answered)
  if (relation !== undefined) return { of: relation, what: `how to reach whom \`${relation}\` names` }
  const [own] = e.taken ? tablesCalled(lastPart(e.table), tables) : []
  const whole = own && e.taken?.find((path) => answered(/^[^.:]*/.exec(path)?.[0] ?? '') && isOfPeople(path, own, tables, e.client.library))
  const named = whole?.replace(/:\w+/g, '')
  if (named !== undefined) return { of: lastPart(named), what: `all of whom \`${named}\` names` }
  const picked = e.taken?.find((path) => picksReach(path) && answered(path))?.replace(/\.\w+$/, '')
  return picked === undefined ? undefined : { of: lastPart(picked), what: `how to reach whom \`${picked}\` names` }
}

/** `employer.user.email`: how somebody is reached, picked of a relation of a relation; whoever offers something wants to be. */
function picksReach(path: string): boolean {
  const relations = path.replace(/:\w+/g, '').split('.')
  const [column = '', who = ''] = [relations.pop(), relations.pop()]
  return (
    relations.length > 0 &&
    CONTACT_OR_CREDENTIAL_FIELD.test(column) &&
    AUTHOR_OR_CUSTOMER_RELATION.test(who) &&
    !relations.some((r) => OFFERING_PERSON_FIELD.test(r))
  )
}

/** Whoever offers something, by what a row calls them. */
const OFFERING_PERSON_FIELD = /seller|vendor|merchant|shop|store|restaurant|host|landlord|agent|provider|organi[sz]er/i

interface People {
  /** The table, or the relation of the rows. */
  readonly of: string
  readonly what: string
}

/** The relation that a column is, where it says how to reach somebody: `userId(name, email)`. */
function reached(column: string): readonly string[] {
  const open = column.indexOf('(')
  const relation = column.slice(0, open)
  return open > 0 && AUTHOR_OR_CUSTOMER_RELATION.test(relation) && CONTACT_OR_CREDENTIAL_FIELD.test(column.slice(open)) ? [relation] : []
}

/** Whether whole rows at the end of a path of relations tell how somebody is reached who did not ask for it, or let in. */
function isOfPeople(path: string, from: Table, tables: readonly Table[], library: string): boolean {
  let table: Table | undefined = from
  for (const relation of path.split('.')) table = table && !isKeyAlone(table, relation, library) ? relatedTo(table, relation, tables) : undefined
  const tells = AUTHOR_OR_CUSTOMER_RELATION.test(lastPart(path).replace(/:.*/, ''))
    ? CONTACT_OR_CREDENTIAL_FIELD
    : COLUMN_HIDING_ORMS.has(library)
      ? undefined
      : LETS_IN
  return tells !== undefined && table?.userData?.personalColumns.some((c) => tells.test(c)) === true
}

/** `select: { authorId: true }` takes the key along and nobody; Mongoose alone calls a relation by its key. */
const isKeyAlone = (table: Table, relation: string, library: string): boolean => library !== 'mongoose' && table.columns.some((c) => c.name === relation)

/** The table of a relation: the one that a key of that name refers to (`user`, `userId`), or that refers back and is called so. */
function relatedTo(table: Table, relation: string, tables: readonly Table[]): Table | undefined {
  const [called = '', model] = relation.split(':')
  if (model !== undefined) return tablesCalled(model, tables)[0]
  const name = snakeCase(called)
  const key = table.foreignKeys.find((k) => k.columns.length === 1 && [name, `${name}_id`].includes(snakeCase(k.columns[0] as string)))
  const byName = (qualified: string) => tables.find((t) => `${t.schema}.${t.name}` === qualified)
  if (key) return byName(key.references)
  const self = `${table.schema}.${table.name}`
  return tables.find((t) => (t.foreignKeys.some((k) => k.references === self) || !table.foreignKeys.length) && isCalled(t, name))
}

/** `reviews` for the model `Review`, and the other way round. */
const isCalled = ({ name, calledInCode }: Table, as: string): boolean =>
  [name, calledInCode ?? name].some((n) => snakeCase(n).replace(/s$/, '') === as.replace(/s$/, ''))
