import type { FactsIndex } from '../../facts/facts.ts'
import type { Expr, JavaScriptFacts } from '../../facts/javascript.ts'
import type { SqlFacts } from '../../facts/kinds.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { collectByFile, together, unlessEmpty } from '../../lib/memo/collect-by-file.ts'
import { withoutSqlComments } from '../../lib/sql-comments.ts'

/** What the platform keeps for itself, whoever may use it. */
const PLATFORM_SCHEMA =
  /^(?:auth|storage|realtime|vault|cron|net|extensions|graphql(?:_public)?|supabase_\w+|pgsodium\w*|pgbouncer|pg_\w+|information_schema|public)$/

/**
 * Schemas besides `public` in which code asks the data API, and which the SQL opens to browsers: the API answers only for schemas that it
 * exposes, whoever asks, so these are exposed although no configuration in the repository says so.
 */
export function clientSchemas(facts: FactsIndex): ReadonlySet<string> {
  const open = openedSchemas(facts)
  if (!open.size) return open
  const asked = new Set(together(schemasByFile(facts.of('javascript'))))
  return new Set([...open].filter((s) => asked.has(s)))
}

/** Schemas that the SQL lets the API's roles for browsers use; on the platform a new schema is closed to them. */
export const openedSchemas = (facts: FactsIndex): ReadonlySet<string> => new Set(together(openedByFile(facts.of('sql'))))

const openedByFile = collectByFile((_, file: SqlFacts) => {
  const open: string[] = []
  const text = withoutSqlComments(file.text)
  for (const m of text.matchAll(/\bon\s+schema\s/gi)) {
    const before = text.slice(Math.max(0, m.index - 80), m.index)
    if (!/\bgrant\s[\w\s,]{0,60}$/i.test(before)) continue
    const [named = '', roles = ''] =
      text
        .slice(m.index + m[0].length, m.index + 400)
        .split(';', 1)[0]
        ?.split(/\bto\b/i) ?? []
    if (!/\b(?:anon|authenticated|public)\b/i.test(roles)) continue
    for (const name of named.split(',').map((n) => n.trim().replace(/^"|"$/g, ''))) if (/^\w+$/.test(name) && !PLATFORM_SCHEMA.test(name)) open.push(name)
  }
  return unlessEmpty(open)
})

/** `client.schema('app')` and `createClient(url, key, { db: { schema: 'app' } })`. */
const schemasByFile = collectByCodeFile((_, file: JavaScriptFacts) => unlessEmpty([...namedIn(file)]))

function namedIn(file: JavaScriptFacts): ReadonlySet<string> {
  const names = new Set<string>()
  const stack: unknown[] = [file.functions, file.exports]
  while (stack.length) {
    const node = stack.pop()
    if (!node || typeof node !== 'object') continue
    const name = Array.isArray(node) ? undefined : schemaOf(node as Expr)
    if (name !== undefined) names.add(name)
    for (const value of Object.values(node)) if (value && typeof value === 'object') stack.push(value)
  }
  return names
}

function schemaOf(node: Expr): string | undefined {
  if (node.k === 'call') return node.fn.k === 'mem' && node.fn.name === 'schema' && node.args.length === 1 ? text(node.args[0]) : undefined
  if (node.k !== 'obj') return undefined
  const db = node.props.find((p) => p.key === 'db')?.value
  return db?.k === 'obj' ? text(db.props.find((p) => p.key === 'schema')?.value) : undefined
}

const text = (e: Expr | undefined): string | undefined => (e?.k === 'lit' && typeof e.v === 'string' ? e.v : undefined)
