import { says } from '../../../lib/snake-case.ts'
import type { Catalog, Table } from '../../database.ts'

/** Columns whose value decides what a user may do or has paid for. */
const PRIVILEGE_COLUMN =
  /(^|_)(role|roles|role_id|role_key|role_code|role_slug|rol|ruolo|papel)$|admin|superuser|is_staff|permission|(^|_)plan($|_)|(^|_)tier($|_)|subscri|credit|balance|premium|is_pro$|(^|_)paid($|_)|licen[cs]e|entitle|wallet|(^|_)coins?($|_)|payment_status|billing_status|access_level|is_internal|user_type|account_type|(^|_)vip($|_)|lifetime|membership|is_manager|is_super_?user|^has_(full_)?access$|^(pro|access)_(until|access|status|tier|expires_at|ends_at)$|(^|_)plano($|_)|assinatura|suscripcion|abbonament|nivel_(de_)?ac|tipo_(de_)?ac/i

/** What of somebody was looked at: his papers, his phone, his business. */
const PART_VERIFIED = /^(?!is_verified$|email_)(is_)?[a-z]+(_check)?_verified$|^[a-z]+_verification_status$|^is_super_/i

/** Whether a power column grants power or money by itself (else it only bends a limit or a badge). */
export function grantsPower(column: string): boolean {
  // that somebody's licence was looked at is no licence to use the application
  return says(PRIVILEGE_COLUMN, column) && !says(PART_VERIFIED, column)
}

const BILLING_TABLE = /subscription|membership|billing|licen[cs]e|entitlement|wallet/i
/** What somebody wants to be sent, and where to (a browser's push subscription): nobody pays for that. */
const DELIVERY =
  /(^|_)(push|notification|newsletter|e?mail|mailing(_list)?|sms|alert|digest|topic)s?_?subscri|(^|_)(push|device|fcm|apns|expo)(_push|_notification)?_?tokens?$/i
/** Whether the rows of a table say what somebody is sent, and where to. */
export const saysWhereToSend = (table: string): boolean => says(DELIVERY, table)

const COUNTERS = /usage|quota|limit/i
/** Where users are measured against each other. */
const RANKING_TABLE = /leader_?board|score_?board|ranking|reputation|user_(xp|stats|points)/i
/** Whether the rows of a table say how users do beside each other. */
export const measuresUsers = (table: Pick<Table, 'name'>): boolean => says(RANKING_TABLE, table.name)
const SCORE = /(^|_)(xp|points?|scores?|rating|reputation|rank|level|wins|won)$/i
const BILLED_COLUMN =
  /^(status|state|active|is_active|(current_)?period_(end|start)|ends?_at|expires?_at|valid_until|price_id|product_id|seats|quantity|amount)$|_(end|ends_at|expires_at|until)$/i

/** What others go by before they deal with somebody, and what there is of his on account. */
const REPUTE =
  /^badge_(level|tier)$|^(trust|reliability|reputation|credibility)_(score|level|points|rating)$|^(avg|average|overall)_rating$|^rating_(avg|average|count)$|^(?!(?:initial|opening|starting|start|target|min|max|minimum|low)_)[a-z]{2,20}(_[a-z]{2,20})?_balance$/i

/** Whether a column of somebody's only row says how far he is to be trusted, or what he has: others give it to him, or what he did does. */
export const isRepute = (table: Table, column: string): boolean => isOnePerUser(table) && says(REPUTE, column)

const PAYOUT_TABLE =
  /commission|comiss(ao|oes)|comision|provvigion|provision(en)?$|payout|withdrawal|saques?($|_)|retiros?($|_)|prelievi|auszahlung|earning|ganancia|bonus(es)?($|_)|cashback|referral_reward|affiliate_/i

/** Whether the rows of a table are money that somebody is to be paid. */
export const paysOut = (table: string): boolean =>
  says(PAYOUT_TABLE, table) && !says(/(^|_)(logs?|history|historico|historial|rules?|settings?|types?)$/i, table)

/** What somebody has earned, and how much of it there is left to claim. */
const EARNED =
  /commission|comiss(ao|oes)|comision|provvigion|provision(en)?$|earning|ganancia|bonus(es)?($|_)|cashback|(^|_)rewards?$|affiliate_|(^|_)(winners?|winnings?|prizes?|jackpots?)$|(^|_)(referral|store|welcome|sign_?up|promo)_credits?$/i
const VOUCHER_VALUE_COLUMN = /(^|_)(amount|value|commission)(_(cents|usd|eur|gbp|brl))?$|^(is_?)?(claimed|redeemed|used|paid)(_at)?$/i

/** Where money of somebody's is kept, and how much of it there is. */
const PURSES = /wallet|(^|_)earnings?$/i
const FIGURES =
  /^(?!(?:initial|opening|starting|start|target|min|max|minimum|low)_)(?:\w{2,20}_)?(?:balance|earned|earnings|withdrawn|deposited)$|^(?:locked|escrow|frozen|held|pending|available)(?:_amount)?$/i

const PRODUCT_NAME_COLUMN = /^(?:name|title|merchant|vendor|service(?:_name)?|provider(?:_name)?)$/i
const COSTS = /^(?:amount|price|cost|monthly_cost)$/i
/** How somebody sorts what they pay for. */
const SORTED = /^(?:category(?:_id)?|tags|notes|logo(?:_url)?|icon|colou?r)$/i
const BOUGHT_HERE = /^(?:plan|plan_id|plan_name|tier|price_id|product_id|customer_id|current_period_\w+)$/i

/** What somebody pays elsewhere and keeps a list of: it has a name, a price and a category, and nothing of a plan or a processor. */
function keepsExpenses({ name, columns }: Table): boolean {
  const has = (what: RegExp) => columns.some((c) => says(what, c.name))
  return /subscription|membership/i.test(name) && has(PRODUCT_NAME_COLUMN) && has(COSTS) && has(SORTED) && !has(BOUGHT_HERE) && !has(PROCESSOR_COLUMN_PREFIX)
}

const ON_OFFER = /(?:plan|tier|package|option|price|type)s?$/i
const PRICE_COLUMN_WORD = /price|amount|cost|fee|preco|precio|prezzo/i

/** What can be bought, and for how much: whoever sells it decides about it, and nobody has it by that. */
function isOnOffer({ name, columns, userData }: Table): boolean {
  const has = (what: RegExp) => columns.some((c) => says(what, c.name))
  return (
    says(ON_OFFER, name) &&
    !userData?.ownerColumns.length &&
    has(PRODUCT_NAME_COLUMN) &&
    has(PRICE_COLUMN_WORD) &&
    !has(BOUGHT_HERE) &&
    !has(PROCESSOR_COLUMN_PREFIX)
  )
}

const PUT_FORWARD = /^(?:is_)?(sponsored|promoted|boosted|featured|highlighted)$/i
const FOR_HOW_LONG = /^(?:is_)?(sponsored|promoted|boosted|featured|highlighted)_(?:until|expires(?:_(?:at|on))?|ends_at|end_date)$/i

/** That a row is put before the others, and for how long: whoever sells such places decides about both. What has no end its owner may just like best. */
export function placesSold({ columns }: Table): readonly string[] {
  const words = (what: RegExp) => columns.map((c) => what.exec(c.name)?.[1]?.toLowerCase())
  const timed = words(FOR_HOW_LONG)
  const marked = words(PUT_FORWARD)
  return columns.filter((_, i) => (marked[i] && timed.includes(marked[i])) || (timed[i] && marked.includes(timed[i]))).map((c) => c.name)
}

/** Columns that grant power or money, those that do so because of their table included (`status` of a subscription, the counters of a quota). */
export function powerColumnsOf(table: Table): readonly string[] {
  if (saysWhereToSend(table.name) || keepsExpenses(table)) return []
  const named = (table.userData?.powerColumns ?? []).filter((c) => meansPower(table, c))
  const owners = table.userData?.ownerColumns ?? []
  const byTable = table.columns.filter((c) => {
    if (named.includes(c.name) || owners.includes(c.name) || c.generated || table.primaryKey.includes(c.name)) return false
    if (isRepute(table, c.name)) return true
    if (says(BILLING_TABLE, table.name) && !isOnOffer(table) && says(BILLED_COLUMN, c.name)) return true
    if (says(RANKING_TABLE, table.name) && says(SCORE, c.name) && owners.length > 0) return true
    if (says(PURSES, table.name) && says(FIGURES, c.name) && /^(int|bigint|numeric|real|double)/.test(c.type)) return true
    if (says(EARNED, table.name) && says(VOUCHER_VALUE_COLUMN, c.name) && owners.length > 0) return true
    return says(COUNTERS, table.name) && /int|numeric|real|double/.test(c.type) && !says(/^(year|month|week|day|id)$|_(year|month|id)$/i, c.name)
  })
  // what is set as wanted first: an id has to fit somebody's
  const all = [...named, ...byTable.map((c) => c.name)]
  return [...all.filter((c) => !says(/_id$/i, c)), ...all.filter((c) => says(/_id$/i, c))]
}

/** Names of a standing, and as often of something else: the plan that is trained, the tier of an achievement. */
const AMBIGUOUS_PLAN_COLUMN = /(^|_)(plan|plan_(id|name|title|data|details|content|description|json)|tier|user_type|account_type)$/i
/** What rows are plans themselves, to train or to eat by: those of whoever pays are kept by what the table is about. */
const PLAN_TABLE = /(^|_)plans?$/i
const PLAN_COLUMN_WORD = /(^|_)plan($|_)/i
const PLACE_IN = /(^|_)roles?$/i
const EVENT =
  /(session|match|game|event|class|course|lesson|meeting|webinar|tournament|challenge|ride|trip)_(participants?|players?|attendees?|sign_?ups?|registrations?|rsvps?|bookings?)$/i

const SENT_TO_THE_HOUSE =
  /(?:^|_)(?:support(?:_\w{1,20})?|tickets?|contact(?:s|_\w{1,20})?|(?:en|in)quir(?:y|ies)|feedbacks?|messages?|leads?|complaints?|(?:bug|feature)_(?:reports?|requests?)|wait_?lists?|newsletters?)$/i

/** What a question to the house says of the plan of whoever sends it is a label for who answers: nobody has a plan by that. */
export const isOnlySaid = ({ name }: Pick<Table, 'name'>, column: string): boolean => says(AMBIGUOUS_PLAN_COLUMN, column) && says(SENT_TO_THE_HOUSE, name)

const TENANT_TABLE = /(^|_)(org|organi[sz]ation|team|tenant|compan(y|ie)|workspace)s?$/i

/**
 * Whether what a function writes into a column grants power or money. Names that may mean a standing do where the rows are about users:
 * not in a list of achievements or a log of attempts, and who takes part in an event may say as what. `own`: the row is the caller's.
 */
export function grantsThere(table: Table | undefined, column: string, as: 'own' | 'added' | 'changed'): boolean {
  if (!grantsPower(column) || says(WISHED, column)) return false
  if (!table || powerColumnsOf(table).includes(column)) return true
  if (says(PLAN_COLUMN_WORD, column) && says(PLAN_TABLE, table.name)) return false
  if (isOnlySaid(table, column)) return false
  if (says(AMBIGUOUS_PLAN_COLUMN, column))
    return as === 'changed' || (as === 'added' && ((table.userData?.ownerColumns.length ?? 0) > 0 || says(TENANT_TABLE, table.name)))
  return !(as === 'own' && says(PLACE_IN, column) && says(EVENT, table.name))
}

/** Rows that open what they name by being there: who has one is enrolled, owns or may enter. */
const ENTITLEMENT_TABLE =
  /(?:^|_)(?:enrol?l?ments?|inscripci[oó]n(?:es)?|inscri[cç][oõ]es|matr[ií]culas?|iscrizioni|entitlements?|licen[cs]es?|unlocks?|access(?:_grants?)?|registrations?|tickets?)$|(?:^|_)(?:unlocked|purchased|owned|enrol?led)_\w{1,30}$|^(?:user|member|customer)_(?:courses?|products?|books?|class(?:es)?|contents?|modules?|programs?|templates?)$/i

export const opensByBeingThere = (table: string): boolean => says(ENTITLEMENT_TABLE, table)

const COST = /^(?:payment|purchase|order|checkout|transaction)_id$|(?:^|_)(?:price|amount|total)_paid$|^(?:stripe|paddle|paypal)_/i

/** Whether a row opens what it names by being there, and says how it was paid for. */
export const isPaidFor = (table: Table | undefined): boolean =>
  table !== undefined && opensByBeingThere(table.name) && table.columns.some((c) => says(COST, c.name))

const SETTLED_BY_OTHERS = /^(processed|approved|rejected|reviewed|paid)_(by|at)$|^admin_notes?$/i

/** What a row says its owner has earned, where the application pays that out: a table of withdrawals which somebody else works through. */
export function earnedColumns(table: Table, { tables }: Pick<Catalog, 'tables'>): readonly string[] {
  if (!table.userData?.ownerColumns.length || paysOut(table.name)) return []
  const earned = table.columns.filter((c) => says(EARNED, c.name) && /^(int|bigint|smallint|numeric|real|double|bool)/.test(c.type) && !c.generated)
  const earns = (t: Table) =>
    (t.userData?.ownerColumns.length ?? 0) > 0 || t.foreignKeys.some((k) => k.references === `${table.schema}.${table.name}` && k.columns.length === 1)
  const pays = () => tables.some((t) => paysOut(t.name) && earns(t) && t.columns.some((c) => says(SETTLED_BY_OTHERS, c.name)))
  return earned.length && pays() ? earned.map((c) => c.name).filter((c) => !says(/_id$/i, c)) : []
}

const ABOUT_USERS =
  /profile|user|account|member|subscription|redemption|billing|wallet|credit|usage|quota|role|licen[cs]e|customer|seller|vendor|store|shop|(^|_)org|team|tenant|compan|workspace|employee|staff|admin|client|creator|student|teacher|driver|provider/i
const NOT_ABOUT_USERS = /message|chat|conversation|comment|post|history|(^|_)logs?($|_)|transaction|bank|meal|workout|lesson|study|trip|floor|event/i

const OWN_TOOLS = /(^|_)(api_?keys?|credentials?|integrations?|connections?|webhooks?|knowledge(_?bases?)?|documents?|sources?|notes?)$/i

const ATTACHED_CONTENT_TABLE = /comment|note|message|repl(y|ies)|post|thread|feedback|document|file|attachment|event|task|ticket|article|link/i

/** Whether each user has no more than one row of a table. */
export function isOnePerUser(table: Table): boolean {
  return (table.userData?.ownerColumns ?? []).some(
    (o) =>
      (table.primaryKey.length === 1 && table.primaryKey[0] === o) || table.uniques.some((u) => !u.partial && u.columns.length === 1 && u.columns[0] === o),
  )
}

const SUBSCRIBERS = /(^|_)(subscribers?|assinantes?|suscriptor(es)?|abbonat[io]|abonnes?)$/i
/** Columns in which a payment processor's ids stand: what was paid is the processor's to say. */
export const PROCESSOR_COLUMN_PREFIX = /^(stripe|paddle|lemon_?squeezy|polar|chargebee|recurly|razorpay|paystack|mollie|paypal|braintree|dodo|creem)_/i

/** What the application's customers run, and pay for using it. */
const BUSINESS =
  /(^|_)(gym|salon|clinic|restaurant|business|studio|agenc|school|academ|hotel|dealership|practice|barber|church|club|firm|negocio|empresa|azienda)\w{0,5}$/i
const PAYS_FOR_USE = /^subscription_(status|plan|tier|type|level|end\w{0,8}|expires_at)$|^trial_(ends?_at|end|end_date)$|^billing_status$/i

/** Of these, what nobody plans in: a `practice` may be one of scales. */
const BILLED_TABLE =
  /(^|_)(gym|salon|clinic|restaurant|business|studio|agenc|school|academ|hotel|dealership|firm|negocio|empresa|azienda)(?:s|es|y|ies|ia|ias)?$/i
const ITS_PLAN = /^plan(_(name|type|tier|id))?$/i

/** The plan that a business of somebody's is on. */
const isPlanOfBusiness = ({ name, columns, userData }: Table, column: string): boolean =>
  says(BILLED_TABLE, name) &&
  says(ITS_PLAN, column) &&
  (userData?.ownerColumns.length ?? 0) > 0 &&
  !columns.some((c) => c.name === column && /json/i.test(c.type))

/** What a business has paid for, and nobody gives to somebody else. */
export const paysForUse = (table: Pick<Table, 'name'>, column: string): boolean => says(BUSINESS, table.name) && says(PAYS_FOR_USE, column)

/** What somebody would like to have, and has not for saying so. */
const WISHED = /^(?:selected|chosen|desired|requested|preferred|intended|wanted)_/i

/** `role` of a chat message or `plan` of a meal plan means nothing; the same names in a table about users do. */
function meansPower(table: Table, column: string): boolean {
  if (says(WISHED, column)) return false
  // whether a key works or a text was looked through is no standing of its owner's
  if (says(/^(is_?)?verified$/i, column) && says(OWN_TOOLS, table.name)) return false
  // of whom a row is not about, somebody else's papers were looked at
  if (says(PART_VERIFIED, column) && !isOnePerUser(table)) return says(ABOUT_USERS, table.name) && !says(NOT_ABOUT_USERS, table.name)
  // a remark among colleagues is shown to them, and its author says so
  if (says(/^is_internal$/i, column)) return !says(ATTACHED_CONTENT_TABLE, table.name)
  if (says(/verified|approved|banned|^is_admin$|stripe|kyc/i, column)) return true
  if (isOnePerUser(table)) return true
  // who pays and who is only sent a newsletter are both called subscribers
  if (says(SUBSCRIBERS, table.name)) return table.columns.some((c) => says(PROCESSOR_COLUMN_PREFIX, c.name))
  // a studio keeps the memberships of its customers: theirs to write
  if (says(/^(membership|plano|abbonamento|has_access)/i, column)) return says(/profile|(^|_)users?$|(^|_)account|usuario|perfi(l|s)|utent/i, table.name)
  if (paysForUse(table, column) || isPlanOfBusiness(table, column)) return true
  if (/balance|points|coins/i.test(column))
    return /wallet|credit|user|profile|reward|loyalty|affiliate|afiliad|affilia[tz]|referrer|reseller|partner/i.test(table.name)
  return says(ABOUT_USERS, table.name) && !says(NOT_ABOUT_USERS, table.name)
}

/** Whether one of the columns decides what the user may do or has paid for, given its table. */
export function decidesAccess(table: string, columns: readonly string[]): boolean {
  return columns.some(grantsPower) || (says(BILLING_TABLE, table) && columns.some((c) => says(BILLED_COLUMN, c)))
}
