import type { HostVal, Val } from '../domain/abstract-value.ts'
import { Scope } from '../domain/abstract-value.ts'
import type { Value } from '../types.ts'

/** What of a request something is. */
export type Part = Extract<Value, { v: 'request' }>['part']

/** An object of a framework; `props` holds what the code puts on it. */
export function host(name: string, part?: Part, props: Record<string, Val> = {}): HostVal {
  const scope = new Scope('')
  for (const [n, v] of Object.entries(props)) scope.vars.set(n, v)
  return part ? { v: 'host', host: name, props: scope, part } : { v: 'host', host: name, props: scope }
}
