import { array, constant, constantString, object, UNKNOWN, type Val } from '../../domain/abstract-value.ts'
import { callValue, settle } from '../../operations.ts'
import type { FilterDraft } from '../../output/effect-draft.ts'
import { setAll } from '../../platform/document-mutation.ts'
import type { DbOp } from '../../types.ts'
import type { Library, LibraryCall } from '../library.ts'
import { relationsOf, taken } from './included-relations.ts'
import { clientOf, connectionOf, modelOf, namesOf, readWhere, tableOfClass, tableOfModel, writtenFields } from './orm-models.ts'
import { queryBuilderText, queryText, sqlClient, sqlPackages } from './sql.ts'

/** `new DataSource(…)`, and the functions of former versions: a direct connection. */
export const typeormPackages: Library = {
  packages: ['typeorm'],
  call(c) {
    const root = c.root.v === 'lib' ? c.root : undefined
    const last = c.links[c.links.length - 1]
    if (last?.name === 'new' && root?.name === 'DataSource') return connectionOf('typeorm', c.at)
    if (/^(?:getRepository|getTreeRepository|getMongoRepository|getCustomRepository)$/.test(c.name)) return modelOf('typeorm', c.args[0], c.at)
    if (/^(?:getConnection|getManager|createConnection|getConnectionManager)$/.test(c.name)) return connectionOf('typeorm', c.at)
    if (/^[A-Z]\w*$/.test(c.name) && last?.name !== 'new') return { v: 'call', name: c.name, args: c.args, at: c.at }
    return sqlPackages.call?.(c)
  },
}

const TYPEORM_OPERATIONS: Readonly<Record<string, DbOp>> = {
  find: 'select',
  findBy: 'select',
  findOne: 'select',
  findOneBy: 'select',
  findOneOrFail: 'select',
  findOneByOrFail: 'select',
  findAndCount: 'select',
  findAndCountBy: 'select',
  findByIds: 'select',
  count: 'select',
  countBy: 'select',
  exists: 'select',
  existsBy: 'select',
  exist: 'select',
  insert: 'insert',
  save: 'insert',
  upsert: 'upsert',
  update: 'update',
  increment: 'update',
  decrement: 'update',
  delete: 'delete',
  softDelete: 'delete',
  remove: 'delete',
  softRemove: 'delete',
}

/** Calls on a connection, a manager or a repository of TypeORM. */
export const typeorm: Library = {
  packages: [],
  call(c) {
    const method = c.links[c.links.length - 1]?.name ?? ''
    if (c.links.some((l) => l.name === 'createQueryBuilder')) return built(c, method)
    const table = tableOfModel(c)
    // a repository runs a text as it is, whichever entity it is for
    if (table !== undefined && method === 'query') return queryText(c, clientOf(c), 'query')
    if (table !== undefined) return ofRepository(c, method, table)
    if (/^(?:getRepository|getTreeRepository)$/.test(method)) return modelOf('typeorm', c.args[0], c.at)
    if (method === 'withRepository') return c.args[0]
    if (/^(?:initialize|connect|createQueryRunner|startTransaction|commitTransaction)$/.test(method)) return c.root
    const fn = c.args.find((a) => a.v === 'fn')
    if (method === 'transaction') return fn ? settle(c.it, callValue(c.it, fn, [c.root], c.at), c.at) : c.root
    // a manager is told the entity first: `manager.findOne(Note, { where })`
    const [entity, ...args] = c.args
    if (entity?.v === 'class' && (Object.hasOwn(TYPEORM_OPERATIONS, method) || method === 'create'))
      return ofRepository({ ...c, args }, method, tableOfClass(entity))
    if (/^(?:save|remove)$/.test(method) && entity)
      return ofRepository(c, method, entity.v === 'instance' ? tableOfClass(entity.of) : entity.v === 'row' ? entity.table : '')
    return sqlClient.call?.(c)
  },
}

function ofRepository(c: LibraryCall, method: string, table: string): Val | undefined {
  const [first, second] = c.args
  // nothing is written yet
  if (method === 'create') return first ?? object({})
  if (method === 'extend') return modelOf('typeorm', constant(table), c.at)
  if (method === 'merge' && first?.v === 'row') {
    for (const values of c.args.slice(1)) setAll(c.it, first, values)
    return first
  }
  if (method === 'preload') return first
  if (!Object.hasOwn(TYPEORM_OPERATIONS, method)) return undefined
  if ((method === 'save' || method === 'remove' || method === 'softRemove') && first) return ofEntity(c, method, table, first)
  const op = TYPEORM_OPERATIONS[method] as DbOp
  const filters: FilterDraft[] = []
  const by = /By/.test(method) || op !== 'select'
  const options = first?.v === 'object' ? first.props : {}
  const where = by ? first : options.where
  let unread = false
  if (op === 'select' || op === 'update' || op === 'delete') {
    // one id, or a list of them
    if (where && where.v !== 'object' && where.v !== 'array' && op !== 'select') filters.push({ column: 'id', op: 'eq', value: where })
    else unread = readWhere(where, filters) || (!by && first !== undefined && first.v !== 'object' && first.v !== 'const')
  }
  const columns = by ? ['*'] : [...(namesOf(options.select) ?? ['*']), ...(namesOf(options.relations) ?? []).map((r) => `${r}(*)`)]
  const payload = op === 'insert' || op === 'upsert' ? writtenFields(first) : op === 'update' && !/crement/.test(method) ? second : undefined
  const step = c.it.emit(
    {
      kind: 'db',
      client: clientOf(c),
      op,
      table,
      filters,
      ...(columns.join() !== '*' ? { columns } : {}),
      ...(by ? {} : taken(relationsOf(options.relations, options.select))),
      ...(payload ? { payload } : {}),
      ...(/^findOne/.test(method) ? { one: true as const } : {}),
      ...(/^(?:count|exist)/.test(method) ? { countOnly: true as const } : {}),
      ...(unread ? { unread: true as const } : {}),
    },
    c.at,
  )
  const row = { v: 'row' as const, table, step }
  if (/OrFail$/.test(method)) c.it.require(row, c.at)
  if (/^findAndCount/.test(method)) return array([{ ...row, many: true }, UNKNOWN])
  if (/^find(?!One)/.test(method)) return { ...row, many: true }
  return op === 'select' && !/^(?:count|exist)/.test(method) ? row : { v: 'result', step }
}

/** `repo.save(note)`: of a row that was loaded its changes, of anything else a new row; `repo.remove(note)`. */
function ofEntity(c: LibraryCall, method: string, table: string, entity: Val): Val {
  const loaded = entity.v === 'row' && entity.field === undefined ? entity : undefined
  const known = loaded ?? (entity.v === 'object' && entity.rest?.v === 'row' ? entity.rest : undefined)
  const id: Val | undefined = known ? { v: 'row', table: known.table, step: known.step, field: 'id' } : entity.v === 'object' ? entity.props.id : undefined
  const op: DbOp = method === 'save' ? (known ? 'update' : id ? 'upsert' : 'insert') : 'delete'
  const changes = loaded ? c.it.documents.get(loaded.step)?.vars : undefined
  const payload = loaded ? object(Object.fromEntries(changes ?? [])) : writtenFields(entity)
  const step = c.it.emit(
    {
      kind: 'db',
      client: clientOf(c),
      op,
      table: known?.table ?? table,
      filters: id && op !== 'insert' ? [{ column: 'id', op: 'eq', value: id }] : [],
      ...(op !== 'delete' && payload ? { payload } : {}),
      one: true,
    },
    c.at,
  )
  return { v: 'row', table: known?.table ?? table, step }
}

const TYPEORM_TERMINAL_METHOD = /^(?:getOne|getOneOrFail|getMany|getManyAndCount|getRawOne|getRawMany|getCount|getExists|execute|stream)$/

/** `n.userId = :userId`, `(n.id IN (:...ids`. */
const COMPARISON = /^\(? ?(?:["\w]{1,64}\.)?"?(\w{1,64})"? ?(=|in|<>|!=|>=|<=|>|<|like|ilike) ?\(? ?:(?:\.\.\.)?(\w{1,64})/i

/** `repo.createQueryBuilder('n').where('n.id = :id', { id }).getOne()`; nothing is asked before the call at its end. */
function built(c: LibraryCall, method: string): Val | undefined {
  if (queryBuilderText(c, clientOf(c)) || !TYPEORM_TERMINAL_METHOD.test(method)) return undefined
  const of = (name: RegExp) => c.links.filter((l) => l.args && name.test(l.name))
  const target = of(/^(?:from|into|update|delete)$/)
    .map((l) => l.args?.[0])
    .find((x) => x?.v === 'class' || constantString(x) !== undefined)
  const table = tableOfModel(c) ?? (target?.v === 'class' ? tableOfClass(target) : (constantString(target) ?? ''))
  const parameters = of(/^(?:where|andWhere|setParameters?)$/).flatMap((l) => (l.args ?? []).filter((a) => a.v === 'object'))
  const single = new Map(of(/^setParameter$/).map((l) => [constantString(l.args?.[0]) ?? '', l.args?.[1] ?? UNKNOWN]))
  const given = (name: string): Val => single.get(name) ?? parameters.map((p) => (p.v === 'object' ? p.props[name] : undefined)).find((v) => v) ?? UNKNOWN
  const filters: FilterDraft[] = []
  for (const { args } of of(/^(?:where|andWhere|whereInIds)$/)) {
    if (args?.[0]?.v === 'object') readWhere(args[0], filters)
    for (const part of (constantString(args?.[0]) ?? '').split(/\band\b/i)) {
      const [, column, operator, name] = COMPARISON.exec(part.replace(/\s+/g, ' ').trim()) ?? []
      if (column && name) filters.push({ column, op: operator === '=' ? 'eq' : /^in$/i.test(operator ?? '') ? 'in' : 'other', value: given(name) })
    }
  }
  const write = of(/^(?:update|delete|softDelete|insert)$/)[0]?.name
  const op: DbOp = write === 'update' ? 'update' : write === 'insert' ? 'insert' : write ? 'delete' : 'select'
  const along = of(/^(?:left|inner)JoinAndSelect$/).map((l) => `${(constantString(l.args?.[0]) ?? '').replace(/^\w+\./, '')}(*)`)
  const payload = of(/^(?:set|values)$/)[0]?.args?.[0]
  const step = c.it.emit(
    {
      kind: 'db',
      client: clientOf(c),
      op,
      table,
      filters,
      ...(along.length ? { columns: ['*', ...along], ...taken(along.map((column) => column.replace('(*)', ''))) } : {}),
      ...(payload && op !== 'select' && op !== 'delete' ? { payload } : {}),
      ...(/One/.test(method) ? { one: true as const } : {}),
      ...(/^get(?:Count|Exists)$/.test(method) ? { countOnly: true as const } : {}),
    },
    c.at,
  )
  const row = { v: 'row' as const, table, step }
  if (/OrFail$/.test(method)) c.it.require(row, c.at)
  if (method === 'getManyAndCount') return array([{ ...row, many: true }, UNKNOWN])
  return /Many|execute|stream/.test(method) ? { ...row, many: true } : row
}
