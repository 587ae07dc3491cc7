import type { Expr, FunctionIR, JavaScriptFacts, Stmt } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { unlessEmpty } from '../../lib/memo/collect-by-file.ts'
import { says } from '../../lib/snake-case.ts'
import { calleeText, expressions, exprsOf, statements, stringOf, subExpressions } from '../frameworks/walk.ts'
import type { OpenDoor } from './code.ts'
import { lastName } from './constants.ts'
import { developmentOnly } from './development-only.ts'
import { codeUnless } from './fixed-codes.ts'

const SIGN_IN_PASSWORD_FIELD = /(?:^|_)(?:password|passwd|pwd|passcode|senha|contrasena|motdepasse)$/i
const SIGN_IN_CODE_FIELD = /(?:^|_)(?:otp|pin|code|token|password|passcode|verification_?code)$/i
/** What somebody says he is, at a sign-in. */
const ACCOUNT_IDENTIFIER_COLUMN = /(?:^|_)(?:phone|mobile|tel|telephone|msisdn|whatsapp|email|e_?mail|phone_?number|mobile_?number|username|identifier)$/i
const A_NUMBER = /^\+?\d{7,15}$/
const A_MAIL = /^[^@\s]{1,64}@[^@\s]{1,190}$/
const A_CODE = /^\d{4,8}$/
const EMAIL_FIELD = /(?:^|_)e?_?mail$/i
/** A word that an address may have before the sign as well as behind it, and that whoever registers chooses. */
const PRIVILEGED_MAILBOX_WORD = /^(?:admin|administrator|root|super_?admin|superuser|owner|staff|moderator|manager)@?$/i
const DECIDES = /admin|role|owner|staff|moderator|permission|access|allow|authori[sz]|super|can_?[a-z]/i

/** Ways past a sign-in that stand in the code: any password, one code for one number, a word in an address that anybody may register. */
export const openDoors = collectByCodeFile((path, js: JavaScriptFacts) => {
  const found: OpenDoor[] = []
  const add = (line: number, how: OpenDoor['how']) => {
    if (!found.some((f) => f.how === how)) found.push({ path, line, how })
  }
  for (const fn of js.functions) {
    const development = developmentOnly(fn, js)
    const mode = linesOfMode(fn)
    for (const e of expressions(fn)) {
      if (development.has(e) || mode.some((m) => m.l <= e.l && e.l <= (m.e ?? m.l))) continue
      if (takesAnyPassword(e)) add(e.l, 'any-password')
      if (hasOneCode(e)) add(e.l, 'fixed-code')
    }
    const asked = withoutPassword(fn).find((s) => !development.has(s.test) && !mode.some((m) => m.l <= s.l && s.l <= (m.e ?? m.l)))
    if (asked) add(asked.l, 'no-password')
    const part = mailPart(fn)
    if (part && !development.has(part)) add(part.l, 'mail-part')
    const same = codeUnless(fn)
    if (same && !found.some((f) => f.how === 'same-code')) found.push({ path, line: same.line, how: 'same-code', unless: same.unless })
    const logged = loggedSignature(fn)
    if (logged) add(logged, 'logged-signature')
  }
  return unlessEmpty(found)
})

/** Branches that are taken by where the program runs. */
const linesOfMode = (fn: FunctionIR) =>
  statements(fn.body).filter(
    (s) => s.k === 'if' && subExpressions(s.test).some((x) => x.k === 'mem' && /^(?:NODE_ENV|DEV|MODE|VERCEL_ENV|__DEV__)$/.test(x.name)),
  )

const isEqual = (e: Expr): e is Extract<Expr, { k: 'bin' }> => e.k === 'bin' && /^={2,3}$/.test(e.op)

/** A name on one side, a text on the other. */
function compared(e: Expr, name: RegExp, text: RegExp): boolean {
  if (!isEqual(e)) return false
  return [
    [e.a, e.b],
    [e.b, e.a],
  ].some(([a, b]) => {
    const literal = b && (stringOf(b) ?? (b.k === 'lit' && b.secret ? '' : undefined))
    return a !== undefined && literal !== undefined && says(name, lastName(a)) && (text.test(literal) || (b?.k === 'lit' && b.secret !== undefined))
  })
}

/** `email === 'a@b.c' ? password === 'x' : true`: whoever is not that one is let in with whatever he types. */
function takesAnyPassword(e: Expr): boolean {
  if (e.k !== 'cond') return false
  return [
    [e.then, e.else],
    [e.else, e.then],
  ].some(([asks, lets]) => asks && lets?.k === 'lit' && lets.v === true && subExpressions(asks).some((x) => compared(x, SIGN_IN_PASSWORD_FIELD, /./)))
}

const isSomebody = (e: Expr): boolean =>
  subExpressions(e).some((x) => compared(x, ACCOUNT_IDENTIFIER_COLUMN, A_NUMBER) || compared(x, ACCOUNT_IDENTIFIER_COLUMN, A_MAIL))

/** `phone === '9999999999' ? '999999' : user.otp`, `phone === '…' && otp === '1234'`: a code that is always right for one account. */
function hasOneCode(e: Expr): boolean {
  if (e.k === 'cond' && isSomebody(e.test)) return A_CODE.test(stringOf(e.then) ?? '') && (says(SIGN_IN_CODE_FIELD, lastName(e.else)) || e.else.k === 'call')
  if (e.k !== 'logic' || e.op !== '&&') return false
  const all = subExpressions(e)
  return all.some((x) => compared(x, SIGN_IN_CODE_FIELD, A_CODE)) && isSomebody(e)
}

const PASSWORD_COMPARE_CALL = /(?:^|\.)(?:compare(?:Sync|Password)?|verify(?:Password)?|check_?password|match_?password)$/i

/** `if (email === 'a@b.c') { valid = true } else { valid = await bcrypt.compare(password, user.password) }`. */
function withoutPassword(fn: FunctionIR): readonly Extract<Stmt, { k: 'if' }>[] {
  const asks = (all: readonly Stmt[]) =>
    statements(all).some((s) =>
      exprsOf(s).some((root) =>
        subExpressions(root).some(
          (e) =>
            e.k === 'call' &&
            PASSWORD_COMPARE_CALL.test(calleeText(e.fn)) &&
            e.args.some((a) => subExpressions(a).some((x) => says(SIGN_IN_PASSWORD_FIELD, lastName(x)))),
        ),
      ),
    )
  return statements(fn.body).filter(
    (s): s is Extract<Stmt, { k: 'if' }> =>
      s.k === 'if' &&
      isSomebody(s.test) &&
      !subExpressions(s.test).some((x) => compared(x, SIGN_IN_PASSWORD_FIELD, /./)) &&
      !asks(s.then) &&
      asks(s.else ?? []),
  )
}

/** `email.includes('admin')` where it decides: the function or the name that it goes to speaks of what somebody may do. */
function mailPart(fn: FunctionIR): Expr | undefined {
  for (const s of statements(fn.body)) {
    const named = s.k === 'let' && s.to.k === 'name' ? s.to.name : ''
    for (const root of exprsOf(s)) {
      const part = subExpressions(root).find(isMailPart)
      if (!part) continue
      if (subExpressions(root).some((x) => isAppointed(x, part)) || DECIDES.test(named) || (s.k === 'return' && DECIDES.test(fn.name ?? ''))) return part
    }
  }
  return undefined
}

/** `email.includes('admin') ? 'admin' : 'user'`, `setIsAdmin(email.includes('admin'))`. */
function isAppointed(e: Expr, part: Expr): boolean {
  if (e.k === 'cond') return subExpressions(e.test).includes(part) && [e.then, e.else].some((b) => PRIVILEGED_MAILBOX_WORD.test(stringOf(b) ?? ''))
  return e.k === 'call' && e.args.includes(part) && DECIDES.test(calleeText(e.fn))
}

function isMailPart(e: Expr): boolean {
  if (e.k !== 'call' || e.fn.k !== 'mem' || !/^(?:includes|startsWith|indexOf|match)$/.test(e.fn.name)) return false
  return PRIVILEGED_MAILBOX_WORD.test(stringOf(e.args[0]) ?? '') && says(EMAIL_FIELD, lastName(e.fn.of))
}

const MAC = /createHmac\b.{0,60}\bdigest$|(?:^|\.)Hmac(?:SHA\d{1,3})\b/
const PRINTS = /^(?:console\.(?:log|info|debug|warn|error)|log(?:ger)?\.(?:log|info|debug|warn|error))$/

/** A signature that is made to be printed: nothing compares it and nobody is sent it. */
function loggedSignature(fn: FunctionIR): number | undefined {
  const all = statements(fn.body)
  for (const s of all) {
    if (s.k !== 'let' || s.to.k !== 'name' || s.init?.k !== 'call' || !MAC.test(calleeText(s.init.fn))) continue
    const { name } = s.to
    const names = (e: Expr): number => subExpressions(e).filter((x) => x.k === 'id' && x.name === name).length
    let used = 0
    let printed = 0
    for (const other of all)
      for (const e of exprsOf(other)) {
        used += names(e)
        for (const x of subExpressions(e)) if (x.k === 'call' && PRINTS.test(calleeText(x.fn))) printed += x.args.reduce((n, a) => n + names(a), 0)
      }
    if (printed > 0 && printed === used) return s.l
  }
  return undefined
}
