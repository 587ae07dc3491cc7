import type { FactsIndex } from '../../../facts/facts.ts'
import type { ClassIR, Expr, JavaScriptFacts } from '../../../facts/javascript.ts'
import { collectByCodeFile } from '../../../facts/questions.ts'
import { unlessEmpty } from '../../../lib/memo/collect-by-file.ts'
import type { DeclaredModel, ModelField } from './model.ts'

/** Entities of TypeORM and models of sequelize-typescript: classes whose members have decorators. */
export function readEntities(facts: FactsIndex): readonly DeclaredModel[] {
  return [...entitiesByFile(facts.of('javascript'))].flatMap(([, entities]) => entities)
}

const entitiesByFile = collectByCodeFile((path, file: JavaScriptFacts) =>
  file.imports.some((i) => i.from === 'typeorm' || i.from === 'sequelize-typescript') ? unlessEmpty(entitiesIn(path, file)) : undefined,
)

function entitiesIn(path: string, file: JavaScriptFacts): readonly DeclaredModel[] {
  return (file.functions[0]?.body ?? []).flatMap((s): DeclaredModel[] => {
    if (s.k !== 'class' || !s.name) return []
    const entity = decorator(s.class.decorators, /^(?:Entity|Table)$/)
    return entity ? [{ path, name: tableNamed(entity) ?? s.name, key: 'id', fields: fieldsOf(s.class, file), line: s.l }] : []
  })
}

/** `@Entity('notes')`, `@Entity({ name: 'notes' })`, `@Table({ tableName: 'notes' })`. */
function tableNamed({ args: [first] }: Decorator): string | undefined {
  return stringLiteralOf(first) ?? stringLiteralOf(option(first, 'name')) ?? stringLiteralOf(option(first, 'tableName'))
}

interface Decorator {
  readonly name: string
  readonly args: readonly Expr[]
}

function decorator(all: readonly Expr[], name: RegExp): Decorator | undefined {
  for (const e of all) {
    const fn = e.k === 'call' ? e.fn : e
    if ((fn.k === 'id' || fn.k === 'mem') && name.test(fn.name)) return { name: fn.name, args: e.k === 'call' ? e.args : [] }
  }
  return undefined
}

function fieldsOf(ir: ClassIR, file: JavaScriptFacts): ModelField[] {
  return ir.members.flatMap((m): ModelField[] => {
    if (m.how !== 'field' || m.name === 'id') return []
    const column = decorator(m.decorators, /Column$/)
    const parent = decorator(m.decorators, /^(?:ManyToOne|OneToOne|BelongsTo|ForeignKey)$/)
    const ref = parent && returned(parent.args[0], file)
    const options = column?.args.find((a) => a.k === 'obj')
    if (column && column.name !== 'JoinColumn' && column.name !== 'PrimaryGeneratedColumn')
      return [
        {
          name: stringLiteralOf(option(options, 'name')) ?? m.name,
          type:
            (/Date(?:Column)?$/.test(column.name) && 'timestamptz') ||
            postgresTypeOf(stringLiteralOf(column.args[0]) ?? stringLiteralOf(option(options, 'type')) ?? nameOf(option(options, 'type') ?? column.args[0])),
          required: false,
          ...(isUnique(options) ? { unique: true as const } : {}),
          ...(ref ? { ref } : {}),
          line: m.l,
        },
      ]
    // the side that holds the key
    if (parent && ref && (parent.name === 'ManyToOne' || (parent.name === 'OneToOne' && decorator(m.decorators, /^JoinColumn$/))))
      return [{ name: `${m.name}Id`, type: 'text', required: false, ref, line: m.l }]
    return []
  })
}

function isUnique(options: Expr | undefined): boolean {
  const said = option(options, 'unique')
  return said?.k === 'lit' && said.v === true
}

/** The class of `() => User`. */
function returned(e: Expr | undefined, file: JavaScriptFacts): string | undefined {
  const [first] = e?.k === 'fn' ? (file.functions[e.fn]?.body ?? []) : []
  return first?.k === 'return' ? nameOf(first.value) : undefined
}

/** The value of a key in an object that is written out. */
export function option(e: Expr | undefined, key: string): Expr | undefined {
  return e?.k === 'obj' ? e.props.find((p) => p.key === key)?.value : undefined
}

export const stringLiteralOf = (e: Expr | undefined): string | undefined => (e?.k === 'lit' && typeof e.v === 'string' ? e.v : undefined)
const nameOf = (e: Expr | undefined): string | undefined => (e?.k === 'id' || e?.k === 'mem' ? e.name : e?.k === 'call' ? nameOf(e.fn) : undefined)

/** PostgreSQL's type for what TypeORM or Sequelize call it. */
export function postgresTypeOf(name: string | undefined): string {
  if (name === undefined) return 'text'
  if (/json|array|simple/i.test(name)) return 'jsonb'
  if (/int|number|serial/i.test(name)) return 'bigint'
  if (/numeric|decimal|float|double|real/i.test(name)) return 'numeric'
  if (/^bool/i.test(name)) return 'boolean'
  return /date|time/i.test(name) ? 'timestamptz' : 'text'
}
