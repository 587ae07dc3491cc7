import { withoutSqlComments } from '../../../lib/sql-comments.ts'
import type { Catalog, Table } from '../../database.ts'
import { nameOf } from '../policies/read-policies.ts'
import { allowedValues } from '../trials/seed-values.ts'

const ROLE = /(?:^|_)roles?$/i
const ADMINISTERS = /owner|admin|super_?user|moderator|staff/i
const INSERTED =
  /\binsert\s+into\s+(?:"?\w{1,63}"?\s*\.\s*)?"?(\w{1,63})"?\s*\(([\w\s",]{1,400})\)\s*values\s*\(([^;]{1,400}?)\)\s*(?:;|on\s+conflict|returning|$)/gi
const AS_IT_IS = /^new\s*\.\s*"?(\w{1,63})"?(?:\s*::\s*[\w."]{1,80}){0,2}$/i

/** Columns that a trigger hands on to a list of roles when they change (`user_roles.role = new.user_type`), and that take the name of an administrator. */
export function handedToRoles(table: Table, catalog: Catalog): readonly string[] {
  const triggers = catalog.triggers.filter((t) => t.table === nameOf(table) && t.enabled && t.perRow && t.events.includes('update'))
  const called = new Set(triggers.map((t) => t.function.replace(/\(.*/, '')))
  const handed = new Set(catalog.functions.filter((f) => called.has(`${f.schema}.${f.name}`)).flatMap((f) => rolesWritten(withoutSqlComments(f.body))))
  return table.columns.map((c) => c.name).filter((c) => handed.has(c.toLowerCase()) && takesAdministrators(table, c, catalog))
}

/** Columns of the new row that a function writes as roles. */
function rolesWritten(body: string): string[] {
  return [...body.matchAll(INSERTED)].flatMap(([, into = '', names = '', values = '']) => {
    if (!ROLE.test(into)) return []
    const written = values.split(',').map((v) => AS_IT_IS.exec(v.trim())?.[1]?.toLowerCase())
    return names.split(',').flatMap((name, i) => (ROLE.test(name.trim().replaceAll('"', '')) ? (written[i] ?? []) : []))
  })
}

function takesAdministrators(table: Table, column: string, catalog: Catalog): boolean {
  const allowed = allowedValues(table, column, catalog)
  return allowed.length ? allowed.some((v) => ADMINISTERS.test(v)) : /text|char/.test(table.columns.find((c) => c.name === column)?.type ?? '')
}
