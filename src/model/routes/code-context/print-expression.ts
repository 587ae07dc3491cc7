import type { Expr, Pattern } from '../../../facts/javascript.ts'

const IDENTIFIER = /^[\w$]+$/

/** Code longer than this is no example. */
const MAX_LENGTH = 240

/** An expression as code again; undefined where the facts do not hold all of it. */
export function printExpr(e: Expr): string | undefined {
  const text = print(e, 0)
  return text !== undefined && text.length <= MAX_LENGTH ? text : undefined
}

/** What a declaration binds, as code. */
export function printPattern(p: Pattern, depth = 0): string | undefined {
  if (depth > 4) return undefined
  if (p.k === 'name') return p.init ? undefined : p.name
  if (p.k !== 'object' || p.rest || p.init) return undefined
  const props = p.props.map(({ key, to }) => {
    const inner = printPattern(to, depth + 1)
    return inner === undefined || !IDENTIFIER.test(key) ? undefined : inner === key ? key : `${key}: ${inner}`
  })
  return props.some((x) => x === undefined) ? undefined : `{ ${props.join(', ')} }`
}

/** Names that an expression takes from around it. */
export function namesIn(e: Expr, out = new Set<string>()): ReadonlySet<string> {
  switch (e.k) {
    case 'id':
      out.add(e.name)
      break
    case 'mem':
    case 'await':
    case 'un':
    case 'spread':
      if (e.of) namesIn(e.of, out)
      break
    case 'idx':
      namesIn(e.of, out)
      namesIn(e.index, out)
      break
    case 'call':
    case 'new':
      namesIn(e.fn, out)
      for (const a of e.args) namesIn(a, out)
      break
    case 'bin':
    case 'logic':
      namesIn(e.a, out)
      namesIn(e.b, out)
      break
    case 'obj':
      for (const p of e.props) namesIn(p.value, out)
      break
    case 'arr':
      for (const i of e.items) namesIn(i, out)
      break
    case 'tpl':
      for (const x of e.exprs) namesIn(x, out)
      break
  }
  return out
}

function list(all: readonly Expr[], depth: number): string | undefined {
  const texts = all.map((a) => print(a, depth + 1))
  return texts.some((t) => t === undefined) ? undefined : texts.map((t, i) => (isVariable(all[i] as Expr) ? `${t}!` : t)).join(', ')
}

/** A variable of the environment, whose type says that it may be missing. */
function isVariable(e: Expr): boolean {
  if (e.k === 'mem') return e.of.k === 'mem' && e.of.name === 'env'
  return e.k === 'call' && e.fn.k === 'mem' && e.fn.name === 'get' && e.fn.of.k === 'mem' && e.fn.of.name === 'env'
}

function print(e: Expr, depth: number): string | undefined {
  if (depth > 12) return undefined
  const next = (x: Expr) => print(x, depth + 1)
  /** In front of a member or beside an operator. */
  const tight = (x: Expr) => {
    const text = next(x)
    return text === undefined ? undefined : ['bin', 'logic', 'cond', 'await', 'un'].includes(x.k) ? `(${text})` : text
  }
  switch (e.k) {
    case 'lit':
      return e.secret ? undefined : e.v === undefined ? 'undefined' : typeof e.v === 'string' ? quoted(e.v) : String(e.v)
    case 'id':
      return e.name
    case 'regex':
      return e.v
    case 'tpl': {
      const parts = e.quasis.map((q, i) => {
        const expr = e.exprs[i]
        const text = expr ? next(expr) : ''
        return text === undefined || /[`\\$]/.test(q) ? undefined : expr ? `${q}\${${text}}` : q
      })
      return parts.some((p) => p === undefined) ? undefined : `\`${parts.join('')}\``
    }
    case 'mem': {
      const of = tight(e.of)
      if (of === undefined) return undefined
      return IDENTIFIER.test(e.name) ? `${of}${e.opt ? '?.' : '.'}${e.name}` : `${of}${e.opt ? '?.' : ''}[${quoted(e.name)}]`
    }
    case 'idx': {
      const [of, index] = [tight(e.of), next(e.index)]
      return of === undefined || index === undefined ? undefined : `${of}${e.opt ? '?.' : ''}[${index}]`
    }
    case 'call':
    case 'new': {
      const [fn, args] = [tight(e.fn), list(e.args, depth)]
      return fn === undefined || args === undefined ? undefined : `${e.k === 'new' ? 'new ' : ''}${fn}${e.k === 'call' && e.opt ? '?.' : ''}(${args})`
    }
    case 'await': {
      const of = next(e.of)
      return of === undefined ? undefined : `await ${of}`
    }
    case 'un': {
      const of = tight(e.of)
      return of === undefined || e.op === '++' || e.op === '--' ? undefined : `${e.op}${/\w/.test(e.op) ? ' ' : ''}${of}`
    }
    case 'bin':
    case 'logic': {
      const [a, b] = [e.a, e.b].map((x) =>
        e.k === 'logic' && x.k !== 'logic' ? next(x) : e.k === 'logic' && x.k === 'logic' && x.op === e.op ? next(x) : tight(x),
      )
      return a === undefined || b === undefined ? undefined : `${a} ${e.op} ${b}`
    }
    case 'arr': {
      const items = list(e.items, depth)
      return items === undefined ? undefined : `[${items}]`
    }
    case 'obj': {
      const props = e.props.map((p) => {
        const value = next(p.value)
        if (value === undefined || p.how || p.computed) return undefined
        if (p.spread) return `...${value}`
        if (p.key === undefined) return undefined
        const key = IDENTIFIER.test(p.key) ? p.key : quoted(p.key)
        return key === value ? key : `${key}: ${value}`
      })
      return props.some((p) => p === undefined) ? undefined : props.length ? `{ ${props.join(', ')} }` : '{}'
    }
    default:
      return undefined
  }
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
