import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { isAlike } from '../../../model/behaviour/domain/contains.ts'
import { mentions, requestName } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Query, Step, Value } from '../../../model/behaviour/types.ts'
import { directly, isRequestControlled, type OwnershipBreach, verbOf } from '../shared/violation.ts'

type Asked = Extract<Value, { v: 'request' }>

const STATE_FIELD_WORD = /status|state/i
const SETTLED = /^(?:paid|complete[d]?|captured|confirmed|success(?:ful)?|succeeded|active|placed|processing)$/i
const PAID_FLAG_FIELD = /paid|premium|(?:^|_)is_?pro$|confirmed/i
/** Columns that say what was bought. */
const PURCHASE_ID_FIELD = /^(?:plan|tier|package|pack|course|product|item|event|credits?|membership)(?:_?(?:id|type|name|key|slug))?$/i

/**
 * A payment processor signs the ids of an order and a payment for the browser to bring along (Razorpay). What the request says beside them
 * is not signed: that an order is paid, or what was bought, has to follow from the signed ids. What the caller's own rights permit is left
 * to the database, he needs no handler for it.
 */
export function unboundProof(step: Step, e: Query, behaviour: Behaviour): OwnershipBreach | undefined {
  if (e.op === 'select' || e.op === 'delete' || e.client.rights === 'caller' || e.payload?.v !== 'object') return undefined
  const signed = signedParts(step)
  if (!signed.length) return undefined
  const isSigned = (x: Value): boolean => x.v === 'request' && signed.some((s) => isAlike(s, x))
  const follows = (value: Value, depth = 0): boolean =>
    depth < 6 && mentions(value, (x) => isSigned(x) || ((x.v === 'row' || x.v === 'result') && askedWith(x.step, behaviour).some((y) => follows(y, depth + 1))))
  if (e.filters.some((f) => follows(f.value))) return undefined
  const compared = step.under.some((c) => mentions(c.test, (x) => x.v === 'row' || x.v === 'result') && follows(c.test))
  if (compared) return undefined
  const { props } = e.payload
  const free = (value: Value, depth = 0): Value | undefined => {
    if (isRequestControlled(value, behaviour) && directly(value)) return mentions(value, isSigned) ? undefined : value
    if (value.v !== 'row' || value.step < 0 || depth > 3) return undefined
    return chosenBy(value.step, behaviour).reduce<Value | undefined>((found, x) => found ?? free(x, depth + 1), undefined)
  }
  const row = e.op === 'update' && settles(props) ? e.filters.flatMap((f) => (f.op === 'eq' ? (free(f.value) ?? []) : []))[0] : undefined
  const [column, bought] = row
    ? []
    : (Object.entries(props).find(([name, value]) => PURCHASE_ID_FIELD.test(snake(name)) && value.v !== 'row' && free(value)) ?? [])
  const by = row ?? bought
  if (!by) return undefined
  const name = requestName(by) ?? 'a value of the request'
  return {
    kind: 'unbound-proof',
    severity: 'High',
    at: step.at,
    table: e.table,
    verb: verbOf(e),
    by: name,
    signed: signed.map((s) => `\`${s.name}\``).join(' and '),
    ...(column ? { ownerColumn: column } : {}),
    ...(e.client.library ? { library: e.client.library } : {}),
    what: column ? `${verbOf(e)} ${e.table} with ${column} = ${name}` : `${verbOf(e)} ${e.table} by ${name}`,
  }
}

/** The values of the request that a checked signature covers, where it covers nothing else: not the whole body, and nothing that is stored. */
function signedParts(step: Step): readonly Asked[] {
  const parts: Asked[] = []
  for (const { test } of step.under) {
    const signed = signedIn(test)
    if (signed === 'whole') return []
    for (const part of signed) if (!parts.some((p) => isAlike(p, part))) parts.push(part)
  }
  return parts
}

/** What the signature covers that a condition checks. Steps of one path share their conditions: each is walked once. */
const signedIn = rememberFor((test: Value): readonly Asked[] | 'whole' => {
  if (!mentions(test, (x) => x.v === 'request' && /signature|^sig$/i.test(x.name ?? ''))) return []
  const parts: Asked[] = []
  let whole = false
  mentions(test, (x) => {
    if (x.v !== 'call' || x.name !== 'hmac') return false
    // whatever was looked up and is signed along with them ties the row
    for (const text of x.args.slice(1))
      mentions(text, (y) => {
        whole ||= y.v === 'row' || y.v === 'result' || y.v === 'unknown' || (y.v === 'request' && (!y.name || y.part === 'header'))
        if (y.v === 'request' && y.name) parts.push(y)
        return false
      })
    return false
  })
  return whole ? 'whole' : parts
})

/** Whether columns say from now on that something was paid. */
export function settles(props: Readonly<Record<string, Value>>): boolean {
  return Object.entries(props).some(([column, value]) => {
    if (value.v !== 'const') return false
    return typeof value.value === 'string'
      ? STATE_FIELD_WORD.test(column) && SETTLED.test(value.value)
      : value.value === true && PAID_FLAG_FIELD.test(snake(column))
  })
}

/** What a look-up was asked with: the filters of a query, the arguments of a call to the processor. */
function askedWith(index: number, behaviour: Behaviour): readonly Value[] {
  const e = behaviour.steps[index]?.effect
  if (e?.kind === 'payment') return e.args
  return e?.kind === 'db' ? e.filters.map((f) => f.value) : []
}

function chosenBy(index: number, behaviour: Behaviour): readonly Value[] {
  const e = behaviour.steps[index]?.effect
  return e?.kind === 'db' ? e.filters.flatMap((f) => (f.op === 'eq' ? [f.value] : [])) : []
}

const snake = (column: string): string => column.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase()
