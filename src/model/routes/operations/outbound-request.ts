import { formFields } from '../../behaviour/platform/form-encoding.ts'
import type { Value } from '../../behaviour/types.ts'

/** The method that the options of a request say, as they write it. */
export const methodOf = (options: Value | undefined): string =>
  options?.v === 'object' && options.props.method?.v === 'const' ? String(options.props.method.value) : 'GET'

/** What is sent, before it becomes text. */
export function sentBody(options: Value): Value {
  const body = options.v === 'object' ? (options.props.body ?? options) : options
  return formFields(body.v === 'call' && body.args[0] ? body.args[0] : body)
}

/** The variable that an address comes from, a fallback beside it or not. */
export function envOf(v: Value | undefined): string | undefined {
  if (v?.v === 'env') return v.name
  return v?.v === 'any' ? v.of.map(envOf).find((name) => name !== undefined) : undefined
}

/** The constant parts of an address, in order; of those for a trial and for the real thing the first. */
export function constantText(v: Value | undefined): string {
  if (v?.v === 'const') return typeof v.value === 'string' ? v.value : ''
  if (v?.v === 'text') return v.parts.map(constantText).join('')
  if (v?.v === 'any') return v.of.map(constantText).find((text) => text !== '') ?? ''
  if (isUrlObject(v)) return v.args.slice(0, URL_PARAMETERS).reverse().map(constantText).join('')
  return v?.v === 'op' && v.op === '+' ? v.of.map(constantText).join('') : ''
}

/** A URL that was made of an address, its base, and what was written into its query. */
export const isUrlObject = (v: Value | undefined): v is Extract<Value, { v: 'call' }> => v?.v === 'call' && v.name === 'URL'
/** Where among its arguments that is. */
export const URL_PARAMETERS = 2

/** The address itself, whether the object, its `href` or a text made of it is asked. */
export const urlIn = (v: Value): Value => (v.v === 'call' && /^(?:href|String)$/.test(v.name) && isUrlObject(v.args[0]) ? v.args[0] : v)

/** The host that an address begins with, where the code says it. */
export function constantHost(v: Value | undefined): string | undefined {
  const text = leading(v)
  const m = text === undefined ? null : /^https?:\/\/([^/?#:\s]+)/i.exec(text)
  return m?.[1]
}

function leading(v: Value | undefined): string | undefined {
  if (!v) return undefined
  if (v.v === 'const') return typeof v.value === 'string' ? v.value : undefined
  if (v.v === 'text') return leading(v.parts[0])
  if (v.v === 'op' && v.op === '+') return leading(v.of[0])
  if (v.v === 'any') return v.of.map(leading).find((x) => x !== undefined)
  if (isUrlObject(v))
    return v.args
      .slice(0, URL_PARAMETERS)
      .map(leading)
      .find((x) => x?.startsWith('http'))
  return undefined
}
