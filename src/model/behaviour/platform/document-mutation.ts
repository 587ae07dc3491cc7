import type { Place } from '../../../lib/place.ts'
import { constantString, object, Scope, type Val } from '../domain/abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'
import { populated, taken } from '../libraries/databases/included-relations.ts'

type Row = Extract<Val, { v: 'row' }>

/** What of a document nothing is known of: `Object.assign(document, body)`. */
const REST = '\0rest'

/** Libraries whose rows are objects that are changed and saved. */
const MUTABLE_DOCUMENT_LIBRARIES: ReadonlySet<string> = new Set(['mongoose', 'sequelize', 'typeorm'])

/** A document that was loaded: its members may be set, and `save()` writes them. */
function isDocument(it: Interpreter, of: Row): boolean {
  const e = it.steps[of.step]?.effect
  return of.field === undefined && !of.many && e?.kind === 'db' && MUTABLE_DOCUMENT_LIBRARIES.has(e.client.library) && e.op !== 'delete'
}

function changesOf(it: Interpreter, step: number): Scope {
  const known = it.documents.get(step) ?? new Scope('')
  it.documents.set(step, known)
  return known
}

/** `user.role = value`, and `Object.assign(user, values)`. */
export function changeDocument(it: Interpreter, of: Row, name: string | undefined, value: Val): void {
  const outer: Row = { ...of, field: undefined } as Row
  if (!isDocument(it, outer)) return
  // `user.address.street = value` changes what stands in the column
  const column = of.field === undefined ? name : of.field.split('.')[0]
  it.write(changesOf(it, of.step), column ?? REST, value)
}

/** What runs a query, or gives what it found in another form. */
const AS_FOUND = /^(?:exec|lean|toObject|toJSON|sort|skip|limit|session|orFail|collation|hint|read|maxTimeMS|setOptions|batchSize|clone|allowDiskUse)$/

/** `user.save()`, `user.set({ … })`, `user.deleteOne()`; `User.find().select('name').lean()`. */
export function documentCall(it: Interpreter, of: Row, name: string, args: readonly Val[], at: Place): Val | undefined {
  const e = it.steps[of.step]?.effect
  if (of.field === undefined && e?.kind === 'db' && e.client.library === 'mongoose') {
    if (AS_FOUND.test(name)) return of
    if (name === 'select' || name === 'populate') {
      takeAlong(it, of.step, name, args)
      return of
    }
    // conditions that come later; of a list that was loaded, `find` takes a function
    if (name === 'find' && args[0]?.v !== 'fn') {
      askFor(it, of.step, args[0])
      return of
    }
  }
  if (!isDocument(it, of)) return undefined
  const [first, second] = args
  switch (name) {
    case 'set': {
      const column = constantString(first)
      if (column !== undefined) changeDocument(it, of, column, second ?? first ?? of)
      else if (first?.v === 'object') setAll(it, of, first)
      else if (first) changeDocument(it, of, undefined, first)
      return of
    }
    case 'save':
      return write(it, of, 'update', payloadOf(it, of.step), at)
    case 'updateOne':
    case 'update':
      return write(it, of, 'update', first, at)
    case 'deleteOne':
    case 'remove':
    case 'destroy':
      return write(it, of, 'delete', undefined, at)
  }
  return undefined
}

/** `select('name price')`, and `populate('author', 'name email')`: which columns a query gives, and what of the rows that hang on them. */
function takeAlong(it: Interpreter, index: number, how: 'select' | 'populate', [first, second]: readonly Val[]): void {
  const step = it.steps[index]
  if (step?.effect.kind !== 'db' || step.effect.op !== 'select') return
  const e = step.effect
  const path = constantString(first?.v === 'object' ? first.props.path : first)
  const chosen = wordsOf(how === 'select' ? first : first?.v === 'object' ? first.props.select : second)
  const before = e.columns ?? ['*']
  if (how === 'select' && chosen) it.steps[index] = { ...step, effect: { ...e, columns: [...chosen, ...before.filter((c) => c.includes('('))] } }
  else if (how === 'populate') {
    const columns = path ? { columns: [...before, `${path}(${chosen?.join(', ') ?? '*'})`] } : {}
    it.steps[index] = { ...step, effect: { ...e, ...columns, ...taken([...(e.taken ?? []), ...populated(first, second)]) } }
  }
}

/** `query.find({ product })` of a query that was begun. */
function askFor(it: Interpreter, index: number, also: Val | undefined): void {
  const step = it.steps[index]
  if (step?.effect.kind !== 'db' || !also) return
  const filters = also.v === 'object' ? Object.entries(also.props).map(([column, value]) => ({ column, op: 'eq' as const, value })) : []
  const unread = also.v !== 'object' || also.rest !== undefined
  it.steps[index] = { ...step, effect: { ...step.effect, filters: [...step.effect.filters, ...filters], ...(unread ? { unread: true as const } : {}) } }
}

/** The names that a projection lets through; undefined where it leaves some out, or is not known. */
function wordsOf(projection: Val | undefined): readonly string[] | undefined {
  const text = constantString(projection)
  const words = text?.split(/\s+/).filter(Boolean) ?? []
  if (text !== undefined) return words.length && !words.some((w) => w.startsWith('-') || w.startsWith('+')) ? words : undefined
  if (projection?.v !== 'object' || projection.rest) return undefined
  const taken = Object.entries(projection.props)
  return taken.length && taken.every(([, v]) => v.v === 'const' && Boolean(v.value)) ? taken.map(([name]) => name) : undefined
}

export function setAll(it: Interpreter, of: Row, values: Val): void {
  if (values.v !== 'object') {
    changeDocument(it, of, undefined, values)
    return
  }
  for (const [name, value] of Object.entries(values.props)) changeDocument(it, of, name, value)
  if (values.rest) changeDocument(it, of, undefined, values.rest)
}

function payloadOf(it: Interpreter, step: number): Val {
  const vars = it.documents.get(step)?.vars ?? new Map<string, Val>()
  return object(Object.fromEntries([...vars].filter(([name]) => name !== REST)), vars.get(REST))
}

function write(it: Interpreter, of: Row, op: 'update' | 'delete', payload: Val | undefined, at: Place): Val {
  const e = it.steps[of.step]?.effect
  if (e?.kind !== 'db') return of
  const key = e.client.library === 'mongoose' ? '_id' : 'id'
  const filters = [{ column: key, op: 'eq' as const, value: { v: 'row' as const, table: of.table, step: of.step, field: key } }]
  const step = it.emit({ kind: 'db', client: e.client, op, table: of.table, filters, ...(payload ? { payload } : {}), one: true }, at)
  return step < 0 ? of : { v: 'row', table: of.table, step }
}
