import { mentions, partsOf } from '../../behaviour/domain/contains.ts'
import type { Value } from '../../behaviour/types.ts'
import { isTainted } from '../request/request-taint.ts'

/** What a request calls a price; how many there are to be is the buyer's to say. */
const CHARGED_PRICE_FIELD = /price|amount|total|cost|fee|rate|value|(?:^|[._])sum$|montant|prix|prec?io|pre[cç]o|valor|betrag|preis|importo|prezzo/i

const QUANTITY_FIELD =
  /count|quantit|qty|guests|people|persons|pax|nights|hours|days|weeks|months|seats|tickets|adults|children|kids|players|participants|copies|units|(?:^|[._])num|anzahl|cantidad|quantidade|personas|pessoas|noches|noites/i

/** Whether the request says how much is charged. How many or how long (`row.price * body.nights`) is no amount: the server's price says what each costs. */
export function saysAmount(value: Value, depth = 0): boolean {
  if (value.v === 'request') return true
  if (depth > 12) return isTainted(value)
  if (value.v === 'op' && value.op === '*') {
    const own = value.of.filter((x) => !isTainted(x))
    const counts = (x: Value) =>
      (own.some(isServersPrice) && isNamed(x, (name) => !CHARGED_PRICE_FIELD.test(name))) || (own.length > 0 && isNamed(x, (name) => QUANTITY_FIELD.test(name)))
    return value.of.some((x) => isTainted(x) && !counts(x) && saysAmount(x, depth + 1))
  }
  // a total that is shared out among so many
  const parts = value.v === 'op' && value.op === '/' ? value.of.slice(0, 1) : partsOf(value)
  return parts.some((x) => saysAmount(x, depth + 1))
}

/** No number by which a unit becomes another (`euros * 100`). */
function isServersPrice(value: Value): boolean {
  if (value.v === 'const') return typeof value.value === 'number' && !/^0?\.?0*10*$/.test(String(value.value))
  return mentions(value, (x) => x.v === 'row' || x.v === 'result' || (x !== value && x.v === 'const' && isServersPrice(x)))
}

const isNamed = (value: Value, like: (name: string) => boolean): boolean =>
  !mentions(value, (x) => x.v === 'request' && !(x.name !== undefined && like(x.name)))
