import { constantString, type Val } from '../../domain/abstract-value.ts'

/** How deep relations of relations are looked at. */
const MAX_DEPTH = 4

/** What leaves out how somebody is reached takes along no whole row. */
const LEAVES_OUT = /e_?mail/i

const isTrue = (v: Val | undefined): boolean => v?.v === 'const' && v.value === true
const propsOf = (v: Val | undefined): Readonly<Record<string, Val>> => (v?.v === 'object' && !v.rest ? v.props : {})

/** What a step says of them: nothing when there are none. */
export const taken = (paths: readonly string[]): { readonly taken?: readonly string[] } => (paths.length ? { taken: paths } : {})

/** `include: { reviews: { include: { user: true } } }` of Prisma; a `select` names columns as well as relations. */
export function includedRelations(along: Val | undefined, prefix = '', depth = 0): readonly string[] {
  if (depth > MAX_DEPTH) return []
  return Object.entries(propsOf(along)).flatMap(([name, relation]) => {
    const path = `${prefix}${name}`
    if (isTrue(relation)) return [path]
    const { select, include, omit } = propsOf(relation)
    const whole = relation.v === 'object' && !select && !namesReached(omit)
    return [...(whole ? [path] : []), ...[select, include].flatMap((further) => includedRelations(further, `${path}.`, depth + 1))]
  })
}

/** `with: { user: { columns: { passwordHash: false } } }` of Drizzle. */
export function relationsWith(along: Val | undefined, prefix = '', depth = 0): readonly string[] {
  if (depth > MAX_DEPTH) return []
  return Object.entries(propsOf(along)).flatMap(([name, relation]) => {
    const path = `${prefix}${name}`
    if (isTrue(relation)) return [path]
    const { columns, with: further } = propsOf(relation)
    const chosen = columns !== undefined && (Object.values(propsOf(columns)).some(isTrue) || namesReached(columns))
    return [...(relation.v === 'object' && !chosen ? [path] : []), ...relationsWith(further, `${path}.`, depth + 1)]
  })
}

/** `relations: { reviews: { user: true } }` and `relations: ['reviews.user']` of TypeORM; what a `select` chooses of a relation is not all of it. */
export function relationsOf(relations: Val | undefined, select: Val | undefined): readonly string[] {
  if (relations?.v === 'array') return relations.items.flatMap((r) => constantString(r) ?? [])
  const chosen = propsOf(select)
  const nested = (of: Val | undefined, prefix: string, depth: number): readonly string[] =>
    Object.entries(propsOf(of)).flatMap(([name, further]) =>
      depth > MAX_DEPTH || (depth === 0 && chosen[name]?.v === 'object') ? [] : [`${prefix}${name}`, ...nested(further, `${prefix}${name}.`, depth + 1)],
    )
  return nested(relations, '', 0)
}

/** `include: [{ model: User, as: 'author' }]` of Sequelize: what each is called, and of which model it is (`author:User`). */
export function includedModels(include: Val | undefined, nameOf: (v: Val) => string | undefined, prefix = '', depth = 0): readonly string[] {
  if (!include || depth > MAX_DEPTH) return []
  if (include.v === 'array') return include.items.flatMap((x) => includedModels(x, nameOf, prefix, depth))
  const called = nameOf(include)
  if (called === undefined) return []
  const { model } = propsOf(include)
  const of = model && nameOf(model)
  const name = of === undefined || of === called ? called : `${called}:${of}`
  const { attributes, include: further } = propsOf(include)
  const left = propsOf(attributes).exclude
  const whole = !attributes || (left !== undefined && !(left.v === 'array' && left.items.some((x) => LEAVES_OUT.test(constantString(x) ?? ''))))
  return [...(whole ? [`${prefix}${name}`] : []), ...includedModels(further, nameOf, `${prefix}${name}.`, depth + 1)]
}

/** `populate('user')`, `populate({ path: 'reviews', populate: { path: 'user', select: '-__v' } })`, and lists of these. */
export function populated(first: Val | undefined, select: Val | undefined, prefix = '', depth = 0): readonly string[] {
  if (!first || depth > MAX_DEPTH) return []
  if (first.v === 'array') return first.items.flatMap((x) => populated(x, select, prefix, depth))
  const options = first.v === 'object' ? first.props : undefined
  const names = (constantString(options ? options.path : first) ?? '').split(/\s+/).filter(Boolean)
  const whole = isWhole(options ? options.select : select)
  return names.flatMap((name) => [...(whole ? [`${prefix}${name}`] : []), ...populated(options?.populate, undefined, `${prefix}${name}.`, depth + 1)])
}

/** A projection that lets everything through but what nobody is reached by. */
function isWhole(projection: Val | undefined): boolean {
  if (!projection || (projection.v === 'const' && !projection.value)) return true
  const words = constantString(projection)?.split(/\s+/).filter(Boolean)
  if (words) return words.every((w) => /^[-+]/.test(w)) && !words.some((w) => w.startsWith('-') && LEAVES_OUT.test(w))
  const out = Object.values(propsOf(projection))
  return out.length > 0 && out.every((v) => v.v === 'const' && !v.value) && !namesReached(projection)
}

const namesReached = (columns: Val | undefined): boolean => Object.keys(propsOf(columns)).some((name) => LEAVES_OUT.test(name))
