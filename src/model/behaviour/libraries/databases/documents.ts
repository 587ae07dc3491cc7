import type { Place } from '../../../../lib/place.ts'
import { constantString, UNKNOWN, type Val } from '../../domain/abstract-value.ts'
import type { FilterDraft } from '../../output/effect-draft.ts'
import type { Client, DbOp } from '../../types.ts'
import type { Library, LibraryCall } from '../library.ts'

const MONGO: Readonly<Record<string, DbOp>> = {
  find: 'select',
  findOne: 'select',
  findById: 'select',
  countDocuments: 'select',
  exists: 'select',
  distinct: 'select',
  aggregate: 'select',
  create: 'insert',
  insertOne: 'insert',
  insertMany: 'insert',
  save: 'insert',
  updateOne: 'update',
  updateMany: 'update',
  findOneAndUpdate: 'update',
  findByIdAndUpdate: 'update',
  replaceOne: 'update',
  deleteOne: 'delete',
  deleteMany: 'delete',
  findOneAndDelete: 'delete',
  findByIdAndDelete: 'delete',
  findByIdAndRemove: 'delete',
  findOneAndRemove: 'delete',
}

/** A model of mongoose: its collection over a direct connection. */
export const modelNamed = (args: readonly Val[], at: Place): Val => ({
  v: 'chain',
  root: { v: 'client', client: { library: 'mongoose', rights: 'service', at } },
  links: [{ name: 'model', args }],
  at,
})

/** mongoose models and MongoDB clients: direct connections. */
export const mongoosePackages: Library = {
  packages: ['mongoose', 'mongodb', 'firebase-admin/firestore', '@google-cloud/firestore'],
  call(c) {
    const last = c.links[c.links.length - 1]
    if (/firestore/.test(c.root.v === 'lib' ? c.root.pkg : ''))
      return c.name === 'getFirestore' || last?.name === 'new' ? { v: 'client', client: { library: 'firebase', rights: 'service', at: c.at } } : undefined
    if (/(?:^|\.)model$/.test(c.name)) return modelNamed(c.args, c.at)
    if (c.name === 'MongoClient' || c.name === 'connect' || c.name === 'MongoClient.connect')
      return { v: 'client', client: { library: 'mongoose', rights: 'service', at: c.at } }
    if (/ObjectId$/.test(c.name)) return c.args[0] ?? UNKNOWN
    return undefined
  },
}

/** Calls on a model or collection. */
export const mongoose: Library = {
  packages: [],
  call(c) {
    const client = (c.root as Extract<Val, { v: 'client' }>).client
    const last = c.links[c.links.length - 1]
    const method = last?.name ?? ''
    if (method === 'connect' || method === 'db') return method === 'connect' ? c.root : undefined
    const op = MONGO[method]
    if (!op || !last?.args) return undefined
    const table = constantString(c.links.find((l) => (l.name === 'model' || l.name === 'collection') && l.args)?.args?.[0]) ?? ''
    const filters: FilterDraft[] = []
    // `new User(values).save()`
    const made = method === 'save' ? c.links.find((l) => l.name === 'new')?.args?.[0] : undefined
    const [first, second] = made ? [made] : c.args
    const byId = /ById/.test(method)
    if (byId && first) filters.push({ column: '_id', op: 'eq', value: first })
    else if (op !== 'insert' && first?.v === 'object') {
      for (const [n, x] of Object.entries(first.props)) {
        if (n === '$where') c.it.emit({ kind: 'query-text', client, sink: '$where', text: x, language: 'mongo', ...inside(c) }, c.at)
        filters.push({ column: n, op: 'eq', value: x })
      }
    }
    const raw = op !== 'insert' && first !== undefined && first.v !== 'object' && first.v !== 'const' && !byId
    const step = c.it.emit(
      {
        kind: 'db',
        client,
        op,
        table,
        filters,
        ...(op === 'insert' && first ? { payload: first } : op === 'update' && second ? { payload: updates(second) } : {}),
        ...(/One|ById|exists/.test(method) ? { one: true as const } : {}),
        ...(method === 'countDocuments' ? { countOnly: true as const } : {}),
        ...(raw || (first?.v === 'object' && first.rest) ? { unread: true as const } : {}),
      },
      c.at,
    )
    if (method === 'countDocuments') return { v: 'result', step }
    return { v: 'row', table, step, ...(method === 'find' || method === 'aggregate' ? { many: true as const } : {}) }
  },
}

function updates(val: Val): Val {
  if (val.v !== 'object') return val
  const set = val.props.$set
  return set && Object.keys(val.props).every((n) => n.startsWith('$')) ? set : val
}

const inside = (c: LibraryCall) => (c.it.frame.name ? { inside: c.it.frame.name } : {})

/** `collection('users').doc(uid).collection('notes')`: whose sub-collection it is, as a column of its documents. */
function parentsOf({ links }: LibraryCall): FilterDraft[] {
  return links.flatMap((l, i): FilterDraft[] => {
    const next = links[i + 1]
    const [id] = next?.name === 'doc' ? (next.args ?? []) : []
    const name = l.name === 'collection' ? constantString(l.args?.[0]) : undefined
    return name && id && links.slice(i + 2).some((x) => x.name === 'collection') ? [{ column: `${name.replace(/s$/, '')}Id`, op: 'eq', value: id }] : []
  })
}

/** Firestore through the admin SDK. */
export const firestore: Library = {
  packages: [],
  call(c) {
    const client: Client = (c.root as Extract<Val, { v: 'client' }>).client
    const last = c.links[c.links.length - 1]
    const ops: Readonly<Record<string, DbOp>> = { get: 'select', add: 'insert', set: 'upsert', update: 'update', delete: 'delete', create: 'insert' }
    const known = ops[last?.name ?? '']
    if (!known || !last?.args) return undefined
    // `collection.doc()` is a document of a new name
    const fresh = c.links.findLast((l) => l.name === 'doc' && l.args)?.args?.length === 0
    const op = known === 'upsert' && fresh ? 'insert' : known
    const table = c.links
      .filter((l) => l.name === 'collection')
      .map((l) => constantString(l.args?.[0]) ?? '')
      .join('.')
    const filters: FilterDraft[] = c.links
      .filter((l) => l.name === 'where' && l.args)
      .map((l) => ({ column: constantString(l.args?.[0]) ?? '', op: constantString(l.args?.[1]) === '==' ? 'eq' : 'other', value: l.args?.[2] ?? UNKNOWN }))
    const doc = [...c.links].reverse().find((l) => l.name === 'doc' && l.args?.length)
    if (doc) filters.push({ column: 'id', op: 'eq', value: doc.args?.[0] ?? UNKNOWN })
    filters.push(...parentsOf(c))
    const step = c.it.emit({ kind: 'db', client, op, table, filters, ...(op !== 'select' && op !== 'delete' && c.args[0] ? { payload: c.args[0] } : {}) }, c.at)
    return { v: 'row', table, step, ...(doc ? {} : { many: true as const }) }
  },
}
