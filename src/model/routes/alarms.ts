import type { Step } from '../behaviour/behaviour.ts'
import { mentions } from '../behaviour/mentions.ts'

/**
 * What the application tells its own people of an exception that it caught: mail to an address of the environment, a row about the error. Nobody asks
 * for that, and it says nothing of who may call the handler.
 */
export function tellsOfException({ effect: e, under }: Step): boolean {
  const caught = under.some((c) => !c.negated && c.test.v === 'error' && c.test.of === -1)
  if (!caught) return false
  if (e.kind === 'db') return e.op === 'insert' && e.payload !== undefined && mentions(e.payload, (x) => x.v === 'error' && x.of === -1)
  if (e.kind !== 'mail' && e.kind !== 'sms') return false
  const [message] = e.args
  const to = message?.v === 'object' ? message.props.to : undefined
  return to !== undefined && !mentions(to, (x) => x.v === 'request' || x.v === 'row' || x.v === 'caller' || x.v === 'unknown')
}
