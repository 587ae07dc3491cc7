import type { ClassIR, Expr, FunctionId } from '../../../facts/javascript.ts'
import type { Seed } from '../../behaviour/types.ts'
import type { Before, Entry, Framework } from '../entry.ts'
import { handlerEntry } from '../handler-entry.ts'
import { joinPaths, routerPath } from '../path-pattern.ts'
import type { Program } from '../program.ts'
import { expressionsDeep, propOf, statements, stringOf, stringsOf } from '../walk.ts'
import { type Decorator, decoratorsOf, metadataOf } from './nest-decorators.ts'

const NEST_METHOD_DECORATORS: Readonly<Record<string, string | undefined>> = {
  Get: 'GET',
  Post: 'POST',
  Put: 'PUT',
  Patch: 'PATCH',
  Delete: 'DELETE',
  All: undefined,
}

/** NestJS: controllers, `@UseGuards` on class and method, global guards, `@Public`-like metadata, the global prefix. */
export const nest: Framework = {
  name: 'NestJS',
  entries: (program) => {
    const files = [...program.importersOf('@nestjs/common')]
    if (!files.length) return []
    return files.sort().flatMap((path) => {
      const js = program.js(path)
      const dir = program.workspace(path).dir
      if (!js) return []
      const setup = application(program, dir)
      return js.functions.flatMap((fn) => [...statements(fn.body)].flatMap((s) => (s.k === 'class' ? controller(program, path, fn.id, s.class, setup) : [])))
    })
  },
}

interface Setup {
  readonly prefix: string
  readonly guards: readonly Before[]
}

function controller(program: Program, path: string, scope: FunctionId, c: ClassIR, setup: Setup): Entry[] {
  const own = decorator(c.decorators, 'Controller')
  if (!own) return []
  const arg = own.args[0]
  const bases = arg?.k === 'obj' ? stringsOf(propOf(arg, 'path')) : stringsOf(arg)
  const ofClass = decoratorsOf(program, path, scope, c.decorators)
  return c.members.flatMap((m) =>
    Object.keys(NEST_METHOD_DECORATORS).flatMap((verb) => {
      const d = decorator(m.decorators, verb)
      if (!d || m.fn === undefined) return []
      const paths = stringsOf(d.args[0])
      const method = NEST_METHOD_DECORATORS[verb]
      const fn = program.fn(path, m.fn)
      const ofMethod = decoratorsOf(program, path, scope, m.decorators)
      const decorators = [...ofClass, ...ofMethod]
      const open = isPublic(decorators)
      const unlimited = skipsLimit(decorators)
      // a guard whose code can be read asks for the metadata itself; a limiter counts visitors as well
      const before = [
        ...setup.guards.filter((g) => !open || g.code.k === 'fn' || isLimiter(g)),
        ...guards(program, ofClass),
        ...guards(program, ofMethod),
      ].filter((g) => !(unlimited && isLimiter(g)))
      return (bases.length ? bases : ['']).flatMap((base) =>
        (paths.length ? paths : ['']).map((p): Entry => {
          const route = joinPaths(setup.prefix, routerPath(base), routerPath(p))
          const code = { k: 'fn' as const, path, fn: m.fn as FunctionId }
          return {
            ...handlerEntry(
              { framework: 'NestJS', route, path, calling: 'nest', before },
              { line: m.l, ...(fn && fn.e > m.l ? { endLine: fn.e } : {}), code },
              method,
            ),
            ...(fn ? { args: fn.params.map((_, i) => parameter(m.paramDecorators?.[i] ?? [])) } : {}),
            metadata: metadataOf(program, decorators),
            ...(open ? { declared: 'public' as const } : {}),
          }
        }),
      )
    }),
  )
}

function decorator(list: readonly Expr[], name: string): { readonly args: readonly Expr[] } | undefined {
  for (const d of list) {
    if (d.k === 'call' && d.fn.k === 'id' && d.fn.name === name) return { args: d.args }
    if (d.k === 'id' && d.name === name) return { args: [] }
  }
  return undefined
}

/** What a decorated parameter is given. */
function parameter(decorators: readonly Expr[]): Seed {
  for (const d of decorators) {
    const name = d.k === 'call' && d.fn.k === 'id' ? d.fn.name : d.k === 'id' ? d.name : ''
    const field = d.k === 'call' ? stringOf(d.args[0]) : undefined
    const part = ({ Body: 'body', Query: 'query', Param: 'params', Headers: 'header', Ip: 'ip', UploadedFile: 'form', UploadedFiles: 'form' } as const)[name]
    if (part) return { v: 'request', part, ...(field ? { name: field } : {}) }
    if (name === 'Req' || name === 'Request') return 'express-req'
    if (name === 'Res' || name === 'Response') return 'express-res'
    // Own decorators read what a guard left on the request.
    if (/user|session|auth|account/i.test(name)) return { v: 'caller', how: `@${name}()`, trust: 'verified' }
  }
  return 'unknown'
}

function isPublic(list: readonly Decorator[]): boolean {
  return list.some((d) => ['Public', 'SkipAuth', 'AllowAnonymous', 'IsPublic', 'NoAuth'].includes(d.name))
}

const isLimiter = ({ external }: Before): boolean => external?.from === '@nestjs/throttler'

/** `@SkipThrottle()`: the limiter of the application passes the handler over; the word of the method counts, then that of the class. */
function skipsLimit(list: readonly Decorator[]): boolean {
  const last = list.findLast((d) => d.name === 'SkipThrottle')
  const [which] = last?.args ?? []
  return last !== undefined && !(which?.k === 'obj' && which.props.every((p) => p.value.k === 'lit' && p.value.v === false))
}

function guards(program: Program, list: readonly Decorator[]): Before[] {
  return list.flatMap((d) => (d.name === 'UseGuards' ? d.args.flatMap((g) => guard(program, d.path, d.scope, g)) : []))
}

/** A guard class (or an instance of one, or `AuthGuard('jwt')`): its `canActivate`. */
function guard(program: Program, path: string, scope: FunctionId, g: Expr): Before[] {
  const at = { path, line: g.l }
  const named = g.k === 'new' ? g.fn : g
  const callee = named.k === 'call' ? program.external(path, scope, named.fn) : program.external(path, scope, named)
  if (callee) return [{ code: { k: 'expr', path, scope, expr: g }, calling: 'nest-guard', at, what: 'guard', blocks: true, external: callee }]
  const m = program.meaning(path, scope, named)
  if (m?.k !== 'class') return []
  const can = m.class.members.find((x) => x.name === 'canActivate')
  if (can?.fn !== undefined)
    return [{ code: { k: 'fn', path: m.path, fn: can.fn }, calling: 'nest-guard', at: { path: m.path, line: can.l }, what: 'guard', blocks: true }]
  const parent = m.class.extends ? program.meaning(m.path, m.scope, m.class.extends) : undefined
  if (parent?.k === 'class' && m.class.extends) return guard(program, m.path, m.scope, m.class.extends)
  // class JwtAuthGuard extends AuthGuard('jwt') {}
  const base = m.class.extends
  const from = base ? program.external(m.path, m.scope, base.k === 'call' ? base.fn : base) : undefined
  return base && from
    ? [
        {
          code: { k: 'expr', path: m.path, scope: m.scope, expr: base },
          calling: 'nest-guard',
          at: { path: m.path, line: m.line },
          what: 'guard',
          blocks: true,
          external: from,
        },
      ]
    : []
}

const setups = new WeakMap<Program, Map<string, Setup>>()

/** `app.setGlobalPrefix`, `app.useGlobalGuards`, `{ provide: APP_GUARD, useClass }`. */
function application(program: Program, dir: string): Setup {
  const known = setups.get(program) ?? new Map<string, Setup>()
  setups.set(program, known)
  const before = known.get(dir)
  if (before) return before
  let prefix = ''
  const found: Before[] = []
  const files = new Set([...program.importersOf('@nestjs/core'), ...program.importersOf('@nestjs/common')])
  for (const path of [...files].sort()) {
    const js = program.js(path)
    if (!js || program.workspace(path).dir !== dir) continue
    for (const { expr, scope } of expressionsDeep(js, 0)) {
      if (expr.k === 'call' && expr.fn.k === 'mem' && expr.fn.name === 'setGlobalPrefix') prefix = stringOf(expr.args[0]) ?? prefix
      if (expr.k === 'call' && expr.fn.k === 'mem' && expr.fn.name === 'useGlobalGuards')
        for (const a of expr.args) found.push(...guard(program, path, scope, a))
      if (expr.k === 'obj') {
        const provide = propOf(expr, 'provide')
        const use = propOf(expr, 'useClass') ?? propOf(expr, 'useExisting')
        if (provide?.k === 'id' && provide.name === 'APP_GUARD' && use) found.push(...guard(program, path, scope, use))
      }
    }
  }
  const setup = { prefix, guards: found }
  known.set(dir, setup)
  return setup
}
