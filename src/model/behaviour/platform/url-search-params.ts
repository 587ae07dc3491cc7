import { type ChainVal, constantString, object, UNDEFINED, UNKNOWN, type Val } from '../domain/abstract-value.ts'

type CallVal = Extract<Val, { v: 'call' }>

/** Where a URL that was made keeps what was written into its query afterwards, behind the address and its base. */
const PARAMETERS = 2

const isUrl = (of: Val): of is CallVal => of.v === 'call' && of.name === 'URL'

/**
 * `url.searchParams.set('key', key)` of a URL that the code made: the parameters with one more, undefined for anything else. One under a name that is not known
 * may be any of them.
 */
export function parametersWith({ root, links }: ChainVal, method: string, [key, value]: readonly Val[]): Val | undefined {
  if ((method !== 'set' && method !== 'append') || !isUrl(root) || links.length !== 1 || links[0]?.name !== 'searchParams' || links[0].args) return undefined
  const written = root.args[PARAMETERS]
  const before = written?.v === 'object' ? written : object({})
  const name = constantString(key)
  const fields = name === undefined ? { ...before, rest: value ?? UNKNOWN } : { ...before, props: { ...before.props, [name]: value ?? UNDEFINED } }
  return { v: 'call', name: 'URLSearchParams', args: [fields] }
}

/** The URL once its parameters are these. */
export function urlWith(url: Val, parameters: Val): Val | undefined {
  if (!isUrl(url) || parameters.v !== 'call' || parameters.name !== 'URLSearchParams' || !parameters.args[0]) return undefined
  const [address = UNDEFINED, base = UNDEFINED] = url.args
  return { ...url, args: [address, base, parameters.args[0]] }
}
