import type { Table } from '../../../database/database.ts'
import { inEdgeFunctions } from '../../../lib/edge-function.ts'
import { expressions, statements } from '../../../model/frameworks/walk.ts'
import { asksSomething, saysNothing } from '../../../model/routes/guards/evidence/helper-verdict.ts'
import type { Route, Surroundings } from '../../../model/routes/routes.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { refusalAt } from './fix-context.ts'

/** What of the database the role of a user may be kept in. */
export type Schema = Pick<SchemaModel, 'tables' | 'functions'>

/** Where the application keeps who its administrators are. */
export interface RoleKeeper {
  readonly table: string
  /** The column that holds the id of the user. */
  readonly user: string
  readonly column: string
  /** A flag, not a word. */
  readonly flag: boolean
  /** A row for each role of a user. */
  readonly listed: boolean
  /** The words for administrators that the code compares with, where it does. */
  readonly granted?: readonly string[]
}

const ROLE_ASSIGNMENT_TABLE = /^(?:user_?roles?|role_?assignments?|users?_?roles?)$/i
const PROFILE_TABLE = /^(?:profiles?|users?|user_?profiles?|accounts?|members?)$/i
const ADMIN_LIST_TABLE_NAME = /^(?:admins?|admin_?users?|administrators?|staff)$/i
const ROLE_NAME_COLUMN = /^(?:(?:user|app|account)_?)?role(?:_?name)?$/i
const ADMIN_FLAG_COLUMN = /^is_?(?:super_?)?admin$/i
const ROLE_HOLDER_ID_COLUMN = /^(?:user|profile|auth|auth_user|account)_?id$/i

/** The table of the schema that says who administers the application. */
export function roleKeeper({ tables }: Schema): RoleKeeper | undefined {
  const named = (what: RegExp) => tables.filter((t) => t.schema === 'public' && !t.stub && what.test(t.name) && !isWithinOne(t))
  for (const t of named(ROLE_ASSIGNMENT_TABLE)) {
    const [user, column] = [t.columns.find((c) => ROLE_HOLDER_ID_COLUMN.test(c.name)), t.columns.find((c) => ROLE_NAME_COLUMN.test(c.name))]
    if (user && column) return { table: t.name, user: user.name, column: column.name, flag: false, listed: true }
  }
  for (const t of named(PROFILE_TABLE)) {
    const column = t.columns.find((c) => ADMIN_FLAG_COLUMN.test(c.name)) ?? t.columns.find((c) => ROLE_NAME_COLUMN.test(c.name))
    const user = column && keyOf(t)
    if (user) return { table: t.name, user, column: column.name, flag: ADMIN_FLAG_COLUMN.test(column.name), listed: false }
  }
  for (const t of named(ADMIN_LIST_TABLE_NAME)) {
    const user = t.columns.find((c) => ROLE_HOLDER_ID_COLUMN.test(c.name))?.name
    if (user) return { table: t.name, user, column: user, flag: false, listed: true }
  }
  return undefined
}

/** A role for each group or tenant of a user, which says nothing of the application. */
const isWithinOne = (t: Table): boolean =>
  t.foreignKeys.some(
    (k) => k.columns.length === 1 && !ROLE_HOLDER_ID_COLUMN.test(k.columns[0] ?? '') && OF_ONE.test(k.columns[0] ?? '') && isAsked(t, k.columns[0] ?? ''),
  )

const OF_ONE = /^(?:group|team|org|organi[sz]ation|company|tenant|workspace|project|club|community|church|household|family|league|server|channel|room)_?id$/i

/** A row has to say in which: where it may be left empty, or a person has one row at most, the role is the person's. */
const isAsked = (t: Table, column: string): boolean => {
  const key = keyOf(t)
  if ([t.primaryKey, ...t.uniques.filter((u) => !u.partial).map((u) => u.columns)].some((c) => c.length === 1 && c[0] === key)) return false
  return t.columns.some((c) => c.name === column && c.notNull)
}

/** The column by which a row of a person is found by the id that a session says. */
function keyOf(t: Table): string | undefined {
  const other = t.columns.find((c) => ROLE_HOLDER_ID_COLUMN.test(c.name))?.name
  return other ?? (t.columns.some((c) => c.name === 'id') ? 'id' : undefined)
}

const ADMIN_GUARD_NAME =
  /^(?:require|assert|ensure|must_?be|check|verify|(?:get_?)?is)_?(?:super_?)?admin(?:istrator)?(?:_?(?:user|access|role|session|auth))?$/i

/** A function of the application that asks for an administrator, where it can be called from the handler. */
export interface AdminHelper {
  readonly name: string
  readonly path: string
  readonly line: number
  /** It takes nothing, and whoever is no administrator gets no further. */
  readonly refuses: boolean
  /** It takes nothing, and says yes or no. */
  readonly answers: boolean
}

/** The one that can be called from a handler. */
export function adminHelper(route: Route, around: Surroundings): AdminHelper | undefined {
  const [found] = around
    .exported(ADMIN_GUARD_NAME)
    .filter(
      (e) =>
        inEdgeFunctions(e.path) === inEdgeFunctions(route.path) &&
        e.fn.async &&
        asksSomething(e.fn) &&
        !around.code(e.path)?.directives.includes('use client') &&
        !BROWSER_SOURCE_PATH.test(e.path),
    )
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  if (!found) return undefined
  const { name, path, line, fn } = found
  const ends =
    statements(fn.body).some((s) => s.k === 'throw') ||
    expressions(fn).some((e) => e.k === 'call' && e.fn.k === 'id' && /^(?:redirect|notFound|forbidden|unauthorized)$/.test(e.fn.name))
  return {
    name,
    path,
    line,
    refuses: /^(?:require|assert|ensure|must)/i.test(name) && fn.params.length === 0 && ends,
    answers: fn.params.length === 0 && !ends && (/^(?:get_?)?is/i.test(name) || saysNothing(fn)),
  }
}

const BROWSER_SOURCE_PATH = /(?:^|\/)(?:hooks|components|contexts?|providers?)\/|\.[jt]sx$/

/** The rows that say what a user is, asked for with the platform's client. */
export const roleRows = ({ table, user, column }: RoleKeeper, db: string, caller: string): string =>
  `await ${db}.from('${table}').select('${column}').eq('${user}', ${caller})`

/** The words for administrators, as code quotes them. */
export const grantedWords = ({ granted = ['admin'] }: RoleKeeper): readonly string[] => granted.map((w) => `'${w.replace(/[^\w -]/g, '')}'`)

/** The question for the role of a user, in the words of the library that asks the database; `db` is the client in scope. */
export function roleQuery(route: Route, keeper: RoleKeeper, library: string | undefined, db: string, caller: string, around: Surroundings): string | undefined {
  const refuse = refusalAt(route, around, 403)
  const { table, user, column, flag, listed } = keeper
  const quoted = grantedWords(keeper)
  const refused = flag ? `!me?.${column}` : quoted.length === 1 ? `me?.${column} !== ${quoted[0]}` : `![${quoted.join(', ')}].includes(me?.${column} ?? '')`
  switch (library) {
    case 'supabase': {
      const rows = roleRows(keeper, db, caller)
      return listed && column !== user
        ? `const { data: roles } = ${rows}\nif (!roles?.some((r) => ${quoted.map((q) => `r.${column} === ${q}`).join(' || ')})) ${refuse}`
        : listed
          ? `const { data: admin } = ${rows}.maybeSingle()\nif (!admin) ${refuse}`
          : `const { data: me } = ${rows}.maybeSingle()\nif (${refused}) ${refuse}`
    }
    case 'prisma': {
      const model = table.replace(/s$/i, '')
      return listed
        ? undefined
        : `const me = await prisma.${model[0]?.toLowerCase()}${model.slice(1)}.findUnique({ where: { ${user}: ${caller} }, select: { ${column}: true } })\nif (${flag || keeper.granted ? refused : `me?.${column} !== 'ADMIN'`}) ${refuse}${flag || keeper.granted ? '' : ' // the value that the application keeps for administrators'}`
    }
    default:
      return undefined
  }
}
