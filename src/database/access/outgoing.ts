import { withoutSqlComments } from '../../lib/sql-comments.ts'
import type { SqlFunction } from '../database.ts'

const REQUEST = /\b(?:http|http_post|http_put|http_patch|http_delete|http_get|http_collect_response)\s*\(/i
const STORAGE = /\/storage\/v1\/object\b/i
const CHANGES = /'(?:DELETE|POST|PUT|PATCH)'|\bhttp_(?:post|put|patch|delete)\s*\(/i
const CREDENTIAL = /authorization|apikey|service_role/i
const CALLER = /\bauth\s*\.\s*(?:uid|jwt|role|email)\s*\(|request\.jwt/i

/**
 * Functions that change files over HTTP with a key of their own, at a place that the caller names, and functions that hand the
 * caller's words to one of them. Row level security of storage.objects is not asked: the key passes it.
 */
export function changesFilesOverHttp(functions: readonly SqlFunction[]): ReadonlySet<SqlFunction> {
  const found = new Set<SqlFunction>()
  for (const fn of functions) {
    const body = withoutSqlComments(fn.body)
    if (fn.args.some((a) => isText(a.type)) && REQUEST.test(body) && STORAGE.test(body) && CHANGES.test(body) && CREDENTIAL.test(body) && !CALLER.test(body))
      found.add(fn)
  }
  if (!found.size) return found
  const names = new Set([...found].map((f) => f.name.toLowerCase()))
  for (const fn of functions) {
    if (found.has(fn) || fn.isTrigger || !fn.args.some((a) => isText(a.type))) continue
    const body = withoutSqlComments(fn.body)
    if (CALLER.test(body)) continue
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

const isText = (type: string): boolean => /^(?:text|character varying|varchar|citext|name)\b/i.test(type)
