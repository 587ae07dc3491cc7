import type { Expr, FunctionIR, Stmt } from '../../facts/javascript.ts'
import { envNameOf } from '../env/code-reads.ts'
import { expressions, statements, stringOf } from '../frameworks/walk.ts'

/** A function that makes the code which somebody is to be sent. */
const MAKES_CODE = /^(?:generate|create|make|new|get|build|random|gen)\w{0,20}(?:otp|code|pin|passcode)$|^(?:otp|code)Generator$/i
const A_CODE = /^\d{4,8}$/
const CODE_GENERATOR = /random|nanoid|uuid|totp|hotp|customAlphabet/i
/** Set by every host of a finished application. */
const BY_HOSTS = /^(?:NODE_ENV|MODE|VERCEL_ENV|DEV|PROD)$/

/** Where a variable is read, and what stands in its place when it is not set. */
interface Read {
  readonly name: string
  readonly otherwise?: string
}

/**
 * A code that is the same for everybody as long as a variable is not set: `if ((process.env.ENVIRONMENT || 'dev') === 'dev') return '222222'`, beside
 * one that is drawn. The variable, and where the code stands.
 */
export function codeUnless(fn: FunctionIR): { readonly line: number; readonly unless: string } | undefined {
  if (!MAKES_CODE.test(fn.name ?? '') || !expressions(fn).some((e) => e.k === 'call' && CODE_GENERATOR.test(nameOf(e.fn)))) return undefined
  const held = new Map(statements(fn.body).flatMap((s) => (s.k === 'let' && s.to.k === 'name' && s.init ? heldIn(s.to.name, s.init) : [])))
  for (const s of statements(fn.body)) {
    const unless = s.k === 'if' ? opensUnset(s.test, held) : undefined
    const code = s.k === 'if' && unless ? s.then.find(givesCode) : undefined
    if (code && unless) return { line: code.l, unless }
  }
  for (const e of expressions(fn)) {
    const unless = e.k === 'cond' && A_CODE.test(stringOf(e.then) ?? '') ? opensUnset(e.test, held) : undefined
    if (unless) return { line: e.l, unless }
  }
  return undefined
}

const heldIn = (name: string, init: Expr): readonly (readonly [string, Read])[] => {
  const read = readOf(init, new Map())
  return read ? [[name, read]] : []
}

const givesCode = (s: Stmt): boolean => s.k === 'return' && s.value !== undefined && A_CODE.test(stringOf(s.value) ?? '')

const nameOf = (e: Expr): string => (e.k === 'mem' ? e.name : e.k === 'id' ? e.name : '')

/** `process.env.X`, `process.env.X || 'dev'`, or a name that holds one of them. */
function readOf(e: Expr, held: ReadonlyMap<string, Read>): Read | undefined {
  if (e.k === 'id') return held.get(e.name)
  const name = envNameOf(e)
  if (name) return BY_HOSTS.test(name) ? undefined : { name }
  if (e.k !== 'logic' || e.op === '&&') return undefined
  const read = readOf(e.a, held)
  const otherwise = stringOf(e.b)
  return read && otherwise !== undefined && read.otherwise === undefined ? { ...read, otherwise } : undefined
}

/** The variable, where the test holds as long as it is not set. */
function opensUnset(e: Expr, held: ReadonlyMap<string, Read>): string | undefined {
  if (e.k === 'un' && e.op === '!') {
    const read = readOf(e.of, held)
    return read && read.otherwise === undefined ? read.name : undefined
  }
  if (e.k !== 'bin' || !/^[!=]==?$/.test(e.op)) return undefined
  const read = readOf(e.a, held) ?? readOf(e.b, held)
  const word = stringOf(e.b) ?? stringOf(e.a)
  if (!read || word === undefined) return undefined
  return (read.otherwise === word) === e.op.startsWith('=') ? read.name : undefined
}
