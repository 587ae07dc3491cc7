import type { Policy } from '../database.ts'
import { called } from './accounts.ts'
import { type Grounds, PLATFORM_SCHEMAS } from './grounds.ts'
import type { PolicyRead } from './read-statement.ts'
import { type Doing, isOf, type Sent } from './sent.ts'
import { type Token, tokensOf } from './tokens.ts'

/** What is wrong with the policies that were told, in a sentence; undefined when they can stem from the SQL. */
export function wrongPolicy(g: Grounds): string | undefined {
  const { sent, told } = g
  const made = new Map<string, Doing<'create policy'>[]>()
  for (const s of sent.possiblyDoing('create policy')) {
    const { name, table } = s.read.policy
    for (const t of sent.aliases(table.name)) for (const n of sent.aliases(name)) made.set(keyOf(t, n), [...(made.get(keyOf(t, n)) ?? []), s])
  }
  const known = new Set(told.catalog.policies.map((p) => keyOf(p.table, p.name)))
  for (const s of sent.doing('create policy')) {
    const { name, table } = s.read.policy
    if (sent.aliases(table.name).some((t) => sent.aliases(name).some((n) => known.has(keyOf(t, n))))) continue
    if (!mayBeGone(g, s)) return `the policy of ${called(s)} is not in the catalog, and nothing that was sent takes it away`
  }
  for (const p of told.catalog.policies) {
    const wrong = wrongDefinition(g, p, made.get(keyOf(p.table, p.name)) ?? [])
    if (wrong) return `the policy "${p.name}" of ${p.schema}.${p.table} ${wrong}`
  }
  return undefined
}

const keyOf = (table: string, policy: string): string => `${table}\0${policy}`

function mayBeGone(g: Grounds, s: Doing<'create policy'>): boolean {
  const { sent } = g
  const { name, table } = s.read.policy
  const tables = sent.aliases(table.name)
  if (s.file.role === 'outline' || g.isDoubtful(['policy', 'table'], tables) || g.accounts.isLeftOut(s)) return true
  if ([...sent.aliases(name), ...tables].some((n) => sent.opaque.canTo('dropPolicy', n)) || sent.opaque.can('rename')) return true
  const drops = sent.possiblyDoing('drop').filter((d) => d.read.what === 'policy' && d.read.on && tables.includes(d.read.on.name))
  if (drops.some((d) => g.order.isLater(d, s) && d.read.names.some((n) => sent.aliases(name).includes(n.name)))) return true
  if (drops.length && isRetyped(g, s, tables)) return true
  if (g.isTakenAlong(s) || g.isDropped(s, ['table', 'view'], tables, table.schema ?? 'public')) return true
  if (tables.some((t) => sent.creating(t).some((c) => isMadeAnew(g, s, c)))) return true
  return PLATFORM_SCHEMAS.has(table.schema ?? '') && g.mayBeRefused(table, s)
}

/** A policy that keeps a column from getting another type goes early where later statements take policies of the table away. */
function isRetyped(g: Grounds, s: Doing<'create policy'>, tables: readonly string[]): boolean {
  return g.sent.possiblyDoing('alter table').some((a) => tables.includes(a.read.name.name) && /\btype\b/i.test(a.text) && g.order.isLater(a, s))
}

/** A later migration that creates the table as something new starts without the policies of before. */
function isMadeAnew(g: Grounds, s: Doing<'create policy'>, c: Sent): boolean {
  if (c.read.does !== 'create relation' || c.read.ifNotExists || c.file.role !== 'migration') return false
  return c.position !== s.position && g.order.isLater(c, s)
}

function wrongDefinition(g: Grounds, p: Policy, made: readonly Doing<'create policy'>[]): string | undefined {
  const { sent } = g
  const isOpaque = sent.opaque.canTo('policy', p.name)
  if (!made.length) return isOpaque || p.at.path === '' ? undefined : 'is made by no statement'
  if (isOpaque) return undefined
  const isAltered = sent.statements.some((s) => (s.read.does === 'alter' || s.read.does === 'rename') && /^\s*alter\s+policy\b/i.test(s.text))
  if (!isAltered && !made.some((s) => isOf(p.at, s))) return `is told at ${p.at.path}:${p.at.line}, where it is not made`
  return made.some((s) => fits(g, p, s.read.policy, isAltered)) ? undefined : `is not what ${called(made[0] as Doing<'create policy'>)} says`
}

function fits(g: Grounds, p: Policy, written: PolicyRead, isAltered: boolean): boolean {
  if (p.command !== written.command || p.permissive !== written.permissive) return false
  if (isAltered) return true
  const roles = written.roles.length && !written.roles.includes('public') ? written.roles : ['public']
  const same = roles.some((r) => /^(?:current|session)_/.test(r)) || (roles.every((r) => p.roles.includes(r)) && p.roles.every((r) => roles.includes(r)))
  return same && fitsCondition(g, p.using, written.using) && fitsCondition(g, p.check, written.check)
}

/** Whether a deparsed condition can be a written one: what is always true stays so, and no function is asked that is not written. */
function fitsCondition(g: Grounds, told: string | undefined, written: readonly Token[] | undefined): boolean {
  if (told === undefined || written === undefined) return told === written
  const significant = written.filter((t) => t.kind !== 'other' || (t.text !== '(' && t.text !== ')'))
  if (significant.length === 1 && significant[0]?.kind === 'word' && significant[0].text === 'true') return told === 'true'
  if (g.sent.opaque.can('rename')) return true
  const words = new Set(written.filter((t) => t.kind !== 'literal').map((t) => t.text))
  return functionsIn(told).every((f) => g.sent.aliases(f).some((n) => words.has(n)))
}

/** What stands before a parenthesis in deparsed expressions and is no function that somebody wrote. */
const NO_FUNCTION: ReadonlySet<string> = new Set(
  (
    'all and any array as at between bit both bpchar by case cast character char coalesce collate distinct else escape except exists extract filter from ' +
    'geography geometry greatest group having in intersect interval is join lateral least left like like_escape limit materialized not nullif numeric ' +
    'offset on operator or order over overlaps overlay partition position recursive right row rows select similar_to_escape some substring symmetric then ' +
    'time timestamp timezone trim union using values varbit varchar varying vector when where with within xmlexists'
  ).split(' '),
)

function functionsIn(expression: string): readonly string[] {
  const tokens = tokensOf(expression)
  return tokens.flatMap((t, i) => {
    const next = tokens[i + 1]
    return t.kind === 'word' && next?.kind === 'other' && next.text === '(' && !NO_FUNCTION.has(t.text) ? [t.text] : []
  })
}
