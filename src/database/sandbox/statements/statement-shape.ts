import { castType } from '../repairs/infer-type.ts'
import type { Statement } from './statement.ts'
import { ident, identOf, inside, nameParts, nodeKind, qualified, relationName, type Tree, walk } from './tree.ts'

/** `public.x` for what an error message calls `x` or `s.x`. */
export function unquoted(name: string): string {
  const plain = name.replaceAll('"', '')
  return plain.includes('.') ? plain : `public.${plain}`
}

/** A statement that removes something which is not there has nothing left to do. */
export function isGoneAnyway(s: Statement): boolean {
  return (
    s.kind === 'DropStmt' ||
    (s.kind === 'GrantStmt' && !s.node.is_grant) ||
    (s.kind === 'AlterTableStmt' && hasOnlySubtypes(s, /^AT_(Drop\w*|DisableTrig\w*|EnableTrig\w*)$/))
  )
}

/** Whether an ALTER TABLE does nothing but these. */
export function hasOnlySubtypes(s: Statement, subtypes: RegExp): boolean {
  const cmds: Tree[] = s.node.cmds ?? []
  return cmds.length > 0 && cmds.every((c) => subtypes.test(c.AlterTableCmd?.subtype ?? ''))
}

/** A change of types, defaults and NOT NULL alone: whether it was applied or not, the same callers see and write the same rows. */
export function isColumnSetting(s: Statement): boolean {
  return s.kind === 'AlterTableStmt' && hasOnlySubtypes(s, /^AT_(AlterColumnType|ColumnDefault|SetNotNull|DropNotNull|SetStatistics)$/)
}

/** Whether a statement takes away a type, a function or a column, which may be in use. */
export function dropsParts(s: Statement): boolean {
  return s.kind === 'DropStmt'
    ? /^OBJECT_(?:TYPE|FUNCTION)$/.test(String(s.node.removeType))
    : s.kind === 'AlterTableStmt' && hasOnlySubtypes(s, /^AT_DropColumn/)
}

/** Whether a statement writes the list of buckets. */
export function isBuckets(s: Statement): boolean {
  return s.node.relation ? relationName(s.node.relation) === 'storage.buckets' : false
}

/** The tables that the foreign keys of a statement name, or those of one column. */
export function foreignTables(node: Tree, column?: string): string[] {
  const tables: string[] = []
  const add = (constraint: Tree, columns: readonly string[]) => {
    if (constraint?.pktable && (column === undefined || columns.includes(column))) tables.push(relationName(constraint.pktable))
  }
  walk(node, (key, value) => {
    if (key === 'ColumnDef') for (const c of value.constraints ?? []) add(c.Constraint, [value.colname])
    // those of a column have no list of their own
    if (key === 'Constraint' && value.fk_attrs) add(value, nameParts(value.fk_attrs))
  })
  return tables
}

/** The columns of a table that a foreign key of a statement names. */
export function referencedColumns(node: Tree, table: string): string[] {
  let columns: string[] = []
  walk(node, (key, value) => {
    if (key === 'Constraint' && value.pktable && relationName(value.pktable) === table && value.pk_attrs) columns = nameParts(value.pk_attrs)
  })
  return columns
}

/** The table with the names, types and primary key that its parse tree shows, and nothing that could fail. */
export function columnsOnly(node: Tree): string | undefined {
  const columns: string[] = []
  for (const element of node.tableElts ?? []) {
    const column = element.ColumnDef
    const type = column && castType(column.typeName)
    if (!type) continue
    const isKey = (column.constraints ?? []).some((c: Tree) => c.Constraint?.contype === 'CONSTR_PRIMARY')
    columns.push(`${ident(column.colname)} ${type}${isKey ? ' primary key' : ''}`)
  }
  return columns.length && node.relation ? `create table if not exists ${identOf(relationName(node.relation))} (${columns.join(', ')})` : undefined
}

/** The columns of a CREATE TABLE as ALTER TABLE adds them to rows that are there: what they refer to, no defaults. */
export function addedColumns(node: Tree): string[] {
  return (node.tableElts ?? []).flatMap(({ ColumnDef: column }: Tree) => {
    const type = column && castType(column.typeName)
    if (!type) return []
    const key = (column.constraints ?? []).find((c: Tree) => c.Constraint?.contype === 'CONSTR_FOREIGN')?.Constraint
    const keys = nameParts(key?.pk_attrs).map(ident)
    const refers = key?.pktable ? ` references ${identOf(relationName(key.pktable))}${keys.length ? ` (${keys.join(', ')})` : ''}` : ''
    return [`${ident(column.colname)} ${type}${refers}`]
  })
}

/** Whether a function returns a set of rows. */
export const isSetOf = (s: Statement): boolean => s.kind === 'CreateFunctionStmt' && s.node.returnType?.setof === true

/** Keys of what a statement creates. */
export function creates(s: Statement): string[] {
  const n = s.node
  switch (s.kind) {
    case 'CreateStmt':
      return [`relation:${relationName(n.relation)}`, `type:${relationName(n.relation)}`]
    case 'ViewStmt':
      return [`relation:${relationName(n.view)}`]
    case 'CreateTableAsStmt':
      return [`relation:${relationName(n.into?.rel)}`]
    case 'CreateFunctionStmt':
      return [`function:${qualified(nameParts(n.funcname))}`]
    case 'CreateEnumStmt':
      return [`type:${qualified(nameParts(n.typeName))}`]
    case 'CreateDomainStmt':
      return [`type:${qualified(nameParts(n.domainname))}`]
    case 'CompositeTypeStmt':
      return [`type:${relationName(n.typevar)}`]
    case 'AlterTableStmt':
      return (n.cmds ?? []).flatMap((c: Tree) => {
        const column =
          c.AlterTableCmd?.subtype === 'AT_AddColumn' && nodeKind(c.AlterTableCmd.def) === 'ColumnDef' ? inside(c.AlterTableCmd.def).colname : undefined
        return column ? [`column:${relationName(n.relation)}.${column}`] : []
      })
    case 'RenameStmt':
      return n.renameType === 'OBJECT_TABLE'
        ? [`relation:${relationName({ ...n.relation, relname: n.newname })}`]
        : n.renameType === 'OBJECT_COLUMN' && n.relation
          ? [`column:${relationName(n.relation)}.${n.newname}`]
          : []
    default:
      return []
  }
}

/** The table that a policy stands on. */
export const policyTable = (s: Statement): string | undefined =>
  s.kind === 'CreatePolicyStmt' || s.kind === 'AlterPolicyStmt' ? relationName(s.node.table) : undefined
