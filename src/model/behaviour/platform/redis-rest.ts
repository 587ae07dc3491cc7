import { constantString, type Val } from '../domain/abstract-value.ts'

/** Where a platform says how Redis is reached over HTTP (https://upstash.com/docs/redis/features/restapi, Vercel KV). */
const REST_ADDRESS = /redis|upstash|(?:^|_)kv_rest/i
const COMMAND = /^\/?(pipeline|multi-exec|[a-z]{3,20})(?:[/?]|$)/i

/**
 * The command of a request to Redis over HTTP, where the address stands in the environment: `${UPSTASH_REDIS_REST_URL}/incr/key`, or the address alone
 * with `["INCR", key]` as its body. Such a store is the application's own, however it is reached.
 */
export function redisCommand([url, options]: readonly Val[]): string | undefined {
  const parts = url?.v === 'text' ? url.parts : url ? [url] : []
  const [address, path] = parts
  if (address?.v !== 'env' || !REST_ADDRESS.test(address.name)) return undefined
  const named = COMMAND.exec((path && constantString(path)) ?? '')?.[1]?.toLowerCase()
  if (named && named !== 'pipeline' && named !== 'multi-exec') return named
  const body = options?.v === 'object' ? options.props.body : undefined
  return (body && firstWord(body, 0)?.toLowerCase()) ?? named ?? 'command'
}

/** The first text of a list of commands, or of what it is written as. */
function firstWord(value: Val, depth: number): string | undefined {
  if (depth > 4) return undefined
  const text = constantString(value)
  if (text !== undefined) return text
  const inner = value.v === 'array' ? value.items[0] : value.v === 'call' ? value.args[0] : undefined
  return inner && firstWord(inner, depth + 1)
}
