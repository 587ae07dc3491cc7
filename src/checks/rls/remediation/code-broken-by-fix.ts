import type { Hole, Table } from '../../../database/database.ts'
import type { AppModel } from '../../../model/app-model.ts'
import { isForEverybody, isOfAdministrators } from '../../api/remediation/intended-caller.ts'
import type { Fix } from '../../define-check.ts'
import { listed, policiesOf, tableOfHole } from '../messages/rls.ts'
import { firstUseOf, isForServerAlone, type Use, usesOf } from '../shared/client-usage.ts'
import { asksRole } from '../shared/role-only-policy.ts'
import { haveOtherSessions } from './admin-policy.ts'

type Model = Pick<AppModel, 'schema' | 'modules' | 'routes'>

/** A fix with what of the code it would stop: writes under the visitor's rights that need the policy or the privilege which it takes away. */
export function withStoppedCode(model: Model, hole: Hole, whole: Fix): Fix {
  const table = tableOfHole(model.schema, hole.object)
  if (!table || !whole.code) return whole
  const shown = READ_POLICY_SQL.test(whole.code) && !isShown(model, hole, table) ? whole.code.replace(READ_POLICY_SQL, '') : whole.code
  const code = haveOtherSessions(model.routes.routes) ? shown.replace(ADMIN_POLICY_SQL, THROUGH_SERVER) : shown
  const fix = { ...whole, code }
  const uses = usesOf(model, table)
  if (!uses.length) return fix
  // whom another policy lets in has to go on by that one, and who has no role by none that asks for one
  const beside = policiesOf(model.schema, table).filter(
    (p) => p.name !== hole.policy && p.permissive && (p.command === hole.command || p.command === 'all') && !fix.code?.includes(`drop policy "${p.name}"`),
  )
  const others = beside.some((p) => !asksRole(p))
  const without = beside.length ? uses.filter((u) => !isOfAdministrators(u.path)) : uses
  const gone = !others && /^drop policy/.test(fix.code) && !/\bcreate policy\b|\bstays\b/.test(fix.code)
  const policy = policiesOf(model.schema, table).find((p) => p.name === hole.policy)
  const words = [
    ...(gone && policy?.command !== 'all' && hole.command === 'select' ? [withoutReading(firstUseOf(without, 'select'))] : []),
    ...(((gone && policy?.command !== 'all') || (!gone && !others && LEFT_TO_SERVER.test(fix.code))) && (hole.command === 'update' || hole.command === 'delete')
      ? [withoutChanging(firstUseOf(without, hole.command, 'upsert'), hole.command)]
      : []),
    ...(/^drop policy/.test(fix.code) &&
    !(gone && policy?.command === 'all') &&
    hole.command === 'insert' &&
    !others &&
    !/\bfor (?:insert|all)\b|\bstays\b/.test(fix.code)
      ? [withoutPolicy(firstUseOf(without, 'insert', 'upsert'))]
      : []),
    ...(/^drop policy/.test(fix.code) && hole.command === 'select' && hole.who === 'anon' && !gone ? [ofGuests(uses), ofVisitors(model, uses)] : []),
    ...(gone && policy?.command === 'all' ? [withoutAny(uses.filter((u) => !goesOn(u)))] : []),
    withoutPrivileges(),
  ]
  const text = [...new Set(words)].join('')
  return text ? { ...fix, text: `${fix.text}${text}`, stops: text } : fix

  /** Another policy allows it still. */
  function goesOn({ verb }: Use): boolean {
    const command = verb === 'upsert' ? 'insert' : verb
    return policiesOf(model.schema, table as Table).some(
      (p) =>
        p.name !== hole.policy &&
        p.permissive &&
        (p.command === command || p.command === 'all') &&
        !asksRole(p) &&
        !fix.code?.includes(`drop policy "${p.name}"`),
    )
  }

  /** Writes that need a privilege on a column which the fix does not hand back. */
  function lostWith(privilege: 'insert' | 'update') {
    if (!fix.code?.includes(`revoke ${privilege} on `)) return []
    const granted = new Set((new RegExp(`grant ${privilege} \\(([^)]*)\\)`).exec(fix.code)?.[1] ?? '').split(',').map((c) => c.trim().replaceAll('"', '')))
    return uses
      .filter((u) => u.verb === privilege || u.verb === 'upsert')
      .map((u) => ({ ...u, lost: u.columns.filter((c) => !granted.has(c) && table?.columns.some((x) => x.name === c)) }))
      .filter((u) => u.lost.length)
  }

  function withoutPrivileges(): string {
    const stopped = [...lostWith('insert'), ...lostWith('update')]
    if (!stopped.length) return ''
    const places = [...new Set(stopped.map((u) => `${u.path}:${u.line}`))]
    const several = places.length > 1
    return ` ${listed(places)} ${several ? 'write' : 'writes'} ${listed([...new Set(stopped.flatMap((u) => u.lost))])} with the rights of whoever visits and ${several ? 'are' : 'is'} refused then: let the server decide and write that, or a trigger say who may.`
  }
}

/** A fix that leaves changes to the server, whatever may still be read. */
const LEFT_TO_SERVER = /^drop policy[^\0]{1,2000}\n-- insert, update, delete: through the server/

/** A policy that keeps a table open to readers, whom the code has to show. */
const READ_POLICY_SQL = /\ncreate policy "Everyone(?: who is signed in)? may read" on [^;]{1,200};/

/** A policy for administrators, whom the database has to know for it. */
const ADMIN_POLICY_SQL = /\ncreate policy "[^"]{1,80} \(administrators\)" on [^;]{1,800};/
const THROUGH_SERVER = '\n-- administrators have no session of the database here: what they do goes through the server, with the service role'

/** By its name a policy is for those who run the application, or for their server. */
const KEPT_INSIDE = /admin|staff|internal|system|service|server|backend/i

/** Whether visitors may read such rows now: their code does, or nothing says that it is not to. */
function isShown(model: Model, hole: Hole, table: Table): boolean {
  const readers = usesOf(model, table).filter((u) => u.verb === 'select')
  // what pages for administrators alone show is no one else's to read
  if (readers.length) return readers.some((u) => !isOfAdministrators(u.path))
  return !KEPT_INSIDE.test(hole.policy ?? '') && !isForServerAlone(model, table)
}

const visitorsFirst = (a: Use, b: Use): number => Number(isOfAdministrators(a.path)) - Number(isOfAdministrators(b.path)) || (a.path < b.path ? -1 : 1)

/** Code of the server that reads for visitors: without a session it finds nothing any more. */
function ofGuests(uses: readonly Use[]): string {
  const places = [
    ...new Set(
      uses
        .filter((u) => u.verb === 'select' && u.onServer)
        .sort(visitorsFirst)
        .map((u) => `${u.path}:${u.line}`),
    ),
  ]
  if (!places.length) return ''
  const several = places.length > 1
  return ` ${listed([...places.slice(0, 5), ...(places.length > 5 ? [`${places.length - 5} more places`] : [])])} ${several ? 'read' : 'reads'} such rows on the server with the rights of whoever visits: ${several ? 'they find' : 'it finds'} none for whoever has no session, and only the own ones otherwise. Let what guests are shown be read there with the service role, for the one row that they may see.`
}

/** What pages that nobody signs in for read in the browser: a printed code, a link that was sent. */
function ofVisitors({ routes: { routes, surroundings: around } }: Model, uses: readonly Use[]): string {
  const read = uses.flatMap((u) => {
    const page = u.verb === 'select' && !u.onServer && !u.own ? around.pagesWithFile(u.path).find((p) => isForEverybody(p, routes)) : undefined
    return page ? [{ place: `${u.path}:${u.line}`, page: page.route }] : []
  })
  const [first] = read
  if (!first) return ''
  const more = new Set(read.map((r) => r.place)).size - 1
  return ` ${first.place}${more ? ` and ${more === 1 ? 'one more place' : `${more} more places`}` : ''} ${more ? 'read' : 'reads'} such rows for visitors of ${first.page}, who find none then: let a function on the server look up what they may see with the service role, by what only they know of it (the token that stands in the link), and answer with that alone.`
}

/** The one policy for everything is gone: whatever the code does under the visitor's rights finds nothing and is refused. */
function withoutAny(uses: readonly Use[]): string {
  const places = [...new Set([...uses].sort(visitorsFirst).map((u) => `${u.path}:${u.line}`))]
  if (!places.length) return ''
  const several = places.length > 1
  const told = listed([...places.slice(0, 4), ...(places.length > 4 ? [`${places.length - 4} more places`] : [])])
  return ` ${told} ${several ? 'work' : 'works'} with these rows with the rights of whoever visits, and no more without the policy: let the server do that with the service role, after it has asked who calls, or add a policy for whom they are.`
}

const withoutReading = (place: string | undefined): string =>
  place
    ? ` ${place} reads them with the rights of whoever visits and finds none without the policy: read them on the server, or add a policy for whom they are.`
    : ''

const withoutChanging = (place: string | undefined, command: 'update' | 'delete'): string =>
  place
    ? ` ${place} ${command === 'update' ? 'changes' : 'deletes'} rows with the rights of whoever visits, and none without the policy: do that on the server, or add a policy for whom they are.`
    : ''

const withoutPolicy = (place: string | undefined): string =>
  place
    ? ` ${place} adds rows with the rights of whoever visits and fails without the policy: let the server add them first, with the service role, or add a policy for who may.`
    : ''
