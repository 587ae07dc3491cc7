import { functionObject, functionOf } from '../../../database/access/functions/security-definer.ts'
import type { Hole } from '../../../database/database.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import type { Place } from '../../../lib/place.ts'
import type { AppModel } from '../../../model/app-model.ts'
import type { Behaviour } from '../../../model/behaviour/types.ts'
import { isOfAdministrators } from '../../api/remediation/intended-caller.ts'
import type { Fix } from '../../define-check.ts'
import { listed } from '../messages/rls.ts'

type Model = Pick<AppModel, 'schema' | 'modules' | 'routes'>

/** A parameter that names a user. */
const USER_PARAMETER =
  /^_?(?:p|v|in|arg|param|the|target|input)?_?(?:user|profile|owner|member|customer|account|caller|auth|player|sender|author)_?(?:id|uid|uuid)?(?:_in|_param)?$/i

/** What somebody does to others, by the name of the function. */
const ACTS_ON_OTHERS =
  /^(?:admin|grant|revoke|remove|kick|ban|unban|approve|reject|promote|demote|assign|unassign|suspend|block|unblock|appoint|invite|impersonate)(?:_|$)|^(?:set|update|change|add|give)_(?:\w{1,40}_)?(?:roles?|permissions?|admin)(?:_|$)/i

/** The policy on what the function writes that says who may do so without it. */
function askedThere({ schema }: Model, hole: Hole): string {
  for (const { table, command } of hole.tables ?? []) {
    const asking = schema.policies.filter(
      (p) => `${p.schema}.${p.table}` === table && /\w\(/.test(`${p.using ?? ''}${p.check ?? ''}`.replace(/auth\.\w+\(\)/g, '')),
    )
    const asks = asking.find((p) => p.command === command) ?? asking.find((p) => p.command === 'all')
    if (asks) return `, as the policy "${asks.name}" on ${table} does`
  }
  return ''
}

/** A fix that takes the privilege to call a function, with the code that calls it under the rights of whoever visits and what has to change so that it can go on. */
export function withCallers(model: Model, hole: Hole, fix: Fix): Fix {
  if (!fix.code || !/revoke execute on function [^;]*\bfrom\b[^;]*\bauthenticated\b/.test(fix.code)) return fix
  const name = lastPart(hole.object.split('(')[0] ?? '')
  const fn = functionOf(model.schema, hole.object)
  const inBrowser = (model.schema.calls ?? []).filter((c) => lastPart(c.function) === name && model.modules.inBrowser(c.path, c.line))
  const onServer = model.routes.routes.flatMap((r) => (r.behaviour ? callsAsVisitor(r.behaviour) : [])).filter((c) => lastPart(c.function) === name)
  const [withSession, signedOut] = [placesOf(onServer.filter((c) => c.rights === 'caller')), placesOf(onServer.filter((c) => c.rights === 'anon'))]
  const pages = placesOf(inBrowser)
  const inSql = callersInSql(model, name)
  if (!pages.length && !withSession.length && !signedOut.length && !inSql.length) return fix
  // with the service role nobody is signed in: what asks for the caller does nothing any more, or forgets who it was
  const asksCaller = /\bauth\.(?:uid|jwt|email)\(\)/i.test(fn?.body ?? '')
  const keeps = pages.length > 0 || inSql.length > 0 || (withSession.length > 0 && asksCaller)
  const words = [
    pages.length ? `${several(pages)} ${pages.length > 1 ? 'call' : 'calls'} it in the browser and ${fails(pages)} without the privilege.` : '',
    withSession.length
      ? `${several(withSession)} ${withSession.length > 1 ? 'call' : 'calls'} it on the server with the session of whoever is signed in and ${fails(withSession)} without the privilege${keeps ? (asksCaller ? '; a client of the service role is no way out, because auth.uid() is empty there' : ' as well') : ''}.`
      : '',
    inSql.length
      ? `${listed(inSql)} ${inSql.length > 1 ? 'call' : 'calls'} it with the rights of whoever is signed in and ${fails(inSql)} without the privilege.`
      : '',
    keeps
      ? `To keep that working, ${insideOf(model, hole, name, inBrowser)}.`
      : withSession.length
        ? 'Make that call with a client of the service role, once the handler has found out who asks and what he may do with that row, and take the privilege after that.'
        : '',
    signedOut.length
      ? `${several(signedOut)} ${signedOut.length > 1 ? 'call' : 'calls'} it on the server with the anon key and without a session: that needs a client of the service role before the privilege goes.`
      : '',
  ]
  const text = [fix.text, ...words].filter((w) => w).join(' ')
  const { code: whole, proved: _, language: __, ...rest } = fix
  if (!keeps) {
    const [first = ''] = [...withSession, ...signedOut]
    return {
      ...rest,
      language: 'sql',
      text,
      code: `-- after the calls (${first}${withSession.length + signedOut.length > 1 ? ' and others' : ''}) use a client of the service role\n${whole}`,
    }
  }
  // for those who are signed in the function itself has to ask: taking them the privilege would stop what it is for
  if (hole.who !== 'anon') return { ...rest, text }
  const closed = `revoke execute on function ${hole.object} from public, anon;\ngrant execute on function ${hole.object} to authenticated, service_role;\n-- this shuts out whoever is not signed in; what those who are may do with others' rows the function itself has to ask`
  return { ...rest, language: 'sql', text, code: closed }
}

/** What a function of the database is called with by the code of the server, under the rights of whoever visits. */
const callsAsVisitor = rememberFor(({ steps }: Behaviour): readonly (Place & { readonly function: string; readonly rights: 'caller' | 'anon' })[] =>
  steps.flatMap(({ effect: e, at }) => {
    const rights = e.kind === 'rpc' ? e.client.rights : undefined
    return e.kind === 'rpc' && (rights === 'caller' || rights === 'anon') ? [{ function: e.function, rights, path: at.path, line: at.line }] : []
  }),
)

/** Functions that run with the rights of whoever calls them, views and defaults that call it: PostgreSQL asks for the privilege of the one who is signed in. */
function callersInSql({ schema }: Model, name: string): readonly string[] {
  const calls = new RegExp(`(?<![\\w.$])(?:public\\.)?"?${name.replace(/\W/g, '.')}"?\\s*\\(`, 'i')
  return [
    ...schema.functions
      .filter(
        (f) => !f.securityDefiner && !f.stub && f.name !== name && (f.isTrigger || f.executableBy.some((r) => r !== 'service_role')) && calls.test(f.body),
      )
      .map(functionObject),
    ...schema.tables.flatMap((t) =>
      t.columns.filter((c) => c.default !== undefined && calls.test(c.default)).map((c) => `the default of ${t.schema}.${t.name}.${c.name}`),
    ),
  ].slice(0, 3)
}

const placesOf = (of: readonly Place[]): readonly string[] => [...new Set(of.map((p) => `${p.path}:${p.line}`))]

const several = ([first, ...others]: readonly string[]): string =>
  `${first}${others.length ? ` (and ${others.length} more ${others.length > 1 ? 'places' : 'place'})` : ''}`

const fails = (of: readonly unknown[]): string => (of.length > 1 ? 'fail' : 'fails')

/** What the function itself has to ask, so that those who are signed in may go on calling it. */
function insideOf(model: Model, hole: Hole, name: string, calls: readonly Place[]): string {
  const users = (model.schema.functions.find((f) => lastPart(f.name) === name)?.args ?? []).filter(
    (a) => a.type === 'uuid' && USER_PARAMETER.test(a.name ?? ''),
  )
  const [user] = users
  if (ACTS_ON_OTHERS.test(name) || (calls.length > 0 && calls.every((c) => isOfAdministrators(c.path))))
    return `let the function ask by auth.uid() what the caller may do with others${askedThere(model, hole)}, refuse everybody else (a comparison of ${user?.name ?? 'the id that is passed'} with the caller would let everybody do it to himself and nobody who is to do it), and take the privilege from public and anon alone`
  return user?.name && users.length === 1
    ? `let it begin with "if auth.role() <> 'service_role' and ${user.name} is distinct from auth.uid() then raise exception 'not allowed'; end if;", and take the privilege from public and anon alone`
    : 'make the call on the server, or let the function find out by auth.uid() whose rows it may touch and refuse everything else, and keep the privilege for those who call it'
}
