import { lastPart } from '../../../../lib/last-part.ts'
import { constantString, object, UNKNOWN, type Val } from '../../domain/abstract-value.ts'
import type { FilterDraft } from '../../output/effect-draft.ts'
import type { DbOp } from '../../types.ts'
import type { Library, LibraryCall } from '../library.ts'
import { includedModels, taken } from './included-relations.ts'
import { clientOf, connectionOf, modelOf, namesOf, readWhere, tableOfModel, writtenFields } from './orm-models.ts'
import { sqlClient, sqlPackages } from './sql.ts'

/** `new Sequelize(url)`: a direct connection. */
export const sequelizePackages: Library = {
  packages: ['sequelize', '@sequelize/core', 'sequelize-typescript'],
  call(c) {
    const root = c.root.v === 'lib' ? c.root : undefined
    const last = c.links[c.links.length - 1]
    if (last?.name === 'new' && /^(?:Sequelize|default)$/.test(root?.name ?? '')) return connectionOf('sequelize', c.at)
    // conditions that are no plain value
    if (/^(?:Op|fn|col|where|cast|json|and|or)$/.test(lastPart(c.name))) return { v: 'call', name: c.name, args: c.args, at: c.at }
    return sqlPackages.call?.(c)
  },
}

const SEQUELIZE_OPERATIONS: Readonly<Record<string, DbOp>> = {
  findAll: 'select',
  findOne: 'select',
  findByPk: 'select',
  findAndCountAll: 'select',
  count: 'select',
  sum: 'select',
  create: 'insert',
  bulkCreate: 'insert',
  findOrCreate: 'insert',
  upsert: 'upsert',
  update: 'update',
  increment: 'update',
  decrement: 'update',
  destroy: 'delete',
}

/** Calls on a connection of Sequelize and on its models. */
export const sequelize: Library = {
  packages: [],
  call(c) {
    const method = c.links[c.links.length - 1]?.name ?? ''
    const table = tableOfModel(c)
    if (table === undefined) return method === 'define' || method === 'model' ? modelOf('sequelize', c.args[0], c.at) : sqlClient.call?.(c)
    if (!Object.hasOwn(SEQUELIZE_OPERATIONS, method)) return undefined
    return query(c, method, table)
  },
}

function query(c: LibraryCall, method: string, table: string): Val {
  const op = SEQUELIZE_OPERATIONS[method] as DbOp
  const [first, second] = c.args
  const changes = op === 'update'
  const options = changes || op === 'upsert' || method === 'create' || method === 'bulkCreate' || method === 'findByPk' ? second : first
  const get = (name: string): Val | undefined => (options?.v === 'object' ? options.props[name] : undefined)
  const filters: FilterDraft[] = method === 'findByPk' && first ? [{ column: 'id', op: 'eq', value: first }] : []
  const unread = op !== 'insert' && (readWhere(get('where'), filters) || (options !== undefined && options.v !== 'object' && options.v !== 'const'))
  const columns = [...(namesOf(get('attributes')) ?? ['*']), ...alongWith(get('include'))]
  const payload = method === 'findOrCreate' ? (get('defaults') ?? get('where')) : op === 'select' || op === 'delete' ? undefined : writtenFields(first)
  const step = c.it.emit(
    {
      kind: 'db',
      client: clientOf(c),
      op,
      table,
      filters,
      ...(op === 'select' && columns.join() !== '*' ? { columns } : {}),
      ...(op === 'select' ? taken(includedModels(get('include'), nameOfIncluded)) : {}),
      ...(payload && !/^(?:in|de)crement$/.test(method) ? { payload } : {}),
      ...(/^(?:findOne|findByPk|create|findOrCreate)$/.test(method) ? { one: true as const } : {}),
      ...(method === 'count' || method === 'sum' ? { countOnly: true as const } : {}),
      ...(unread ? { unread: true as const } : {}),
    },
    c.at,
  )
  const rows = { v: 'row' as const, table, step, many: true as const }
  if (method === 'findAndCountAll') return object({ rows, count: UNKNOWN })
  if (method === 'findAll' || method === 'bulkCreate') return rows
  return op === 'update' || op === 'delete' || method === 'count' ? { v: 'result', step } : { v: 'row', table, step }
}

/** Rows that hang on those that are asked for: `include: [{ model: User, as: 'author', attributes: ['name'] }]`. */
function alongWith(include: Val | undefined): readonly string[] {
  if (!include) return []
  if (include.v === 'array') return include.items.flatMap(alongWith)
  const given = include.v === 'object' ? include.props : undefined
  const name = nameOfIncluded(include)
  return name ? [`${name}(${namesOf(given?.attributes)?.join(', ') ?? '*'})`] : []
}

function nameOfIncluded(include: Val): string | undefined {
  const given = include.v === 'object' ? include.props : undefined
  const model = given ? given.model : include
  return constantString(given?.as) ?? constantString(include) ?? (model?.v === 'class' ? model.name : nameOfChain(model))
}

function nameOfChain(model: Val | undefined): string | undefined {
  const named = model?.v === 'chain' ? model.links.find((l) => l.name === 'model' && l.args)?.args?.[0] : undefined
  return constantString(named)
}
