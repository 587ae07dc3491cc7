import type { Catalog, Policy, SqlFunction, Table } from '../../database.ts'
import { readable, readableName } from '../sql.ts'
import { orBranches } from './policy-disjuncts.ts'
import { nameOf, type Reading } from './read-policies.ts'

/** Who entered, checked or changed a row: somebody of those who work with it, and not whose it is. */
export const BY_SOMEBODY = /_by(?:_id|_user_id)?$/i

const CALLER = String.raw`(?:auth\.uid\(\)|\( ?SELECT auth\.uid\(\) AS uid\))`
/** `may_reach(auth.uid(), project_id)`, as the database deparses it. */
const ASKS_OF_ROW = new RegExp(String.raw`(?<![\w.'"])(?:public\.)?(\w{1,63})\((${CALLER}, )?(\w{1,63})(, ${CALLER})?\)`, 'gi')
/** `may(auth.uid(), 'invoices'::text, 'view'::text)`: what it asks of does not stand in the row. */
const ASKS_OF_WORDS = new RegExp(
  String.raw`(?<![\w.'"])(?:public\.)?(\w{1,63})\((?:${CALLER}, )?((?:'[^']{1,60}'::\w{1,63}(?:, )?){1,3})(?:, ${CALLER})?\)`,
  'gi',
)
const OF_PERMISSIONS = /perm|module|access|privileg|(?:^|_)(?:can|may)_/i
/** So many things that a function is asked about are no roles of somebody's. */
const SEVERAL = 3

interface AskedOfRow {
  /** The table whose key it takes, or the name of the column where nothing refers to a table. */
  readonly about: string
  readonly write: (column: string) => string
  readonly asked: number
  readonly forFew: boolean
  /** The texts of policies that ask it. */
  readonly askedIn: ReadonlySet<string>
  /** A policy for writing lets in whom it lets through, and asks nothing more. */
  readonly writes: boolean
}

/**
 * What an application's policies ask about rows that several people work with: the condition under which the caller may reach what a row of this
 * table belongs to. Only by functions that run past row level security, so that a policy on a table which they read ends.
 */
export function reachedBy(table: Table, catalog: Catalog, readings: ReadonlyMap<string, readonly Reading[]>, command: Policy['command']): string | undefined {
  const asked = askedOfRows(catalog, readings)
  // what somebody adds under the own name is not for those alone who administer
  const known = command === 'insert' ? asked.filter((_, __, all) => all.some((a) => !a.forFew)) : asked.filter((a) => command === 'select' || a.writes)
  const direct = conditionOn(table, known, (column) => readable(column))
  if (direct) return direct
  for (const key of table.foreignKeys) {
    const parent = catalog.tables.find((t) => nameOf(t) === key.references)
    const [column] = key.columns
    if (!parent || !column || key.columns.length !== 1 || parent === table) continue
    const above = conditionOn(parent, known, (c) => `p.${readable(c)}`)
    if (above)
      return `exists (\n    select 1 from ${readableName(nameOf(parent))} p\n    where p.${readable(key.referencedColumns[0] ?? 'id')} = ${readable(table.name)}.${readable(column)} and ${above}\n  )`
  }
  return undefined
}

function conditionOn(table: Table, known: readonly AskedOfRow[], name: (column: string) => string): string | undefined {
  for (const one of known) {
    const { about } = one
    // `is_owner(id) or is_member(id)`: who owns something need not be one of its members
    const beside = known.filter((k) => k !== one && k.about === about && [...k.askedIn].some((text) => one.askedIn.has(text) && orBranches(text).length > 1))
    const write = (column: string) => (beside.length ? `(${[one, ...beside].map((k) => k.write(column)).join(' or ')})` : one.write(column))
    if (about === nameOf(table) && table.primaryKey.length === 1) return write(name(table.primaryKey[0] as string))
    const key = table.foreignKeys.find((f) => f.columns.length === 1 && f.references === about)
    const column = key?.columns[0] ?? table.columns.find((c) => c.name === about)?.name
    if (column) return write(name(column))
  }
  return undefined
}

/** Asks for more than to belong somewhere. */
const ELEVATED_PERMISSION_WORD = /owner|admin|manage|edit|write|delete/i

/** What is asked most comes first, and before what only some of those who belong there may. */
function askedOfRows(catalog: Catalog, readings: ReadonlyMap<string, readonly Reading[]>): AskedOfRow[] {
  const found = new Map<string, AskedOfRow>()
  for (const policy of catalog.policies) {
    const table = catalog.tables.find((t) => t.schema === policy.schema && t.name === policy.table)
    const ways = (readings.get(`${policy.schema}.${policy.table}`) ?? []).filter((r) => r.policy.name === policy.name).flatMap((r) => r.ways)
    if (!table || !ways.length || ways.some((w) => w.outcome === 'open')) continue
    const text = policy.using ?? policy.check ?? ''
    for (const [call, name = '', first, column = '', last] of calls(ASKS_OF_ROW, text)) {
      const fn = booleanOf(name, catalog)
      const own = table.columns.find((c) => c.name === column)
      if (!fn?.securityDefiner || !own || fn.args.length !== (first || last ? 2 : 1)) continue
      if (!/uuid|int|text|char/.test(own.type) || table.userData?.ownerColumns.includes(column)) continue
      const about = table.primaryKey.join() === column ? nameOf(table) : (table.foreignKeys.find((f) => f.columns.join() === column)?.references ?? column)
      if (about === column && !/_(?:id|uuid)$/i.test(column)) continue
      const caller = '(select auth.uid())'
      const write = (c: string) => `${readableName(nameOf(fn))}(${[...(first ? [caller] : []), c, ...(last ? [caller] : [])].join(', ')})`
      const key = `${call.replaceAll(column, '')} ${about}`
      const alone = policy.command !== 'select' && orBranches(text).some((b) => withoutParentheses(b) === call.replace(/\)$/, ''))
      const known = found.get(key)
      found.set(key, {
        about,
        write,
        asked: (known?.asked ?? 0) + 1,
        askedIn: new Set([...(known?.askedIn ?? []), text]),
        forFew: ELEVATED_PERMISSION_WORD.test(name),
        writes: alone || known?.writes === true,
      })
    }
  }
  return [...found.values()].filter((a) => a.asked > 1).toSorted((a, b) => Number(a.forFew) - Number(b.forFew) || b.asked - a.asked)
}

/** A function that policies ask by words what the caller may do, one of these questions, and a policy that asks it. */
export interface AskedByWords {
  readonly name: string
  readonly call: string
  readonly policy: string
  readonly on: string
}

/** How the policies of an application tell what somebody who works there may do; undefined where they ask nothing of the kind. */
export function askedByWords(schema: Pick<Catalog, 'policies' | 'functions'>): AskedByWords | undefined {
  const found = new Map<string, { readonly first: AskedByWords; readonly words: Set<string>; readonly tables: Set<string> }>()
  for (const policy of schema.policies)
    for (const [call, name = '', words = ''] of calls(ASKS_OF_WORDS, policy.using ?? policy.check ?? '')) {
      if (!OF_PERMISSIONS.test(name) || !booleanOf(name, schema)) continue
      const on = `${policy.schema}.${policy.table}`
      const known = found.get(name) ?? { first: { name, call: call.replaceAll('::text', ''), policy: policy.name, on }, words: new Set(), tables: new Set() }
      known.words.add(words)
      known.tables.add(on)
      found.set(name, known)
    }
  return [...found.values()].find((f) => f.words.size >= SEVERAL && f.tables.size > 1)?.first
}

const booleanOf = (name: string, { functions }: Pick<Catalog, 'functions'>): SqlFunction | undefined =>
  functions.find((f) => f.name === name && f.schema === 'public' && /^bool/.test(f.returns) && !f.stub)

/** The calls in a condition, but for those that it denies. */
const calls = (pattern: RegExp, text: string): RegExpExecArray[] => [...text.matchAll(pattern)].filter((m) => !/\bNOT\s*\(?$/i.test(text.slice(0, m.index)))

/** Without those that open at the beginning and those that close at the end. */
function withoutParentheses(text: string): string {
  let from = 0
  let to = text.length
  while (text[from] === '(') from++
  while (to > from && text[to - 1] === ')') to--
  return text.slice(from, to)
}
