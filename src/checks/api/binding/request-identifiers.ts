import { tablesCalled } from '../../../database/called-table.ts'
import type { Table } from '../../../database/database.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { says } from '../../../lib/snake-case.ts'
import { mentions } from '../../../model/behaviour/domain/contains.ts'
import type { Behaviour, Value } from '../../../model/behaviour/types.ts'
import { ROW_CHANGES } from '../../../model/routes/operations/sensitive-operations.ts'
import type { Route, Work } from '../../../model/routes/routes.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { isSteered } from './request-influence.ts'

/** Names by which a request says whose account it is about. */
const PRINCIPAL_PARAMETER =
  /^(?:p_)?(?:(?:target|for|to|from|current|auth|recipient)_)?(?:user|account|owner|profile|member|customer|author|sender|seller|buyer|creator|client|payer|host|reseller|merchant)_?(?:id|uid)$|^(?:uid|user|userid)$/
const ROW_ID_PARAMETER = /(?:^|_)(?:id|uuid|slug)$/

/** What a request names of the rows that a handler works on. */
export interface Named {
  /** Whose account it is about. */
  readonly person?: string
  /** A row that is changed or read. */
  readonly row?: string
  /** The tables whose rows are found by it. */
  readonly tables?: readonly string[]
}

const namedIn = rememberFor(({ steps }: Behaviour): Named => {
  const found = new Set<string>()
  const collect = (v: Value) =>
    mentions(v, (x) => {
      if (x.v === 'request' && x.name && ['body', 'query', 'params', 'form'].includes(x.part)) found.add(x.name)
      return false
    })
  for (const { effect: e } of steps) {
    if (e.kind === 'db') {
      for (const f of e.filters) collect(f.value)
      if (e.payload) collect(e.payload)
    } else if (e.kind === 'storage') collect(e.object)
    else if (e.kind === 'rpc') collect(e.args)
    else if (e.kind === 'payment' || e.kind === 'auth-call') for (const a of e.args) collect(a)
  }
  const last = (name: string): string => name.slice(name.lastIndexOf('.') + 1)
  const person = [...found].find((name) => says(PRINCIPAL_PARAMETER, last(name)))
  const row = [...found].find((name) => name !== person && says(ROW_ID_PARAMETER, last(name)))
  const isRow = (v: Value): boolean => mentions(v, (x) => x.v === 'request' && x.name === row)
  const tables =
    row === undefined ? [] : steps.flatMap(({ effect: e }) => (e.kind === 'db' && e.table && e.filters.some((f) => isRow(f.value)) ? [e.table] : []))
  return { ...(person ? { person: last(person) } : {}), ...(row ? { row: last(row) } : {}), ...(tables.length ? { tables: [...new Set(tables)] } : {}) }
})

export const namedInRequest = ({ behaviour }: Route): Named => (behaviour ? namedIn(behaviour) : {})

/** What the application offers or is set up by: no column says whose a row is, and none tells of a person. */
const isNobodys = ({ userData, foreignKeys }: Table, tables: readonly Table[], depth = 0): boolean =>
  !userData?.ownerColumns.length &&
  !userData?.tenantColumns.length &&
  !userData?.personalColumns.length &&
  !foreignKeys.some(
    (f) =>
      PRINCIPAL_TABLE.test(lastPart(f.references)) ||
      // a channel of an integration is whose that is
      (depth < 3 && tables.some((t) => lastPart(f.references) === t.name && !isNobodys(t, tables, depth + 1))),
  )

const PRINCIPAL_TABLE =
  /^"?(?:users?|profiles?|accounts?|members?|customers?|clients?|patients?|students?|orders?|organi[sz]ations?|workspaces?|teams?|tenants?|companies)"?$/i

const ROLE_PARAMETER = /(?:^|_)roles?(?:_|$)|^is_?\w{0,12}admin$/i

const sets = (work: readonly Work[], column: RegExp): boolean => work.some((w) => w.sets?.some((c) => column.test(c)))

/** What is sent to somebody names whom it is for, and that is somebody else. */
const NOTIFICATION_ENDPOINT = /(?:^|[/_-])(?:send|notify|push|e-?mail|sms)(?:[/_-]|$)/i

/** That somebody is signed in does not close the hole where the request says whose rows are meant: what has to be asked besides. */
export function ofTheRequest(route: Route, caller: string, role: string, { tables }: Pick<SchemaModel, 'tables'>, perhapsForAdministrators = true): string {
  const { person, row, tables: found = [] } = namedInRequest(route)
  const open = route.work.filter((w) => !w.hidden && !w.guard)
  if (!perhapsForAdministrators && open.some((w) => w.kind === 'admin'))
    return ` Whoever has signed up is signed in, and may not make or change accounts of others by that: take whose account it is from ${caller} or from what only that person has, and answer with no link or token that signs somebody in.`
  if (open.some((w) => w.kind === 'admin'))
    return ` Whoever has signed up is signed in, and may not make or change accounts of others by that: ${role} (that of whoever the pages let do it)${sets(open, ROLE_PARAMETER) ? ', and decide on the server which role the caller may give' : ''}${row || person ? ', and in whose team' : ''}.`
  const strong = open.some((w) => w.rights !== 'caller' && w.rights !== 'anon')
  if (!strong)
    return person && open.some((w) => ROW_CHANGES.has(w.kind))
      ? ` Take the account from ${caller}, not \`${person}\` of the request, instead of leaving that to row level security alone.`
      : ''
  const [file] = open.filter((w) => w.kind === 'file-read' || w.kind === 'file-delete')
  if (!person && !row && file && isSteered(route))
    return ` Whoever is signed in could still name any file: take its name from a row that is the caller's, or keep files in a folder for each user and refuse every other one.`
  if (!person && !row)
    return perhapsForAdministrators &&
      open.some((w) => (w.kind === 'update' || w.kind === 'delete') && w.rights !== 'caller' && w.rights !== 'anon') &&
      isSteered(route)
      ? ` Whoever has signed up is signed in: where this is for those who run the application, ${role}.`
      : ''
  if (person && NOTIFICATION_ENDPOINT.test(route.route))
    return ` Whoever is signed in could still name any \`${person}\`: let them reach only those they have to do with (the same team, a row that both share), and take who sends from ${caller}.`
  const own = person
    ? ` Take the account from ${caller}, not \`${person}\` of the request: otherwise whoever has an account acts for everybody else.${row || !perhapsForAdministrators ? '' : ` Where this is for those who run the application, ${role}.`}`
    : ''
  const known = found.flatMap((name) => tablesCalled(lastPart(name), tables))
  const nobodys = row !== undefined && found.length > 0 && known.length >= found.length && known.every((t) => isNobodys(t, tables))
  const tied = nobodys
    ? ` Rows of ${found.map(lastPart).join(' and ')} belong to nobody in particular, and whoever is signed in could still name any \`${row}\`: ${role}.`
    : row
      ? ` Whoever is signed in could still name any \`${row}\`: refuse when ${person ? 'that row' : 'the row'} is not the caller's${perhapsForAdministrators ? `, or, where this is for those who run the application, ${role}` : ''}.`
      : ''
  return own + tied
}
