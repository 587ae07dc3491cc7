import type { FactsIndex } from '../../../facts/facts.ts'
import type { Expr, JavaScriptFacts, ObjectProp, Stmt } from '../../../facts/javascript.ts'
import { collectByCodeFile } from '../../../facts/questions.ts'
import { unlessEmpty } from '../../../lib/memo/collect-by-file.ts'
import type { DeclaredModel, ModelField } from './model.ts'

const SQL_TYPE_BY_MONGOOSE_TYPE: Readonly<Record<string, string>> = {
  String: 'text',
  Number: 'numeric',
  Boolean: 'boolean',
  Bool: 'boolean',
  Date: 'timestamptz',
  ObjectId: 'text',
  UUID: 'text',
  Decimal128: 'numeric',
  BigInt: 'bigint',
  Buffer: 'bytea',
}
/** Objects in objects. */
const MAX_DEPTH = 3

/** The models of Mongoose of a repository whose schemas stand beside them. */
export function readMongoose(facts: FactsIndex): readonly DeclaredModel[] {
  return [...modelsByFile(facts.of('javascript'))].flatMap(([, models]) => models)
}

const modelsByFile = collectByCodeFile((path, file: JavaScriptFacts) =>
  file.imports.some((i) => i.from === 'mongoose') ? unlessEmpty(modelsIn(path, file)) : undefined,
)

function modelsIn(path: string, file: JavaScriptFacts): readonly DeclaredModel[] {
  const body = file.functions[0]?.body ?? []
  const named = new Map(body.flatMap((s) => (s.k === 'let' && s.to.k === 'name' && s.init ? [[s.to.name, s.init] as const] : [])))
  const models = new Map<string, DeclaredModel>()
  for (const call of [...body.flatMap(valuesOf), ...file.exports.flatMap((e) => e.value ?? [])].flatMap(callsIn)) {
    const [first, of] = call.args
    const name = first?.k === 'lit' && typeof first.v === 'string' ? first.v : undefined
    const schema = called(call.fn) === 'model' ? schemaOf(of, named) : undefined
    if (name === undefined || !schema || models.has(name)) continue
    const uniques = of?.k === 'id' ? uniqueIndexes(of.name, body) : []
    models.set(name, { path, name, key: '_id', fields: fieldsOf(schema, '', named, 0), ...(uniques.length ? { uniques } : {}), line: call.l })
  }
  return [...models.values()]
}

/** `schema.index({ user: 1, plan: 1 }, { unique: true })`; one with a condition says nothing of the rows outside it. */
function uniqueIndexes(schema: string, body: readonly Stmt[]): readonly (readonly string[])[] {
  return body.flatMap((s) => {
    const call = s.k === 'expr' && s.expr.k === 'call' ? s.expr : undefined
    if (call?.fn.k !== 'mem' || call.fn.name !== 'index' || call.fn.of.k !== 'id' || call.fn.of.name !== schema) return []
    const [keys, options] = call.args
    const settings = options?.k === 'obj' ? options.props : []
    if (keys?.k !== 'obj' || settings.some((o) => o.key === 'partialFilterExpression') || !isTrue(settings.find((o) => o.key === 'unique')?.value)) return []
    return [keys.props.flatMap((p) => p.key?.replaceAll('.', '_') ?? [])]
  })
}

type Named = ReadonlyMap<string, Expr>
type Call = Extract<Expr, { k: 'call' }>

const valuesOf = (s: Stmt): readonly Expr[] => (s.k === 'let' ? (s.init ? [s.init] : []) : s.k === 'expr' ? [s.expr] : [])

/** The calls that an expression of a module may be: `mongoose.models.User || mongoose.model('User', schema)`. */
function callsIn(e: Expr): readonly Call[] {
  switch (e.k) {
    case 'call':
      return [e]
    case 'logic':
      return [...callsIn(e.a), ...callsIn(e.b)]
    case 'cond':
      return [...callsIn(e.then), ...callsIn(e.else)]
    case 'assign':
      return callsIn(e.value)
    case 'obj':
      return e.props.flatMap((p) => callsIn(p.value))
    default:
      return []
  }
}

const called = (fn: Expr): string | undefined => (fn.k === 'mem' || fn.k === 'id' ? fn.name : undefined)

/** The fields that a schema is made of: `new Schema({ … })`, by name or where it is used. */
function schemaOf(e: Expr | undefined, named: Named): readonly ObjectProp[] | undefined {
  const made = e?.k === 'id' ? named.get(e.name) : e
  if ((made?.k !== 'new' && made?.k !== 'call') || called(made.fn) !== 'Schema') return undefined
  const [first] = made.args
  const fields = first?.k === 'id' ? named.get(first.name) : first
  return fields?.k === 'obj' ? fields.props : undefined
}

function fieldsOf(props: readonly ObjectProp[], prefix: string, named: Named, depth: number): ModelField[] {
  return props.flatMap((p): ModelField[] => {
    if (p.key === undefined) return []
    const name = `${prefix}${p.key}`
    const options = p.value.k === 'obj' ? p.value.props : undefined
    const type = options?.find((o) => o.key === 'type')?.value ?? (options ? undefined : p.value)
    if (options && !type) return depth < MAX_DEPTH ? fieldsOf(options, `${name}_`, named, depth + 1) : []
    const ref = refOf(options)
    return [
      {
        name,
        type: (type && SQL_TYPE_BY_MONGOOSE_TYPE[called(type) ?? '']) || 'jsonb',
        required: isTrue(options?.find((o) => o.key === 'required')?.value),
        ...(isTrue(options?.find((o) => o.key === 'unique')?.value) ? { unique: true as const } : {}),
        ...(ref ? { ref } : {}),
        line: p.l,
      },
    ]
  })
}

function refOf(options: readonly ObjectProp[] | undefined): string | undefined {
  const ref = options?.find((o) => o.key === 'ref')?.value
  return ref?.k === 'lit' && typeof ref.v === 'string' ? ref.v : ref?.k === 'id' ? ref.name : undefined
}

/** `required: true`, also with what is said when it is missing. */
const isTrue = (e: Expr | undefined): boolean => (e?.k === 'arr' ? isTrue(e.items[0]) : e?.k === 'lit' && e.v === true)
