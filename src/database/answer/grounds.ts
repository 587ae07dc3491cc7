import { lastPart } from '../../lib/last-part.ts'
import type { DatabaseGap } from '../database.ts'
import type { Accounts } from './accounts.ts'
import type { AppliedOrder } from './order.ts'
import type { ToldResult } from './outcome.ts'
import type { Sent, SentSql } from './sent.ts'
import type { Name } from './tokens.ts'

type Topic = DatabaseGap['touches'][number]['topic']

/** Schemas of the platform, in which a project may do little. */
export const PLATFORM_SCHEMAS: ReadonlySet<string> = new Set([
  'auth',
  'cron',
  'extensions',
  'graphql',
  'graphql_public',
  'information_schema',
  'net',
  'pg_catalog',
  'pg_temp',
  'pg_toast',
  'pgmq',
  'pgsodium',
  'pgsodium_masks',
  'prelaunch',
  'realtime',
  'storage',
  'supabase_functions',
  'supabase_migrations',
  'vault',
])

/** What was told, held against what was sent. */
export class Grounds {
  readonly sent: SentSql
  readonly told: ToldResult
  readonly accounts: Accounts
  readonly order: AppliedOrder
  private readonly touches = new Map<Topic, Set<string>>()
  private readonly gaps = new Map<string, Set<number>>()
  private readonly schemas = new Map<string, Set<string>>()
  private readonly acting: ReadonlySet<number>
  private readonly elsewhere: ReadonlySet<number>
  private readonly movesSchemas: boolean

  constructor(sent: SentSql, told: ToldResult, accounts: Accounts, order: AppliedOrder) {
    this.sent = sent
    this.told = told
    this.accounts = accounts
    this.order = order
    for (const g of told.gaps) {
      if (g.line !== undefined) this.gaps.set(g.path, (this.gaps.get(g.path) ?? new Set()).add(g.line))
      for (const { topic, object } of g.touches)
        this.touches.set(topic, (this.touches.get(topic) ?? new Set()).add(object === undefined ? ANY : lastPart(object)))
    }
    for (const { schema, name } of [...told.catalog.tables, ...told.catalog.views]) this.schemas.set(name, (this.schemas.get(name) ?? new Set()).add(schema))
    const sets = sent.possiblyDoing('set')
    const settings = sent.opaque.can('settings')
    const everywhere = settings ? sent.input.files.map((_, i) => i) : []
    this.acting = new Set([...everywhere, ...sets.flatMap((s) => (s.read.actsAsOther ? [s.position] : []))])
    this.elsewhere = new Set([...everywhere, ...sets.flatMap((s) => (s.read.searchPath ? [s.position] : []))])
    this.movesSchemas = sent.opaque.can('rename') || sent.possiblyDoing('alter table').some((s) => /\bset\s{1,20}schema\b/i.test(s.text))
  }

  /** Whether a gap leaves an object, or everything, in doubt. */
  isDoubtful(topics: readonly Topic[], names: readonly string[]): boolean {
    if (this.touches.has('anything')) return true
    return topics.some((topic) => {
      const known = this.touches.get(topic)
      return known !== undefined && (known.has(ANY) || names.some((n) => known.has(n)))
    })
  }

  /** Whether a gap stands at a statement. */
  hasGap(s: Sent): boolean {
    const lines = this.gaps.get(s.file.path)
    for (let line = s.line; lines && line <= s.endLine; line++) if (lines.has(line)) return true
    return false
  }

  /** Whether a table or view of that name is in the catalog, in a schema that the statement may have meant. */
  hasRelation(name: Name, s: Sent): boolean {
    const anywhere = this.movesSchemas || (name.schema === undefined && this.elsewhere.has(s.position))
    return this.sent.aliases(name.name).some((n) => {
      const schemas = this.schemas.get(n)
      return schemas !== undefined && (anywhere || schemas.has(name.schema ?? 'public'))
    })
  }

  /** Whether a statement may have been refused by the platform: in one of its schemas, or as somebody else than the owner. */
  mayBeRefused(name: Name, s: Sent): boolean {
    return this.hasGap(s) && (PLATFORM_SCHEMAS.has(name.schema ?? '') || this.acting.has(s.position))
  }

  /** Whether the file looks for names in other schemas than `public`. */
  looksElsewhere(s: Sent): boolean {
    return this.elsewhere.has(s.position)
  }

  /** Whether a DROP that was applied after a statement names one of the objects, or the schema that they are in. */
  isDropped(s: Sent, what: readonly string[], names: readonly string[], schema: string): boolean {
    const found = [...names.flatMap((n) => what.flatMap((w) => this.dropsOf(`${w} ${n}`))), ...this.dropsOf(`schema ${schema}`), ...this.dropsOf(OWNED)]
    return found.some((d) => this.order.isLater(d, s))
  }

  /** Whether something is dropped with CASCADE after a statement that speaks of it: what the statement made went with it. */
  isTakenAlong(s: Sent): boolean {
    const spoken = new Set(wordsOf(s.text))
    for (const word of spoken)
      if (
        this.cascades()
          .get(word)
          ?.some((d) => this.order.isLater(d, s))
      )
        return true
    return false
  }

  private dropsOf(key: string): readonly Sent[] {
    this.drops ??= grouped(
      this.sent
        .possiblyDoing('drop')
        .flatMap((d): (readonly [string, Sent])[] => (d.read.what === 'owned' ? [[OWNED, d]] : d.read.names.map((n) => [`${d.read.what} ${n.name}`, d]))),
    )
    return this.drops.get(key) ?? []
  }

  private cascades(): ReadonlyMap<string, readonly Sent[]> {
    this.taken ??= grouped(
      [...this.sent.statements, ...this.sent.parts].flatMap((d): (readonly [string, Sent])[] => {
        const names = d.read.does === 'drop' ? (takesAlong(d) ? d.read.names : []) : takesAlong(d) && d.read.does === 'alter table' ? [d.read.name] : []
        return names.flatMap((n) => wordsOf(n.name).map((w) => [w, d] as const))
      }),
    )
    return this.taken
  }
  private drops: ReadonlyMap<string, readonly Sent[]> | undefined
  private taken: ReadonlyMap<string, readonly Sent[]> | undefined
}

const ANY = '*'
const OWNED = 'owned'

/** Whether a statement drops with CASCADE. */
export const takesAlong = ({ read, text }: Sent): boolean =>
  (read.does === 'drop' && read.cascade) || (read.does === 'alter table' && /\bdrop\b/i.test(text) && /\bcascade\b/i.test(text))

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[a-z0-9_$\u0080-\uffff]+/g) ?? []

function grouped(entries: readonly (readonly [string, Sent])[]): ReadonlyMap<string, readonly Sent[]> {
  const found = new Map<string, Sent[]>()
  for (const [key, s] of entries) {
    const known = found.get(key)
    if (known) known.push(s)
    else found.set(key, [s])
  }
  return found
}
