import type { Expr, JavaScriptFacts } from '../../../facts/javascript.ts'
import { expressions, stringOf } from '../../frameworks/walk.ts'
import type { SchemaModel } from '../../schema/schema-model.ts'

/** Columns that say whether somebody has paid. */
export const STATE_COLUMN =
  /status|state|plan|tier|(^|_)(active|paid|premium|pro|subscribed|subscriber|access|past_due|grace|delinquent|payment_failed|valid|expires|ends?)(_|$)|(_at|_until|_end)$/i

type Schema = Pick<SchemaModel, 'policies' | 'functions' | 'views'>

/**
 * False when the repository reads the table through the platform's client, and never one of the columns: no query outside `webhookPath`
 * takes them or filters by them, nothing subscribes to changes, no SQL looks at them. A table that nothing here reads is read elsewhere.
 */
export function isRead(table: string, columns: readonly string[], webhookPath: string, sources: ReadonlyMap<string, JavaScriptFacts>, schema: Schema): boolean {
  const bare = table.replace(/^public\./, '').replace(/[^\w]/g, '.')
  const name = new RegExp(`\\b${bare}\\b`, 'i')
  const selected = new RegExp(`\\b(?:from|join)\\s+(?:only\\s+)?(?:"?public"?\\.)?"?${bare}\\b`, 'i')
  const deleted = new RegExp(`\\bdelete\\s+from\\s+(?:"?public"?\\.)?"?${bare}\\b`, 'gi')
  const ofRow = new RegExp(`\\bnew\\."?(?:${columns.map((c) => c.replace(/[^\w]/g, '.')).join('|')})\\b`, 'i')
  const inSql =
    schema.policies.some((p) => p.table === table && columns.some((c) => `${p.using ?? ''} ${p.check ?? ''}`.includes(c))) ||
    schema.policies.some((p) => p.table !== table && name.test(`${p.using ?? ''} ${p.check ?? ''}`)) ||
    schema.functions.some((f) => selected.test(f.body.replace(deleted, '')) || (f.isTrigger && ofRow.test(f.body))) ||
    schema.views.some((v) => name.test(v.definition))
  if (inSql) return true
  let others = false
  for (const [path, js] of sources) {
    if (path === webhookPath) continue
    for (const fn of js.functions) {
      for (const e of expressions(fn)) {
        const reads = readsColumn(e, table, name, columns)
        if (reads) return true
        others ||= reads === false
      }
    }
  }
  return !others
}

const ROW_WRITES = new Set(['insert', 'update', 'upsert', 'delete'])

/** Undefined for what does not read the table at all. */
function readsColumn(e: Expr, table: string, name: RegExp, columns: readonly string[]): boolean | undefined {
  // `.on('postgres_changes', { table })`
  if (e.k === 'obj') return e.props.some((p) => p.key === 'table' && stringOf(p.value) === table) || undefined
  if (e.k !== 'call' || e.fn.k !== 'mem') return undefined
  const first = e.args[0] && stringOf(e.args[0])
  // Another table's query that embeds this one.
  if (e.fn.name === 'select' && first && name.test(first)) return true
  const chain = chainOf(e)
  if (chain.table !== table || !chain.methods.includes('select') || chain.methods.some((m) => ROW_WRITES.has(m))) return undefined
  const taken = e.fn.name === 'select' && (first === undefined || first.includes('*'))
  return taken || (first !== undefined && columns.some((c) => first.includes(c)))
}

/** The methods below a call of a query, and the table that it starts from. */
function chainOf(e: Expr): { readonly table?: string; readonly methods: readonly string[] } {
  const methods: string[] = []
  let at: Expr = e
  for (let n = 0; n < 40 && at.k === 'call' && at.fn.k === 'mem'; n++) {
    if (at.fn.name === 'from') {
      const table = at.args[0] && stringOf(at.args[0])
      return { methods, ...(table ? { table } : {}) }
    }
    methods.push(at.fn.name)
    at = at.fn.of
  }
  return { methods }
}
