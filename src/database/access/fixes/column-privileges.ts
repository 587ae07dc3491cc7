import { says } from '../../../lib/snake-case.ts'
import type { Column, Table } from '../../database.ts'
import { decidesAccess, isOnePerUser, measuresUsers, powerColumnsOf } from '../column-authority/privilege-columns.ts'
import { nameOf } from '../policies/read-policies.ts'
import { readable, readableName } from '../sql.ts'

/** What others decide about whoever has the row: how far it got, who looked at it, what was earned and spent. */
const DECIDED =
  /^(?:\w{1,40}_)?(?:status|verified|approved|suspended|banned|blocked|rejected|credits?|balance|earnings?|earned|withdrawn|commission|quota|paid)$|^(?:is_)?(?:enabled|featured|sponsored|promoted|founder|premium)$|commission|^credits?_|_credits_|earnings|withdrawn_|_removed$|_(?:unlocked|purchased)$|(?:^|_)(?:approved|verified|reviewed|rejected|suspended|banned|paid|refunded|processed)_(?:by|at|until|on)$|^(?:trial|subscription|plan|premium)_|^billing_(?:status|plan|tier|period|cycle|interval|until|ends?_\w{1,10})$|^(?:payment|subscription|account|approval|order|booking)_state$|(?:^|_)(?:refill|reset|renewal)_(?:date|at)$|(?:^|_)(?:expires?|expiry)(?:_at|_date|_on)?$|^(?:stripe|paddle|paypal|payment|checkout|invoice)_|^(?:has|grants)_(?:\w{1,40}_)?(?:access|addon)$|^billing_exempt(?:ion)?(?:_\w{1,20})?$|^(?:mrr|arr)$|(?:^|_)invited_by$|(?:^|_)password_(?:hash|digest)$|(?:^|_)(?:reset|verification|confirmation|recovery)_(?:token|code)(?:_hash)?$/i

/** What is used up or counted, where it is a number: `tokens`, `messages_left`, `youtube_followers`. */
const COUNTER_COLUMN =
  /(?:^|_)(?:tokens|points|coins|gems|minutes|messages|generations|requests|downloads|exports|followers|subscribers|views|likes|wins|losses|xp|elo|rating|reputation|streak)(?:_(?:left|remaining|used|balance|limit|count|total))?$|(?:^|_)(?:usage|used|remaining|limit|count)(?:_count|_today|_this_month)?$|^(?:total|lifetime)_/i
const NUMERIC_COLUMN_TYPE = /^(?:int|bigint|smallint|numeric|decimal|real|double|float|money)/i
/** Why somebody was shut out, and what is paid out of a deal and when, whatever the table is called. */
const SAID_BY_STAFF =
  /(?:^|_)(?:ban|banned|block|blocked|suspension|suspended|rejection|rejected|moderation|admin|review)_(?:reasons?|notes?|comments?)$|^auto_\w{1,20}_at$|^(?:platform|service|application|agreed|creator|seller|vendor|provider|payout|net|gross|escrow)_(?:fee|fees|amount|price|total|share|cut)(?:_cents)?$/i

/** What somebody is here, and may do by that, where it is yes or no: whoever runs the application says so. */
const RIGHT =
  /^is_(?:organi[sz]er|creator|moderator|mod|seller|vendor|host|instructor|teacher|coach|trainer|driver|provider|partner|affiliate|ambassador|agent|reviewer|editor|judge|referee|expert|official|trusted|employee|operator|merchant|internal|tester)$|^can_\w{1,40}$/i
/** Who was shut out, from what and until when. */
const SHUT_OUT =
  /(?:^|_)(?:ban|banned|suspension|suspended|shadow_?bann?(?:ed)?|strikes?|violations?)(?:_|$)|(?:^|_)(?:locked|blocked|frozen|disabled|restricted|deactivated)_(?:until|by|reason|at)$/i
/** How somebody did and what others go by, where it is a number: wins, marks, places. What he aims at is his own. */
const HOW_HE_DID =
  /^(?!(?:target|goal|desired|wanted|preferred|min|max|minimum|maximum)_)(?:(?:\w{1,40}_)?(?:scores?|rank|ranking|placement|karma|trophies|medals|won|lost|played|correct|earned|sold)|(?:current_|user_)?level|(?:approved|rejected|accepted|flagged|career)_\w{1,40}|(?:avg|average|best|highest|peak)_(?:rating|placement|position|rank|finish|streak|grade)|(?:predictions|matches|games|tournaments|votes|reviews|ratings|uploads|referrals)_total)$/i
/** Of an account that others may close: that it is closed. */
const DELETED_FLAG_COLUMN = /^(?:is_)?deleted(?:_at|_by)?$/i
/** In what money is counted. */
const UNIT = /_(?:cents|usd|eur|gbp|brl)$/i

/** What a deal is about, as it was agreed. */
const DEALS =
  /(?:^|_)(?:orders?|bookings?|purchases?|reservations?|registrations?|tickets?|invoices?|payments?|transactions?|checkouts?|sales?|deals?|rentals?|pedidos?|reservas?|ordini|prenotazioni)(?:_items?|_lines?)?$/i
const AGREED_TERMS_COLUMN =
  /^(?:\w{1,30}_)?(?:price|amount|total|subtotal|discount|fee|fees|cost|tax|deposit|quantity|qty|guests|guest_count|party_size|seats|nights|pct|percent)(?:_(?:cents|usd|eur|gbp|brl|pct|percent|amount))?$|(?:^|_)(?:promo|coupon|confirmation|voucher|discount)_?code$|^purchase_id$/i

/** Whether somebody else than the row's owner seems to decide a column, by its name. */
export function isDecidedByOthers(table: Table, column: Column): boolean {
  const { name, type } = column
  const worth = name.replace(UNIT, '')
  if (says(SAID_BY_STAFF, name) || says(SHUT_OUT, name) || (/^bool/i.test(type) && says(RIGHT, name))) return true
  if (NUMERIC_COLUMN_TYPE.test(type) && (says(COUNTER_COLUMN, worth) || says(HOW_HE_DID, worth) || measuresUsers(table))) return true
  if (says(DELETED_FLAG_COLUMN, name) && isOnePerUser(table) && table.columns.some((c) => says(SHUT_OUT, c.name))) return true
  return says(DECIDED, name) || says(DECIDED, worth) || (says(DEALS, table.name) && says(AGREED_TERMS_COLUMN, name)) || powerColumnsOf(table).includes(name)
}

/** When a row came and when it was changed. */
const ROW_TIMESTAMP_COLUMN = /^(?:created|updated|inserted|modified)_?(?:at|on)$/i

interface Narrowing {
  /** The columns grant something: what else somebody else seems to decide is not handed back either. */
  readonly granting?: true
  /** The policy binds the owner of the new row too: he may stay in the list, because an upsert writes him again. */
  readonly bound?: boolean
  /** Guests write such rows as well. */
  readonly guests?: boolean
}

/** Column privileges: everything but the columns named stays writable. */
export function narrow(table: Table, columns: readonly string[], privilege: 'insert' | 'update', how: Narrowing = {}): string | undefined {
  const owners = table.userData?.ownerColumns ?? []
  const isKey = (c: Column) => table.primaryKey.includes(c.name) || owners.includes(c.name)
  const isUpserted = (c: Column) => how.bound === true && isOnePerUser(table) && owners.includes(c.name)
  const isPower = (c: Column) => privilege === 'update' && table.userData?.powerColumns.includes(c.name)
  const offered = table.columns.filter(
    (c) =>
      !columns.includes(c.name) &&
      !c.generated &&
      c.identity !== 'always' &&
      !(privilege === 'update' && isKey(c) && !isUpserted(c)) &&
      !(isPower(c) && !isKey(c)),
  )
  // what a row cannot be without has to be given
  const isNeeded = (c: Column) => privilege === 'insert' && c.notNull && c.default === undefined
  const held = how.granting ? offered.filter((c) => !isKey(c) && !isNeeded(c) && isDecidedByOthers(table, c)) : []
  const keep = offered.filter((c) => !held.includes(c))
  const name = readableName(nameOf(table))
  const revoke = `revoke ${privilege} on ${name} from anon, authenticated;`
  // nothing is left to say: a new row lacks what it cannot be without, or an old one holds no more than whose it is and since when
  const lacks = privilege === 'insert' && table.columns.some((c) => columns.includes(c.name) && c.notNull && c.default === undefined && !c.generated)
  const empty = privilege === 'update' && keep.every((c) => isKey(c) || ROW_TIMESTAMP_COLUMN.test(c.name))
  if (!keep.length || lacks || empty) return revoke
  const grant = `grant ${privilege} (${keep.map((c) => readable(c.name)).join(', ')}) on ${name} to ${how.guests ? 'anon, authenticated' : 'authenticated'};`
  const note = held.length
    ? `\n-- ${held.map((c) => readable(c.name)).join(', ')}: not handed back, because others seem to decide; add what users fill in themselves`
    : ''
  return `${revoke}\n${grant}${note}`
}

const GRANTED_DEFAULT_VALUE = /^'(?:active|activated|paid|approved|confirmed|verified|granted|enabled|live|premium|pro|lifetime|trial|trialing)'|^true$/i
const DECISION_STATE_COLUMN = /(?:^|_)(?:status|state|plan|tier|paid|verified|approved)$|^(?:is_)?active$|^has_/i

/** The best there is to have, where nothing else is said: `plan_type text default 'lifetime'`. */
const BEST = /^'(?:premium|pro|plus|lifetime|unlimited|ultimate|enterprise|business|elite|vip|gold|platinum|paid|admin|owner|superadmin)\w{0,20}'/i
const OF_A_KIND = /(?:^|_)(?:plan|tier|role|subscription|license|membership)(?:_(?:type|name|tier|level|kind|code))?$/i

/** Whether a row that gives none of the columns grants what they say all the same. */
export function grantsByDefault(table: Table, columns: readonly string[]): boolean {
  return table.columns.some(
    (c) =>
      (columns.includes(c.name) && BEST.test(c.default ?? '') && says(OF_A_KIND, c.name)) ||
      (GRANTED_DEFAULT_VALUE.test(c.default ?? '') &&
        says(DECISION_STATE_COLUMN, c.name) &&
        decidesAccess(table.name, [c.name]) &&
        (columns.includes(c.name) || powerColumnsOf(table).includes(c.name))),
  )
}
