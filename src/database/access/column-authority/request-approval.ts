import type { Catalog, Table } from '../../database.ts'
import type { Way } from '../expression/disjunct.ts'
import { isThroughOwnProfile } from '../owners/via-own-profile.ts'
import { nameOf, type Reading } from '../policies/read-policies.ts'
import { allowedValues } from '../trials/seed-values.ts'
import { PROCESSOR_COLUMN_PREFIX } from './privilege-columns.ts'
import { asksForMoney } from './stored-value.ts'

const REQUEST_STATE_COLUMN = /^((approval|verification|review|request|claim|withdrawal|payout|kyc)_?)?(status|state)$/i
const PENDING_REQUEST_DEFAULT =
  /^'(pending(_(?!payment)\w{1,20})?|submitted|uploaded|requested|in_review|under_review|awaiting_(review|approval|verification)|unverified|waiting|pendiente|pendente)'/i
const APPROVED_VALUE = /^(approved|granted|verified|authori[sz]ed|paid|aprobad[oa]|aprovad[oa]|approvat[oa]|pagad[oa]|pag[oa]|verificad[oa])$/i
/** What becomes of money that is paid out. */
const PAID_OUT_VALUE = /^(completed?|processed|sent|settled|conclu[ií]do|completad[oa])$/i
/** Columns that somebody fills in who looked at the row. */
const LOOKED_AT =
  /^(reviewed|approved|verified|processed|decided|granted|authori[sz]ed)_(by|at|on)(_id)?$|^(reviewer|approver|admin|rejection)_?(id|notes?|comments?|reason|feedback)$/i

/** What is asked for in such rows: money that is paid out, a standing, a day off. */
const ASKED_FOR =
  /withdraw|payout|refund|reimburse|reversals?$|charge_?backs?$|(^|_)claims?$|winner|winning|(^|_)prizes?$|verif|(^|_)kyc(_|$)|saques?($|_)|retiros?($|_)|reembols|(access|role|upgrade|admin|moderator|staff|host|seller|vendor|partner|creator|affiliate|membership|leave|time_?off|vacation|absence|loan|credit|advance|overtime)_?(requests?|applications?)$/i
/** Of two people whom a row names, the one who asked for something. */
const REQUESTER_COLUMN =
  /^(user|profile|account|requester|requestor|applicant|author|creator|member|employee|student|driver|customer|client|claimant|winner|usuario|utente)(_(user|profile))?_?(id|uid)$|^(created|requested|submitted|claimed)_by(_id)?$/i

/** That somebody who has to looked at a row and agreed: `approved_for_refill`, `cleared_by_doctor`. */
const SAID_OF_IT =
  /^(?:is_)?(?:approved|authori[sz]ed|cleared|granted)_(?:for|to|by)_\w{1,40}$|^(?:is_)?(?:staff|admin|doctor|provider|physician|pharmacist|manager|teacher|coach)_(?:approved|verified|cleared|authori[sz]ed)$/i

const asks = (way: Way, table: Table, catalog: Catalog): boolean => {
  const people = table.userData?.ownerColumns ?? []
  if (way.needsRole) return false
  // an affiliate's own row names the user, and the request names the affiliate
  if (way.outcome === 'via') return isThroughOwnProfile(table, way, catalog) || (people.length === 0 && isUnderOwn(table, way, catalog))
  return way.outcome === 'owner' && way.ownerColumns.some((c) => people.length === 1 || REQUESTER_COLUMN.test(c))
}

/** Whether a way in leads through one row that has one owner, the caller: where the row itself names nobody, the owner is who asks. */
export function isUnderOwn(table: Table, way: Way, { tables }: Pick<Catalog, 'tables'>): boolean {
  const [parent, more] = way.tables
  const owned = tables.find((t) => nameOf(t) === parent)
  return (
    way.outcome === 'via' &&
    !way.needsRole &&
    more === undefined &&
    owned?.userData?.ownerColumns.length === 1 &&
    table.foreignKeys.some((k) => k.references === parent && k.columns.length === 1 && way.tiedColumns.includes(k.columns[0] as string))
  )
}

/**
 * The state of a row in which a user asks for something that others grant: it waits at first, staff changes such rows by a role or leaves its
 * name in them, and a way in is the asking user's own.
 */
export function requestedStates(table: Table, ways: readonly Way[], readings: readonly Reading[], catalog: Catalog): readonly string[] {
  if (!ways.some((w) => asks(w, table, catalog))) return []
  const asked = ASKED_FOR.test(table.name)
  const signed = table.columns.some((c) => LOOKED_AT.test(c.name))
  const changing = readings.filter((r) => r.command === 'update').flatMap((r) => r.ways)
  const byStaff = changing.some((w) => w.outcome === 'role')
  const said = table.columns.filter((c) => !c.generated && c.default === 'false' && SAID_OF_IT.test(c.name)).map((c) => c.name)
  if (said.length && (byStaff || !changing.length)) return said
  return table.columns
    .filter((c) => !c.generated && REQUEST_STATE_COLUMN.test(c.name) && PENDING_REQUEST_DEFAULT.test(c.default ?? ''))
    .map((c) => c.name)
    .filter((c) => {
      const granted = allowedValues(table, c, catalog).some((v) => APPROVED_VALUE.test(v))
      // whatever a row is called: staff puts its name under it and says yes
      // nobody pays himself out, whether or not it is written down who does
      if (asksForMoney(table) && allowedValues(table, c, catalog).some((v) => APPROVED_VALUE.test(v) || PAID_OUT_VALUE.test(v))) return true
      if (!asked) return byStaff && signed && granted
      if (byStaff) return signed || granted
      // where no browser changes such rows at all, the server does
      return signed && (granted || !changing.length)
    })
}

const OFFERED =
  /(^|_)(offers?|bids?|proposals?|quotes?|quotations?|applications?|ofertas?|propuestas?|propostas?|cotizacion(es)?|candidaturas?|candidatures?|postulacion(es)?|offert[ae]|angebote?|bewerbung(en)?)$/i
const TAKEN = /(^|_)(accepted|hired|awarded|aceptad[oa]|aceit[oa]|accettat[oa]|angenommen)$/i
/** Whom an offer is made to, beside who makes it. */
const OFFERED_TO = /(^|_)(recipient|receiver|target|addressee|to)(_|$)/i
const OFFERING_PARTY_COLUMN =
  /(^|_)(seller|vendor|merchant|provider|supplier|freelancer|contractor|professional|host|driver|courier|carrier|traveler|tutor|coach|trainer|artist|worker|tasker|technician|applicant|candidate|bidder|influencer|creator|vendedor|proveedor|fornecedor|prestador|venditore|fornitore)(_(user|profile))?_?(id|uid)$/i

/**
 * The state of an offer that waits at first, where a way in is that of whoever makes it and another leads in whoever it is made to: that it is
 * taken the other one says.
 */
export function takenByOthers(table: Table, ways: readonly Way[], readings: readonly Reading[], { enums }: Pick<Catalog, 'enums'>): readonly string[] {
  if (!OFFERED.test(table.name)) return []
  const makers = (w: Way): boolean => !w.needsRole && makerColumns(w, table).length > 0
  const makes = ways.filter(makers)
  const others = readings.some((r) => r.command === 'update' && r.ways.some((w) => (w.outcome === 'owner' || w.outcome === 'via') && !makers(w)))
  if (!makes.length || !others) return []
  return table.columns
    .filter(
      (c) =>
        !c.generated &&
        REQUEST_STATE_COLUMN.test(c.name) &&
        PENDING_REQUEST_DEFAULT.test(c.default ?? '') &&
        allowedValues(table, c.name, { enums }).some((v) => TAKEN.test(v)),
    )
    .map((c) => c.name)
}

/** The columns by which a way in is that of whoever makes an offer: the only person whom it names, or the one whose name says so. */
function makerColumns(way: Way, table: Table): readonly string[] {
  const people = table.userData?.ownerColumns ?? []
  if (way.outcome === 'owner')
    return way.ownerColumns.filter((c) => !OFFERED_TO.test(c) && (people.length === 1 || OFFERING_PARTY_COLUMN.test(c) || REQUESTER_COLUMN.test(c)))
  return way.outcome === 'via' ? way.tiedColumns.filter((c) => OFFERING_PARTY_COLUMN.test(c)) : []
}

const AGREED_AMOUNT_COLUMN = /(^|_)(amount|total|price|cost|fee|budget|payout|monto|importe|preco|precio)(_|$)/i
const UNPAID =
  /^'(pending_payment|payment_pending|awaiting_payment|waiting_(for_)?payment|aguardando_pagamento|pendiente_(de_)?pago|in_attesa_(di_)?pagamento)'/i
const DEAL_STATE = /^((order|booking|payment|deal|escrow|collaboration|project|contract)_?)?(status|state)$/i
/** What somebody writes to those who owe him. */
const ISSUED = /invoice|factur|fatur|fattur|(^|_)(bills?|fees?|dues)$/i

const CHECKOUT_SESSION_TABLE = /(^|_)(payment|checkout)_(sessions?|intents?|attempts?)$/i
const PENDING = /^'(pending|created|open|processing|unpaid|pendente|pendiente)'/i

/** Whether rows are payments as a processor carries them out: each waits until it says that the money has arrived. */
const isCarriedOut = (table: Table): boolean =>
  CHECKOUT_SESSION_TABLE.test(table.name) && table.columns.some((c) => CARRIED_OUT_BY.test(c.name) || PROCESSOR_COLUMN_PREFIX.test(c.name))
const CARRIED_OUT_BY = /^(payment_)?(provider|gateway|processor)(_(id|ref|reference|session_id|transaction_id))?$/i

/** The state of a deal that waits for a payment at first: who is a party of it does not say that the money has arrived. */
export function awaitedPayments(table: Table, ways: readonly Way[]): readonly string[] {
  if (ISSUED.test(table.name) || !ways.some((w) => w.outcome === 'owner' && !w.needsRole)) return []
  if (!table.columns.some((c) => AGREED_AMOUNT_COLUMN.test(c.name) && /^(numeric|integer|bigint|real|double|money)/.test(c.type))) return []
  const waits = isCarriedOut(table) ? PENDING : UNPAID
  return table.columns.filter((c) => !c.generated && DEAL_STATE.test(c.name) && waits.test(c.default ?? '')).map((c) => c.name)
}
