import type { Behaviour, Effect, Value } from '../../behaviour/types.ts'
import { isTainted } from '../request/request-taint.ts'

const PAYABLE_TABLE = /order|payment|purchase|subscription|enroll?ment|ticket|booking|pedido|compra|pagament|pagos?($|_)|bestellung|commande/i
const PAYMENT_STATE = /^payment_?state$|^payment_?status$|^(?:is_?)?paid$/i
/** The column that holds how far an order is. */
export const ORDER_STATUS_COLUMN = /^(?:order_?)?status$/i
const DONE = /^(?:paid|completed?|succeeded|success|captured|settled)$/i
const PAID_VALUE = /^(?:paid|pago|pagado|pagato|bezahlt|pay[eé])$/i
const PAID_AMOUNT_COLUMN = /amount|total|price|sum($|_)/i

/** Whether a handler books an order as paid on the word of whoever calls: nothing before asks a processor, and no event of one is at hand. */
export function booksAsPaid(e: Effect, { steps }: Behaviour): boolean {
  if (e.kind !== 'db' || e.op !== 'insert' || e.client.rights !== 'service' || e.payload?.v !== 'object' || !PAYABLE_TABLE.test(e.table)) return false
  const columns = Object.entries(e.payload.props)
  const says = columns.some(([name, value]) =>
    PAYMENT_STATE.test(name)
      ? isConst(value, (x) => x === true || DONE.test(String(x)))
      : ORDER_STATUS_COLUMN.test(name) && isConst(value, (x) => PAID_VALUE.test(String(x))),
  )
  if (!says || !columns.some(([, value]) => isTainted(value))) return false
  // what costs nothing is paid
  if (columns.some(([name, value]) => PAID_AMOUNT_COLUMN.test(name) && value.v === 'const' && Number(value.value) === 0)) return false
  const before = steps.slice(
    0,
    steps.findIndex((s) => s.effect === e),
  )
  return before.every(({ effect }) => !ASKED.has(effect.kind))
}

/** By what a handler may have asked whether somebody paid. */
const ASKED: ReadonlySet<Effect['kind']> = new Set<Effect['kind']>(['payment', 'http', 'verify-signature', 'invoke', 'rpc'])

function isConst(value: Value, test: (x: unknown) => boolean): boolean {
  if (value.v === 'any') return value.of.some((x) => isConst(x, test))
  return value.v === 'const' && test(value.value)
}
