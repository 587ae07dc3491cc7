import type { Expr, FunctionId } from '../../facts/javascript.ts'
import type { Value } from '../behaviour/behaviour.ts'
import type { Program } from './program.ts'
import { expressionsDeep, stringOf } from './walk.ts'

/** A decorator as it applies: its name and arguments, and where they are written. */
export interface Decorator {
  readonly name: string
  readonly args: readonly Expr[]
  readonly path: string
  readonly scope: FunctionId
  /** Arguments of the own decorator that it stands in: `Roles('admin')` for `SetMetadata('roles', roles)`. */
  readonly given?: Given
}

interface Given {
  readonly args: readonly Expr[]
  readonly path: string
  readonly scope: FunctionId
}

const MAX_DEPTH = 4

/**
 * The decorators of a class or method, with the application's own ones replaced by what they are made of:
 * `const Public = () => SetMetadata('isPublic', true)`, `applyDecorators(UseGuards(AuthGuard), Roles('admin'))`.
 */
export function decoratorsOf(program: Program, path: string, scope: FunctionId, list: readonly Expr[], depth = 0, given?: Given): Decorator[] {
  return list.flatMap((d): Decorator[] => {
    const callee = d.k === 'call' ? d.fn : d
    const name = callee.k === 'id' ? callee.name : ''
    const args = d.k === 'call' ? d.args : []
    const own: Decorator[] = name ? [{ name, args, path, scope, ...(given ? { given } : {}) }] : []
    if (depth > MAX_DEPTH || callee.k !== 'id') return own
    const m = program.meaning(path, scope, callee)
    if (m?.k === 'external') return name === 'applyDecorators' ? [...own, ...decoratorsOf(program, path, scope, args, depth + 1, given)] : own
    const fn = m?.k === 'fn' ? program.js(m.path) : undefined
    if (!fn || m?.k !== 'fn') return own
    const inside = [...expressionsDeep(fn, m.fn)].filter(
      ({ expr }) => expr.k === 'call' && expr.fn.k === 'id' && /^(SetMetadata|applyDecorators|UseGuards)$/.test(expr.fn.name),
    )
    return [...own, ...inside.flatMap(({ expr, scope: where }) => decoratorsOf(program, m.path, where, [expr], depth + 1, { args, path, scope }))]
  })
}

/** What `SetMetadata` says, by key; the method's word counts before the class's. */
export function metadataOf(program: Program, decorators: readonly Decorator[]): Readonly<Record<string, Value>> {
  const out: Record<string, Value> = {}
  for (const d of decorators) {
    if (d.name !== 'SetMetadata') continue
    const key = constantOf(program, d, d.args[0])
    if (key?.v === 'const' && typeof key.value === 'string') out[key.value] = constantOf(program, d, d.args[1]) ?? { v: 'unknown' }
  }
  return out
}

/** The value of an argument that is written in the code; what a parameter stands for is what the own decorator was given. */
function constantOf(program: Program, d: Decorator, e: Expr | undefined): Value | undefined {
  if (!e) return undefined
  const literal = literalOf(program, d.path, d.scope, e)
  if (literal) return literal
  const m = program.meaning(d.path, d.scope, e)
  const { given } = d
  if (m?.k !== 'param') return undefined
  return { v: 'array', items: (given?.args ?? []).map((x) => (given && literalOf(program, given.path, given.scope, x)) ?? ({ v: 'unknown' } as const)) }
}

/** A text, a list of them, or a member of an enum: the repository's own, or one that Prisma generates. */
function literalOf(program: Program, path: string, scope: FunctionId, e: Expr): Value | undefined {
  if (e.k === 'lit') return { v: 'const', value: e.v }
  if (e.k === 'arr') return { v: 'array', items: e.items.map((i) => literalOf(program, path, scope, i) ?? { v: 'unknown' }) }
  const text = stringOf(e)
  if (text !== undefined) return { v: 'const', value: text }
  if (e.k !== 'id' && e.k !== 'mem') return undefined
  const m = program.meaning(path, scope, e)
  if (m?.k === 'expr' && m.expr !== e) return literalOf(program, m.path, m.scope, m.expr)
  return m?.k === 'external' && /prisma/.test(m.from) && m.name.includes('.') ? { v: 'const', value: m.name.slice(m.name.lastIndexOf('.') + 1) } : undefined
}
