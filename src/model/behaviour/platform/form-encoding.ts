import type { Value } from '../types.ts'

/** Maps, because whoever sends a form may call a field `__proto__`. */
type Fields = Map<string, Value | Fields>

/** Deeper than any interface has it; what a repository writes is bounded. */
const DEEPEST = 8

/**
 * What a form says by the names of its fields, as the object that it stands for: `line_items[0][price_data][unit_amount]` is what a library sends for
 * `{ line_items: [{ price_data: { unit_amount } }] }` (https://docs.stripe.com/api). Anything else as it is.
 */
export function formFields(sent: Value): Value {
  if (sent.v !== 'object' || !Object.keys(sent.props).some((name) => name.includes('['))) return sent
  const fields: Fields = new Map()
  for (const [name, value] of Object.entries(sent.props)) {
    const path = name.split('[').map((part) => part.replace(/\]$/, ''))
    const last = path.pop() as string
    let at = fields
    for (const part of path.slice(0, DEEPEST)) at = within(at, part)
    at.set(last, value)
  }
  return objectOf(fields)
}

function within(fields: Fields, name: string): Fields {
  const there = fields.get(name)
  if (there instanceof Map) return there
  const made: Fields = new Map()
  fields.set(name, made)
  return made
}

function objectOf(fields: Fields): Value {
  return { v: 'object', props: Object.fromEntries([...fields].map(([name, x]) => [name, x instanceof Map ? objectOf(x) : x])) }
}
