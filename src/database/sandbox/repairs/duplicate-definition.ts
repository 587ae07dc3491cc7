import type { Engine } from '../engine.ts'
import { droppedPolicies, policyKey } from '../statements/policy-links.ts'
import { type ParsedFile, policyTouched, type Statement } from '../statements/statement.ts'
import { addedColumns } from '../statements/statement-shape.ts'
import { ident, identOf, relationName, standardLiteral } from '../statements/tree.ts'
import { NO_EFFECT, RETRY, type Repaired, type RepairPorts } from './repair-outcome.ts'
import { type StandIns, succeeds } from './stand-ins.ts'

/** Repairs of statements that make what an earlier one has made: tables and policies. */
export class MadeTwice {
  /** The migration that creates a table first, and the tables that each migration sets policies on. */
  private readonly madeFirst = new Map<string, string>()
  private readonly policiesIn = new Map<string, Set<string>>()
  private readonly viewsIn = new Map<string, string>()
  /** The statements that make or drop each policy, in order. */
  private readonly policyHistory = new Map<string, Statement[]>()
  private readonly roles: ReadonlyMap<string, ParsedFile['file']['role']>
  private readonly engine: Engine
  private readonly standIns: StandIns
  private readonly ports: Pick<RepairPorts, 'asOwnerOf'>

  constructor(engine: Engine, files: readonly ParsedFile[], standIns: StandIns, ports: Pick<RepairPorts, 'asOwnerOf'>) {
    this.engine = engine
    this.standIns = standIns
    this.ports = ports
    this.roles = new Map(files.map((f) => [f.file.path, f.file.role]))
    for (const { file, statements } of files) {
      for (const s of statements) for (const key of policiesNamed(s)) this.policyHistory.set(key, [...(this.policyHistory.get(key) ?? []), s])
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
      `select polname from pg_catalog.pg_policy where polrelid = pg_catalog.to_regclass(${standardLiteral(identOf(table))}) order by 1`,
    )
    for (const row of rows) await succeeds(this.engine.exec(`drop policy ${ident(row['polname'] as string)} on ${identOf(table)}`))
    return NO_EFFECT
  }

  /** A table in the place of an earlier migration's view: that one was gone, or was never made. */
  private async insteadOfView(table: string, s: Statement): Promise<boolean> {
    const { rows } = await this.engine.exec(
      `select 1 from pg_catalog.pg_class where oid = pg_catalog.to_regclass(${standardLiteral(identOf(table))}) and relkind = 'v'`,
    )
    return rows.length > 0 && this.viewsIn.get(table) !== s.path && (await succeeds(this.engine.exec(`drop view ${identOf(table)} cascade`)))
  }

  /**
   * The first definition stays, as on the platform; a different second one leaves doubt. What a migration says counts before a script that nothing
   * dates, and of two such scripts the policy that lets in more is kept: which of them ran is not known, and a hole must not be hidden by the order of names.
   */
  async policy(s: Statement): Promise<Repaired> {
    const table = relationName(s.node.table)
    const probe = 'prelaunch duplicate probe'
    const read = async (name: string): Promise<PolicyRow | undefined> => {
      const { rows } = await this.engine.exec(
        `select polcmd, polpermissive, array_to_string(array(select r::regrole::text from unnest(polroles) r order by 1), ',') as roles, pg_catalog.pg_get_expr(polqual, polrelid) as u, pg_catalog.pg_get_expr(polwithcheck, polrelid) as c from pg_catalog.pg_policy where polrelid = pg_catalog.to_regclass(${standardLiteral(identOf(table))}) and polname = ${standardLiteral(name)}`,
      )
      return rows[0] as PolicyRow | undefined
    }
    const differs = (which: string): Explained => ({
      how: 'explained',
      because: `policy "${s.node.policy_name}" exists already with another definition; ${which}`,
      touches: [policyTouched(s.node)],
    })
    const text = s.text.replace(/^(\s*create\s+policy\s+)("(?:[^"]|"")+"|[^\s"]+)/i, (_, head: string) => `${head}${ident(probe)}`)
    const made = await succeeds(this.ports.asOwnerOf(table, text))
    if (!made) return differs(FIRST)
    const [first, second] = [await read(s.node.policy_name), await read(probe)]
    await this.ports.asOwnerOf(table, `drop policy ${ident(probe)} on ${identOf(table)}`)
    if (!first || !second || JSON.stringify(first) === JSON.stringify(second)) return NO_EFFECT
    const author = this.authorOf(s)
    if (!author || this.roles.get(author) !== 'loose' || author === s.path) return differs(FIRST)
    const isLoose = this.roles.get(s.path) === 'loose'
    if (isLoose && !letsInMore(second, first)) return differs(FIRST)
    await this.ports.asOwnerOf(table, `drop policy ${ident(s.node.policy_name)} on ${identOf(table)}`)
    if (!isLoose) return RETRY
    this.replaced.set(s.label, differs(`that of ${author} lets in fewer, and which of the two scripts ran is not known`))
    return RETRY
  }

  /** What is to be said of statements that took the place of an earlier one. */
  readonly replaced = new Map<string, Explained>()

  /** The file whose policy of that name stands when a statement makes it again. */
  private authorOf(s: Statement): string | undefined {
    let author: string | undefined
    for (const other of this.policyHistory.get(policyKey(relationName(s.node.table), s.node.policy_name)) ?? []) {
      if (other === s) break
      author = other.kind === 'DropStmt' ? undefined : (author ?? other.path)
    }
    return author
  }
}

type Explained = Extract<Repaired, { how: 'explained' }>

const FIRST = 'the first one was kept'

interface PolicyRow {
  readonly polcmd: string
  readonly polpermissive: boolean
  readonly roles: string
  readonly u: string | null
  readonly c: string | null
}

const policiesNamed = (s: Statement): readonly string[] =>
  s.kind === 'CreatePolicyStmt'
    ? [policyKey(relationName(s.node.table), s.node.policy_name)]
    : s.kind === 'DropStmt' && s.node.removeType === 'OBJECT_POLICY'
      ? droppedPolicies(s)
      : []

/** Whether a policy opens everything that another does, and more: to more callers, or by a condition that looks at nobody. */
function letsInMore(one: PolicyRow, other: PolicyRow): boolean {
  if (!one.polpermissive || !other.polpermissive || one.polcmd !== other.polcmd) return false
  const degrees = (p: PolicyRow) => [toWhom(p.roles), openness(p.u), openness(p.c)] as const
  const [a, b] = [degrees(one), degrees(other)]
  return a.every((d, i) => d >= (b[i] as number)) && a.some((d, i) => d > (b[i] as number))
}

const toWhom = (roles: string): number => (/(?:^|,)(?:-|public|anon)(?:,|$)/.test(roles) ? 2 : /(?:^|,)authenticated(?:,|$)/.test(roles) ? 1 : 0)
const openness = (condition: string | null): number =>
  condition === null ? 0 : condition === 'true' ? 2 : /\bauth\.|current_|session_user|\w\(/.test(condition) ? 0 : 1
