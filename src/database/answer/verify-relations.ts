import { called } from './accounts.ts'
import { type Grounds, PLATFORM_SCHEMAS, takesAlong } from './grounds.ts'
import { type Doing, isOf, type Sent } from './sent.ts'

/** What is wrong with the tables and views that were told, in a sentence; undefined when they can stem from the SQL. */
export function wrongRelation(g: Grounds): string | undefined {
  const { sent, told } = g
  const missing = sent.doing('create relation').filter((s) => !isAccountedFor(g, s))
  if (missing.length) return `what ${missing.slice(0, MAX_NAMED).map(called).join(', ')} creates is not in the catalog, and nothing that was sent takes it away`
  const switching = rowSecurity(g)
  for (const table of told.catalog.tables) {
    const name = `${table.schema}.${table.name}`
    const wrong =
      switching(table) ??
      (table.extension !== undefined && !isBroughtAlong(g, table.name, table.extension)
        ? `the table ${name} belongs to an extension that the SQL does not bring`
        : undefined) ??
      (table.outlined && !sent.input.files.some((f) => f.role === 'outline' && f.path === table.at.path)
        ? `the table ${name} is told as one of an export`
        : undefined) ??
      (isElsewhere(g, table) ? `the table ${name} is told at ${table.at.path}:${table.at.line}, where it is not created` : undefined)
    if (wrong) return wrong
  }
  for (const view of told.catalog.views) {
    if (view.securityInvoker && !mayInvoke(g, view.name))
      return `the view ${view.schema}.${view.name} runs with the rights of its reader, which no statement says`
  }
  return undefined
}

function isAccountedFor(g: Grounds, s: Doing<'create relation'>): boolean {
  const { name, what, isPart } = s.read
  if (g.hasRelation(name, s)) return true
  const { sent } = g
  const names = sent.aliases(name.name)
  if (s.file.role === 'outline' || g.isDoubtful([what], names) || g.mayBeRefused(name, s)) return true
  if (g.accounts.isLeftOut(s) && sent.creating(name.name).some((o) => o.position !== s.position)) return true
  if (g.isDropped(s, ['table', 'view', 'type'], names, name.schema ?? 'public')) return true
  // a view goes with what it reads, which others read in turn; a part of a table with the whole
  if ((what === 'view' || isPart) && sent.statements.some((d) => (takesAlong(d) || (isPart && d.read.does === 'drop')) && g.order.isLater(d, s))) return true
  if (names.some((n) => sent.opaque.canTo(what === 'view' ? 'dropView' : 'dropTable', n) || sent.opaque.canTo('rename', n))) return true
  // the name was taken by something else
  if (sent.creating(name.name).some((o) => o.read.does === 'create')) return true
  return name.schema === undefined ? false : PLATFORM_SCHEMAS.has(name.schema)
}

/** Statements that one sentence names at most. */
const MAX_NAMED = 5

/** Row level security that is on must have been switched on: by name, by text that is not read, or by the sandbox, which says so. */
function rowSecurity(g: Grounds): (table: (typeof g.told.catalog.tables)[number]) => string | undefined {
  const { sent, told } = g
  const statements = new Map<string, ReturnType<typeof switches>>()
  for (const s of switches(g)) for (const n of sent.aliases(s.read.name.name)) statements.set(n, [...(statements.get(n) ?? []), s])
  const anyhow = sent.opaque.can('rls')
  const withPolicies = new Set(told.catalog.policies.map((p) => `${p.schema}.${p.table}`))
  return (table) => {
    const { rls } = table
    const name = `${table.schema}.${table.name}`
    if (rls.assumed && !((table.stub || table.outlined) && rls.enabled && withPolicies.has(name)))
      return `row level security of ${name} is assumed without a reason`
    if (!rls.enabled || rls.assumed || anyhow) return undefined
    const own = statements.get(table.name) ?? []
    if (!own.some((s) => s.read.rls === 'enable')) return `row level security of ${name} is told as switched on, which no statement does`
    const off = own.find((s) => s.read.rls === 'disable' && isLast(g, s, own) && isAfterItsTable(g, s) && g.accounts.of(s) !== 'skipped')
    if (off && !g.isDoubtful(['rls'], sent.aliases(table.name)) && !g.hasGap(off))
      return `row level security of ${name} is told as switched on after ${called(off)}`
    if (rls.at && !own.some((s) => isOf(rls.at as NonNullable<typeof rls.at>, s)))
      return `row level security of ${name} is told to change at ${rls.at.path}:${rls.at.line}, which does not speak of it`
    return undefined
  }
}

const switches = (g: Grounds) => g.sent.possiblyDoing('alter table').filter((s) => s.read.rls !== undefined)

function isLast(g: Grounds, s: Sent, own: readonly Sent[]): boolean {
  return own.every((o) => o === s || !g.order.isLater(o, s))
}

/** What speaks of a table that comes later may have found none. */
function isAfterItsTable(g: Grounds, s: ReturnType<typeof switches>[number]): boolean {
  return g.sent.creating(s.read.name.name).every((c) => !g.order.isLater(c, s))
}

/** Tables of extensions are made by CREATE EXTENSION alone. */
function isBroughtAlong(g: Grounds, table: string, extension: string): boolean {
  if (table === 'spatial_ref_sys') return true
  return (
    !g.sent.creating(table).some((s) => s.read.does === 'create relation') &&
    g.sent.statements.some((s) => s.text.toLowerCase().includes(extension.toLowerCase()))
  )
}

/** Of a table that is created by name, and by nothing that is not read: whether it is told at another place. */
function isElsewhere(g: Grounds, table: Grounds['told']['catalog']['tables'][number]): boolean {
  if (table.stub || table.extension !== undefined || g.sent.opaque.can('createTable')) return false
  const creating = g.sent
    .aliases(table.name)
    .flatMap((n) => g.sent.creating(n))
    .filter((s) => s.read.does === 'create relation')
  return creating.length > 0 && !creating.some((s) => isOf(table.at, s))
}

function mayInvoke(g: Grounds, view: string): boolean {
  if (g.sent.opaque.can('invoker')) return true
  const names = g.sent.aliases(view)
  return g.sent.statements.some((s) => /\bsecurity_invoker\b/i.test(s.text) && names.some((n) => s.text.toLowerCase().includes(n.toLowerCase())))
}
