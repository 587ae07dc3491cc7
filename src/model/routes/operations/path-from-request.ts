import { mentions } from '../../behaviour/domain/contains.ts'
import type { Condition, Value } from '../../behaviour/types.ts'

type Sent = Extract<Value, { v: 'request' }>

/** Calls that give what stands in a file of the server's disk. */
const FILE_READ_CALL = /(?:^|\.)(?:readFile|readFileSync|createReadStream)$/

/** What of a path leads on as it came; a base name, a new name and whatever else is made of it lead nowhere. */
const LEADS_ON = /^(?:join|resolve|normalize|decodeURIComponent)$/

/** What of the request stands in a path as it came. */
export function givenName(value: Value, depth = 0): Sent | undefined {
  if (depth > 6) return undefined
  // parsers of uploads for Express leave the base name alone and make up `filename`; the Fetch API's forms give the name as it was sent
  if (value.v === 'request') return !value.as && (value.part !== 'form' || /\.name$/.test(value.name ?? '')) && value.part !== 'ip' ? value : undefined
  const parts: Value[] = []
  if (value.v === 'call' && LEADS_ON.test(value.name)) parts.push(...value.args)
  if (value.v === 'text') parts.push(...value.parts)
  if (value.v === 'any') parts.push(...value.of)
  for (const part of parts) {
    const found = givenName(part, depth + 1)
    if (found) return found
  }
  return undefined
}

/**
 * The part of the request that says which file of the server's disk is read: any of them, the settings and keys too, since `../` leads out of every
 * folder. A name in front of an ending that the code gives (`${slug}.md`) finds only files of that kind, and a name that was asked about (a list, a
 * pattern, where the path begins) is left to that.
 */
export function fileReadByName(call: string, args: readonly Value[], under: readonly Condition[]): Sent | undefined {
  const named = FILE_READ_CALL.test(call) && args[0] ? nameAtEnd(args[0], 0) : undefined
  return named && !under.some((c) => asksAbout(c.test, named)) ? named : undefined
}

function nameAtEnd(path: Value, depth: number): Sent | undefined {
  if (depth > 6) return undefined
  const last = path.v === 'text' ? path.parts.at(-1) : path.v === 'call' && LEADS_ON.test(path.name) ? path.args.at(-1) : undefined
  if (last) return nameAtEnd(last, depth + 1)
  if (path.v === 'any') return path.of.map((x) => nameAtEnd(x, depth + 1)).find((x) => x !== undefined)
  return path.v === 'request' && !path.as && /^(?:body|query|params|form)$/.test(path.part) ? path : undefined
}

/** Whether a test looks at what the name says, and not only whether it is there and a text. */
function asksAbout(test: Value, named: Sent): boolean {
  const isName = (x: Value) => x.v === 'request' && x.part === named.part && x.name === named.name
  if (isName(test)) return false
  if (test.v === 'op') {
    if (test.op === '!' || test.op === '&&' || test.op === '||') return test.of.some((x) => asksAbout(x, named))
    if (test.of.some((x) => x.v === 'op' && /^(?:typeof|length)$/.test(x.op))) return false
  }
  return mentions(test, isName)
}
