import { withoutSqlComments } from '../../../lib/sql-comments.ts'
import type { SqlFunction } from '../../database.ts'
import { bodyInForce } from './current-user-in-definer.ts'

const HTTP_REQUEST_SQL = /\b(?:http|http_post|http_put|http_patch|http_delete|http_get|http_collect_response)\s*\(/i
const STORAGE_OBJECT_URL = /\/storage\/v1\/object\b/i
const CHANGING_HTTP_SQL = /'(?:DELETE|POST|PUT|PATCH)'|\bhttp_(?:post|put|patch|delete)\s*\(/i
const API_CREDENTIAL_SQL = /authorization|apikey|service_role/i
const CALLER_CLAIM_SQL = /\bauth\s*\.\s*(?:uid|jwt|role|email)\s*\(|request\.jwt/i

/**
 * Functions that change files over HTTP with a key of their own, at a place that the caller names, and functions that hand the
 * caller's words to one of them. Row level security of storage.objects is not asked: the key passes it.
 */
export function changesFilesOverHttp(functions: readonly SqlFunction[]): ReadonlySet<SqlFunction> {
  const found = new Set<SqlFunction>()
  for (const fn of functions) {
    const body = withoutSqlComments(fn.body)
    if (
      fn.args.some((a) => isText(a.type)) &&
      HTTP_REQUEST_SQL.test(body) &&
      STORAGE_OBJECT_URL.test(body) &&
      CHANGING_HTTP_SQL.test(body) &&
      API_CREDENTIAL_SQL.test(body) &&
      !CALLER_CLAIM_SQL.test(body)
    )
      found.add(fn)
  }
  if (!found.size) return found
  const names = new Set([...found].map((f) => f.name.toLowerCase()))
  for (const fn of functions) {
    if (found.has(fn) || fn.isTrigger || !fn.args.some((a) => isText(a.type))) continue
    const body = withoutSqlComments(fn.body)
    if (CALLER_CLAIM_SQL.test(body)) continue
    const passes = [...body.matchAll(/\b([a-z_]\w{0,62})\s*\(([^()]{0,400})\)/gi)].some(
      ([, name, given]) =>
        name !== undefined &&
        given !== undefined &&
        names.has(name.toLowerCase()) &&
        fn.args.some((a) => a.name && new RegExp(`\\b${a.name.replace(/\W/g, '')}\\b`, 'i').test(given)),
    )
    if (passes) found.add(fn)
  }
  return found
}

/** What stands in a schema that no browser reaches, and waits there for the server. */
export const QUEUES = 'the queues of pgmq'

const QUEUE_CALL = /\bpgmq\s*\.\s*"?(send|send_batch|read|read_with_poll|pop|delete|archive|set_vt|purge_queue|drop_queue)"?\s*\(([^()]{0,400})\)/gi
/** Any question about who calls, or a refusal of the function's own. */
const REFUSES =
  /\b(?:current_setting|session_user|current_user|current_role|has_role|is_\w{0,20}(?:admin|staff|member|owner)\w{0,10})\b|\braise\s+(?:exception|sqlstate|insufficient_privilege)\b/i

/**
 * What a function does to message queues in the words of whoever calls it: queues stand in a schema of their own, and such functions are the way
 * to them. Written for the server, they answer everybody who may execute them.
 */
export function queueCommands(fn: SqlFunction): readonly ('select' | 'insert' | 'update' | 'delete')[] {
  const body = bodyInForce(fn)
  if (!/\bpgmq\b/i.test(body) || CALLER_CLAIM_SQL.test(body) || REFUSES.test(body)) return []
  const named = (given: string) => fn.args.some((a) => a.name && new RegExp(`\\b${a.name.replace(/\W/g, '')}\\b`, 'i').test(given))
  const shows = !SHOWS_NO_MESSAGE.test(fn.returns)
  const commands = [...body.matchAll(QUEUE_CALL)].flatMap(([, name = '', given = '']) => (named(given) ? commandsOf(name.toLowerCase(), shows) : []))
  return [...new Set(commands)]
}

/** What a call does to a queue: whoever is shown messages reads them, and that they stay hidden from others for a while is the smaller harm. */
function commandsOf(name: string, shows: boolean): readonly ('select' | 'insert' | 'update' | 'delete')[] {
  if (name.startsWith('send')) return ['insert']
  if (name.startsWith('read')) return [shows ? 'select' : 'update']
  if (name === 'set_vt') return ['update']
  return name === 'pop' && shows ? ['select', 'delete'] : ['delete']
}

/** What a function hands back that holds no message: nothing, a number, yes or no. */
const SHOWS_NO_MESSAGE = /^(?:setof )?(?:void|boolean|bigint|integer|smallint|numeric|uuid)$/i

const CRON_SCHEDULE_SQL = /\bcron\s*\.\s*"?schedule"?\s*\(([^()]{0,400})\)/gi

/** Whether a function lets pg_cron run SQL that its caller writes: it then runs with the rights of whom the function belongs to. */
export function schedulesChosenSql(fn: SqlFunction): boolean {
  const body = withoutSqlComments(fn.body)
  if (!/\bcron\b/i.test(body) || CALLER_CLAIM_SQL.test(body) || REFUSES.test(body)) return false
  const texts = fn.args.flatMap((a, i) => (isText(a.type) ? [a.name?.toLowerCase() ?? '', `$${i + 1}`] : []))
  return [...body.matchAll(CRON_SCHEDULE_SQL)].some(([, given = '']) => {
    const command = given
      .split(',')
      .at(-1)
      ?.replace(/^\s*command\s*(?:=>|:=)/i, '')
      .replace(/::\s*\w{1,20}\s*$/, '')
      .replaceAll('"', '')
      .trim()
      .toLowerCase()
    return command !== undefined && command !== '' && texts.includes(command)
  })
}

const isText = (type: string): boolean => /^(?:text|character varying|varchar|citext|name)\b/i.test(type)
