import type { SqlFailure } from '../../access/trials/access-session.ts'
import type { Engine } from '../engine.ts'
import type { ParsedFile, Statement } from '../statements/statement.ts'
import { ident, identOf, nameParts, qualified, relationName, standardLiteral, type Tree } from '../statements/tree.ts'
import { succeeds } from './stand-ins.ts'

/**
 * Policies and keys that hold on to a column whose type is to change, which PostgreSQL refuses. Where a later statement takes the policy away or makes it anew,
 * whoever applied the files had it out of the way by then: the policy goes early, and what the files say of it afterwards holds. So does one beside such
 * policies that could not be there with the new type, and the reference to the platform's users: what becomes a text holds none of their ids.
 */
export class HeldColumns {
  private readonly engine: Engine
  /** How often statements that lie ahead drop a policy (`public.users own`). */
  private readonly ahead = new Map<string, number>()

  constructor(engine: Engine, files: readonly ParsedFile[]) {
    this.engine = engine
    for (const s of files.flatMap((f) => f.statements)) this.count(s, 1)
  }

  /** Told when a statement's turn comes. */
  reached(s: Statement): void {
    this.count(s, -1)
  }

  private count(s: Statement, by: number): void {
    for (const policy of droppedBy(s)) this.ahead.set(policy, (this.ahead.get(policy) ?? 0) + by)
  }

  /** Whether the policy or the key that the error tells of could go. */
  async released(s: Statement, { message, detail }: SqlFailure): Promise<boolean> {
    if (s.kind !== 'AlterTableStmt') return false
    const key = KEY_HOLDS.exec(message)?.[1]
    if (key) return this.keyReleased(s, key)
    const [, policy, table] = message === POLICY_HOLDS ? (/^policy (.+) on table (.+) depends on column /.exec(detail ?? '') ?? []) : []
    if (!policy || !table) return false
    const [name, on] = [unquote(policy), qualified(table.split('.').map(unquote))]
    if (!this.isAhead(`${on} ${name}`) && !(this.isMadeAnew(on) && becomesText(s) && (await this.comparesId(on, name)))) return false
    return succeeds(this.engine.exec(`drop policy ${ident(name)} on ${identOf(on)}`))
  }

  private async keyReleased(s: Statement, key: string): Promise<boolean> {
    const table = relationName(s.node.relation)
    if (!this.isMadeAnew(table) || !becomesText(s)) return false
    const { rows } = await this.engine.exec(
      `select 1 from pg_catalog.pg_constraint where conrelid = pg_catalog.to_regclass(${standardLiteral(identOf(table))}) and conname = ${standardLiteral(key)} and confrelid = pg_catalog.to_regclass('auth.users')`,
    )
    return rows.length > 0 && succeeds(this.engine.exec(`alter table ${identOf(table)} drop constraint ${ident(key)}`))
  }

  private isAhead(policy: string): boolean {
    return (this.ahead.get(policy) ?? 0) > 0
  }

  /** Whether later statements take policies of the table away. */
  private isMadeAnew(table: string): boolean {
    return [...this.ahead.keys()].some((policy) => policy.startsWith(`${table} `) && this.isAhead(policy))
  }

  /** Whether a policy compares the caller's id as it is, and not as a text. */
  private async comparesId(table: string, policy: string): Promise<boolean> {
    const { rows } = await this.engine.exec(
      `select concat(pg_catalog.pg_get_expr(polqual, polrelid), ' ', pg_catalog.pg_get_expr(polwithcheck, polrelid)) as condition from pg_catalog.pg_policy where polrelid = pg_catalog.to_regclass(${standardLiteral(identOf(table))}) and polname = ${standardLiteral(policy)}`,
    )
    const condition = String(rows[0]?.['condition'] ?? '')
    return /\bauth\.uid\(\)/.test(condition) && !/\bauth\.uid\(\)[^=<>]{0,20}::text/.test(condition)
  }
}

const becomesText = (s: Statement): boolean =>
  (s.node.cmds ?? []).some((c: Tree) => /^(?:text|varchar)$/.test(nameParts(c.AlterTableCmd?.def?.ColumnDef?.typeName?.names).at(-1) ?? ''))

const POLICY_HOLDS = 'cannot alter type of a column used in a policy definition'
const KEY_HOLDS = /^foreign key constraint "(.+)" cannot be implemented$/

const unquote = (name: string): string => (name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name)

function droppedBy(s: Statement): readonly string[] {
  if (s.kind !== 'DropStmt' || s.node.removeType !== 'OBJECT_POLICY') return []
  return (s.node.objects ?? []).map((o: Tree) => {
    const parts = nameParts(o.List?.items)
    return `${qualified(parts.slice(0, -1))} ${parts.at(-1)}`
  })
}
