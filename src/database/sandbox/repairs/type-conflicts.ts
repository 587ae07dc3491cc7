import type { SqlFailure } from '../../access/trials/access-session.ts'
import type { Engine } from '../engine.ts'
import { operatorsIn } from '../statements/column-scope.ts'
import type { Statement } from '../statements/statement.ts'
import { foreignTables, isColumnSetting, policyTable, referencedColumns, unquoted } from '../statements/statement-shape.ts'
import { ident, identOf, relationName } from '../statements/tree.ts'
import { LOOKS_INTO } from './infer-type.ts'
import { RETRY, type Repaired, type RepairPorts } from './repair-outcome.ts'
import type { StandIns } from './stand-ins.ts'

/** Repairs of statements in which types do not agree: most often a made-up column got the wrong one, or a made-up table lacks a key. */
export class TypeConflicts {
  private readonly engine: Engine
  private readonly standIns: StandIns
  private readonly ports: Pick<RepairPorts, 'parse'>

  constructor(engine: Engine, standIns: StandIns, ports: Pick<RepairPorts, 'parse'>) {
    this.engine = engine
    this.standIns = standIns
    this.ports = ports
  }

  /** `text = uuid`: a made-up column got the wrong type. */
  async operator(s: Statement, types: string, inner: string | undefined): Promise<Repaired> {
    const [, left, operator, right] = /^(\S.*?) (\S+) (\S.*)$/.exec(types) ?? []
    // what is looked into is a document
    const other = right === 'unknown' && LOOKS_INTO.test(operator ?? '') ? 'jsonb' : right
    const operators = operatorsIn(
      inner === undefined ? s.node : this.ports.parse(inner)?.node,
      policyTable(s) ?? (s.kind === 'AlterTableStmt' ? relationName(s.node.relation) : undefined),
    )
    if (left && other && (await this.standIns.agree(left, other, operators))) return RETRY
    return { how: 'explained', because: `failed: operator does not exist: ${types}` }
  }

  /** A foreign key to a made-up table needs a key there. */
  async missingKey(s: Statement, message: string): Promise<Repaired> {
    const table = unquoted(/referenced table "(.+?)"/.exec(message)?.[1] ?? '')
    const columns = referencedColumns(s.node, table)
    if (!columns.length || ![...this.standIns.all.keys()].some((k) => k === table || k.startsWith(`${table}.`)))
      return { how: 'explained', because: `failed: ${message}` }
    await this.engine.exec(`alter table ${identOf(table)} add unique (${columns.map(ident).join(', ')})`)
    return RETRY
  }

  /** A default, a foreign key or a condition of another type than what it stands beside. */
  async conflict(s: Statement, error: SqlFailure): Promise<Repaired> {
    const column = /^default for column "(.+?)" cannot be cast automatically/.exec(error.message)?.[1]
    if (column && s.kind === 'AlterTableStmt') {
      // later migrations were applied, so it was out of the way there
      await this.engine.exec(`alter table ${identOf(relationName(s.node.relation))} alter column ${ident(column)} drop default`)
      return RETRY
    }
    if (isColumnSetting(s)) return { how: 'explained', because: `failed: ${error.message}`, touches: [] }
    const pair =
      /Key columns? "(.+?)" (?:of the referencing table )?and "(.+?)" (?:of the referenced table )?are of incompatible types: (.+?) and (.+?)\.?$/.exec(
        error.detail ?? '',
      )
    if (pair) {
      const [, own, foreign, ownType, foreignType] = pair as unknown as [string, string, string, string, string]
      for (const table of foreignTables(s.node, own))
        if (this.standIns.madeUp({ column: foreign, tables: [table] }) && (await this.standIns.retype(table, foreign, ownType))) return RETRY
      const from = s.kind === 'AlterTableStmt' ? this.standIns.madeUp({ column: own, tables: [relationName(s.node.relation)] }) : undefined
      if (from && (await this.standIns.retype(from.table, own, foreignType))) return RETRY
    }
    const bool = /argument of (?:USING|WITH CHECK|POLICY USING|AND|OR|NOT|WHERE|POLICY).* must be type boolean, not type/.test(error.message)
    if (bool && (await this.standIns.asBoolean(s.text))) return RETRY
    return { how: 'explained', because: `failed: ${error.message}` }
  }
}
