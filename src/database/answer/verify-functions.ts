import type { SqlFunction } from '../database.ts'
import { called } from './accounts.ts'
import { type Grounds, PLATFORM_SCHEMAS } from './grounds.ts'
import type { Doing } from './sent.ts'

/** What is wrong with the functions that were told, in a sentence; undefined when they can stem from the SQL. */
export function wrongFunction(g: Grounds): string | undefined {
  const { sent, told } = g
  const made = new Map<string, Doing<'create function'>[]>()
  for (const s of sent.possiblyDoing('create function')) for (const n of sent.aliases(s.read.name.name)) made.set(n, [...(made.get(n) ?? []), s])
  const known = new Set(told.catalog.functions.map((f) => f.name))
  for (const s of sent.doing('create function')) {
    if (sent.aliases(s.read.name.name).some((n) => known.has(n)) || mayBeGone(g, s)) continue
    return `what ${called(s)} creates is not in the catalog, and nothing that was sent takes it away`
  }
  for (const f of told.catalog.functions) {
    const wrong = wrongDefinition(g, f, made.get(f.name) ?? [])
    if (wrong) return `the function ${f.schema}.${f.identity} ${wrong}`
  }
  return undefined
}

/** Functions that extensions bring and that stay theirs when they are replaced. */
const OF_EXTENSIONS =
  /^(?:uuid_|gen_|crypt$|digest$|hmac$|encrypt|decrypt|pgp_|armor$|dearmor$|unaccent|similarity|word_similarity|strict_word|show_|set_limit|moddatetime)/

function mayBeGone(g: Grounds, s: Doing<'create function'>): boolean {
  const { sent } = g
  const { name, inert } = s.read
  const names = sent.aliases(name.name)
  if (inert || s.file.role === 'outline' || OF_EXTENSIONS.test(name.name) || g.isDoubtful(['function'], names)) return true
  if (PLATFORM_SCHEMAS.has(name.schema ?? '') || g.mayBeRefused(name, s) || g.accounts.isLeftOut(s)) return true
  if (g.isDropped(s, ['function', 'procedure', 'routine'], names, name.schema ?? 'public') || g.isTakenAlong(s)) return true
  return names.some((n) => sent.opaque.canTo('dropFunction', n)) || sent.opaque.can('rename')
}

function wrongDefinition(g: Grounds, f: SqlFunction, made: readonly Doing<'create function'>[]): string | undefined {
  if (f.stub || !made.length) return undefined
  const { statements } = g.sent
  const names = g.sent.aliases(f.name).map((n) => n.toLowerCase())
  const altering = statements.filter((s) => s.read.does === 'alter' && names.some((n) => s.text.toLowerCase().includes(n)))
  const texts = [...made, ...altering].map((s) => s.text)
  if (!f.securityDefiner && made.every((s) => s.read.definer) && !altering.some((s) => /\bsecurity\s+invoker\b/i.test(s.text)) && !isOpaque(g, f))
    return `is told without SECURITY DEFINER, which ${called(made[0] as Doing<'create function'>)} says`
  if (f.setsSearchPath && !texts.some((t) => /\bsearch_path\b/i.test(t)) && !g.sent.opaque.can('settings')) return 'sets search_path, which no statement says'
  const bodies = made.map((s) => s.read.body)
  if (bodies.includes(undefined) || bodies.includes(f.body) || isOpaque(g, f) || texts.some((t) => MENDED_TYPES.test(t))) return undefined
  return `has another body than ${called(made[0] as Doing<'create function'>)}`
}

/** Types whose modifiers the engine lacks: the sandbox leaves these out wherever they stand. */
const MENDED_TYPES = /\b(?:geometry|geography|halfvec|vector)\b/i

const isOpaque = (g: Grounds, f: SqlFunction): boolean => g.sent.opaque.canTo('function', f.name)
