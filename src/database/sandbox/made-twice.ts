import type { Engine } from './engine.ts'
import { NO_EFFECT, RETRY, type Repaired, type RepairPorts } from './repaired.ts'
import { type StandIns, succeeds } from './stand-ins.ts'
import { type ParsedFile, policyTouched, type Statement } from './statement.ts'
import { addedColumns } from './statement-shape.ts'
import { ident, identOf, literal, relationName } from './tree.ts'

/** Repairs of statements that make what an earlier one has made: tables and policies. */
export class MadeTwice {
  /** The migration that creates a table first, and the tables that each migration sets policies on. */
  private readonly madeFirst = new Map<string, string>()
  private readonly policiesIn = new Map<string, Set<string>>()
  private readonly viewsIn = new Map<string, string>()
  private readonly engine: Engine
  private readonly standIns: StandIns
  private readonly ports: Pick<RepairPorts, 'admin'>

  constructor(engine: Engine, files: readonly ParsedFile[], standIns: StandIns, ports: Pick<RepairPorts, 'admin'>) {
    this.engine = engine
    this.standIns = standIns
    this.ports = ports
    for (const { file, statements } of files) {
      if (file.role !== 'migration') continue
      const of = (kind: string, node: string) => statements.flatMap((s) => (s.kind === kind && s.node[node] ? [relationName(s.node[node])] : []))
      for (const table of of('CreateStmt', 'relation')) if (!this.madeFirst.has(table)) this.madeFirst.set(table, file.path)
      for (const view of of('ViewStmt', 'view')) this.viewsIn.set(view, file.path)
      this.policiesIn.set(file.path, new Set(of('CreatePolicyStmt', 'table')))
    }
  }

  /**
   * A later migration that creates a table as something new ran where the table was not: on a new project, or after it had been dropped in the
   * dashboard. What that migration says of columns and policies is what there is then.
   */
  async madeAnew(s: Statement): Promise<Repaired> {
    const policies = this.policiesIn.get(s.path)
    const table = s.kind === 'CreateStmt' && s.node.relation ? relationName(s.node.relation) : undefined
    if (!table || s.node.if_not_exists || this.standIns.all.has(table)) return NO_EFFECT
    if (await this.insteadOfView(table, s)) return RETRY
    if (!policies?.has(table) || (this.madeFirst.get(table) ?? s.path) === s.path) return NO_EFFECT
    for (const column of addedColumns(s.node)) await succeeds(this.engine.exec(`alter table ${identOf(table)} add column if not exists ${column}`))
    const { rows } = await this.engine.exec(
      `select polname from pg_catalog.pg_policy where polrelid = pg_catalog.to_regclass(${literal(identOf(table))}) order by 1`,
    )
    for (const row of rows) await succeeds(this.engine.exec(`drop policy ${ident(row['polname'] as string)} on ${identOf(table)}`))
    return NO_EFFECT
  }

  /** A table in the place of an earlier migration's view: that one was gone, or was never made. */
  private async insteadOfView(table: string, s: Statement): Promise<boolean> {
    const { rows } = await this.engine.exec(
      `select 1 from pg_catalog.pg_class where oid = pg_catalog.to_regclass(${literal(identOf(table))}) and relkind = 'v'`,
    )
    return rows.length > 0 && this.viewsIn.get(table) !== s.path && (await succeeds(this.engine.exec(`drop view ${identOf(table)} cascade`)))
  }

  /** The first definition stays, as on the platform; a different second one leaves doubt. */
  async policy(s: Statement): Promise<Repaired> {
    const table = relationName(s.node.table)
    const probe = 'prelaunch duplicate probe'
    const expressions = async (name: string) => {
      const { rows } = await this.engine.exec(
        `select polcmd, polpermissive, array(select r::regrole::text from unnest(polroles) r order by 1) as roles, pg_catalog.pg_get_expr(polqual, polrelid) as u, pg_catalog.pg_get_expr(polwithcheck, polrelid) as c from pg_catalog.pg_policy where polrelid = pg_catalog.to_regclass(${literal(identOf(table))}) and polname = ${literal(name)}`,
      )
      return JSON.stringify(rows[0])
    }
    const differs: Repaired = {
      how: 'explained',
      because: `policy "${s.node.policy_name}" exists already with another definition; the first one was kept`,
      touches: [policyTouched(s.node)],
    }
    const text = s.text.replace(/^(\s*create\s+policy\s+)("(?:[^"]|"")+"|[^\s"]+)/i, (_, head: string) => `${head}${ident(probe)}`)
    const made = await succeeds(this.ports.admin(text))
    if (!made) return differs
    const same = (await expressions(probe)) === (await expressions(s.node.policy_name))
    await this.ports.admin(`drop policy ${ident(probe)} on ${identOf(table)}`)
    return same ? NO_EFFECT : differs
  }
}
