import type { Expr } from '../../../facts/javascript.ts'
import type { Place } from '../../../lib/place.ts'
import type { Entry } from '../../frameworks/entry.ts'
import { type Program, packageOf } from '../../frameworks/program.ts'
import { propOf } from '../../frameworks/walk.ts'
import type { Guard } from '../guards/guard-model.ts'
import type { Work } from './operation-model.ts'

/** The file routes of Uploadthing that a handler answers for and that ask nobody: without `middleware()` whoever calls is given an address to upload to. */
export function openUploads(program: Program, entry: Entry): Place | undefined {
  const code = entry.code
  if (code?.k !== 'expr' || entry.method === 'GET') return undefined
  const made = handlerOf(program, code.path, code.scope, code.expr)
  const router = made && propOf(made.call.args[0], 'router')
  if (!router) return undefined
  const found = program.meaning(made.path, made.scope, router)
  if (found?.k !== 'expr' || found.expr.k !== 'obj') return undefined
  const open = found.expr.props.find((p) => p.key && isOpen(p.value))
  return open && { path: found.path, line: open.value.l }
}

interface Made {
  readonly path: string
  readonly scope: number
  readonly call: Extract<Expr, { k: 'call' }>
}

/** `createRouteHandler({ router })`, also under a name or with one of its methods taken out. */
function handlerOf(program: Program, path: string, scope: number, e: Expr, depth = 0): Made | undefined {
  if (e.k === 'mem') return handlerOf(program, path, scope, e.of, depth)
  if (e.k === 'call') {
    const from = program.external(path, scope, e.fn)
    return from && packageOf(from.from) === 'uploadthing' ? { path, scope, call: e } : undefined
  }
  const named = depth < 4 ? program.meaning(path, scope, e) : undefined
  return named?.k === 'expr' && named.expr !== e ? handlerOf(program, named.path, named.scope, named.expr, depth + 1) : undefined
}

/** `f({ image: … }).onUploadComplete(…)`, with nothing in between that asks who uploads. */
function isOpen(e: Expr): boolean {
  const names: string[] = []
  let at = e
  while (at.k === 'call' && at.fn.k === 'mem') {
    names.push(at.fn.name)
    at = at.fn.of
  }
  return at.k === 'call' && names.includes('onUploadComplete') && !names.includes('middleware')
}

/** What such a route does for whoever calls. */
export const uploadOf = (at: Place, guard: Guard | undefined): Work => ({
  kind: 'file-write',
  call: 'uploadthing',
  what: 'gives out addresses to upload files to (Uploadthing)',
  at,
  via: [],
  fresh: true,
  ...(guard ? { guard } : {}),
})
