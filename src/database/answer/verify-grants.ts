import { ROW_COMMANDS } from '../access/sql.ts'
import type { Grant, Table } from '../database.ts'
import { called } from './accounts.ts'
import { type Grounds, PLATFORM_SCHEMAS } from './grounds.ts'
import type { Doing } from './sent.ts'

const CHECKED_ROLES: ReadonlySet<string> = new Set(['anon', 'authenticated', 'public'])

/** What is wrong with the privileges of browsers that were told, in a sentence; undefined when they can stem from the SQL and the platform. */
export function wrongGrant(g: Grounds): string | undefined {
  return withoutDefaults(g) ?? withoutGrant(g)
}

/** What the platform gives browsers in `public`, unless some statement could have taken it away. */
function withoutDefaults(g: Grounds): string | undefined {
  const { sent, told } = g
  if (sent.input.autoExpose === false || sent.opaque.can('grants') || sent.opaque.can('settings') || sent.opaque.can('rename')) return undefined
  const takes = sent.statements.some(({ read, text }) => {
    if (read.does === 'revoke' || (read.does === 'set' && read.actsAsOther)) return true
    // a role of another name keeps what the platform gave
    if (read.does === 'rename') return CHECKED_ROLES.has(read.from)
    if (read.does === 'drop') return /^(?:schema|owned|role|extension)$/.test(read.what)
    return (read.does === 'alter' || read.does === 'alter table') && /\bowner\s+to\b|\bprivileges\b|\bset\s+schema\b/i.test(text)
  })
  if (takes) return undefined
  for (const t of told.catalog.tables) {
    if (t.schema !== 'public' || t.extension !== undefined || t.owner !== 'postgres') continue
    for (const role of ['anon', 'authenticated'])
      if (!ROW_COMMANDS.every((c) => holds(t.grants, role, c))) return `${role} is told to lack privileges on public.${t.name}, which no statement takes away`
  }
  for (const f of told.catalog.functions) {
    if (f.schema !== 'public' || f.owner !== 'postgres') continue
    for (const role of ['anon', 'authenticated'])
      if (!f.executableBy.includes(role)) return `${role} is told not to execute public.${f.identity}, which no statement takes away`
  }
  return undefined
}

const holds = (grants: readonly Grant[], role: string, privilege: Grant['privilege']): boolean =>
  grants.some((x) => x.role === role && x.privilege === privilege && x.columns === undefined)

/** What a GRANT gives browsers on a table by name, and nothing takes away later. */
function withoutGrant(g: Grounds): string | undefined {
  if (g.sent.opaque.can('grants') || g.sent.doing('rename').some((s) => CHECKED_ROLES.has(s.read.from))) return undefined
  const tables = new Map(g.told.catalog.tables.map((t) => [`${t.schema}.${t.name}`, t]))
  for (const s of g.sent.doing('grant')) {
    const { grant } = s.read
    if (!grant) continue
    for (const name of grant.tables) {
      const table = tables.get(`${name.schema ?? 'public'}.${name.name}`)
      if (!table || mayBeTaken(g, s, table)) continue
      const given = ROW_COMMANDS.filter((c) => grant.privileges.includes('all') || grant.privileges.includes(c))
      for (const role of grant.roles.filter((r) => CHECKED_ROLES.has(r)))
        if (!given.every((c) => holds(table.grants, role, c))) return `what ${called(s)} gives ${role} is not told, and nothing that was sent takes it away`
    }
  }
  return undefined
}

function mayBeTaken(g: Grounds, s: Doing<'grant'>, table: Table): boolean {
  const { sent } = g
  const names = sent.aliases(table.name)
  if (s.file.role === 'outline' || g.accounts.isLeftOut(s) || g.isDoubtful(['grant', 'table'], names) || g.looksElsewhere(s)) return true
  if (g.mayBeRefused({ schema: table.schema, name: table.name }, s) || PLATFORM_SCHEMAS.has(table.schema)) return true
  if (g.isDropped(s, ['table'], names, table.schema) || sent.creating(table.name).some((c) => g.order.isLater(c, s))) return true
  return sent.statements.some((later) => {
    const { read, text } = later
    const takes = read.does === 'revoke' || ((read.does === 'alter table' || read.does === 'alter') && /\bowner\s+to\b/i.test(text))
    if (!takes || !g.order.isLater(later, s)) return false
    return /\bschema\b/i.test(text) || names.some((n) => text.toLowerCase().includes(n.toLowerCase()))
  })
}
