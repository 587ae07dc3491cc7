import { says, snakeCase } from '../../../lib/snake-case.ts'
import type { Table } from '../../database.ts'
import { isListing, isWhere } from './for-sale.ts'

/** What people put up for others, also in the other languages that builders' users write in. */
const SEEN_BY_OTHERS =
  /profile|(^|_)presences?($|_)|(^|_)online_status|post|comment|repl(y|ies)|review|like|follow|rating|reaction|vote|listing|article|blog|question|answer|public|leaderboard|ranking|advertis|(^|_)ads?($|_)|badge|achievement|tweet|thread|topic|forum|endorsement|event|recipe|photo|video|song|track(?!ing|er|ed)|playlist|project|portfolio|product|shop|(^|_)stores?($|_)|restaurant|venue|course|lesson|job|(^|_)pets?($|_)|availabilit|opening_hours|disponib|verf[uü]gbar|creator|author|communit|(^|_)menus?($|_)|announcement|(^|_)(news|faqs?|banners?)($|_)|categor|(^|_|hash)tags?($|_)|perfil|perfis|profili|profesional|profissiona|professionist|rese[nñ]a|avalia[cç]|valoraci|recension|bewertung|comentari|comment[io]|kommentar|produ[ctk]|curso|receta|receita|ricett|rezept|^(services|servicios|servi[cç]os|servizi|dienstleistungen)$|anuncio|an[uú]ncio|annunci|annonce|anzeige|beitr[aä]g/i
const PRIVATE_TABLE =
  /order|usage|quota|billing|payment|invoice|message|chat|document|note|health|medic|booking|(^|_)logs?($|_)|transa[ck]|subscription|(^|_)session|token|secret|invit|application|draft|setting|credential|diary|journal|submission|private|bank|salary|patient|appointment|agendament|prescri(?:ption|cion|[cç][aã]o)|diagnos|withdraw|payout|receipt|pedido|pagos?($|_)|pagament|factura|fatura|fattur|rechnung|mensaje|mensage[mn]|messagg|nachricht|reserva|prenotaz|(^|_)citas?($|_)|suscripci|assinatura|abbonament|paciente|pazient|recibo|ricevut/i
const PUBLIC_POLICY_NAME =
  /p[uú]bli[ck]|every(one|body)|any(one|body)|world|viewable by all|all users|todos (los usuarios )?(pueden|podem)|todos os usu[aá]rios|cualquiera|qualquer|chiunque|tutti (gli utenti )?possono|tout le monde|jeder (kann|darf)|alle (k[oö]nnen|d[uü]rfen)/i

/** What the dashboard calls a policy by itself says nothing of what its author meant. */
const BY_THE_DASHBOARD = /\benable (?:read|select) access for (?:all|authenticated) users\b/gi

/** Terms of use, privacy policies and help: documents of the application's own. */
const OPERATOR_DOCUMENT_TABLE = /(^|_)(legal|terms|privacy|help|guide|press)_?(documents?|notes?)$/i

/** What is voted on was sent in for a contest, and what people say of what they ordered is said to others. */
const VOTED_ON = /submissions?(?=_(up|down)?(votes?|likes?)$)|(orders?|bookings?|reservations?|appointments?)(?=_(reviews?|ratings?)$)/i

/** Whether a table's name says that its rows are between few (orders, messages, documents). */
export const isPrivateByName = (name: string): boolean => PRIVATE_TABLE.test(snakeCase(name).replace(OPERATOR_DOCUMENT_TABLE, '').replace(VOTED_ON, ''))

/** Rows by which people say what they think of somebody else's. */
const VOTES = /(^|_)(up)?(votes?|likes?|ratings?|reactions?)$/i

/** How somebody is called: personal beside a date of birth, and on every profile without one. */
const PERSONAL_NAME_COLUMN = /(^|_)((first|last|full)_name|surname|cognome|apellidos?|sobrenome)$/i
const BORN = /birth|(^|_)dob$|nascimento|nascita|nacimiento/i

const START_TIME_COLUMN = /^(?:start|starts|begin|begins)(?:_?(?:at|on|time))?$|^(?:hora_inicio|inicio|data_inicio)$/i
const CLOSING_TIME_COLUMN = /^(?:end|ends)(?:_?(?:at|on|time))?$|^(?:hora_fin|hora_fim|fim|fin)$/i
const ROOM_FOR =
  /^(?:(?:total|max|maximum|available|free|remaining|open)_?)?(?:slots?|spots?|seats?|places?|capacity|vagas|plazas|posti)$|^max_(?:participants|attendees|students|members|guests|people|bookings)$/i
const NAMES_SOMEBODY = /^(?:(?:booked|reserved|taken|held)_(?:by|for)|(?:client|customer|guest|patient|student|attendee|user|member)_?(?:id|name|email))$/i

/** What takes place when, and for how many: the sessions of a gym, unlike those of a patient or of a sign-in. */
export function isTimetable({ columns }: Pick<Table, 'columns'>): boolean {
  const has = (name: RegExp) => columns.some((c) => says(name, c.name))
  return has(START_TIME_COLUMN) && has(CLOSING_TIME_COLUMN) && has(ROOM_FOR) && !has(NAMES_SOMEBODY)
}

/** Whether a table's rows are plainly meant to be seen by others; the name of the policy that opens it speaks too, and so does a table of votes on it among `all`. */
export function isMeantToBeSeen(table: Table, policy = '', all: readonly Table[] = []): boolean {
  const offered = isListing(table)
  const declared = PUBLIC_POLICY_NAME.test(policy.replace(BY_THE_DASHBOARD, ''))
  const overDoor = declared && says(PLACES, table.name) && !isPrivateByName(table.name)
  const shown = (c: string) => (offered && (isWhere(c) || (declared && says(CONTACT_ABOUT, c)))) || (overDoor && says(CONTACT_DETAIL_COLUMN, c))
  const personal = (table.userData?.personalColumns ?? []).filter((c) => !shown(c))
  if (!(personal.every((c) => says(PERSONAL_NAME_COLUMN, c)) && !personal.some((c) => says(BORN, c)))) return false
  if (isTimetable(table) && !isPrivateByName(snakeCase(table.name).replace(/(^|_)sessions?$/, ''))) return true
  if (isPrivateByName(table.name)) return false
  const name = `${table.schema}.${table.name}`
  return says(SEEN_BY_OTHERS, table.name) || declared || all.some((t) => says(VOTES, t.name) && t.foreignKeys.some((f) => f.references === name))
}

/** Whom to ask about what is on offer: a column of its own for that, which a policy opens that says everybody may read it. */
const CONTACT_ABOUT = /^(?:contact|support|organi[sz]er|inquir(?:y|ies)|enquir(?:y|ies))_(?:e_?mail|phone|telephone|number|whats_?app)$/i

/** Where a business receives people: its address and its number stand over the door, when a policy says that everybody may read them. */
const PLACES =
  /(?:^|_)(?:compan(?:y|ies)|business(?:es)?|agenc(?:y|ies)|offices?|branch(?:es)?|clinics?|stores?|shops?|venues?|salons?|restaurants?|studios?|pharmac(?:y|ies)|consultorios?|clinicas?|sucursal(?:es)?|lojas?|sedes?|filiai?s?|negozi)$/i

/** Businesses and people who offer something, in several languages. */
const OFFERING_BUSINESS_TABLE =
  /vendor|business|supplier|manufacturer|factor(?:y|ies)|wholesaler|provider|compan(?:y|ies)|shop|(?:^|_)stores?(?:$|_)|restaurant|venue|salon|hotel|clinic|agenc(?:y|ies)|freelancer|professional|therapist|doctor|lawyer|coach|tutor|instructor|trainer|stylist|photographer|negocio|empresa|proveedor|fornecedor|prestador|loja|fornitor|aziend|anbieter/i
/** What an entry of a directory is shown with. */
const SHOWCASE =
  /^(?:(?:average_?|avg_?)?rating|reviews?_?count|total_?reviews|(?:is_?)?(?:featured|verified)|website|instagram|facebook|gallery|photos|images|cover_?image(?:_?url)?|logo(?:_?url)?|services|price_?range|(?:opening|working|business)_?hours|slug|bio|tagline|specialt(?:y|ies)|portfolio(?:_?url)?)$/i
const CONFIDENTIAL_COLUMN =
  /password|token|secret|stripe|bank|iban|(?:^|_)pix(?:$|_)|(?:^|_)(?:tax|vat|cpf|cnpj|nif|ssn|rut)(?:$|_)|birth|salary|commission|income|earnings|balance/i

/**
 * A directory of those who want to be found: the mail address and the phone number in it are how to reach them. Where the database itself opens the
 * table, nobody chose what of it is shown; an endpoint that lists it was written for that.
 */
export function isDirectory({ name, columns }: Pick<Table, 'name' | 'columns'>): boolean {
  return (
    says(OFFERING_BUSINESS_TABLE, name) && columns.filter((c) => says(SHOWCASE, c.name)).length >= 3 && !columns.some((c) => says(CONFIDENTIAL_COLUMN, c.name))
  )
}

/** Whoever takes appointments, by what their table is called. */
const BOOKABLE_PLACE_TABLE =
  /^(?:\w{1,40}_)?(?:staff|barbers?|hair_?dressers?|stylists?|specialists?|practitioners?|instructors?|trainers?|coach(?:es)?|therapists?|doctors?|tutors?|teachers?|professionals?|providers?)(?:_?(?:members?|profiles?))?$/i

/** Who can be booked is shown with what they are good at and how they were rated; a list of employees has no such columns. */
export const isBookable = ({ name, columns, userData }: Pick<Table, 'name' | 'columns' | 'userData'>): boolean =>
  says(BOOKABLE_PLACE_TABLE, name) &&
  columns.filter((c) => says(SHOWCASE, c.name)).length >= 3 &&
  columns.some((c) => says(RATED, c.name)) &&
  !userData?.personalColumns.some((c) => !says(PERSONAL_NAME_COLUMN, c))

const RATED = /rating|reviews?_?count|total_?reviews/i

/** What a post pays says nothing of who has it. */
export const ADVERTISED_PAY_COLUMN = /^(?:salary|pay|compensation|wage)(?:_(?:min|max|range|from|to|amount|currency|type|period))?$|^(?:min|max)_salary$/i
/** Posts that somebody can apply for. */
export const isJob = ({ name }: Pick<Table, 'name'>): boolean =>
  !isPrivateByName(name) && says(/(?:^|_)(?:jobs?|vacanc(?:y|ies)|listings?|openings?|offers?|positions?|empleos?|vagas?|ofertas?)(?:_|$)/i, name)

const PERSONAL_MONEY_COLUMN = /(^|_)(balance|earnings?|earned|income|salary|revenue|commissions?|payouts?)($|_)/i
const LEADERBOARD_TABLE = /leader_?board|ranking|(^|_)players?($|_)|tournament|league/i

/** What a row says its user has or earns: nobody's business, on a profile that everybody may see as well. Players are measured by it. */
export function moneyColumns({ name, columns }: Pick<Table, 'name' | 'columns'>): readonly string[] {
  if (says(LEADERBOARD_TABLE, name)) return []
  return columns
    .filter(
      (c) =>
        says(PERSONAL_MONEY_COLUMN, c.name) &&
        !(isJob({ name }) && says(ADVERTISED_PAY_COLUMN, c.name)) &&
        /^(int|bigint|smallint|numeric|real|double|money)/.test(c.type),
    )
    .map((c) => c.name)
}

const CONTACT_DETAIL_COLUMN =
  /^(?:\w+_)?(?:phone|telephone|tel|mobile|whats_?app|e_?mail|address|street|city|zip(?:_?code)?|postal_?code|telefon[eo]?|endere[cç]o|direcci[oó]n|indirizzo|cidade|ciudad)(?:_\w+)?$/i

/** How to reach a business, which it puts over its door: an author who lists such a column to be shown meant it. */
export const isContactOfBusiness = (table: Pick<Table, 'name'>, column: string): boolean =>
  says(OFFERING_BUSINESS_TABLE, table.name) && !isPrivateByName(table.name) && says(CONTACT_DETAIL_COLUMN, column) && !says(CONFIDENTIAL_COLUMN, column)

/** What is nobody's business, by the name of the column: bank accounts, tax numbers, keys. */
export const isNobodysBusiness = (column: string): boolean => says(CONFIDENTIAL_COLUMN, column)
