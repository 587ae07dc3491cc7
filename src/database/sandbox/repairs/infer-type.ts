import { snakeCase } from '../../../lib/snake-case.ts'
import { nameParts, type Tree, walk } from '../statements/tree.ts'

/** Types that the name of a column suggests, first match wins. */
const TYPES_BY_COLUMN_NAME: readonly (readonly [RegExp, string])[] = [
  [
    /^(is|has|can|should|allow|enable)_|_?(enabled|active|verified|published|completed|deleted|approved|public|private|read|archived|featured|visible|available|locked|banned|blocked)$/,
    'boolean',
  ],
  [/(_at|_on|_until|timestamp|_time)$|^(created|updated|deleted|expires|published)$/, 'timestamptz'],
  [/(^|_)(date|birthday|dob)$|^date_/, 'date'],
  [/stripe|paypal|external_id|google_id|provider_id|session_id|token|slug|email|phone|name/, 'text'],
  [/^(id|uid|uuid|owner|author|created_by|updated_by|assigned_to|uploaded_by|sender|receiver)$|_(id|uid|uuid|by)$/, 'uuid'],
  [/(^|_)(ids|tags|roles|permissions|members)$/, 'text[]'],
  [/(^|_)(metadata|meta|data|settings|config|payload|preferences|options|json|attributes|props|details)$/, 'jsonb'],
  [/(^|_)(amount|price|total|cost|balance|rate|score|rating|lat|lng|latitude|longitude|percentage|subtotal|tax|discount|value)$/, 'numeric'],
  [
    /(^|_)(count|quantity|qty|position|order|sort_order|index|level|age|year|month|day|credits|points|stock|size|limit|version|number|duration|attempts|views|likes)$/,
    'integer',
  ],
]

/** The type that a column most likely has, by its name alone. */
export function typeByName(column: string): string {
  // "userId" says what user_id says
  const name = snakeCase(column)
  for (const [pattern, type] of TYPES_BY_COLUMN_NAME) if (pattern.test(name)) return type
  return 'text'
}

/** Operators whose left side is a document. */
export const LOOKS_INTO = /^(?:->>?|#>>?|\?)$/

/** The type that a column must have in this statement: what it is compared with decides, then its name. */
export function typeByUse(column: string, statement: Tree): string {
  let found: string | undefined
  walk(statement, (key, value) => {
    if (found || (key !== 'A_Expr' && key !== 'BoolExpr')) return
    if (key === 'BoolExpr') {
      for (const arg of value.args ?? []) if (columnName(arg) === column) found = 'boolean'
      return
    }
    const { lexpr, rexpr, kind } = value
    if (columnName(lexpr) === column && LOOKS_INTO.test(nameParts(value.name)[0] ?? '')) {
      found = 'jsonb'
      return
    }
    if (columnName(rexpr) === column && /^AEXPR_OP_(?:ANY|ALL)$/.test(kind ?? '')) {
      found = `${inferType(lexpr) ?? 'text'}[]`
      return
    }
    const other = columnName(lexpr) === column ? rexpr : columnName(rexpr) === column ? lexpr : undefined
    if (other) found = inferType(other, column)
  })
  return found ?? typeByName(column)
}

/** The last name of a column reference. */
export function columnName(node: Tree): string | undefined {
  return node?.ColumnRef ? nameParts(node.ColumnRef.fields).at(-1) : undefined
}

/** The type of an expression as far as its shape shows. */
export function inferType(node: Tree, column?: string): string | undefined {
  if (!node) return undefined
  if (node.TypeCast) return castType(node.TypeCast.typeName)
  if (node.A_Const) {
    const c = node.A_Const
    if (c.boolval) return 'boolean'
    if (c.ival !== undefined) return column && typeByName(column) === 'numeric' ? 'numeric' : 'integer'
    if (c.fval) return 'numeric'
    if (c.sval)
      return column && /^(uuid|timestamptz|date)$/.test(typeByName(column)) && !/^[0-9a-f-]{8,}$/i.test(c.sval.sval ?? '')
        ? 'text'
        : column
          ? textual(typeByName(column))
          : 'text'
    return undefined
  }
  if (node.FuncCall) {
    const name = nameParts(node.FuncCall.funcname).join('.')
    if (/(^|\.)(uid|gen_random_uuid|uuid_generate_v4)$/.test(name)) return 'uuid'
    if (/(^|\.)(now|clock_timestamp)$/.test(name)) return 'timestamptz'
    if (/(^|\.)(role|email|lower|upper|concat|current_setting|foldername|filename|extension)$/.test(name)) return 'text'
    return undefined
  }
  if (node.SQLValueFunction) return /DATE/.test(node.SQLValueFunction.op ?? '') ? 'date' : /TIME/.test(node.SQLValueFunction.op ?? '') ? 'timestamptz' : 'text'
  if (node.SubLink) return inferType(node.SubLink.subselect?.SelectStmt?.targetList?.[0]?.ResTarget?.val, column)
  if (node.A_Expr && ['->>', '#>>', '||'].includes(nameParts(node.A_Expr.name)[0] ?? '')) return 'text'
  if (node.List || node.A_ArrayExpr) return inferType((node.List?.items ?? node.A_ArrayExpr?.elements)?.[0], column)
  if (node.CoalesceExpr) return inferType(node.CoalesceExpr.args?.[0], column)
  const other = columnName(node)
  return other ? typeByName(other) : undefined
}

function textual(type: string): string {
  return type === 'uuid' || type === 'timestamptz' || type === 'date' ? type : 'text'
}

/** `uuid`, `public.app_role[]`: a TypeName as SQL. */
export function castType(typeName: Tree): string | undefined {
  const parts = nameParts(typeName?.names)
  if (parts.length === 0) return undefined
  const base = parts[0] === 'pg_catalog' ? (INTERNAL[parts[1] as string] ?? parts[1]) : parts.map((p) => `"${p.replaceAll('"', '""')}"`).join('.')
  return `${base}${'[]'.repeat(typeName.arrayBounds?.length ?? 0)}`
}

const INTERNAL: Readonly<Record<string, string>> = {
  int4: 'integer',
  int8: 'bigint',
  int2: 'smallint',
  bool: 'boolean',
  float8: 'double precision',
  float4: 'real',
  varchar: 'text',
  bpchar: 'text',
}
