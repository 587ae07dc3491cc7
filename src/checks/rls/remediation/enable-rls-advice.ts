import { powerColumnsOf } from '../../../database/access/column-authority/privilege-columns.ts'
import { mayGiveRights } from '../../../database/access/column-authority/rights-table.ts'
import { narrow } from '../../../database/access/fixes/column-privileges.ts'
import { createPolicy, readableBy } from '../../../database/access/fixes/create-policy.ts'
import { FOR_WHOM, isOpenToVisitors, SEE_REACHED, WHO_TAKES_PART } from '../../../database/access/fixes/enable-rls.ts'
import { isForAnybody, isOpenPolicy, neverTheCaller } from '../../../database/access/policies/open-policy.ts'
import { askedByWords } from '../../../database/access/policies/permission-helpers.ts'
import { isPrivateByName } from '../../../database/access/row-audience/public-content.ts'
import { ident, ROW_COMMANDS, readable, readableName } from '../../../database/access/sql.ts'
import type { Command, Hole, Policy, Table } from '../../../database/database.ts'
import type { Place } from '../../../lib/place.ts'
import type { AppModel } from '../../../model/app-model.ts'
import { isOfAdministrators } from '../../api/remediation/intended-caller.ts'
import type { Fix } from '../../define-check.ts'
import { fixOf, listed, qualifiedName } from '../messages/rls.ts'
import { firstUseOf, isForServerAlone, shownAt, type Use, usesOf } from '../shared/client-usage.ts'
import { asksRole } from '../shared/role-only-policy.ts'
import { administratorsPolicy } from './admin-policy.ts'

type Model = Pick<AppModel, 'schema' | 'modules' | 'routes'>

/** How row level security is switched on without locking out whom the code serves: `fix` of the hole, made to fit what the code does with the table. */
export function enableAdvice(model: Model, table: Table, hole: Hole, policies: readonly Policy[]): Fix {
  if (hole.because === 'recursion' && !hole.fix) return { text: GOES_ROUND }
  const told = fixOf(hole, fixText(table, policies.length > 0, hole.fix?.code ?? ''))
  // what was tried with it in force and still came through says so below
  const stays = policies.length > 0 && !told.code && hole.proof === 'executed' && table.kind !== 'foreign'
  const proposed: Fix = stays ? { ...told, language: 'sql', code: `alter table ${readableName(qualifiedName(table))} enable row level security;` } : told
  const fix = isShared(proposed)
    ? {
        ...proposed,
        text: isReached(proposed)
          ? 'Enable row level security and show each row to those who may reach what it belongs to, by what other policies ask.'
          : 'Enable row level security and show each row to the people whom it names.',
      }
    : proposed
  if (!fix.code || table.kind === 'foreign') return fix
  const uses = usesOf(model, table)
  if (policies.length) return withPolicies(model, table, fix, policies, uses, stays)
  const [on = ''] = fix.code.split('\n')
  if (isForServerAlone(model, table))
    return {
      ...fix,
      text: 'Enable row level security. No policy is needed: nothing in the code asks for these rows with the rights of a browser, and the service role and a direct connection as owner (Prisma, Drizzle) pass it by.',
      code: on,
    }
  const closed =
    uses.length && uses.every((u) => isOfAdministrators(u.path)) && !lookedUpBy(model, table) ? forAdministratorsAlone(model, table, fix, on, uses) : undefined
  if (closed) return closed
  if (fix.code.includes(FOR_WHOM)) return forWhom(model, fix, uses)
  if (uses.length && fix.code.includes('\n-- no policy')) return forReaders(model, table, fix, on, uses)
  const condition = /\n {2}using \(([\s\S]*?)\)(?:\n {2}with check|;)/.exec(fix.code)?.[1]
  if (!condition || /^true$/.test(condition)) return { ...fix, text: `${fix.text}${openWords(fix.code, table, uses)}` }
  if (!uses.length) return fix
  const staff = enteredByStaff(model, table, fix, on, condition, uses)
  if (staff) return staff
  const shown = isShared(fix) ? undefined : asShown(model, table, fix, on, uses)
  if (shown) return shown
  const open = forVisitors(model, table, fix, on, uses, condition)
  if (open) return open
  const theirs = administratorsOf(model, table, uses)
  if (theirs?.alone) return theirs.alone(fix, on)
  const own = theirs ? uses.filter((u) => !isOfAdministrators(u.path)) : uses
  const written = fix.code.includes('\n  for select') && own.length ? withWrites(fix, table, own, condition) : fix
  return theirs ? theirs.beside(written) : written
}

/** Nobody but administrators works with the rows, and nothing that a policy could ask says who is one: the session of the database is not theirs. */
const forAdministratorsAlone = (model: Model, table: Table, fix: Fix, on: string, uses: readonly Use[]): Fix | undefined =>
  administratorsPolicy(model, table, 'all')
    ? undefined
    : {
        ...fix,
        text: `Enable row level security and add no policy. Only pages and handlers for administrators (${placesOf(uses).told}) work with these rows, and no table says which of the accounts that policies know is one: let that code ask for the administrator first and then use the service role, which needs no policy.`,
        code: on,
      }

/** Rows of an application's settings that name which of its staff entered them: all of those work with them, not each with the own ones. */
function enteredByStaff(model: Model, table: Table, fix: Fix, on: string, condition: string, uses: readonly Use[]): Fix | undefined {
  const [, staff = '', column = ''] = /\bfrom (?:public\.)?"?(\w{1,63})"? p\s+where p\.\w{1,63} = "?\w{1,63}"?\."?(\w{1,63})"? and/.exec(condition) ?? []
  if (!STAFF_ENTRY_COLUMN.test(column) || !mayGiveRights({ name: staff })) return undefined
  const admin = administratorsPolicy(model, table, 'all')
  if (!admin) return undefined
  const { places, told } = placesOf(uses)
  return {
    text: `Enable row level security. ${column} says which of ${staff} entered a row: a policy lets all of them go on with all rows (the role is kept in ${admin.role}). ${told} ${places.length > 1 ? 'work' : 'works'} with it by the rights of whoever visits; what others are to see of it needs a policy for select.`,
    language: fix.language ?? 'sql',
    code: `${on}\n${admin.code}`,
  }
}

const GOES_ROUND =
  'Before row level security is switched on, put what its policies ask of the table itself, or of tables whose policies ask this one, to a function with SECURITY DEFINER: as they are, PostgreSQL would refuse every query with "infinite recursion detected in policy", of this table and of all whose policies ask it.'

const STAFF_ENTRY_COLUMN = /^(?:created|added|posted|uploaded|entered|published|made)_by(?:_id|_user_id)?$/

/** Who entered a row that visitors are shown is no owner of it: whoever runs the application writes, and everybody reads. */
function asShown(model: Model, table: Table, fix: Fix, on: string, uses: readonly Use[]): Fix | undefined {
  const { ownerColumns = [], tenantColumns = [], personalColumns = [] } = table.userData ?? {}
  const entered = ownerColumns.length > 0 && ownerColumns.every((c) => STAFF_ENTRY_COLUMN.test(c)) && !tenantColumns.length
  const reader = uses.find((u) => u.verb === 'select' && !isOfAdministrators(u.path))
  if (!entered || !reader || personalColumns.some((c) => !ownerColumns.includes(c)) || powerColumnsOf(table).length || mayGiveRights(table)) return undefined
  const admin = administratorsPolicy(model, table, 'all')
  const visitors = isOpenToVisitors(model.schema)
  return {
    ...fix,
    text: `Enable row level security. ${reader.path}:${reader.line} shows rows to whoever ${visitors ? 'visits' : 'is signed in'}, so reading stays open${visitors ? '' : ' to them'}; ${admin ? `who runs the application writes (the role is kept in ${admin.role})` : 'what writes belongs on the server, with the service role'}.`,
    code: [on, readableBy(table, visitors), ...(admin ? [admin.code] : [])].join('\n'),
  }
}

/** Pages show rows to visitors, whoever owns them: reading stays open where nothing in a row is anybody's alone, and otherwise the server picks what is shown. */
function forVisitors(model: Model, table: Table, fix: Fix, on: string, uses: readonly Use[], condition: string): Fix | undefined {
  const reader = shownAt(model, uses)
  if (!reader) return undefined
  const { ownerColumns = [], personalColumns = [] } = table.userData ?? {}
  const kept = [...personalColumns.filter((c) => !ownerColumns.includes(c)), ...table.columns.map((c) => c.name).filter((c) => SECRET_COLUMN_WORD.test(c))]
  const theirs = administratorsOf(model, table, uses)
  if (kept.length || mayGiveRights(table) || isPrivateByName(table.name)) {
    const told = {
      ...fix,
      text: `${fix.text} ${reader.path}:${reader.line} shows rows to visitors, who find none then: let that page be given them by the server, with the service role and the columns that everybody may see${kept.length ? ` (without ${listed([...new Set(kept)])})` : ''}.`,
    }
    return theirs ? theirs.beside(told) : told
  }
  const readable = `${on}\n${readableBy(table, true)}`
  const text = `Enable row level security. ${reader.path}:${reader.line} shows rows to visitors, so reading stays open.`
  const own = uses.filter((u) => !isOfAdministrators(u.path) && u.verb !== 'select')
  const shown: Fix = { text, language: 'sql', code: readable }
  const written =
    isShared(fix) && own.length
      ? {
          ...shown,
          text: `${text} ${placesOf(own).told} ${placesOf(own).places.length > 1 ? 'write' : 'writes'} rows with the rights of whoever visits: add policies for who may, or let the server do it.`,
        }
      : withWrites(shown, table, own, condition)
  return theirs ? theirs.beside(written) : written
}

/** A fix that binds rows to their owners, with what lets pages for administrators go on. */
export function besideAdministrators(model: Model, table: Table, fix: Fix): Fix {
  return administratorsOf(model, table, usesOf(model, table))?.beside(fix) ?? fix
}

/** Pages for administrators work with the rights of the session, and see no more than their own rows without a policy of theirs. */
function administratorsOf(model: Model, table: Table, uses: readonly Use[]) {
  const theirs = uses.filter((u) => isOfAdministrators(u.path))
  const [place] = theirs
  const admin = place && !mayGiveRights(table) ? administratorsPolicy(model, table, theirs.some((u) => u.verb !== 'select') ? 'all' : 'select') : undefined
  if (!place || !admin) return undefined
  const words = `(the role is kept in ${admin.role})`
  const entered = table.userData?.ownerColumns.every((c) => STAFF_ENTRY_COLUMN.test(c)) ?? false
  return {
    /** Nobody but administrators works with it, and who entered a row is one of them. */
    ...(entered && theirs.length === uses.length
      ? {
          alone: (fix: Fix, on: string): Fix => ({
            ...fix,
            text: `Enable row level security. Only pages for administrators (${place.path}:${place.line}) work with it, by the rights of the session: a policy of their own lets them go on ${words}.`,
            code: `${on}\n${admin.code}`,
          }),
        }
      : {}),
    beside: (fix: Fix): Fix => ({
      ...fix,
      text: `${fix.text} Pages for administrators (${place.path}:${place.line}) go on with all rows by a policy of their own ${words}.`,
      code: [fix.code, admin.code].join('\n'),
    }),
  }
}

/** Code that reads without the service role finds nothing in a table without policies: what it needs, where it can be given without giving more. */
function forReaders(model: Model, table: Table, fix: Fix, on: string, uses: readonly Use[]): Fix {
  const { places, told } = placesOf(uses)
  const reads = uses.some((u) => u.verb === 'select')
  const own = lookedUpBy(model, table)
  if (own)
    return {
      ...fix,
      text: `Enable row level security. ${own.at.path}:${own.at.line} looks whoever calls up in it, with the rights of the caller: that row has to stay readable for him, and no other. Rows are added by the server, with the service role.`,
      code: `${on}\n${createPolicy(table, 'Users see their own row', 'select', own.condition)}`,
    }
  const strangers = uses.filter((u) => !isOfAdministrators(u.path))
  const admin = strangers.length < uses.length ? administratorsPolicy(model, table, 'all') : undefined
  if (admin && strangers.every((u) => u.verb === 'insert')) {
    const [sent] = strangers
    return {
      ...fix,
      text: `Enable row level security. Pages for administrators (${listed([...new Set(uses.filter((u) => isOfAdministrators(u.path)).map((u) => `${u.path}:${u.line}`))].slice(0, 3))}) work with it by the rights of the session: a policy of their own lets them go on (the role is kept in ${admin.role}).${sent ? ` What ${sent.path}:${sent.line} adds belongs on the server, behind a limit.` : ''}`,
      code: `${on}\n${admin.code}`,
    }
  }
  const personal = table.userData?.personalColumns ?? []
  const visitors = isOpenToVisitors(model.schema)
  const secret = table.columns.some((c) => SECRET_COLUMN_WORD.test(c.name))
  if (reads && !personal.length && !secret && !table.userData?.ownerColumns.length && !mayGiveRights(table))
    return {
      ...fix,
      text: `Enable row level security. ${told} ${places.length > 1 ? 'use' : 'uses'} it with the rights of whoever visits: reading stays possible for everybody${visitors ? '' : ' who is signed in'} (${listed(table.columns.map((c) => c.name))}); what writes belongs on the server.`,
      code: `${on}\n${readableBy(table, visitors)}`,
    }
  return {
    ...fix,
    text: `Enable row level security. As the code stands it stops what ${told} ${places.length > 1 ? 'do' : 'does'} with the rights of whoever visits: let the server do that, with the service role and behind a check of who calls, ${personal.length ? `or let everybody read the columns that are shown and no others (\`revoke select\` on the table, \`grant select (…)\` without ${listed(personal)}, and a policy for select)` : 'or add a policy for whom it is meant'}.`,
    code: on,
  }
}

/** Some of the places in words, and all of them. */
function placesOf(uses: readonly Use[]): { readonly places: readonly string[]; readonly told: string } {
  const places = [...new Set(uses.map((u) => `${u.path}:${u.line}`))]
  return { places, told: places.length > 4 ? `${places.slice(0, 3).join(', ')} and ${places.length - 3} more places` : listed(places) }
}

const SECRET_COLUMN_WORD = /token|secret|passw|(?:^|_)(?:otp|pin|code|key|hash)(?:_|$)/i

/** The column by which code that has the caller's rights finds the row of the caller, as a condition of SQL. */
function lookedUpBy({ routes }: Model, table: Table): { readonly condition: string; readonly at: Place } | undefined {
  const names = [table.name, qualifiedName(table)]
  for (const { behaviour } of routes.routes)
    for (const { effect: e, at } of behaviour?.steps ?? []) {
      if (e.kind !== 'db' || e.op !== 'select' || e.client.rights !== 'caller' || !names.includes(e.table)) continue
      for (const { column, op, value } of e.filters) {
        if (op !== 'eq' || value.v !== 'caller' || !table.columns.some((c) => c.name === column)) continue
        if (value.field === 'email') return { condition: `${readable(column)} = (select auth.jwt() ->> 'email')`, at }
        if (value.field === 'id' || value.field === 'sub') return { condition: `${readable(column)} = (select auth.uid())`, at }
      }
    }
  return undefined
}

/** Several people share a row of the table. */
const isShared = (fix: Fix): boolean => isReached(fix) || (fix.code?.includes('"Users see rows that name them"') ?? false)
const isReached = (fix: Fix): boolean => fix.code?.includes(`"${SEE_REACHED}"`) ?? false

/** Several people work with the rows, and the schema does not say who with these: that has to be said in policies. */
function forWhom({ schema }: Model, fix: Fix, uses: readonly Use[]): Fix {
  const asked = askedByWords(schema)
  const { places, told } = placesOf(uses)
  return {
    ...fix,
    text: `Enable row level security, and in the same migration add policies for those who work with these rows${asked ? `: others ask ${asked.name}() for that, as the policy "${asked.policy}" on ${asked.on} does` : ''}.${places.length ? ` Without them ${told} ${places.length > 1 ? 'find' : 'finds'} nothing.` : ''}`,
  }
}

/** The owner's own writes that the code makes in the browser, columns that grant something left out; who may do what is nobody's own to write. */
function withWrites(fix: Fix, table: Table, uses: readonly Use[], condition: string): Fix {
  const added = firstUseOf(uses, 'insert', 'upsert')
  const changed = firstUseOf(uses, 'update', 'upsert')
  const removed = firstUseOf(uses, 'delete')
  if (!added && !changed && !removed) return fix
  if (isShared(fix)) {
    const places = [...new Set([added, changed, removed].filter((p) => p !== undefined))]
    return {
      ...fix,
      text: `${fix.text} ${listed(places)} ${places.length > 1 ? 'write' : 'writes'} rows with the rights of whoever visits: add policies for ${isReached(fix) ? 'who of them may write' : 'what each of the people in a row may write'}, or let the server do it.`,
    }
  }
  if (mayGiveRights(table))
    return {
      ...fix,
      text: `${fix.text} What ${added ?? changed ?? removed} writes with the rights of whoever visits belongs on the server: through a policy for it everybody could add himself.`,
    }
  const power = powerColumnsOf(table)
  const writes = [
    ...(added
      ? [
          createPolicy(table, 'Users add their own rows', 'insert', condition),
          ...(power.length ? [narrow(table, power, 'insert', { granting: true }) ?? ''] : []),
        ]
      : []),
    ...(changed
      ? [
          createPolicy(table, 'Users change their own rows', 'update', condition),
          ...(power.length ? [narrow(table, power, 'update', { granting: true, bound: true }) ?? ''] : []),
        ]
      : []),
    ...(removed ? [createPolicy(table, 'Users delete their own rows', 'delete', condition)] : []),
  ]
  const kept = (fix.code ?? '').split('\n').filter((line) => !line.startsWith('-- '))
  const places = [...new Set([added, changed, removed].filter((p) => p !== undefined))]
  return {
    ...fix,
    text: `${fix.text} The code writes rows with the rights of whoever visits (${listed(places)}): what it needs stays possible for the own rows${power.length ? `, without ${listed(power)}` : ''}.`,
    code: [...kept, ...writes].join('\n'),
  }
}

/**
 * The policies that are there take effect: those that are open themselves have to go, and what the others do not cover is said. `stays`: the same
 * attempt came through with them in force.
 */
function withPolicies(model: Model, table: Table, fix: Fix, policies: readonly Policy[], uses: readonly Use[], stays: boolean): Fix {
  const open = policies.filter((p) => isOpenPolicy(p, table))
  const left = policies.filter((p) => !open.includes(p))
  const theirs = administratorsOf(
    model,
    table,
    uses.filter((u) => !left.some((p) => p.permissive && covers(p, u.verb))),
  )
  const words = `${missing(theirs ? uses.filter((u) => !isOfAdministrators(u.path)) : uses, left)}${shutOut(model, left)}`
  const beside = (proposed: Fix) => theirs?.beside(proposed) ?? proposed
  if (!open.length) return beside({ ...fix, text: `${fix.text}${stays ? remains(left, table) : ''}${words}` })
  const several = open.length > 1
  const drops = open.map((p) => `drop policy ${ident(p.name)} on ${readableName(qualifiedName(table))};`).filter((drop) => !fix.code?.includes(drop))
  return beside({
    ...fix,
    text: `Enable row level security. ${open.length === policies.length ? `The ${several ? 'policies that exist' : 'policy that exists'}` : listed(open.map((p) => `"${p.name}"`))} ${several ? 'ask' : 'asks'} nothing of whose a row is, so ${several ? 'they' : 'it'} would leave the table as open to every account as it is: drop ${several ? 'them' : 'it'} in the same migration.${left.length ? ` ${left.length > 1 ? 'The others' : 'The other'} then ${left.length > 1 ? 'take' : 'takes'} effect.` : ''}${words}`,
    code: [fix.code, ...drops].join('\n'),
  })
}

/** What is as open as before when the policies take effect. */
function remains(policies: readonly Policy[], table: Table): string {
  const reading = policies.filter((p) => p.permissive && (p.command === 'select' || p.command === 'all') && isForAnybody(p))
  if (!table.userData) return ' With them in force rows can still be changed by others: look at what the policies for insert, update and delete ask.'
  return reading.length
    ? ` With ${listed(reading.map((p) => `"${p.name}"`))} in force everybody still reads every row, with ${listed(table.columns.map((c) => c.name))}: leave that only if all of it is meant to be seen.`
    : " With them in force another user's rows can still be read: look at what the policies for select ask."
}

/** Policies that compare the caller with a key which a table makes up itself are met by nobody. */
function shutOut({ schema }: Model, policies: readonly Policy[]): string {
  const never = policies.flatMap((p) => {
    const key = neverTheCaller(p, schema)
    return key ? [{ p, key }] : []
  })
  if (!never.length) return ''
  const [{ key }] = never as [(typeof never)[number]]
  return ` ${listed(never.map(({ p }) => `"${p.name}"`))} ${never.length > 1 ? 'compare' : 'compares'} ${key.table}.${key.column} with auth.uid(), which is made up for each row and never the id of who is signed in${key.user ? ` (that is in ${key.user})` : ''}: nobody is let in by ${never.length > 1 ? 'them' : 'it'}, administrators included. Compare ${key.user ? `${key.table}.${key.user}` : 'the column that holds that id'} in the same migration.`
}

const covers = ({ command }: Policy, verb: Use['verb']): boolean => command === 'all' || command === verb || (verb === 'upsert' && command === 'insert')

/** What the code does under the visitor's rights and no policy that exists allows. */
function missing(uses: readonly Use[], policies: readonly Policy[]): string {
  const reached = (command: Policy['command']) => policies.filter((p) => p.permissive && (p.command === command || p.command === 'all'))
  const others = uses.filter((u) => !isOfAdministrators(u.path))
  const placeFor = (of: readonly Use[], command: Command) =>
    command === 'insert' || command === 'update' ? firstUseOf(of, command, 'upsert') : firstUseOf(of, command)
  const without = ROW_COMMANDS.flatMap((command) => {
    const place = reached(command).length ? undefined : placeFor(uses, command)
    return place ? [`${command} (${place})`] : []
  })
  const role = ROW_COMMANDS.flatMap((command) => {
    const of = reached(command)
    const place = of.length && of.every(asksRole) ? placeFor(others, command) : undefined
    return place ? [`${command} (${place})`] : []
  })
  return [
    without.length
      ? ` No policy covers what the code does beside that with the rights of whoever visits: ${listed(without)}. Add policies for it, for whom these pages are meant, in the same migration.`
      : '',
    role.length ? ` For ${listed(role)} there are policies that ask for a role alone: whoever else uses these pages needs one as well.` : '',
  ].join('')
}

function openWords(code: string, table: Table, uses: readonly Use[]): string {
  if (!code.includes('using (true)')) return ''
  const written = firstUseOf(uses, 'insert', 'update', 'upsert', 'delete')
  return ` Every column becomes readable to everybody${code.includes('to anon') ? '' : ' who is signed in'} (${listed(table.columns.map((c) => c.name))}): leave the policy out if that is too much.${written ? ` ${written} writes rows with the rights of whoever visits: move that to the server, or add a policy for whom it is meant.` : ''}`
}

function fixText(table: Table, hasPolicies: boolean, code: string): string {
  if (table.kind === 'foreign') return 'Take the API roles their privileges on it, or move it to a schema that is not exposed.'
  if (hasPolicies)
    return code.startsWith('-- a policy that asks its own table')
      ? 'Enable row level security; the policies that exist then take effect, but for what they ask of the table itself, which PostgreSQL would refuse as infinite recursion: a function asks that.'
      : 'Enable row level security; the policies that exist then take effect.'
  if (code.includes('"Participants read"')) return 'Enable row level security and let those read a conversation who take part in it.'
  if (code.endsWith(WHO_TAKES_PART))
    return 'Enable row level security. A row says who wrote it, and nothing says who takes part in the conversation: keep that in a table of its own, a row for each who does, which a policy for reading then asks.'
  return table.userData
    ? 'Enable row level security and let each user reach the own rows only.'
    : 'Enable row level security; without a policy only the service role gets in, so add one for what everybody may read.'
}
