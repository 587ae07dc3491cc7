import { mentions } from '../../behaviour/domain/contains.ts'
import type { Behaviour, Value } from '../../behaviour/types.ts'

/** When something was sent last, as a row says. */
const LAST_SENT_COLUMN =
  /(?:^|[._])(?:(?:created|inserted|sent|issued|requested|updated)_?at|last_?(?:sent|request(?:ed)?|code|otp|e?mail)\w{0,12}|createdAt|sentAt|requestedAt|lastSent\w{0,8})$/

/** Whether somebody who asks for another message has to wait until a while after the last one has passed: what a code is worth after a while is another question. */
export const coolsDown = ({ steps }: Behaviour, index: number): boolean =>
  steps[index]?.under.some((c) => c.otherwise.ends && isLater(c.test, !c.negated, 0)) === true

/** Whether a test holding says that more time has passed than somebody has to wait; where no message was sent before, none is too early. */
function isLater(test: Value, truthy: boolean, depth: number): boolean {
  if (test.v !== 'op' || depth > 6) return false
  const [a, b] = test.of
  if (test.op === '!') return a !== undefined && isLater(a, !truthy, depth + 1)
  if (test.op === '&&' || test.op === '||') return test.of.some((x) => isLater(x, truthy, depth + 1))
  if (!/^[<>]=?$/.test(test.op) || !a || !b) return false
  const more = test.op.startsWith('>') === truthy
  // `Date.now() - row.created_at < 60_000` refuses, and so does `row.created_at > aMinuteAgo`
  if (isElapsed(a)) return more
  if (isElapsed(b)) return !more
  if (isWhen(a) && isNow(b)) return !more
  return isWhen(b) && isNow(a) && more
}

const isWhen = (v: Value): boolean => mentions(v, (x) => x.v === 'row' && LAST_SENT_COLUMN.test(x.field ?? '')) && !isNow(v)
const isNow = (v: Value): boolean => mentions(v, (x) => x.v === 'call' && (x.name === 'Date.now' || (x.name === 'Date' && !x.args.length)))

/** How much time has passed since: now less then, in whatever unit. */
function isElapsed(v: Value, depth = 0): boolean {
  if (depth > 4) return false
  if (v.v === 'op' && v.op === '-') return v.of[0] !== undefined && isNow(v.of[0]) && v.of[1] !== undefined && isWhen(v.of[1])
  if (v.v === 'op' && /^[*/]$/.test(v.op)) return v.of.some((x) => isElapsed(x, depth + 1))
  return v.v === 'call' && /^(?:Math\.\w{1,8}|Number|difference\w{0,20})$/.test(v.name) && v.args.some((x) => isElapsed(x, depth + 1))
}
