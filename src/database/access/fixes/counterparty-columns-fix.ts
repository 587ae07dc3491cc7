import type { Catalog, Table } from '../../database.ts'
import { buyersOf } from '../column-authority/counterparty-columns.ts'
import type { Hole } from '../hole.ts'
import { nameOf, type Reading } from '../policies/read-policies.ts'
import { readable, readableName, successorOf } from '../sql.ts'

/** What a receiver says about a row that somebody else wrote. */
const RECEIPT =
  /read|seen|opened|viewed|archiv|delet|starred|pinned|muted|hidden|status|state|reply|respon|answer|accept|reject|react|leido|lido|letto|gelesen|estado/i

/**
 * SQL that keeps one party from rewriting what another wrote. Column privileges where nobody else changes the row from a browser; they cannot
 * tell one signed-in user from another, so where its author or staff do as well a trigger compares the caller.
 */
export function keepWritten(
  hole: Pick<Hole, 'because' | 'columns' | 'author'>,
  table: Table,
  readings: readonly Reading[],
  catalog: Catalog,
  narrow: (columns: readonly string[]) => string | undefined,
): string | undefined {
  const columns = hole.columns ?? []
  const ways = readings.filter((r) => r.command === 'update').flatMap((r) => r.ways)
  const staff = ways.some((w) => w.outcome === 'role' && w.because === undefined)
  if (hole.because === 'terms' || hole.because === 'paid') {
    const [buyer] = buyersOf(table)
    return staff && buyer ? refuse(table, columns, `${uid(table, buyer)} = old.${readable(buyer)}`) : narrow(columns)
  }
  const author = hole.author
  const changes = author !== undefined && ways.some((w) => w.ownerColumns.includes(author) || w.tiedColumns.includes(author))
  if (author && (staff || changes)) return refuse(table, columns, isAnothers(table, author, catalog))
  const kept = table.columns.map((c) => c.name).filter((c) => !columns.includes(c) && RECEIPT.test(c))
  const name = readableName(nameOf(table))
  return kept.length
    ? `revoke update on ${name} from anon, authenticated;\ngrant update (${kept.map(readable).join(', ')}) on ${name} to authenticated;`
    : narrow(columns)
}

/** That the caller is not whom an old row names by a column, by himself or by a row of his. */
function isAnothers(table: Table, author: string, { tables }: Catalog): string {
  const key = table.foreignKeys.find((k) => k.columns.length === 1 && k.columns[0] === author)
  const parent = table.userData?.ownerColumns.includes(author) ? undefined : tables.find((t) => nameOf(t) === key?.references)
  const [owner] = parent?.userData?.ownerColumns ?? []
  const [id] = parent?.primaryKey ?? []
  if (!parent || !owner || !id) return `${uid(table, author)} <> old.${readable(author)}`
  return `${uid(parent, owner)} <> (select p.${readable(owner)} from ${readableName(nameOf(parent))} p where p.${readable(id)} = old.${readable(author)})`
}

/** Without a session (the service role) `auth.uid()` is NULL, the condition is not true and the change passes. */
function refuse(table: Table, columns: readonly string[], when: string): string {
  const guard = readable(successorOf(table.name, 'guard').replace(' guard', '_guard'))
  const fn = `${readable(table.schema)}.${guard}`
  const row = (of: 'new' | 'old') => columns.map((c) => `${of}.${readable(c)}`).join(', ')
  return `create function ${fn}() returns trigger language plpgsql set search_path = '' as $$
begin
  if ${when} and (${row('new')}) is distinct from (${row('old')}) then
    raise exception 'not yours to change' using errcode = '42501';
  end if;
  return new;
end $$;
create trigger ${guard} before update on ${readableName(nameOf(table))}
  for each row execute function ${fn}();`
}

function uid(table: Table, column: string): string {
  return /text|char/.test(table.columns.find((c) => c.name === column)?.type ?? 'uuid') ? 'auth.uid()::text' : 'auth.uid()'
}
