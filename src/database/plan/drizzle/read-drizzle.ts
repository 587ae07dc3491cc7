import type { FactsIndex } from '../../../facts/facts.ts'
import type { Expr, FunctionIR, JavaScriptFacts, ObjectProp, Stmt } from '../../../facts/javascript.ts'
import { collectByCodeFile } from '../../../facts/questions.ts'
import { ELSEWHERE } from '../ddl.ts'

export interface DrizzleColumn {
  readonly key: string
  readonly name: string
  readonly type: string
  readonly calls: readonly { readonly name: string; readonly args: readonly Expr[] }[]
  /** `.references(() => users.id)`: the exported variable of the table, and the key of its column. */
  readonly references?: DrizzleReference
  /** The only values of `mysqlEnum('role', ['user', 'admin'])`. */
  readonly values?: readonly string[]
  readonly line: number
}

export interface DrizzleReference {
  readonly variable: string
  readonly key: string
}

/** `foreignKey({ columns: [table.id], foreignColumns: [users.id] })`: keys of the own columns, and what they point at. */
export interface DrizzleForeignKey {
  readonly keys: readonly string[]
  readonly to: readonly DrizzleReference[]
  readonly line: number
}

export interface DrizzlePolicy {
  readonly name: string
  readonly options: readonly ObjectProp[]
  readonly line: number
  /** Of `pgPolicy(...).link(table)`: the table's variable. */
  readonly linkedTo?: Expr
}

/** `pgTable('auth.users')`: a table of the platform, named so that foreign keys have something to point at. */
const PLATFORM_TABLE_NAME = /^(auth|storage)\.(\w+)$/

/** A `pgTable(...)` and what hangs on it; those of MySQL and SQLite stand in a database of their own. */
export interface DrizzleTable {
  readonly path: string
  readonly variable: string
  readonly schema: string
  readonly name: string
  readonly columns: readonly DrizzleColumn[]
  readonly policies: readonly DrizzlePolicy[]
  readonly foreignKeys: readonly DrizzleForeignKey[]
  readonly rlsLine?: number
  readonly line: number
}

export interface DrizzleEnum {
  readonly path: string
  readonly variable: string
  readonly name: string
  readonly schema: string
  readonly values: readonly string[]
  readonly line: number
}

export interface DrizzleSchema {
  readonly tables: readonly DrizzleTable[]
  readonly enums: readonly DrizzleEnum[]
  readonly linkedPolicies: readonly (DrizzlePolicy & { readonly path: string })[]
}

/** SQL types by the name of the column's builder. */
const SQL_TYPE_BY_BUILDER: Readonly<Record<string, string>> = {
  uuid: 'uuid',
  text: 'text',
  varchar: 'varchar',
  char: 'char',
  citext: 'text',
  integer: 'integer',
  int: 'integer',
  smallint: 'smallint',
  bigint: 'bigint',
  serial: 'serial',
  bigserial: 'bigserial',
  smallserial: 'smallserial',
  boolean: 'boolean',
  numeric: 'numeric',
  decimal: 'numeric',
  real: 'real',
  doublePrecision: 'double precision',
  json: 'json',
  jsonb: 'jsonb',
  timestamp: 'timestamp',
  date: 'date',
  time: 'time',
  interval: 'interval',
  inet: 'inet',
  cidr: 'cidr',
  macaddr: 'macaddr',
  point: 'point',
  line: 'line',
  bytea: 'bytea',
  vector: 'text',
  geometry: 'text',
  halfvec: 'text',
  sparsevec: 'text',
  bit: 'text',
  tsvector: 'tsvector',
  tinyint: 'smallint',
  mediumint: 'integer',
  float: 'real',
  double: 'double precision',
  datetime: 'timestamp',
  year: 'integer',
  tinytext: 'text',
  mediumtext: 'text',
  longtext: 'text',
  binary: 'bytea',
  varbinary: 'bytea',
  blob: 'bytea',
} // prettier-ignore

/** What SQLite keeps as a number and the code reads as something else. */
const MODES: Readonly<Record<string, string>> = { boolean: 'boolean', timestamp: 'timestamp', timestamp_ms: 'timestamp' }

const OTHER_TABLE = /^(?:mysql|sqlite|singlestore)Table$/

/** Everything that the code declares with Drizzle. */
export function readDrizzle(facts: FactsIndex): DrizzleSchema {
  const tables: DrizzleTable[] = []
  const enums: DrizzleEnum[] = []
  const linkedPolicies: (DrizzlePolicy & { path: string })[] = []
  for (const [path, file] of schemaFiles(facts.of('javascript'))) {
    const reader = new FileReader(path, file)
    reader.read()
    tables.push(...reader.tables)
    enums.push(...reader.enums)
    linkedPolicies.push(...reader.linked)
  }
  return { tables, enums, linkedPolicies }
}

const schemaFiles = collectByCodeFile((_, file: JavaScriptFacts) =>
  file.imports.some((i) => /^drizzle-orm\/(pg-core|supabase|neon|mysql-core|sqlite-core|singlestore-core)/.test(i.from)) ? file : undefined,
)

class FileReader {
  readonly tables: DrizzleTable[] = []
  readonly enums: DrizzleEnum[] = []
  readonly linked: (DrizzlePolicy & { path: string })[] = []
  private readonly path: string
  private readonly file: JavaScriptFacts
  /** `const app = pgSchema('app')`. */
  private readonly schemas = new Map<string, string>()
  /** `const createTable = pgTableCreator((name) => \`app_${name}\`)`. */
  private readonly creators = new Map<string, { readonly name: (name: string) => string; readonly schema: string }>()
  /** `const timestamps = { createdAt: ... }`, spread into tables. */
  private readonly objects = new Map<string, readonly ObjectProp[]>()

  constructor(path: string, file: JavaScriptFacts) {
    this.path = path
    this.file = file
  }

  read(): void {
    for (const s of this.file.functions[0]?.body ?? []) this.statement(s)
  }

  private statement(s: Stmt): void {
    if (s.k !== 'let' || s.to.k !== 'name' || !s.init) return
    const variable = s.to.name
    const { base, chained } = unchain(s.init)
    if (base.k === 'obj') this.objects.set(variable, base.props)
    if (base.k !== 'call') return
    const callee = base.fn.k === 'id' ? this.imported(base.fn.name) : base.fn.k === 'mem' ? base.fn.name : ''
    const first = base.args[0]
    if (callee === 'pgSchema' && first?.k === 'lit') this.schemas.set(variable, String(first.v))
    else if (/^(?:pg|mysql|sqlite|singlestore)TableCreator$/.test(callee))
      this.creators.set(variable, { name: creator(first, this.file.functions), schema: callee.startsWith('pg') ? 'public' : ELSEWHERE })
    else if (callee === 'pgEnum' || (callee === 'enum' && base.fn.k === 'mem' && this.schemaOf(base.fn.of))) this.enum(variable, base, s.l)
    else if (callee === 'pgPolicy') this.linkedPolicy(base, chained)
    else this.table(variable, base, chained, s.l)
  }

  /** The exported name behind a local one. */
  private imported(local: string): string {
    for (const i of this.file.imports) if (/^drizzle-orm/.test(i.from)) for (const b of i.bindings) if (b.local === local) return b.imported
    return local
  }

  private schemaOf(of: Expr): string | undefined {
    return of.k === 'id' ? this.schemas.get(of.name) : undefined
  }

  private enum(variable: string, call: Call, line: number): void {
    const [name, values] = call.args
    if (name?.k !== 'lit' || values?.k !== 'arr') return
    this.enums.push({
      path: this.path,
      variable,
      name: String(name.v),
      schema: (call.fn.k === 'mem' && this.schemaOf(call.fn.of)) || 'public',
      values: values.items.flatMap((v) => (v.k === 'lit' ? [String(v.v)] : [])),
      line,
    })
  }

  private linkedPolicy(call: Call, chained: readonly Chained[]): void {
    const policy = readPolicy(call)
    const link = chained.find((c) => c.name === 'link')?.args[0]
    if (policy && link) this.linked.push({ ...policy, linkedTo: link, path: this.path })
  }

  private table(variable: string, call: Call, chained: readonly Chained[], line: number): void {
    const [name, columns, extra] = call.args
    if (name?.k !== 'lit' || typeof name.v !== 'string') return
    const maker = call.fn.k === 'id' ? this.maker(call.fn.name) : undefined
    const withRls = call.fn.k === 'mem' && call.fn.name === 'withRLS' && call.fn.of.k === 'id' && this.imported(call.fn.of.name) === 'pgTable'
    const schema = call.fn.k === 'mem' && call.fn.name === 'table' ? this.schemaOf(call.fn.of) : undefined
    if (!maker && !schema && !withRls) return
    const rls = chained.find((c) => c.name === 'enableRLS')
    const policies = this.policies(extra)
    const written = maker ? maker.name(name.v) : name.v
    const platforms = schema ? null : PLATFORM_TABLE_NAME.exec(written)
    this.tables.push({
      path: this.path,
      variable,
      schema: schema ?? platforms?.[1] ?? maker?.schema ?? 'public',
      name: platforms?.[2] ?? written,
      columns: this.columns(columns),
      policies,
      foreignKeys: this.foreignKeys(extra),
      ...(rls ? { rlsLine: rls.line } : withRls ? { rlsLine: line } : policies[0] ? { rlsLine: policies[0].line } : {}),
      line,
    })
  }

  /** What a function for declaring tables makes of their names, and where it puts them. */
  private maker(local: string): { readonly name: (name: string) => string; readonly schema: string } | undefined {
    const fn = this.imported(local)
    if (fn === 'pgTable') return { name: (n) => n, schema: 'public' }
    return OTHER_TABLE.test(fn) ? { name: (n) => n, schema: ELSEWHERE } : this.creators.get(local)
  }

  private columns(node: Expr | undefined): DrizzleColumn[] {
    if (node?.k === 'fn') return this.columns(returned(this.file.functions[node.fn]))
    if (node?.k !== 'obj') return []
    return node.props.flatMap((p): DrizzleColumn[] => {
      if (p.spread) return p.value.k === 'id' ? this.columns({ k: 'obj', props: this.objects.get(p.value.name) ?? [], l: p.l }) : []
      const column = p.key ? this.column(p.key, p.value, p.l) : undefined
      return column ? [column] : []
    })
  }

  private column(key: string, value: Expr, line: number): DrizzleColumn | undefined {
    const { base, chained } = unchain(value)
    if (base.k !== 'call') return undefined
    const builder = base.fn.k === 'id' ? this.imported(base.fn.name) : base.fn.k === 'mem' ? base.fn.name : ''
    const first = base.args[0]
    const name = first?.k === 'lit' && typeof first.v === 'string' ? first.v : key
    const option = (key: string) => base.args.flatMap((a) => (a.k === 'obj' ? a.props : [])).find((p) => p.key === key)?.value
    const zone = option('withTimezone')
    const zoned = builder === 'timestamp' && zone?.k === 'lit' && zone.v === true
    const mode = option('mode')
    const kept = builder === 'integer' && mode?.k === 'lit' ? MODES[String(mode.v)] : undefined
    const list = builder === 'mysqlEnum' ? base.args.find((a) => a.k === 'arr') : undefined
    const values = list?.k === 'arr' ? list.items.flatMap((v) => (v.k === 'lit' ? [String(v.v)] : [])) : []
    const arrow = chained.find((c) => c.name === 'references')?.args[0]
    const references = arrow?.k === 'fn' ? this.reference(returned(this.file.functions[arrow.fn])) : undefined
    return {
      key,
      name,
      type: zoned ? 'timestamptz' : (kept ?? SQL_TYPE_BY_BUILDER[builder] ?? `enum:${builder}`),
      calls: chained,
      ...(references ? { references } : {}),
      ...(values.length ? { values } : {}),
      line,
    }
  }

  /** `users.id`, by the name under which `users` is exported. */
  private reference(e: Expr | undefined): DrizzleReference | undefined {
    if (e?.k !== 'mem') return undefined
    const of = e.of.k === 'id' ? e.of.name : e.of.k === 'mem' ? e.of.name : undefined
    return of === undefined ? undefined : { variable: this.exported(of), key: e.name }
  }

  private exported(local: string): string {
    for (const i of this.file.imports) for (const b of i.bindings) if (b.local === local && b.imported !== '*' && b.imported !== 'default') return b.imported
    return local
  }

  private foreignKeys(extra: Expr | undefined): DrizzleForeignKey[] {
    return this.extras(extra).flatMap((item) => {
      const { base } = unchain(item)
      if (base.k !== 'call' || base.fn.k !== 'id' || this.imported(base.fn.name) !== 'foreignKey') return []
      const options = base.args[0]?.k === 'obj' ? base.args[0].props : []
      const list = (key: string) => {
        const value = options.find((o) => o.key === key)?.value
        return value?.k === 'arr' ? value.items.map((i) => this.reference(i)) : []
      }
      const keys = list('columns')
      const to = list('foreignColumns')
      return keys.every((k) => k) && to.length === keys.length && to.every((k) => k)
        ? [{ keys: keys.map((k) => (k as DrizzleReference).key), to: to as DrizzleReference[], line: base.l }]
        : []
    })
  }

  /** `(table) => [pgPolicy(...)]` and `(table) => ({ p: pgPolicy(...) })`. */
  private policies(extra: Expr | undefined): DrizzlePolicy[] {
    return this.extras(extra).flatMap((item) => {
      const { base } = unchain(item)
      const policy = base.k === 'call' && base.fn.k === 'id' && this.imported(base.fn.name) === 'pgPolicy' ? readPolicy(base) : undefined
      return policy ? [policy] : []
    })
  }

  private extras(extra: Expr | undefined): readonly Expr[] {
    const result = extra?.k === 'fn' ? returned(this.file.functions[extra.fn]) : extra
    return result?.k === 'arr' ? result.items : result?.k === 'obj' ? result.props.map((p) => p.value) : []
  }
}

type Call = Extract<Expr, { k: 'call' }>

interface Chained {
  readonly name: string
  readonly args: readonly Expr[]
  readonly line: number
}

/** `text('a').notNull().unique()` as its base call and what follows, in order. */
function unchain(expr: Expr): { base: Expr; chained: Chained[] } {
  const chained: Chained[] = []
  let node = expr
  while (node.k === 'call' && node.fn.k === 'mem' && node.fn.of.k === 'call') {
    chained.unshift({ name: node.fn.name, args: node.args, line: node.e ?? node.l })
    node = node.fn.of
  }
  return { base: node, chained }
}

function readPolicy(call: Call): DrizzlePolicy | undefined {
  const [name, options] = call.args
  if (name?.k !== 'lit') return undefined
  return { name: String(name.v), options: options?.k === 'obj' ? options.props : [], line: call.l }
}

function returned(fn: FunctionIR | undefined): Expr | undefined {
  const last = fn?.body.findLast((s) => s.k === 'return')
  return last?.k === 'return' ? last.value : undefined
}

function creator(fn: Expr | undefined, functions: readonly FunctionIR[]): (name: string) => string {
  const result = fn?.k === 'fn' ? returned(functions[fn.fn]) : undefined
  if (result?.k !== 'tpl') return (name) => name
  return (name) => result.quasis.map((q, i) => q + (i < result.exprs.length ? name : '')).join('')
}
