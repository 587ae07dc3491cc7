import { mentions } from '../../behaviour/domain/contains.ts'
import type { Step } from '../../behaviour/types.ts'
import type { Work } from './operation-model.ts'

/** What speaks to the people who run the application, or keeps a record for them. */
const TELLS: ReadonlySet<Work['kind']> = new Set(['mail', 'sms', 'insert', 'paid-api', 'rpc'])

/**
 * What the application tells its own people of an exception that it caught: mail to an address of the environment, a row about the error. Nobody asks
 * for that, and it says nothing of who may call the handler. What middleware tells of an exception behind it is no work of the handler at all.
 */
export function tellsOfException({ effect: e, under, before }: Step, { kind, chosen }: Pick<Work, 'kind' | 'chosen'>): boolean {
  const caught = under.some((c) => !c.negated && c.test.v === 'error' && c.test.of === -1)
  if (!caught) return false
  if (before && TELLS.has(kind) && !chosen) return true
  if (e.kind === 'db') return e.op === 'insert' && e.payload !== undefined && mentions(e.payload, (x) => x.v === 'error' && x.of === -1)
  if (e.kind !== 'mail' && e.kind !== 'sms') return false
  const [message] = e.args
  const to = message?.v === 'object' ? message.props.to : undefined
  return to !== undefined && !mentions(to, (x) => x.v === 'request' || x.v === 'row' || x.v === 'caller' || x.v === 'unknown')
}
