import type { Expr, FunctionId } from '../../facts/javascript.ts'
import type { Place } from '../../lib/place.ts'
import type { Program } from '../frameworks/program.ts'
import { stringOf } from '../frameworks/walk.ts'

/** A string literal and where it stands. */
export interface Constant extends Place {
  readonly value: string
  /** Kind of secret when the extractor redacted the value. */
  readonly secret?: string
}

/** The string literals that an expression stands for: itself, a constant, a list or a set of constants, a fallback. */
export function stringConstantsOf(program: Program, path: string, scope: FunctionId, expr: Expr, depth = 0): Constant[] {
  if (depth > 9) return []
  const literal = stringOf(expr)
  if (literal !== undefined) return [{ value: literal, path, line: expr.l, ...(expr.k === 'lit' && expr.secret ? { secret: expr.secret } : {}) }]
  if (expr.k === 'arr') return expr.items.flatMap((i) => stringConstantsOf(program, path, scope, i, depth + 1))
  if (expr.k === 'new' && expr.fn.k === 'id' && expr.fn.name === 'Set' && expr.args[0]) return stringConstantsOf(program, path, scope, expr.args[0], depth + 1)
  if (expr.k === 'logic' && expr.op !== '&&') return stringConstantsOf(program, path, scope, expr.b, depth + 1)
  if (expr.k === 'call' && expr.fn.k === 'mem' && expr.fn.name === 'split') {
    const between = stringOf(expr.args[0])
    const lists = stringConstantsOf(program, path, scope, expr.fn.of, depth + 1)
    return between ? lists.flatMap((c) => c.value.split(between).map((value) => ({ ...c, value: value.trim() }))) : lists
  }
  if (expr.k === 'call' && expr.fn.k === 'mem' && /^(toLowerCase|trim|toUpperCase|freeze|map|filter)$/.test(expr.fn.name))
    return stringConstantsOf(program, path, scope, expr.fn.name === 'freeze' && expr.args[0] ? expr.args[0] : expr.fn.of, depth + 1)
  if (expr.k === 'id' || expr.k === 'mem') {
    const m = program.meaning(path, scope, expr)
    if (m?.k === 'expr' && m.expr !== expr) return stringConstantsOf(program, m.path, m.scope, m.expr, depth + 1)
  }
  return []
}

/** The last name of an expression: `user.email` is `email`, `(await f()).email?.toLowerCase()` too. */
export function lastName(e: Expr): string {
  if (e.k === 'id') return e.name
  if (e.k === 'mem') return e.name
  if (e.k === 'idx') return stringOf(e.index) ?? ''
  if (e.k === 'call') {
    const key = stringOf(e.args[0])
    if (e.fn.k === 'mem' && /^(toLowerCase|trim|toString|toUpperCase|normalize|join)$/.test(e.fn.name)) return lastName(e.fn.of)
    if (e.fn.k === 'mem' && /^(get|getItem)$/.test(e.fn.name) && key) return key
    return e.fn.k === 'id' && e.args[0] && /^(String|lower|normali[sz]e\w*)$/.test(e.fn.name) ? lastName(e.args[0]) : ''
  }
  if (e.k === 'await' || e.k === 'un') return lastName(e.of)
  if (e.k === 'logic') return lastName(e.a)
  return ''
}

/** An address with its local part cut down. */
export function maskMail(mail: string): string {
  return `${mail.slice(0, 1)}…${mail.slice(mail.indexOf('@'))}`
}

export const EMAIL_ADDRESS = /^[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,190}\.[A-Za-z]{2,24}$/
