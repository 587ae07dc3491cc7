import type { Catalog, Grant, Table } from '../../database.ts'
import { admissionColumns } from '../column-authority/admission.ts'
import { approvalColumns, badgeColumns, moderatedColumns } from '../column-authority/approval.ts'
import { certified } from '../column-authority/certificate.ts'
import { payTerms } from '../column-authority/compensation.ts'
import { paidByWord, pricePaid, settledByOthers, writtenByOther } from '../column-authority/counterparty-columns.ts'
import { appointsOthers } from '../column-authority/delegated-grant.ts'
import { raisedAbove } from '../column-authority/global-role-value.ts'
import { admittedBy, belongingColumns, openedBy } from '../column-authority/membership-columns.ts'
import { ownInvitation } from '../column-authority/own-invitation.ts'
import { heldStates, isWaiting } from '../column-authority/pending-state.ts'
import { type AskedColumns, askedOnly, powerOf } from '../column-authority/policy-gate-columns.ts'
import { decidesAccess, earnedColumns, isRepute, PROCESSOR_COLUMN_PREFIX, paysForUse, placesSold } from '../column-authority/privilege-columns.ts'
import { awaitedPayments, isUnderOwn, requestedStates, takenByOthers } from '../column-authority/request-approval.ts'
import { appointsItself } from '../column-authority/role-granting-row.ts'
import { keptMoney } from '../column-authority/stored-value.ts'
import { isPerson, paidByTenant } from '../column-authority/tenant-subscription.ts'
import { handedToRoles } from '../column-authority/trigger-propagated-role.ts'
import { bookedMoves } from '../column-authority/wallet-movement.ts'
import type { Way } from '../expression/disjunct.ts'
import { protectedByTrigger } from '../functions/column-protecting-trigger.ts'
import type { Hole } from '../hole.ts'
import { enteredByOneself } from '../owners/immutable-owner.ts'
import { speakersOf } from '../owners/message-author.ts'
import { freeParents, privateParents } from '../owners/private-parent.ts'
import { createdAtSignUp } from '../owners/row-created-at-sign-up.ts'
import { isSignature, isThroughOwnProfile } from '../owners/via-own-profile.ts'
import { isPublication } from '../row-audience/published-state.ts'
import { type BrowserRole, nameOf, type Reading } from './read-policies.ts'
import { freeToThoseAlike } from './role-only-insert.ts'

/** What a policy is judged against beside its own table. */
export interface WriteContext {
  readonly catalog: Catalog
  /** Tables through which others' policies let members in. */
  readonly memberships: ReadonlySet<string>
  readonly asked: AskedColumns
  /** Columns by which a row declares another table's row public (`public.shares.post_id`), with that table. */
  readonly publishing: ReadonlyMap<string, string>
  readonly readings: ReadonlyMap<string, readonly Reading[]>
  /** Columns of the caller's own row by which others' policies let in, by table. */
  readonly joining: ReadonlyMap<string, ReadonlySet<string>>
  /** Those by which they let him change or delete. */
  readonly admitting: ReadonlyMap<string, ReadonlySet<string>>
}

/** Where rows of one table decide that a row of another is shown, to everybody or to those who see the deciding row: the columns that say which. */
export function publishingColumns(readings: ReadonlyMap<string, readonly Reading[]>): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [table, list] of readings)
    for (const way of list.flatMap((r) => (r.command === 'select' ? r.ways : []))) {
      if (way.outcome !== 'open' && way.outcome !== 'via') continue
      const deciding = new Set(way.parentStates.filter((s) => isPublication(s) && s.table !== table).map((s) => s.table))
      for (const column of way.children) if (deciding.has(column.slice(0, column.lastIndexOf('.')))) found.set(column, table)
    }
  return found
}

/** The free column by which whoever inserts a row of his own declares somebody else's row of another table public. */
function publishedBy(
  table: Table,
  bound: readonly Way[],
  publishing: WriteContext['publishing'],
  free: (column: string) => boolean,
): Pick<Hole, 'columns' | 'tables'> | undefined {
  if (!bound.every((w) => w.outcome === 'owner' && !w.needsRole)) return undefined
  for (const { name } of table.columns) {
    const shown = publishing.get(`${nameOf(table)}.${name}`)
    // a row's own key names no other row: then it is the parent that decides, not a row beside it
    const key = table.primaryKey.includes(name) || table.uniques.some((u) => u.columns.length === 1 && u.columns[0] === name)
    const names = table.foreignKeys.some((f) => f.columns.includes(name) && f.references === shown) || (table.stub && /_id$/i.test(name))
    if (shown && names && !key && free(name)) return { columns: [name], tables: [{ table: shown, command: 'select' }] }
  }
  return undefined
}

/** Columns that a role may write; undefined when it may write all. */
function writableColumns(grants: readonly Grant[], role: BrowserRole, privilege: 'insert' | 'update'): readonly string[] | undefined {
  const own = grants.filter((g) => g.privilege === privilege && (g.role === role || g.role.toLowerCase() === 'public'))
  return own.some((g) => !g.columns) ? undefined : own.flatMap((g) => g.columns ?? [])
}

/** Tables in which the owner of the parent rightly names other people. */
const NAMES_OTHERS = /invit|member|participant|attend|assign|share|collaborat|follow|permission|guest|enrol|recipient|access|seat|player|roster/i

/** Columns that name whom work is given to, or who will have done it: the owner of the parent says that, and it is nobody's signature. */
const ASSIGNEE =
  /assign|asignad|atribu[ií]d|responsa|delegat|zugewiesen|^(?:checked|checked_off|ticked|confirmed|completed|done|finished|bought|purchased|picked|collected|resolved|closed|approved|reviewed|updated|modified|archived|deleted|last_\w+)_by(?:_id)?$|^(?:complet(?:ad|at)o|conclu[ií]do|finalizado|terminado|hecho|feito|fatto|confirmado|confermato|resuelto|resolvido|risolto|cerrado|fechado|chiuso|aprobado|aprovado|approvato|revisado|verificado|verificato|actualizado|atualizado|aggiornato|modificado|modificato)_(?:por|da)(?:_id)?$/i

const isFixed = (column: string, ways: readonly Way[]) =>
  ways.every((w) => w.states.some((s) => s.column === column && s.op === '=') || w.tiedColumns.includes(column) || w.ownerColumns.includes(column))

/** Why what users give themselves is no right yet: others go by it, or policies ask for it. */
function whySelfGranted(columns: readonly string[], table: Table, asked: AskedColumns): Pick<Hole, 'because'> {
  if (columns.some((c) => decidesAccess(table.name, [c]))) return {}
  return columns.every((c) => isRepute(table, c)) ? { because: 'repute' } : askedOnly(columns, table, asked)
}

/** What a policy that binds the owner of a new row leaves free all the same. */
export function readInsert(table: Table, reading: Reading, context: WriteContext): Hole[] {
  const { catalog, memberships, asked, publishing, readings } = context
  const user = table.userData
  const bound = reading.ways.filter((w) => w.outcome === 'owner' || w.outcome === 'via')
  if (!user) return []
  const writable = writableColumns(table.grants, 'authenticated', 'insert')
  const may = (c: string) => (!writable || writable.includes(c)) && !protectedByTrigger(catalog, nameOf(table), c, 'insert')
  const free = (c: string) => may(c) && !isFixed(c, bound)
  const base = {
    object: nameOf(table),
    command: 'insert' as const,
    policy: reading.policy.name,
    who: 'authenticated' as const,
    at: reading.policy.at,
    proof: 'inferred' as const,
  }
  const here = readings.get(nameOf(table)) ?? []
  const alike = freeToThoseAlike(table, reading, here).filter(may)
  if (alike.length) return [{ ...base, kind: 'author-free', columns: alike, because: 'role' }]
  if (!bound.length) return []
  const above = raisedAbove(table, reading, readings, may)
  if (above) return [{ ...base, kind: 'self-grant', columns: [above.column], because: 'above', states: [above] }]
  // whoever administers the parent may write for others; colleagues of one tenant assign work to each other
  const tied = [...user.ownerColumns, ...user.tenantColumns]
  const through = bound.filter((w) => w.outcome === 'via' && !w.needsRole && !w.bySetting)
  const unbound = through.filter((w) => !w.tiedColumns.some((c) => tied.includes(c)))
  // what is said in a group is said by one of its members all the same
  const said = speakersOf(table)
  const speakers = unbound.length ? [] : said.filter((c) => through.some((w) => !w.tiedColumns.includes(c)))
  const authors = (speakers.length ? speakers : user.ownerColumns).filter((c) => free(c) && !isParent(table, c) && !ASSIGNEE.test(c))
  const waits = bound.every((w) => w.states.some(isWaiting))
  const power = powerOf(table, asked).filter(
    (c) =>
      free(c) &&
      (decidesAccess(table.name, [c]) || isRepute(table, c) || asked.get(nameOf(table))?.has(c)) &&
      !isParent(table, c) &&
      !(waits && END_TIME_COLUMN.test(c)),
  )
  const otherParty = !said.length && unbound.every((w) => isThroughOwnProfile(table, w, catalog)) && !authors.some(isSignature)
  if ((unbound.length || speakers.length) && authors.length && !otherParty && !NAMES_OTHERS.test(table.name)) {
    const nobody = authors.every((c) => bound.every((w) => isFixed(c, [w]) || w.states.some((s) => s.column === c && s.op === 'is null')))
    return [{ ...base, kind: 'author-free', columns: [...authors, ...power], ...(nobody ? { because: 'nobody' } : {}) }]
  }
  const forgeable = namesOfOthers(user.ownerColumns, bound).filter((c) => AUTHOR_OR_REQUESTER_COLUMN.test(c) && free(c))
  if (forgeable.length) return [{ ...base, kind: 'author-free', columns: forgeable, because: 'either' }]
  // people may be named by the key of their profile: `user_id = my_profile_id()`
  const isOwn = (w: Way) => w.outcome === 'owner' || isThroughOwnProfile(table, w, catalog)
  const tenants = memberships.has(nameOf(table)) && bound.some(isOwn) ? user.tenantColumns.filter(free) : []
  if (tenants.length) return [{ ...base, kind: 'self-grant', columns: [...tenants, ...power], because: 'membership' }]
  const admitted = bound.every((w) => isOwn(w) && !w.needsRole) ? admittedBy(table, context.admitting.get(nameOf(table))).filter(free) : []
  if (admitted.length) {
    const opened = [...new Set(admitted.flatMap((c) => openedBy(table, c, readings, ['update', 'delete'])))].sort()
    return [
      {
        ...base,
        kind: 'self-grant',
        columns: [...admitted, ...power],
        because: 'membership',
        tables: opened.map((t) => ({ table: t, command: 'update' as const })),
      },
    ]
  }
  const atSignUp = createdAtSignUp(table, catalog, here)
  const appointed = atSignUp ? undefined : appointsItself(table, bound, readings, free)
  const granted = appointsOthers(table, bound) ? power.filter((c) => paysForUse(table, c)) : power
  const booked = bound.every((w) => isUnderOwn(table, w, catalog)) && movesMoney(table)
  // where the row alone is the right, keeping its columns from being written would leave it to everybody
  if (granted.length && !appointed?.byRowAlone && (booked || bound.some(isOwn)) && !atSignUp)
    return [
      {
        ...base,
        kind: 'self-grant',
        columns: granted,
        ...whySelfGranted(granted, table, asked),
      },
    ]
  if (appointed) {
    const opened = appointed.tables.map((t) => ({ table: t, command: 'update' as const }))
    return [{ ...base, kind: 'self-grant', columns: appointed.columns, because: 'appointment', tables: opened }]
  }
  const own = bound.some((w) => isOwn(w) && !w.needsRole)
  const approval = own ? [...new Set([...approvalColumns(table, here), ...badgeColumns(table, here, powerOf(table, asked))])].filter(free) : []
  if (approval.length && !atSignUp) return [{ ...base, kind: 'self-grant', columns: approval, because: 'approval' }]
  const moderated = own ? moderatedColumns(table, here).filter(free) : []
  if (moderated.length) return [{ ...base, kind: 'self-grant', columns: moderated, because: 'moderation' }]
  const placed = own ? placesSold(table).filter(free) : []
  if (placed.length) return [{ ...base, kind: 'self-grant', columns: placed, because: 'placement' }]
  const issued = own ? certified(table).filter(free) : []
  if (issued.length) return [{ ...base, kind: 'self-grant', columns: issued, because: 'certificate' }]
  const kept = own && !atSignUp ? keptMoney(table, catalog).filter(free) : []
  if (kept.length) return [{ ...base, kind: 'self-grant', columns: kept }]
  const unpaid = paidByWord(table, bound, here, catalog).filter(free)
  if (unpaid.length) return [{ ...base, kind: 'self-grant', columns: unpaid }]
  const settled = settledByOthers(table, bound, here).filter(free)
  if (settled.length) return [{ ...base, kind: 'self-grant', columns: settled, because: 'settled' }]
  const awaited = [...awaitedPayments(table, bound), ...bookedMoves(table, bound, catalog)].filter(free)
  if (awaited.length) return [{ ...base, kind: 'self-grant', columns: awaited, because: 'settled' }]
  const requested = [...requestedStates(table, bound, here, catalog), ...takenByOthers(table, bound, here, catalog)].filter(free)
  if (requested.length && !memberships.has(nameOf(table))) return [{ ...base, kind: 'self-grant', columns: requested, because: 'requested' }]
  const told = pricePaid(table, bound, here).filter(free)
  if (told.length) return [{ ...base, kind: 'self-grant', columns: told, because: 'price' }]
  const published = publishedBy(table, bound, publishing, free)
  if (published) return [{ ...base, kind: 'self-grant', because: 'publication', ...published }]
  const paid = paidByTenant(table, bound, { catalog, memberships }).filter(free)
  if (paid.length) return [{ ...base, kind: 'self-grant', columns: paid, because: 'tenant' }]
  return freeParents(privateParents(table, catalog, readings), reading.ways, free)
    .slice(0, 1)
    .map(({ column, parent }) => ({ ...base, kind: 'parent-free', columns: [column], tables: [{ table: parent, command: 'insert' }] }))
}

const SENT_BY = /^(provider|gateway|processor|payout_method|withdrawal_method|external_(id|ref|reference)|provider_(id|ref|reference|transaction_id))$/i

/** Whether what is written here moves money: it says by whom it is sent, which nobody needs to know who keeps books of what he spends. */
const movesMoney = (table: Table): boolean => table.columns.some((c) => SENT_BY.test(c.name) || PROCESSOR_COLUMN_PREFIX.test(c.name))

/** When something ends: it says nothing as long as the row waits for somebody to begin it. */
const END_TIME_COLUMN = /^(?:ends?|expires?)_(?:at|on)$|^valid_until$|_(?:end|ends_at|expires_at|until)$/i

/** What somebody may do in what he was let into. */
const MEMBER_RIGHT_COLUMN = /(^|_)(roles?|role_id|permissions?|access(_level)?|status|approved)$|^is_(admin|owner|moderator|approved)$/i

/**
 * Whether a way leads in through the row that this one hangs on, whose owner the caller is, and not by what this one says about its user:
 * `site_collaborators.user_id` may be anybody, and what he may do on the site is its owner's to say.
 */
function ownsWhatIsShared(table: Table, way: Way, memberships: ReadonlySet<string>): boolean {
  const people = table.userData?.ownerColumns ?? []
  const bound = [...way.ownerColumns, ...way.tiedColumns]
  return (
    way.outcome === 'via' && people.length > 0 && !people.some((c) => bound.includes(c)) && !way.tables.some((t) => t === nameOf(table) || memberships.has(t))
  )
}

/** Columns that say who wrote or asked; whom a row is for is not among them. */
const AUTHOR_OR_REQUESTER_COLUMN =
  /^(user|sender|author|creator|owner|requester|from|poster|reviewer|uploader)(_(user|profile))?_?(id|uid)?$|^(created|posted|sent|submitted|uploaded|requested)_by(_id|_user_id)?$/i

/**
 * Owner columns that one way in compares with the caller and another leaves free: `sender_id = auth.uid() or user_id = auth.uid()` takes a
 * row whose sender is somebody else.
 */
function namesOfOthers(owners: readonly string[], ways: readonly Way[]): string[] {
  const own = ways.filter((w) => w.outcome === 'owner')
  const named = (w: Way, c: string) => w.ownerColumns.includes(c) || w.tiedColumns.includes(c) || w.states.some((s) => s.column === c)
  return owners.filter((c) => own.some((w) => w.ownerColumns.includes(c)) && own.some((w) => !w.needsRole && !named(w, c)))
}

/** A column that points at another table than the users' own ones is a parent, not an author. */
function isParent(table: Table, column: string): boolean {
  return (
    table.foreignKeys.some((f) => f.columns.length === 1 && f.columns[0] === column && !isPerson(f.references)) &&
    !/user|owner|author|created_by|profile/.test(column)
  )
}

/** Tables that say who may do what: whoever gets in by them was appointed. */
const APPOINTING = /(^|[._])(roles?|permissions?|privileges?)$/i

/** What a policy that binds the owner of a row lets him change all the same. */
export function readUpdate(table: Table, reading: Reading, { catalog, memberships, asked, joining, readings }: WriteContext): Hole[] {
  const user = table.userData
  const base = {
    object: nameOf(table),
    command: 'update' as const,
    policy: reading.policy.name,
    who: 'authenticated' as const,
    at: reading.policy.at,
    proof: 'inferred' as const,
  }
  const holes: Hole[] = []
  const rows = reading.ways.filter((w) => w.outcome === 'owner' || w.outcome === 'via')
  if (!rows.length) return holes
  const after = (reading.newRow ?? reading.ways).filter((w) => w.outcome !== 'role')
  const writable = writableColumns(table.grants, 'authenticated', 'update')
  const free = (c: string) => (!writable || writable.includes(c)) && !protectedByTrigger(catalog, nameOf(table), c, 'update')
  const settable = (c: string) => free(c) && !isFixed(c, after)
  if (!user) {
    const bought = paidByTenant(table, rows, { catalog, memberships }).filter(settable)
    return bought.length ? [{ ...base, kind: 'escalation', columns: bought, because: 'tenant' }] : holes
  }
  const above = raisedAbove(table, reading, readings, free)
  if (above) holes.push({ ...base, kind: 'escalation', columns: [above.column], because: 'above', states: [above] })
  const here = readings.get(nameOf(table)) ?? []
  const moved = reading.newRow?.some((w) => w.outcome === 'open') ? user.ownerColumns.filter(free) : []
  const either = namesOfOthers(user.ownerColumns, after).filter(free)
  const unseen = after.some((w) => asksForStoredRow(table, w)) ? user.ownerColumns.filter((c) => free(c) && !table.primaryKey.includes(c)) : []
  const rewritten = writtenByOther(table, reading, {
    catalog,
    memberships,
    readings: here,
    free: settable,
  })
  if (rewritten) holes.push({ ...base, kind: 'rewrite', ...rewritten, columns: [...new Set([...(rewritten.columns ?? []), ...moved, ...either])] })
  else if (moved.length) holes.push({ ...base, kind: 'owner-change', columns: moved })
  else if (either.length) holes.push({ ...base, kind: 'owner-change', columns: either, because: 'either' })
  else if (unseen.length) holes.push({ ...base, kind: 'owner-change', columns: unseen, because: 'stored' })
  else {
    const entered = enteredByOneself(table, reading, here, memberships, catalog.tables).filter(free)
    if (entered.length) holes.push({ ...base, kind: 'owner-change', columns: entered, because: 'party' })
  }
  const selfService = rows.filter(
    (w) => w.outcome === 'owner' || !w.gates.some((g) => /role|admin|owner|type|level/i.test(g.column) || APPOINTING.test(g.table)),
  )
  const theirs = selfService.filter((w) => !ownsWhatIsShared(table, w, memberships))
  const appoints = appointsOthers(table, rows)
  const power = [
    ...new Set([...handedToRoles(table, catalog), ...powerOf(table, asked), ...earnedColumns(table, catalog), ...keptMoney(table, catalog)]),
  ].filter((c) => (!appoints || paysForUse(table, c)) && (MEMBER_RIGHT_COLUMN.test(c) ? theirs : selfService).length > 0 && settable(c))
  const belonging = belongingColumns(table, rows, joining.get(nameOf(table))).filter(settable)
  const withheld = belonging.length ? { withheld: belonging } : {}
  if (power.length) holes.push({ ...base, kind: 'escalation', columns: power, ...withheld, ...askedOnly(power, table, asked) })
  const invited = power.length ? [] : ownInvitation(table, rows, catalog, readings).filter(settable)
  if (invited.length) holes.push({ ...base, kind: 'escalation', columns: invited, because: 'invitation' })
  const own = rows.some((w) => w.outcome === 'owner' && !w.needsRole)
  const approval = power.length || !own ? [] : approvalColumns(table, here).filter(settable)
  if (approval.length) holes.push({ ...base, kind: 'escalation', columns: approval, because: 'approval' })
  const moderated = power.length || !own ? [] : moderatedColumns(table, here).filter(settable)
  if (moderated.length) holes.push({ ...base, kind: 'escalation', columns: moderated, because: 'moderation' })
  const held = power.length || approval.length || moderated.length ? [] : heldStates(table, reading, here).filter((s) => settable(s.column))
  if (held.length) holes.push({ ...base, kind: 'escalation', columns: held.map((s) => s.column), because: 'held', states: held })
  const decided = power.length || approval.length || moderated.length || held.length || rewritten
  const awaited = decided ? [] : [...awaitedPayments(table, rows), ...bookedMoves(table, rows, catalog)].filter(settable)
  if (awaited.length) holes.push({ ...base, kind: 'escalation', columns: awaited, because: 'settled' })
  const waiting = () => [...requestedStates(table, rows, here, catalog), ...takenByOthers(table, rows, here, catalog)]
  const requested = decided || awaited.length ? [] : waiting().filter(settable)
  if (requested.length) holes.push({ ...base, kind: 'escalation', columns: requested, because: 'requested' })
  const placed = decided || !own ? [] : placesSold(table).filter(settable)
  if (placed.length) holes.push({ ...base, kind: 'escalation', columns: placed, because: 'placement' })
  const pay = power.length ? [] : payTerms(table, rows, here).filter(settable)
  if (pay.length) holes.push({ ...base, kind: 'escalation', columns: pay, because: 'pay' })
  const told = power.length || rewritten ? [] : pricePaid(table, rows, here).filter(settable)
  if (told.length) holes.push({ ...base, kind: 'escalation', columns: told, because: 'price' })
  const admits = power.length || rewritten || told.length ? [] : admissionColumns(table, rows, here).filter(settable)
  if (admits.length) holes.push({ ...base, kind: 'escalation', columns: admits, because: 'admission' })
  const paid = power.length ? [] : paidByTenant(table, rows, { catalog, memberships }).filter(settable)
  if (paid.length) holes.push({ ...base, kind: 'escalation', columns: paid, because: 'tenant' })
  if (belonging.length) {
    const opened = [...new Set(belonging.flatMap((c) => openedBy(table, c, readings)))].sort()
    holes.push({ ...base, kind: 'escalation', columns: belonging, because: 'belonging', tables: opened.map((t) => ({ table: t, command: 'select' as const })) })
  }
  return holes
}

/**
 * Whether all that binds a new row is that the table's row of the same key is the caller's (`is_host(id, auth.uid())`, which looks the row up):
 * while it is changed that is the row as it was, and whatever the new one says of people is not looked at.
 */
function asksForStoredRow(table: Table, way: Way): boolean {
  if (way.outcome !== 'via' || way.needsRole || !table.primaryKey.length) return false
  return way.tables.includes(nameOf(table)) && way.tiedColumns.length > 0 && way.tiedColumns.every((c) => table.primaryKey.includes(c))
}
