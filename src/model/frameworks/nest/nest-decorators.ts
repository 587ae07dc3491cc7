import type { Expr, FunctionId } from '../../../facts/javascript.ts'
import { madeKey } from '../../behaviour/platform/nest-reflector.ts'
import type { Value } from '../../behaviour/types.ts'
import type { Program } from '../program.ts'
import { expressionsDeep, stringOf } from '../walk.ts'

/** A decorator as it applies: its name and arguments, and where they are written. */
export interface Decorator extends Written {
  readonly name: string
  /** The key of what it says, where the reflector made it. */
  readonly key?: string
}

/** Arguments, and where they are written. */
interface Written {
  readonly args: readonly Expr[]
  readonly path: string
  readonly scope: FunctionId
  /** Arguments of the own decorator in which they stand: `Roles('admin')` for `SetMetadata('roles', roles)`. */
  readonly given?: Written
}

const MAX_DEPTH = 4

/**
 * The decorators of a class or method, with the application's own ones replaced by what they are made of:
 * `const Public = () => SetMetadata('isPublic', true)`, `applyDecorators(UseGuards(AuthGuard), Roles('admin'))`.
 */
export function decoratorsOf(program: Program, path: string, scope: FunctionId, list: readonly Expr[], depth = 0, given?: Written): Decorator[] {
  return list.flatMap((d): Decorator[] => {
    const callee = d.k === 'call' ? d.fn : d
    const name = callee.k === 'id' ? callee.name : ''
    const args = d.k === 'call' ? d.args : []
    const own: Decorator = { name, args, path, scope, ...(given ? { given } : {}) }
    if (depth > MAX_DEPTH || callee.k !== 'id') return name ? [own] : []
    const m = program.meaning(path, scope, callee)
    if (m?.k === 'external') return name === 'applyDecorators' ? [own, ...decoratorsOf(program, path, scope, args, depth + 1, given)] : [own]
    if (m?.k === 'expr') {
      // `const Roles = Reflector.createDecorator()`, and `const AdminOnly = applyDecorators(…)`, which is no function
      if (isMadeByReflector(program, m.path, m.scope, m.expr)) return [{ ...own, key: madeKey({ path: m.path, line: m.expr.l }) }]
      return isComposed(m.expr) ? [own, ...decoratorsOf(program, m.path, m.scope, [m.expr], depth + 1)] : [own]
    }
    const fn = m?.k === 'fn' ? program.js(m.path) : undefined
    if (!fn || m?.k !== 'fn') return [own]
    const inside = [...expressionsDeep(fn, m.fn)].filter(({ expr }) => isComposed(expr))
    return [own, ...inside.flatMap(({ expr, scope: where }) => decoratorsOf(program, m.path, where, [expr], depth + 1, own))]
  })
}

const isComposed = (e: Expr): boolean => e.k === 'call' && e.fn.k === 'id' && /^(?:SetMetadata|applyDecorators|UseGuards)$/.test(e.fn.name)

function isMadeByReflector(program: Program, path: string, scope: FunctionId, e: Expr): boolean {
  if (e.k !== 'call' || e.fn.k !== 'mem' || e.fn.name !== 'createDecorator') return false
  const from = program.external(path, scope, e.fn)
  return from?.from === '@nestjs/core' && from.name === 'Reflector.createDecorator'
}

/** What decorators say, by key; the method's word counts before the class's. */
export function metadataOf(program: Program, decorators: readonly Decorator[]): Readonly<Record<string, Value>> {
  const out: Record<string, Value> = {}
  for (const d of decorators) {
    if (d.key !== undefined) out[d.key] = d.args[0] ? writtenValue(program, d, d.args[0]) : { v: 'object', props: {} }
    if (d.name !== 'SetMetadata') continue
    const key = d.args[0] && writtenValue(program, d, d.args[0])
    if (key?.v === 'const' && typeof key.value === 'string') out[key.value] = d.args[1] ? writtenValue(program, d, d.args[1]) : { v: 'unknown' }
  }
  return out
}

/** The value of an argument that is written in the code; what a parameter stands for is what the own decorator was given. */
function writtenValue(program: Program, where: Written, e: Expr): Value {
  const { path, scope, given } = where
  if (e.k === 'arr') return { v: 'array', items: listOf(program, where, e.items) }
  const literal = literalOf(program, path, scope, e)
  if (literal) return literal
  const m = program.meaning(path, scope, e)
  if (m?.k !== 'param' || !given) return { v: 'unknown' }
  const rest = program.fn(m.path, m.scope)?.params[m.index]?.k === 'rest'
  if (rest) return { v: 'array', items: listOf(program, given, given.args.slice(m.index)) }
  const [arg] = given.args.slice(m.index)
  return arg ? writtenValue(program, given, arg) : { v: 'const', value: undefined }
}

/** Members of a list, with those of lists that are spread in it. */
const listOf = (program: Program, where: Written, list: readonly Expr[]): Value[] =>
  list.flatMap((x) => {
    if (x.k !== 'spread') return [writtenValue(program, where, x)]
    const spread = writtenValue(program, where, x.of)
    return spread.v === 'array' ? spread.items : [{ v: 'unknown' } as const]
  })

/** A text, or a member of an enum: the repository's own, or one that Prisma generates. */
function literalOf(program: Program, path: string, scope: FunctionId, e: Expr): Value | undefined {
  if (e.k === 'lit') return { v: 'const', value: e.v }
  if (e.k === 'arr') return { v: 'array', items: listOf(program, { args: [], path, scope }, e.items) }
  const text = stringOf(e)
  if (text !== undefined) return { v: 'const', value: text }
  if (e.k !== 'id' && e.k !== 'mem') return undefined
  const m = program.meaning(path, scope, e)
  if (m?.k === 'expr' && m.expr !== e) return literalOf(program, m.path, m.scope, m.expr)
  return m?.k === 'external' && /prisma/.test(m.from) && m.name.includes('.') ? { v: 'const', value: m.name.slice(m.name.lastIndexOf('.') + 1) } : undefined
}
