import type { Expr, FunctionIR, JavaScriptFacts, Stmt } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { unlessEmpty } from '../../lib/memo/collect-by-file.ts'
import { says } from '../../lib/snake-case.ts'
import { envNameOf } from '../env/code-reads.ts'
import { exprsOf, statements, stringOf, subExpressions } from '../frameworks/walk.ts'
import type { Switch } from './code.ts'

/** A mode of one's own, which nothing but a variable decides; what the build sets (`NODE_ENV`, `DEV`) is none. */
const MODE =
  /^(?:(?:NEXT_PUBLIC|VITE|REACT_APP|EXPO_PUBLIC|PUBLIC)_)?(?:APP_|IS_|ENABLE_|USE_)?(?:(?:DEV|DEVELOPMENT|DEBUG|TEST|TESTING|DEMO|MOCK|LOCAL|LOCAL_DEV|SIMULATION)_MODE|DEBUG|DEMO|MOCK_(?:API|DATA)|DEVELOPMENT)$/
const ENTITLEMENT_COLUMN =
  /^(?:credits?|credit_balance|tokens_balance|plan|tier|subscription(?:_(?:status|tier|plan))?|payment_status|paid|paid_at|is_(?:paid|pro|premium|subscribed|unlocked)|has_(?:paid|purchased|access|subscription)|purchased|premium)$/
const DATABASE_WRITE_METHOD = /^(?:update|insert|upsert|updateOne|updateMany|create|set|findByIdAndUpdate|findOneAndUpdate)$/
/** Statuses that turn somebody away, and what for. */
const REFUSAL_BY_STATUS: Readonly<Record<number, Switch['skips']>> = { 401: 'authentication', 402: 'payment', 403: 'authentication' }

/** Switches that are called after no check, but skip one: what is paid is given, or nobody is turned away, wherever `DEV_MODE` is set. */
export const modeSwitches = collectByCodeFile((path, js: JavaScriptFacts) => {
  if (js.directives.includes('use client')) return undefined
  const found: Switch[] = []
  const top = modesIn(js.functions[0]?.body ?? [])
  for (const fn of js.functions) {
    const modes = new Map([...top, ...modesIn(fn.body)])
    for (const s of statements(fn.body)) {
      const skipped = s.k === 'if' ? skippedBy(s, modes, fn) : undefined
      if (skipped && !found.some((f) => f.name === skipped.name)) found.push({ path, line: s.l, how: 'variable', ...skipped })
    }
  }
  return unlessEmpty(found)
})

/** Names that hold whether such a mode is on, and its variable. */
function modesIn(body: readonly Stmt[]): Map<string, string> {
  const found = new Map<string, string>()
  for (const s of statements(body)) {
    const mode = s.k === 'let' && s.to.k === 'name' && s.init ? modeOf(s.init, found) : undefined
    if (mode && s.k === 'let' && s.to.k === 'name') found.set(s.to.name, mode)
  }
  return found
}

/** The variable of `DEV_MODE === 'true'`, `DEV_MODE`, or of a name that holds one of them. */
function modeOf(e: Expr, modes: ReadonlyMap<string, string>): string | undefined {
  if (e.k === 'id') return modes.get(e.name)
  const variable = envNameOf(e)
  if (variable) return MODE.test(variable) ? variable : undefined
  if (e.k !== 'bin' || !/^={2,3}$/.test(e.op) || !/^(?:true|1|yes|on)$/i.test(stringOf(e.b) ?? '')) return undefined
  return modeOf(e.a, modes)
}

function skippedBy(s: Extract<Stmt, { k: 'if' }>, modes: ReadonlyMap<string, string>, fn: FunctionIR): Pick<Switch, 'name' | 'skips'> | undefined {
  const on = modeOf(s.test, modes)
  if (on) return s.then.some((t) => t.k === 'return') && givesPaid(s.then) && asksToPay(fn) ? { name: on, skips: 'payment' } : undefined
  const off = s.test.k === 'un' && s.test.op === '!' ? modeOf(s.test.of, modes) : undefined
  const skips = off ? refusalIn(s.then) : undefined
  return off && skips ? { name: off, skips } : undefined
}

const within = (body: readonly Stmt[]): readonly Expr[] => statements(body).flatMap((s) => exprsOf(s).flatMap((e) => subExpressions(e)))

const givesPaid = (body: readonly Stmt[]): boolean =>
  within(body).some(
    (e) =>
      e.k === 'call' &&
      e.fn.k === 'mem' &&
      DATABASE_WRITE_METHOD.test(e.fn.name) &&
      e.args.some((a) => subExpressions(a).some((x) => x.k === 'obj' && x.props.some((p) => p.key !== undefined && says(ENTITLEMENT_COLUMN, p.key)))),
  )

/** Whoever sells asks for money on the other way. */
const asksToPay = (fn: FunctionIR): boolean =>
  within(fn.body).some(
    (e) => (e.k === 'id' || e.k === 'mem') && /stripe|checkout|payment|paddle|paypal|razorpay|paystack|lemon|polar|billing|invoice/i.test(e.name),
  )

const refusalIn = (body: readonly Stmt[]): Switch['skips'] | undefined =>
  within(body).flatMap((e) => (e.k === 'lit' && typeof e.v === 'number' ? (REFUSAL_BY_STATUS[e.v] ?? []) : []))[0]
