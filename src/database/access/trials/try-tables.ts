import type { AccessCell, AccessObject, Catalog, Table } from '../../database.ts'
import type { RowState } from '../expression/disjunct.ts'
import type { Hole } from '../hole.ts'
import { nameOf } from '../policies/read-policies.ts'
import { ident, identOf, literal } from '../sql.ts'
import { insertSql, rowValues, type Seeded } from './seed-rows.ts'
import { checkLiterals, enumLabels, madeUpValue, type SeededRow, USERS, type User } from './seed-values.ts'
import type { Caller, TrialResult, Trier } from './trial.ts'

/** The trials of one table, memory of what was tried included, so that a fix can repeat exactly one of them. */
export class TableTrials {
  readonly #trier: Trier
  readonly #catalog: Catalog
  readonly #seeded: Seeded
  readonly #table: Table
  readonly #name: string
  readonly #row: Readonly<Partial<Record<User, SeededRow>>>

  constructor(trier: Trier, catalog: Catalog, seeded: Seeded, table: Table) {
    this.#trier = trier
    this.#catalog = catalog
    this.#seeded = seeded
    this.#table = table
    this.#name = nameOf(table)
    this.#row = seeded.rows.get(this.#name) ?? {}
  }

  get table(): Table {
    return this.#table
  }

  get seeded(): boolean {
    return this.#row.A !== undefined && this.#row.B !== undefined
  }

  /** The matrix of the table: anon and A, own and other's rows, forged owner. */
  async matrix(): Promise<AccessObject> {
    const cells: AccessCell[] = []
    const add = (role: 'anon' | 'A', command: AccessCell['command'], row: AccessCell['row'], trial: TrialResult) =>
      cells.push({ role, command, row, result: trial.result, ...(trial.because ? { because: trial.because } : {}) })
    const because = this.#seeded.failures.get(this.#name)
    if (!this.seeded) {
      return {
        kind: 'table',
        object: this.#name,
        rls: this.#table.rls.enabled,
        cells: [{ role: 'A', command: 'select', row: 'other', result: 'error', because: `no row could be made: ${because ?? 'unknown'}` }],
      }
    }
    for (const role of ['anon', 'A'] as const) {
      for (const row of role === 'anon' ? (['other'] as const) : (['own', 'other'] as const)) {
        add(role, 'select', row, await this.select(role, row))
        add(role, 'update', row, await this.update(role, row))
        add(role, 'delete', row, await this.remove(role, row))
      }
      if (role === 'A') add(role, 'insert', 'own', await this.insert('A', {}))
      if (this.#table.userData?.ownerColumns.length || role === 'anon') add(role, 'insert', 'forged', await this.insert(role, this.forged()))
    }
    return { kind: 'table', object: this.#name, rls: this.#table.rls.enabled, cells }
  }

  #target(row: 'own' | 'other' | User): SeededRow {
    return this.#row[row === 'own' ? 'A' : row === 'other' ? 'B' : row] as SeededRow
  }

  /** The row as it must be for a way that depends on its state; its new place is looked up again by ctid. */
  #prepare(row: 'own' | 'other', states: readonly RowState[] = []): string | undefined {
    const set = states.flatMap((s) => {
      const value = satisfying(s)
      return value !== undefined && this.#table.columns.some((c) => c.name === s.column && !c.generated) ? [`${ident(s.column)} = ${value}`] : []
    })
    return set.length ? `update ${identOf(this.#name)} set ${set.join(', ')} where ctid = '${this.#target(row).ctid}'` : undefined
  }

  /** A condition that finds the seeded row whatever its ctid has become. */
  #where(row: 'own' | 'other' | User): string {
    const { values, ctid } = this.#target(row)
    const key = this.#table.primaryKey.filter((c) => values[c] !== undefined)
    if (key.length && key.length === this.#table.primaryKey.length) return key.map((c) => `${ident(c)} = ${values[c]}`).join(' and ')
    return `ctid = '${ctid}'`
  }

  async select(role: Caller, row: 'own' | 'other', states?: readonly RowState[]): Promise<TrialResult> {
    const prepare = this.#prepare(row, states)
    return this.#trier.attempt(role, `select 1 as seen from ${identOf(this.#name)} where ${this.#where(row)}`, prepare ? { prepare } : {})
  }

  async remove(role: Caller, row: 'own' | 'other', states?: readonly RowState[]): Promise<TrialResult> {
    const gone = `select 1 as gone where not exists (select 1 from ${identOf(this.#name)} where ${this.#where(row)})`
    return this.#write(role, row, `delete from ${identOf(this.#name)}`, gone, states)
  }

  async update(role: Caller, row: 'own' | 'other', states?: readonly RowState[]): Promise<TrialResult> {
    const column = this.#updatable(role)
    if (!column) return { result: 'refused', because: 'no privilege' }
    const { ctid } = this.#target(row)
    const where = this.#where(row)
    // without a key, what tells the row from the caller's own is that nothing stands any more where it stood
    const moved = where.startsWith('ctid = ')
      ? `select 1 as changed where not exists (select 1 from ${identOf(this.#name)} where ${where})`
      : `select 1 as changed from ${identOf(this.#name)} where ${where} and ctid <> '${ctid}'`
    // with states prepared the row has moved once already; only a statement without them can be seen by the ctid
    if (states?.length) return this.#write(role, row, `update ${identOf(this.#name)} set ${ident(column)} = ${ident(column)}`, undefined, states)
    return this.#write(role, row, `update ${identOf(this.#name)} set ${ident(column)} = ${ident(column)}`, moved)
  }

  /** First with a condition on the row; when that shows nothing, for all rows: UPDATE and DELETE without conditions need no right to read. */
  async #write(role: Caller, row: 'own' | 'other', statement: string, inspect: string | undefined, states?: readonly RowState[]): Promise<TrialResult> {
    const prepare = this.#prepare(row, states)
    const options = { ...(prepare ? { prepare } : {}), ...(inspect ? { inspect } : {}) }
    const aimed = await this.#trier.attempt(role, `${statement} where ${this.#where(row)}`, options)
    if (aimed.result === 'allowed' || !inspect || aimed.because === 'no privilege') return aimed
    const whole = await this.#trier.attempt(role, statement, options)
    // a constraint on some other row says nothing of this one
    return whole.result === 'allowed' && whole.because === undefined ? whole : aimed
  }

  #updatable(role: Caller): string | undefined {
    const name = role === 'anon' ? 'anon' : 'authenticated'
    const grants = this.#table.grants.filter((g) => g.privilege === 'update' && (g.role === name || g.role.toLowerCase() === 'public'))
    const all = grants.some((g) => !g.columns)
    const allowed = new Set(grants.flatMap((g) => g.columns ?? []))
    const columns = this.#table.columns.filter((c) => !c.generated && c.identity !== 'always' && (all || allowed.has(c.name)))
    const harmless = columns.find(
      (c) =>
        !this.#table.primaryKey.includes(c.name) &&
        !this.#table.userData?.powerColumns.includes(c.name) &&
        !this.#table.userData?.ownerColumns.includes(c.name),
    )
    return (harmless ?? columns[0])?.name
  }

  /** Values that make a new row somebody else's. */
  forged(): Record<string, string> {
    const values: Record<string, string> = {}
    for (const column of this.#table.userData?.ownerColumns ?? []) {
      const target = this.#row.B?.values[column]
      if (target !== undefined) values[column] = target
    }
    return values
  }

  /** What puts a new row under B's row of the hole's table. */
  #underOthers(hole: Hole): Record<string, string> {
    const parent = hole.tables?.[0]?.table
    const keys = this.#table.foreignKeys.filter((f) => f.columns.length === 1 && f.references === parent).flatMap((f) => f.columns)
    return Object.fromEntries(keys.flatMap((c) => (this.#row.B?.values[c] === undefined ? [] : [[c, this.#row.B.values[c]]])))
  }

  /** Whether a signed-in user's new row is stored as the own one whichever owner column names somebody else: a trigger puts the caller there. */
  async putsRight(): Promise<boolean> {
    const forged = Object.entries(this.forged())
    if (!forged.length) return false
    for (const one of forged) {
      const { result, because } = await this.insert('A', Object.fromEntries([one]))
      if (result !== 'refused' || because !== undefined) return false
    }
    return true
  }

  /** A new row of user A, some columns given. */
  async insert(role: Caller, given: Readonly<Record<string, string>>, states: readonly RowState[] = []): Promise<TrialResult> {
    const base = rowValues(this.#table, role === 'C' ? 'C' : 'A', this.#catalog, this.#seeded.rows, this.#seeded, 3)
    const values: Record<string, string> = { ...base }
    for (const state of states) {
      const value = satisfying(state)
      if (value !== undefined && this.#table.columns.some((c) => c.name === state.column && !c.generated)) values[state.column] = value
    }
    Object.assign(values, given)
    const name = role === 'anon' ? 'anon' : 'authenticated'
    const grants = this.#table.grants.filter((g) => g.privilege === 'insert' && (g.role === name || g.role.toLowerCase() === 'public'))
    if (!grants.length) return { result: 'refused', because: 'no privilege' }
    if (!grants.some((g) => !g.columns)) for (const column of Object.keys(values)) if (!grants.some((g) => g.columns?.includes(column))) delete values[column]
    const checks = Object.entries(given).filter(([c]) => values[c] !== undefined)
    const conditions = checks.map(([c, v]) => this.#holds(c, v))
    const key = this.#table.primaryKey.every((c) => values[c] !== undefined) ? this.#table.primaryKey.map((c) => `${ident(c)} = ${values[c]}`) : []
    // a trigger may have put the given values right; what counts is what is stored
    const inspect = `select 1 as stored from ${identOf(this.#name)}${[...key, ...conditions].length ? ` where ${[...key, ...conditions].join(' and ')}` : ''}`
    return this.#trier.attempt(role, insertSql(this.#name, values), { inspect: key.length || conditions.length ? inspect : 'select 1 as stored' })
  }

  /** Whether A can change a column of the own row to something that grants more, triggers included. */
  async escalate(column: string, because?: string): Promise<TrialResult> {
    return this.change('A', 'A', column, because === 'belonging' ? (this.value('B', column) ?? this.granting(column)) : this.granting(column))
  }

  /** Whether one user can give a column of another's row a value, triggers included. */
  async change(by: User, of: User, column: string, value: string | undefined): Promise<TrialResult> {
    if (value === undefined) return { result: 'error', because: 'no value could be made up' }
    const stored = `select 1 as stored from ${identOf(this.#name)} where ${this.#where(of).replace(/^ctid = .*/, 'true')} and ${this.#holds(column, value)}`
    return this.#trier.attempt(by, `update ${identOf(this.#name)} set ${ident(column)} = ${value} where ${this.#where(of)}`, { inspect: stored })
  }

  /** A condition on a row: that it holds the value as it was given. 9 is kept as 9.00 where two decimals are; json knows no equality. */
  #holds(column: string, value: string): string {
    const numeric = /^(?:numeric|decimal|money|real|double)/i.test(this.#table.columns.find((c) => c.name === column)?.type ?? '')
    return numeric ? `${ident(column)} = (${value})` : `${ident(column)}::text = (${value})::text`
  }

  /** The literal that a user's row holds in a column; undefined when the row or the value is not known. */
  value(of: User, column: string): string | undefined {
    return this.#row[of]?.values[column]
  }

  /** A plain member of B's tenant on B's row, and a row of the member's own. */
  async asMember(): Promise<AccessCell[]> {
    const cell = (command: AccessCell['command'], trial: TrialResult): AccessCell => ({
      role: 'A',
      command,
      row: 'tenant',
      result: trial.result,
      ...(trial.because ? { because: trial.because } : {}),
    })
    return [
      cell('select', await this.select('C', 'other')),
      cell('insert', await this.insert('C', {})),
      cell('update', await this.update('C', 'other')),
      cell('delete', await this.remove('C', 'other')),
    ]
  }

  /** Whether A can make B the owner of the own row. */
  async giveAway(column: string): Promise<TrialResult> {
    const value = this.#row.B?.values[column] ?? literal(USERS.B.id)
    return this.#trier.attempt('A', `update ${identOf(this.#name)} set ${ident(column)} = ${value} where ${this.#where('own')}`, {
      inspect: `select 1 as moved from ${identOf(this.#name)} where ctid <> '${this.#row.A?.ctid}' and ctid <> '${this.#row.B?.ctid}'`,
    })
  }

  /** Whether A can change a column of a row that names A in one place and B as its author. */
  async rewrite(column: string, author?: string): Promise<TrialResult> {
    const value = this.granting(column)
    if (value === undefined) return { result: 'error', because: 'no value could be made up' }
    const where = this.#where('own').replace(/^ctid = .*/, 'true')
    const others = author === undefined ? undefined : (this.#row.B?.values[author] ?? literal(USERS.B.id))
    return this.#trier.attempt('A', `update ${identOf(this.#name)} set ${ident(column)} = ${value} where ${where}`, {
      ...(author === undefined ? {} : { prepare: `update ${identOf(this.#name)} set ${ident(author)} = ${others} where ${where}` }),
      inspect: `select 1 as stored from ${identOf(this.#name)} where ${where} and ${ident(column)}::text = (${value})::text${author === undefined ? '' : ` and ${ident(author)}::text = (${others})::text`}`,
    })
  }

  /** A value that gives more than the row has. */
  granting(name: string): string | undefined {
    const column = this.#table.columns.find((c) => c.name === name)
    if (!column) return undefined
    const type = column.type.toLowerCase()
    if (type === 'boolean') return 'true'
    if (/^(smallint|integer|bigint|numeric|real|double)/.test(type)) return '3000'
    if (/^(timestamp|date)/.test(type)) return type === 'date' ? "'2099-01-01'::date" : "'2099-01-01T00:00:00Z'::timestamptz"
    if (/^jsonb?$/.test(type)) return `'{"granted": true}'`
    if (type.endsWith('[]')) return undefined
    const now = /^'([^']*)'/.exec(column.default ?? '')?.[1]
    if (/^(text|character|varchar|citext)/.test(type)) return literal(checkLiterals(this.#table, name).find((v) => v !== now) ?? 'admin')
    const labels = enumLabels(column.type, this.#catalog) ?? []
    const label = labels.find((l) => l !== now && this.#seeded.granting.has(l)) ?? labels.find((l) => l !== now)
    if (label !== undefined) return `${literal(label)}::${column.type}`
    return madeUpValue(column, this.#table, 'B', this.#catalog, new Set(), 7)
  }

  /** Repeats the trial that decides a hole of this table. */
  async tryHole(hole: Hole): Promise<TrialResult> {
    const role: Caller = hole.who === 'anon' ? 'anon' : 'A'
    switch (hole.kind) {
      case 'no-rls':
        // where everybody may read on, closing means that nobody changes anything
        return this.#table.userData ? this.select(role, 'other') : this.update(role, 'other')
      case 'policy':
        if (hole.command === 'select') return this.select(role, 'other', hole.states)
        if (hole.command === 'update') return this.update(role, 'other', hole.states)
        if (hole.command === 'delete') return this.remove(role, 'other', hole.states)
        return this.insert(role, hole.because === 'guests' ? {} : { ...this.forged(), ...this.#underOthers(hole) }, hole.states)
      case 'author-free': {
        if (hole.because === 'nobody') return this.insert('A', Object.fromEntries((hole.columns ?? []).map((c) => [c, 'null'])))
        const owner = this.forged()
        const given = (hole.columns ?? []).flatMap((c) => (owner[c] !== undefined ? [[c, owner[c]] as const] : []))
        if (hole.because !== 'either') return this.insert('A', Object.fromEntries(given))
        // one column keeps the caller's own name, another takes somebody else's
        let last: TrialResult = { result: 'error', because: 'not tried' }
        for (const one of given) {
          last = await this.insert('A', Object.fromEntries([one]))
          if (last.result === 'allowed') return last
        }
        return last
      }
      case 'parent-free': {
        const others = this.#underOthers(hole)
        return Object.keys(others).length ? this.insert('A', others) : { result: 'error', because: 'no parent of somebody else' }
      }
      case 'self-grant': {
        const given: Record<string, string> = {}
        // the row itself grants, and it names nobody but the caller
        for (const c of hole.because === 'appointment' ? [] : (hole.columns ?? [])) {
          const tenant = this.#table.userData?.tenantColumns.includes(c) ? this.#row.B?.values[c] : undefined
          const value = hole.because === 'publication' ? this.#row.B?.values[c] : (tenant ?? (hole.because === 'membership' ? undefined : this.granting(c)))
          if (value !== undefined) given[c] = value
        }
        return this.insert('A', given)
      }
      case 'owner-change':
        return this.giveAway(hole.columns?.[0] ?? '')
      case 'rewrite':
        return this.rewrite(hole.columns?.[0] ?? '', hole.author)
      case 'escalation':
        return this.escalate(hole.columns?.[0] ?? '', hole.because)
      case 'locked': {
        const own = await this.select('A', 'own')
        return own.result === 'allowed' ? { result: 'refused' } : own.result === 'refused' ? { result: 'allowed' } : own
      }
      default:
        return { result: 'error', because: 'not tried' }
    }
  }
}

/** An SQL literal that makes a condition on the row true. */
function satisfying(state: RowState): string | undefined {
  if (state.column.includes('.')) return undefined
  if (state.op === 'is null') return 'null'
  if (state.op === 'is not null') return undefined
  if (state.value === undefined) return state.op.startsWith('<') ? "now() - interval '1 day'" : "now() + interval '1 day'"
  const value = typeof state.value === 'string' ? literal(state.value) : String(state.value)
  if (state.op === '=' || state.op === '>=' || state.op === '<=') return value
  if (state.op === 'like') return literal(String(state.value).replaceAll('%', 'x').replaceAll('_', 'x'))
  if (typeof state.value === 'number') return state.op === '>' || state.op === '<>' ? String(state.value + 1) : String(state.value - 1)
  if (typeof state.value === 'boolean') return String(!state.value)
  return undefined
}
