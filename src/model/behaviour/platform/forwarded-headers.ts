import type { Val } from '../domain/abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'

/** Under which name the headers of a request keep what code has set there. */
export const headerSlot = (name: string): string => `$${name.toLowerCase()}`

/** Middleware lets the request go on with headers of its own making: `NextResponse.next({ request: { headers } })`, or as it came. */
export function forwardHeaders(it: Interpreter, options: Val | undefined): void {
  if (!it.beforeHandler) return
  const request = options?.v === 'object' ? options.props.request : undefined
  const headers = request?.v === 'object' ? request.props.headers : undefined
  it.forwarded.push(headers?.v === 'host' && headers.host === 'headers' ? new Map([...(headers.props.parent?.vars ?? []), ...headers.props.vars]) : undefined)
}

/** What every way through the middleware has put into a header, whoever sent one of that name; undefined where some way leaves it as it came. */
export function forwardedHeader(it: Interpreter, name: string | undefined): Val | undefined {
  if (name === undefined || it.beforeHandler || !it.forwarded.length) return undefined
  const values = it.forwarded.map((headers) => headers?.get(headerSlot(name)))
  if (values.some((v) => v === undefined)) return undefined
  const known = values as readonly Val[]
  return known.length === 1 ? known[0] : it.alternatives(known.map((value) => ({ value, under: [] })))
}
