import type { Catalog, Table } from '../../database.ts'
import type { Way } from '../expression/disjunct.ts'
import type { Hole } from '../hole.ts'
import { nameOf, type Reading } from '../policies/read-policies.ts'
import { allowedValues } from '../trials/seed-values.ts'

/** What a policy that lets in another party than the author leaves free: the author's columns, and whose they are. */
export type WrittenByOther = Pick<Hole, 'columns' | 'because' | 'author'>

/** What decides whether somebody who gets in is another party than who wrote the row. */
interface Context {
  readonly catalog: Catalog
  readonly readings: readonly Reading[]
  readonly memberships: ReadonlySet<string>
  readonly free: (column: string) => boolean
}

const MESSAGE_TABLE = /message|(^|_)chats?$|(^|_)dms?$|mensa[jg]|messagg|nachricht/i
const REVIEWS = /review|(^|_)ratings?$|testimonial|rese[nñ]a|avalia[cç]|valoraci|recension|bewertung/i
const OFFER_TABLE =
  /(^|_)(offers?|bids?|proposals?|quotes?|quotations?|estimates?|ofertas?|propuestas?|cotizacion(es)?|propostas?|preventiv[io]|offert[ae]|angebote?)$/i
/** What is written for whoever receives it, and what machines write. */
const NOBODYS_WORDS =
  /notif|alert|template|(^|_)(logs?|history|queue|settings?|status(es)?|types?)$|(^|_)(ai|bot|assistant|gpt|system|canned)_|(^|_)(e?mails?|sms|push)_/i

const AUTHOR_OR_SENDER_COLUMN =
  /(^|_)(sender|from|author|creator|poster|writer|reviewer|rater|bidder|user|usuario|remitente|remetente|mittente|emisor|autore?|auteur|absender|utente)(_|$)|^(created|posted|sent|submitted|written)_by(_|$)/i
const SENDER = /(^|_)(sender|from|remitente|remetente|mittente|emisor|absender)(_|$)/i
const RECIPIENT_COLUMN = /(^|_)(recipient|receiver|recipiente|destinatari[oa]|destinataire|empfaenger|to|target|addressee)(_|$)/i
const MESSAGE_BODY_COLUMN =
  /^(content|body|message|text|subject|comment|review|title|cuerpo|contenido|conteudo|contenuto|mensaje|mensagem|messaggio|texto|testo|comentario|commento|inhalt|nachricht|text_content)(_?(text|body|content))?$|^(message|review|comment)_/i
const SCORES = /^(rating|score|stars|points|note|nota|calificacion|puntuacion|avaliacao|voto|punteggio|bewertung)$|_(rating|score|stars)$/i

const MONEY_COLUMN =
  /(^|_)(amount|total|subtotal|price|cost|fee|fees|payout|monto|importe|total_amount|precio|preco|prezzo|importo|betrag|preis|prix|montant)(_|$)/i
const PAYMENT_STATE_COLUMN =
  /^(payment_?(status|state)|is_?paid|paid|paid_at|payment_confirmed|escrow_(status|state)|estado_(de_)?pago|status_(do_)?pagamento|stato_pagamento|pagado|pagato|bezahlt)$/i
const DEAL_STATE_COLUMN = /^(status|state|estado|stato|situacao|(order|booking|escrow|delivery|fulfil+ment)_(status|state))$/i
const BUYER_COLUMN =
  /^(buyer|purchaser|customer|client|guest|renter|shopper|consumer|student|patient|comprador|cliente|kunde|acheteur|acquirente)(_(user|profile))?_?(id|uid)$/i
const SELLER_COLUMN =
  /^(seller|vendor|merchant|provider|supplier|freelancer|contractor|professional|host|landlord|driver|courier|tutor|coach|trainer|instructor|stylist|lawyer|artist|worker|tasker|technician|vendedor|proveedor|fornecedor|prestador|profesional|profissional|venditore|fornitore|anbieter)(_(user|profile))?_?(id|uid)$/i
const ANY_USER = /^(user|owner|account|profile|usuario|utente)_?(id|uid)$/i
/** What is bought in the application, not what somebody keeps books of. */
const PURCHASED_ITEM_COLUMN =
  /(^|_)(orders?|purchases?|bookings?|reservations?|rentals?|escrows?|checkouts?|pedidos?|compras?|reservas?|ordini|prenotazion[ei]|bestellungen|commandes?)$/i
/** What is put up for sale: its price is its owner's. */
const FOR_SALE_TABLE = /product|listing|service|propert|(^|_)(items?|gigs?|packages?|courses?|rooms?|vehicles?|menus?|plans?|budgets?|expenses?)(_|$)/i
const PROCESSOR_REFERENCE_COLUMN = /^(stripe|paypal|paddle|razorpay|paystack|mollie|square|mercado_?pago|adyen)_|payment_intent|checkout_session/i
/** Orders that staff take down for somebody who has no account. */
const TAKEN_DOWN = /^(customer|client|guest|cliente|kunden?)_?(name|phone|nombre|nome)$|^(table|mesa)_?(number|no|id|numero)$|waiter|cashier/i
const SENT_HOME = /shipping|delivery|address|endereco|direccion|indirizzo/i
const CALLED_OFF = /cancel|withdr|reject|declin/i

const names = (way: Way, column: string): boolean =>
  way.ownerColumns.includes(column) || way.tiedColumns.includes(column) || way.states.some((s) => s.column === column)

/** Who gets in by what he is to the row, not by a role. */
const asParty = (ways: readonly Way[]): readonly Way[] => ways.filter((w) => (w.outcome === 'owner' || w.outcome === 'via') && !w.needsRole)

/**
 * Columns of a row that one party wrote and another may rewrite: the text of a message whose receiver marks it as read, the rating of whoever is
 * rated, the price in an offer, the amount of an order.
 */
export function writtenByOther(table: Table, reading: Reading, context: Context): WrittenByOther | undefined {
  const bound = reading.newRow?.some((w) => w.outcome === 'open') ? reading.ways : (reading.newRow ?? reading.ways)
  const after = asParty(bound)
  // who may only call a deal off changes nothing by what he writes beside it
  const lasting = after.filter((w) => !w.states.some((s) => s.op === '=' && CALLED_OFF.test(String(s.value))))
  if (!lasting.length || NOBODYS_WORDS.test(table.name)) return undefined
  return wordsOf(table, asParty(reading.ways), lasting, context) ?? termsOf(table, asParty(reading.ways), lasting, context)
}

function wordsOf(table: Table, before: readonly Way[], after: readonly Way[], { catalog, memberships, free }: Context): WrittenByOther | undefined {
  const kind = MESSAGE_TABLE.test(table.name) ? 'message' : REVIEWS.test(table.name) ? 'review' : OFFER_TABLE.test(table.name) ? 'offer' : undefined
  if (!kind) return undefined
  // who looked through something is no owner of it; of a review he is the author
  const reviewers = kind === 'review' ? table.columns.map((c) => c.name).filter((c) => /^(reviewer|rater)(_user)?_?id$/i.test(c)) : []
  const people = [...new Set([...(table.userData?.ownerColumns ?? []), ...reviewers])]
  const columns = table.columns.filter((c) => free(c.name) && theirs(kind, c.name, c.type)).map((c) => c.name)
  const named = people.filter(
    (c) =>
      !RECIPIENT_COLUMN.test(c) &&
      (AUTHOR_OR_SENDER_COLUMN.test(c) || (kind === 'review' && BUYER_COLUMN.test(c)) || (kind === 'offer' && SELLER_COLUMN.test(c))),
  )
  const authors = [...named, ...(kind === 'offer' ? sellersRows(table, catalog) : [])]
  const isOther = (way: Way, author: string): boolean => {
    if (names(way, author)) return false
    if (way.outcome === 'owner')
      return way.ownerColumns.some(
        (c) => people.includes(c) && (kind !== 'message' || RECIPIENT_COLUMN.test(c) || !AUTHOR_OR_SENDER_COLUMN.test(c) || SENDER.test(author)),
      )
    const parents = way.tables.filter((t) => t !== nameOf(table))
    // one's own conversation with a machine has one person in it
    const several = parents.some((t) => memberships.has(t) || /participant|member/i.test(t) || peopleOf(catalog, t) > 1)
    return kind === 'message' ? several : parents.length > 0 && !parents.some((t) => memberships.has(t))
  }
  const author = authors.find((a) => before.some((w) => isOther(w, a)) && after.some((w) => isOther(w, a)))
  if (!author || !columns.length) return undefined
  return { because: kind, author, columns: [...columns, ...(free(author) ? [author] : [])] }
}

function theirs(kind: 'message' | 'review' | 'offer', column: string, type: string): boolean {
  const text = /^(text|character|varchar|citext)/.test(type)
  if (kind === 'offer')
    return (
      (/^(numeric|integer|bigint|real|double|money)/.test(type) && MONEY_COLUMN.test(column)) ||
      (text && /^(message|description|mensaje|descripcion)$/i.test(column))
    )
  return (text && MESSAGE_BODY_COLUMN.test(column)) || (kind === 'review' && SCORES.test(column) && /^(numeric|integer|smallint|bigint|real|double)/.test(type))
}

const peopleOf = (catalog: Catalog, name: string): number => catalog.tables.find((t) => nameOf(t) === name)?.userData?.ownerColumns.length ?? 0

/** What a buyer may not say: what the deal costs, whether it was paid and how far it is. */
function termsOf(table: Table, before: readonly Way[], after: readonly Way[], { catalog, readings, free }: Context): WrittenByOther | undefined {
  const sellers = allSellers(table, readings, catalog)
  const terms = dealColumns(table, readings, catalog).filter(free)
  const paid = paidStates(table, catalog).filter((c) => terms.includes(c))
  if (!terms.some((c) => !DEAL_STATE_COLUMN.test(c))) return undefined
  const asBuyer = (w: Way) => w.outcome === 'owner' && w.ownerColumns.some((c) => buyersOf(table).includes(c)) && !sellers.some((c) => names(w, c))
  if (!before.some(asBuyer) || !after.some(asBuyer)) return undefined
  const [seller] = sellers
  return { because: paid.length ? 'paid' : 'terms', ...(seller ? { author: seller } : {}), columns: [...terms, ...sellers.filter(free)] }
}

/** Beside somebody who rents or buys, the owner is the one whose thing it is. */
const sellersOf = (table: Table): readonly string[] => {
  const people = table.userData?.ownerColumns ?? []
  return people.filter((c) => SELLER_COLUMN.test(c) || (/^owner_?(id|uid)$/i.test(c) && people.some((p) => BUYER_COLUMN.test(p))))
}

/** Columns by which a row names a seller's own row, which has an owner: `vendor_id references vendors`. */
const sellersRows = (table: Table, catalog: Catalog): readonly string[] => ownedParents(table, catalog).filter((c) => SELLER_COLUMN.test(c))

const ownedParents = (table: Table, catalog: Catalog): readonly string[] =>
  table.foreignKeys
    .filter((k) => k.columns.length === 1 && k.references !== nameOf(table) && peopleOf(catalog, k.references) > 0)
    .map((k) => k.columns[0] as string)
    .filter((c) => !table.userData?.ownerColumns.includes(c))

/** Who sells: a person whom the row names, the owner of the seller's row, or of what is bought, whom a policy lets at the row. */
function allSellers(table: Table, readings: readonly Reading[], catalog: Catalog): readonly string[] {
  const sold = (c: string): boolean =>
    PURCHASED_ITEM_COLUMN.test(table.name) && readings.some((r) => r.ways.some((w) => w.outcome === 'via' && !w.needsRole && w.tiedColumns.includes(c)))
  return [...sellersOf(table), ...ownedParents(table, catalog).filter((c) => SELLER_COLUMN.test(c) || sold(c))]
}

/** Columns of a deal that say that it is paid, where a way in is the buyer's alone. */
export function paidByWord(table: Table, ways: readonly Way[], readings: readonly Reading[], catalog: Catalog): readonly string[] {
  const buyers = buyersOf(table)
  const sellers = allSellers(table, readings, catalog)
  const asBuyer = ways.some((w) => w.outcome === 'owner' && !w.needsRole && w.ownerColumns.some((c) => buyers.includes(c)) && !sellers.some((c) => names(w, c)))
  const deal = asBuyer ? dealColumns(table, readings, catalog) : []
  return paidStates(table, catalog).filter((c) => deal.includes(c))
}

/** Money that somebody says he has sent, and somebody else says has arrived. */
const PAYMENT_TABLE = /(^|_)(payments?|deposits?|top_?ups?|remittances?|pagos?|pagamentos?|pagamenti|zahlungen|paiements?)$/i
const PENDING_DEAL_DEFAULT = /^'(pending(_\w{1,20})?|submitted|unpaid|awaiting_\w{1,20}|pendiente|pendente|in_attesa)'/i

/** What is noted of a payment when it has arrived. */
const HOW_PAID = /^paid_at$|^payment_(?:note|ref|reference)$|^(?:tx|transaction)_(?:hash|id)$/i

/**
 * The state of a payment or an order that waits at first, where a way in is the buyer's alone: that the money has arrived the staff says, or what
 * the processor left in the row.
 */
export function settledByOthers(table: Table, ways: readonly Way[], readings: readonly Reading[]): readonly string[] {
  const buyers = buyersOf(table)
  if (!ways.some((w) => w.outcome === 'owner' && !w.needsRole && w.ownerColumns.some((c) => buyers.includes(c)))) return []
  const changing = readings.filter((r) => r.command === 'update').flatMap((r) => r.ways)
  const byStaff = PAYMENT_TABLE.test(table.name) && changing.some((w) => w.outcome === 'role') && changing.every((w) => w.outcome === 'role' || w.needsRole)
  // where no browser changes such rows, the server says that they are paid
  const sold =
    PURCHASED_ITEM_COLUMN.test(table.name) && table.columns.some((c) => PROCESSOR_REFERENCE_COLUMN.test(c.name) || (!changing.length && HOW_PAID.test(c.name)))
  if (sellersOf(table).length || !(byStaff || sold) || !table.columns.some((c) => MONEY_COLUMN.test(c.name))) return []
  return table.columns.filter((c) => !c.generated && DEAL_STATE_COLUMN.test(c.name) && PENDING_DEAL_DEFAULT.test(c.default ?? '')).map((c) => c.name)
}

const PRICE_PAID = /^(price|amount)_paid$/i
const TICKET_TABLE = /(^|_)(tickets?|passes|enrol?lments?|seats?)$/i

/** What a buyer may not say of his order or ticket, which the application's own staff looks at: how much was paid for it. */
export function pricePaid(table: Table, ways: readonly Way[], readings: readonly Reading[]): readonly string[] {
  if (!PURCHASED_ITEM_COLUMN.test(table.name) && !TICKET_TABLE.test(table.name)) return []
  const buyers = buyersOf(table)
  const asBuyer = ways.some((w) => w.outcome === 'owner' && !w.needsRole && w.ownerColumns.some((c) => buyers.includes(c)))
  if (!asBuyer || sellersOf(table).length || !readings.some((r) => r.command !== 'insert' && r.ways.some((w) => w.outcome === 'role'))) return []
  return table.columns.filter((c) => !c.generated && PRICE_PAID.test(c.name)).map((c) => c.name)
}

/** What a row that is a deal says of it: whether it is paid, what it costs and how far it is. Empty for other rows. */
export function dealColumns(table: Table, readings: readonly Reading[], catalog: Catalog): readonly string[] {
  const sold = allSellers(table, readings, catalog).length > 0
  if (!buyersOf(table).length || FOR_SALE_TABLE.test(table.name) || !(sold ? isDeal(table) : isOfTheShop(table, readings))) return []
  const of = (column: RegExp, type = /./) => table.columns.filter((c) => !c.generated && column.test(c.name) && type.test(c.type)).map((c) => c.name)
  return [...new Set([...paidStates(table, catalog), ...of(MONEY_COLUMN, /^(numeric|integer|bigint|real|double|money)/), ...of(DEAL_STATE_COLUMN)])]
}

const PAID_STATE_VALUE = /^(paid|pagad[oa]|pag[oa]|pagat[oa]|bezahlt|paye)$/i

/** Columns that say whether something is paid: by their name, or the state of a part of it that may be `paid` (`deposit_status`). */
const paidStates = (table: Table, catalog: Catalog): readonly string[] =>
  table.columns
    .filter((c) => !c.generated)
    .map((c) => c.name)
    .filter(
      (c) =>
        PAYMENT_STATE_COLUMN.test(c) ||
        (/_(status|state)$/i.test(c) && !DEAL_STATE_COLUMN.test(c) && allowedValues(table, c, catalog).some((v) => PAID_STATE_VALUE.test(v))),
    )

const isDeal = (table: Table): boolean =>
  PURCHASED_ITEM_COLUMN.test(table.name) || table.columns.some((c) => DEAL_STATE_COLUMN.test(c.name) || PAYMENT_STATE_COLUMN.test(c.name))

/** An order of a customer's, which the application's own staff or server carries out. */
function isOfTheShop(table: Table, readings: readonly Reading[]): boolean {
  if (isCharged(table)) return true
  if (!PURCHASED_ITEM_COLUMN.test(table.name)) return false
  if (table.columns.some((c) => PROCESSOR_REFERENCE_COLUMN.test(c.name))) return true
  const staffs = readings.some((r) => r.command !== 'insert' && r.ways.some((w) => w.outcome === 'role' && w.because === undefined))
  return staffs && (!table.columns.some((c) => TAKEN_DOWN.test(c.name)) || table.columns.some((c) => SENT_HOME.test(c.name)))
}

const CHARGE_STATE = /^payment_?(status|state)$/i
const CHARGE = /^(payment|charge|checkout|transaction|preference)_?(id|ref|reference|intent(_id)?|session(_id)?|link|url|provider|gateway)$/i
/** What somebody writes to those who owe him, or notes of what he paid elsewhere. */
const BOOKING_TABLE = /invoice|factur|fatur|fattur|(^|_)(bills?|transactions?|rents?|loans?|debts?|incomes?)$/i

/** What is paid for by a plan, and works until it ends. */
const FOR_A_TIME = /^(expires?|ends?)_(at|on)$|^valid_until$/i
const PLAN_REFERENCE_COLUMN = /^plan(_(id|type|name))?$/i

/**
 * A bet, an entry, a place: whatever a row is called, its payment waits at first, or buys a plan for a time, and has an id of its own, which a
 * processor gave it.
 */
const isCharged = ({ name, columns }: Table): boolean =>
  !BOOKING_TABLE.test(name) &&
  columns.some((c) => CHARGE_STATE.test(c.name) && (PENDING_DEAL_DEFAULT.test(c.default ?? '') || (c.default === undefined && buysTime(columns)))) &&
  columns.some((c) => CHARGE.test(c.name) || PROCESSOR_REFERENCE_COLUMN.test(c.name)) &&
  columns.some((c) => MONEY_COLUMN.test(c.name))

const buysTime = (columns: Table['columns']): boolean => columns.some((c) => FOR_A_TIME.test(c.name)) && columns.some((c) => PLAN_REFERENCE_COLUMN.test(c.name))

/** The columns by which a way in is a buyer's. */
export const buyersOf = (table: Table): readonly string[] => {
  const people = table.userData?.ownerColumns ?? []
  const strict = people.filter((c) => BUYER_COLUMN.test(c))
  return strict.length ? strict : people.filter((c) => ANY_USER.test(c))
}
