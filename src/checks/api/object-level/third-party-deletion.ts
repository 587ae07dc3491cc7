import { mentions, requestName } from '../../../model/behaviour/identity/caller-values.ts'
import { type Behaviour, HIDDEN_LITERAL, type Step, type Value } from '../../../model/behaviour/types.ts'
import { callerOf, type OwnershipBreach } from '../shared/violation.ts'

interface Request {
  readonly name: string
  readonly args: readonly Value[]
}

/**
 * What another service keeps for the application is deleted with the application's own key, by an id that the request names:
 * `axios.delete(`https://video.example.com/videos/${id}`, { headers: { AccessKey } })`. Whose it is nobody but the application knows, and it asks nothing.
 */
export function deletedElsewhere(step: Step, e: Request, behaviour: Behaviour): OwnershipBreach[] {
  const [address, options] = e.args
  const id = address?.v === 'text' ? namedInPath(address.parts) : undefined
  if (!id || !deletes(e, options)) return []
  // the answer of a look-up that the caller had a part in says whose it is
  if (behaviour.steps.slice(0, behaviour.steps.indexOf(step)).some((s) => s.effect.kind === 'db' || s.effect.kind === 'rpc' || s.effect.kind === 'kv'))
    return []
  if (e.args.some((a) => mentions(a, (x) => x.v === 'caller' || x.v === 'row' || x.v === 'result')) || !e.args.some((a) => mentions(a, isOwnKey))) return []
  const by = requestName(id) ?? 'a value of the request'
  return [
    {
      kind: 'file',
      severity: 'Critical',
      at: step.at,
      verb: 'delete',
      by,
      callerAs: callerOf(behaviour),
      what: `deletes what ${by} names at another service, with the key of the application`,
    },
  ]
}

/** The part of a path that the request names: it stands behind a slash, and before a query. */
function namedInPath(parts: readonly Value[]): Value | undefined {
  const [first] = parts
  if (first?.v !== 'const' || !/^https:\/\/[^?]+\/$/.test(String(first.value))) return undefined
  return parts[1]?.v === 'request' && (parts[1].part === 'params' || parts[1].part === 'body' || parts[1].part === 'query') ? parts[1] : undefined
}

function deletes({ name }: Request, options: Value | undefined): boolean {
  const method = options?.v === 'object' ? options.props.method : undefined
  return method === undefined ? /(?:^|\.)delete$/.test(name) : method.v === 'const' && /^delete$/i.test(String(method.value))
}

const isOwnKey = (v: Value): boolean => (v.v === 'env' && /key|token|secret/i.test(v.name)) || (v.v === 'call' && v.name.startsWith(HIDDEN_LITERAL))
