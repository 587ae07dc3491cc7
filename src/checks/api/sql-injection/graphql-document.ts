import { mentions } from '../../../model/behaviour/identity/caller-values.ts'
import type { Effect, Value } from '../../../model/behaviour/types.ts'

/** What a document of GraphQL begins with. */
const DOCUMENT = /^\s{0,200}(?:query|mutation|subscription)\b|^\s{0,200}\{/

/** A document that is sent to a GraphQL API, and whether a key of the server goes with it. */
export interface Document {
  readonly text: Value
  readonly keyed: boolean
}

/** `fetch(url, { headers: { token: process.env.TOKEN }, body: JSON.stringify({ query: `mutation { … ${id} … }` }) })`, `axios.post(url, { query })`. */
export function documentOf(e: Effect): Document | undefined {
  if (e.kind !== 'http') return undefined
  for (const arg of e.args) {
    const body = arg.v === 'object' ? (arg.props.body ?? arg.props.data ?? arg) : undefined
    const sent = body?.v === 'call' && body.name === 'JSON.stringify' ? body.args[0] : body
    const query = sent?.v === 'object' ? sent.props.query : undefined
    const [first] = query?.v === 'text' ? query.parts : []
    if (query?.v === 'text' && first?.v === 'const' && DOCUMENT.test(String(first.value)))
      return { text: { v: 'text', parts: query.parts.filter((p) => !isWritten(p)) }, keyed: e.args.some((a) => mentions(a, isKey)) }
  }
  return undefined
}

/** `value: ${JSON.stringify(name)}`: a string as GraphQL writes it, too. */
const isWritten = (part: Value): boolean => part.v === 'call' && part.name === 'JSON.stringify'

const isKey = (x: Value): boolean => x.v === 'env' && /token|key|secret|password/i.test(x.name)
