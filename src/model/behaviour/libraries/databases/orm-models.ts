import type { Place } from '../../../../lib/place.ts'
import { propOf } from '../../../frameworks/walk.ts'
import { type ClassVal, constant, type Val } from '../../domain/abstract-value.ts'
import type { FilterDraft } from '../../output/effect-draft.ts'
import type { Client } from '../../types.ts'
import type { LibraryCall } from '../library.ts'

type Orm = 'sequelize' | 'typeorm'

/** A connection that an ORM made: direct, whatever row policies say. */
export const connectionOf = (library: Orm, at: Place): Val => ({ v: 'client', client: { library, rights: 'service', at } })

/** The model or repository of a class or a name: its table over a direct connection. */
export const modelOf = (library: Orm, of: Val | undefined, at: Place): Val => ({
  v: 'chain',
  root: connectionOf(library, at),
  links: [{ name: 'model', args: [of?.v === 'class' ? constant(tableOfClass(of)) : (of ?? constant(''))] }],
  at,
})

/** `@Entity('notes') class Note`: its name as the schema has it. */
export function tableOfClass({ ir, name }: ClassVal): string {
  for (const e of ir.decorators) {
    if (e.k !== 'call' || e.fn.k !== 'id' || !/^(?:Entity|Table)$/.test(e.fn.name)) continue
    const [first] = e.args
    const named = first?.k === 'obj' ? (propOf(first, 'name') ?? propOf(first, 'tableName')) : first
    if (named?.k === 'lit' && typeof named.v === 'string') return named.v
  }
  return name
}

/** All models of a folder, each by its name: `db.Note`. */
export const loadedModels = (at: Place): Val => ({ v: 'chain', root: connectionOf('sequelize', at), links: [{ name: 'models' }], at })

/** The table of a chain that `modelOf` began. */
export function tableOfModel(c: LibraryCall): string | undefined {
  // `sequelize.models.Note.findAll()`
  const at = c.links.findIndex((l) => l.name === 'models' && !l.args)
  const loaded = at >= 0 ? c.links[at + 1] : undefined
  if (loaded && !loaded.args && /^[A-Z]/.test(loaded.name)) return loaded.name
  const [name] = c.links.find((l) => l.name === 'model' && l.args)?.args ?? []
  return name?.v === 'const' && typeof name.value === 'string' ? name.value : undefined
}

export const clientOf = (c: LibraryCall): Client => (c.root as Extract<Val, { v: 'client' }>).client

/** Adds the conditions of a `where` object; tells whether some of it was not read. */
export function readWhere(where: Val | undefined, out: FilterDraft[]): boolean {
  if (!where) return false
  // one of several conditions: none of them holds for certain
  if (where.v === 'array') return where.items.length === 1 ? readWhere(where.items[0], out) : true
  if (where.v !== 'object') return where.v !== 'const'
  let unread = where.rest !== undefined
  for (const [column, value] of Object.entries(where.props)) {
    if (value.v === 'array') out.push({ column, op: 'in', value })
    // `{ user: { id } }` of TypeORM
    else if (value.v === 'object' && value.props.id) out.push({ column: `${column}Id`, op: 'eq', value: value.props.id })
    else if (value.v === 'object') unread = true
    else if (value.v === 'call' && TYPEORM_OPERATOR.test(value.name)) out.push({ column, op: value.name === 'In' ? 'in' : 'other', value })
    else out.push({ column, op: 'eq', value })
  }
  return unread
}

/** TypeORM's operators. */
const TYPEORM_OPERATOR = /^(?:In|Not|LessThan|LessThanOrEqual|MoreThan|MoreThanOrEqual|Like|ILike|Between|IsNull|Any|Raw|ArrayContains)$/

/** The names of a list of columns; undefined where it is no list of names. */
export function namesOf(list: Val | undefined): readonly string[] | undefined {
  if (list?.v === 'array') return list.items.flatMap((x) => (x.v === 'const' && typeof x.value === 'string' ? [x.value] : []))
  return list?.v === 'object' && !list.rest ? Object.keys(list.props) : undefined
}

/** What stands in an object that is written to a row: of an instance its fields. */
export function writtenFields(v: Val | undefined): Val | undefined {
  if (v?.v !== 'instance') return v
  return { v: 'object', props: Object.fromEntries(v.fields.vars) }
}

/** A class of the repository that is a model by what it extends: `class Note extends Model`, `class Note extends BaseEntity`. */
export function ormOf(base: Val | undefined): Orm | undefined {
  const root = base?.v === 'chain' ? base.root : base
  if (root?.v !== 'lib') return undefined
  if (/^(?:sequelize|@sequelize\/core|sequelize-typescript)$/.test(root.pkg) && root.name === 'Model') return 'sequelize'
  return root.pkg === 'typeorm' && root.name === 'BaseEntity' ? 'typeorm' : undefined
}
