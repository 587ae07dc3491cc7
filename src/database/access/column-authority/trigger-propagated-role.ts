import { withoutSqlComments } from '../../../lib/sql-comments.ts'
import type { Catalog, Table } from '../../database.ts'
import { nameOf } from '../policies/read-policies.ts'
import { allowedValues } from '../trials/seed-values.ts'

const PROPAGATED_ROLE_COLUMN = /(?:^|_)roles?$/i
const PRIVILEGED_ROLE_WORD = /owner|admin|super_?user|moderator|staff/i
const INSERT_VALUES_SQL =
  /\binsert\s+into\s+(?:"?\w{1,63}"?\s*\.\s*)?"?(\w{1,63})"?\s*\(([\w\s",]{1,400})\)\s*values\s*\(([^;]{1,400}?)\)\s*(?:;|on\s+conflict|returning|$)/gi
const NEW_COLUMN_REFERENCE = /^new\s*\.\s*"?(\w{1,63})"?(?:\s*::\s*[\w."]{1,80}){0,2}$/i

/** Columns that a trigger hands on to a list of roles when they change (`user_roles.role = new.user_type`), and that take the name of an administrator. */
export function handedToRoles(table: Table, catalog: Catalog): readonly string[] {
  const triggers = catalog.triggers.filter((t) => t.table === nameOf(table) && t.enabled && t.perRow && t.events.includes('update'))
  const called = new Set(triggers.map((t) => t.function.replace(/\(.*/, '')))
  const handed = new Set(catalog.functions.filter((f) => called.has(`${f.schema}.${f.name}`)).flatMap((f) => rolesWritten(withoutSqlComments(f.body))))
  return table.columns.map((c) => c.name).filter((c) => handed.has(c.toLowerCase()) && takesAdministrators(table, c, catalog))
}

/** Columns of the new row that a function writes as roles. */
function rolesWritten(body: string): string[] {
  return [...body.matchAll(INSERT_VALUES_SQL)].flatMap(([, into = '', names = '', values = '']) => {
    if (!PROPAGATED_ROLE_COLUMN.test(into)) return []
    const written = values.split(',').map((v) => NEW_COLUMN_REFERENCE.exec(v.trim())?.[1]?.toLowerCase())
    return names.split(',').flatMap((name, i) => (PROPAGATED_ROLE_COLUMN.test(name.trim().replaceAll('"', '')) ? (written[i] ?? []) : []))
  })
}

function takesAdministrators(table: Table, column: string, catalog: Catalog): boolean {
  const allowed = allowedValues(table, column, catalog)
  return allowed.length ? allowed.some((v) => PRIVILEGED_ROLE_WORD.test(v)) : /text|char/.test(table.columns.find((c) => c.name === column)?.type ?? '')
}
