import * as v from 'valibot'
import type { LayersReport } from '../../database/isolation/report.ts'
import type { BrokerPort, BrokerPorts } from './protocol.ts'
import { auditedSchema } from './report-schema.ts'

const number = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const sha = v.pipe(v.string(), v.regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/))
const commit = v.pipe(v.string(), v.nonEmpty(), v.maxLength(300))
const key = v.pipe(v.string(), v.regex(/^(replay:[0-9a-f]{64}|[0-9a-f]{40,64}:.{1,10000})$/s))
const names = v.pipe(v.array(v.pipe(v.string(), v.nonEmpty(), v.maxLength(500))), v.maxLength(200_000))

/** The argument of each question. */
const ARGUMENTS = {
  snapshot: commit,
  read: v.pipe(v.array(sha), v.maxLength(1000)),
  mergeBase: v.strictTuple([commit, commit]),
  envFileHistory: commit,
  getFacts: v.pipe(v.array(key), v.maxLength(5000)),
  // the store takes values of 4 MiB
  putFacts: v.pipe(v.array(v.strictTuple([key, v.pipe(v.string(), v.maxLength(4 << 20), v.regex(/^[\w+/=]*$/))])), v.maxLength(100_000)),
  advisories: names,
  // a project reference becomes a part of a URL
  hosted: v.pipe(v.array(v.pipe(v.string(), v.regex(/^[a-z]{20}$/))), v.maxLength(3)),
} satisfies { [P in BrokerPort]: v.GenericSchema<unknown, BrokerPorts[P]> }

const ports = Object.keys(ARGUMENTS) as [BrokerPort, ...BrokerPort[]]

const elsewhere = v.union([v.boolean(), v.literal('see the log of the service')])
const layers = v.strictObject({
  wasmGate: v.boolean(),
  flags: v.boolean(),
  builtins: v.boolean(),
  namespaces: elsewhere,
  otherUser: elsewhere,
  service: v.picklist(['not used', 'answers', 'does not answer']),
  because: v.exactOptional(v.pipe(v.string(), v.maxLength(2000))),
}) satisfies v.GenericSchema<unknown, LayersReport>

/** What may be said at all. The argument of a question and the result of an audit are looked at by themselves, once it is known whose they are. */
const messageSchema = v.variant('type', [
  v.strictObject({ type: v.literal('ask'), audit: number, id: number, port: v.picklist(ports), argument: v.unknown() }),
  v.strictObject({ type: v.literal('done'), audit: number, result: v.unknown() }),
  v.strictObject({
    type: v.literal('failed'),
    audit: number,
    message: v.pipe(v.string(), v.maxLength(10_000)),
    asked: v.exactOptional(number),
    forUsers: v.exactOptional(v.boolean()),
    stack: v.exactOptional(v.pipe(v.string(), v.maxLength(100_000))),
  }),
  v.strictObject({ type: v.literal('pong') }),
  v.strictObject({ type: v.literal('layers'), report: layers }),
])

export type Said = v.InferOutput<typeof messageSchema>

/** Something that no auditor of ours says; the message tells what. */
export class Violation extends Error {
  override readonly name = 'Violation'
}

/** The message as it was announced. Throws `Violation`. */
export function readMessage(message: unknown): Said {
  return checked(messageSchema, message, 'a message')
}

/** The argument of a question to a port. Throws `Violation`. */
export function readArgument<P extends BrokerPort>(port: P, argument: unknown): BrokerPorts[P] {
  return checked(ARGUMENTS[port] as unknown as v.GenericSchema<unknown, BrokerPorts[P]>, argument, `the argument of ${port}`)
}

/** The result of an audit. Throws `Violation`. */
export function readResult(result: unknown): v.InferOutput<typeof auditedSchema> {
  return checked(auditedSchema, result, 'the result')
}

function checked<T>(schema: v.GenericSchema<unknown, T>, value: unknown, what: string): T {
  const { success, output, issues } = v.safeParse(schema, value, { abortEarly: true })
  if (success) return output
  // The path names our own members; what the other side wrote stays out.
  const path = issues[0] ? v.getDotPath(issues[0]) : null
  throw new Violation(`${what} has another shape${path ? ` at ${path.slice(0, 100)}` : ''}`)
}
