import type { FactsIndex } from '../../../facts/facts.ts'
import type { Expr, JavaScriptFacts, ObjectProp } from '../../../facts/javascript.ts'
import { collectByCodeFile } from '../../../facts/questions.ts'
import { unlessEmpty } from '../../../lib/memo/collect-by-file.ts'
import type { DeclaredModel, ModelField } from './model.ts'
import { option, postgresTypeOf, stringLiteralOf } from './read-entities.ts'

type Call = Extract<Expr, { k: 'call' }>

/** Models of Sequelize: `sequelize.define('Note', { … })` and `Note.init({ … }, { sequelize })`, wherever a file makes them. */
export function readSequelize(facts: FactsIndex): readonly DeclaredModel[] {
  return [...modelsByFile(facts.of('javascript'))].flatMap(([, models]) => models)
}

const modelsByFile = collectByCodeFile((path, file: JavaScriptFacts) => {
  // a file of models may be handed the connection and the types by whoever loads it
  const speaks =
    file.imports.some((i) => /^(?:sequelize|@sequelize\/core)$/.test(i.from)) ||
    file.functions.some((f) => f.params.some((p) => p.k === 'name' && p.name === 'DataTypes'))
  return speaks ? unlessEmpty(callsIn(file).flatMap((call) => modelOf(path, call) ?? [])) : undefined
})

function callsIn(file: JavaScriptFacts): readonly Call[] {
  const found: Call[] = []
  const stack: unknown[] = [file.functions]
  while (stack.length) {
    const node = stack.pop()
    if (!node || typeof node !== 'object') continue
    if (!Array.isArray(node) && (node as Expr).k === 'call') found.push(node as Call)
    for (const value of Array.isArray(node) ? node : Object.values(node)) if (value && typeof value === 'object') stack.push(value)
  }
  return found.sort((a, b) => a.l - b.l)
}

function modelOf(path: string, { fn, args, l }: Call): DeclaredModel | undefined {
  if (fn.k !== 'mem') return undefined
  const defines = fn.name === 'define'
  const [fields, options] = defines ? args.slice(1) : args
  if (fields?.k !== 'obj' || (!defines && (fn.name !== 'init' || !option(options, 'sequelize')))) return undefined
  const called = defines ? stringLiteralOf(args[0]) : fn.of.k === 'id' ? fn.of.name : undefined
  return called === undefined ? undefined : { path, name: called, key: 'id', fields: fieldsOf(fields.props), line: l }
}

function fieldsOf(props: readonly ObjectProp[]): ModelField[] {
  return props.flatMap((p): ModelField[] => {
    if (p.key === undefined || p.key === 'id') return []
    const type = p.value.k === 'obj' ? option(p.value, 'type') : p.value
    const ref = option(option(p.value, 'references'), 'model')
    const named = stringLiteralOf(ref) ?? (ref?.k === 'id' ? ref.name : undefined)
    return [
      {
        name: p.key,
        type: postgresTypeOf(typeName(type)),
        required: false,
        ...(isUnique(p.value) ? { unique: true as const } : {}),
        ...(named ? { ref: named } : {}),
        line: p.l,
      },
    ]
  })
}

/** `unique: true`; under a name it may be one of several columns. */
function isUnique(e: Expr): boolean {
  const said = e.k === 'obj' ? option(e, 'unique') : undefined
  return said?.k === 'lit' && said.v === true
}

/** `DataTypes.STRING(50)` as `STRING`. */
const typeName = (e: Expr | undefined): string | undefined => (e?.k === 'call' ? typeName(e.fn) : e?.k === 'mem' || e?.k === 'id' ? e.name : stringLiteralOf(e))
