import { says } from '../../../lib/snake-case.ts'
import { isNamed, joinedByPeople } from '../../access/owners/join-table-name.ts'
import { bearerColumns, letSomebodyIn } from '../../access/row-audience/bearer-code.ts'
import { isPrivateByName } from '../../access/row-audience/public-content.ts'
import type { Column, Policy, Table, UserData } from '../../database.ts'
import { isIdOfAnotherService } from './external-service-ids.ts'
import { askedParents } from './parent-policies.ts'
import { isCredentials } from './service-keys.ts'
import { isEnteredByStaff } from './staff-authored.ts'

/** Owner-like names, also in the other languages that builders' users write in. */
const OWNER_LIKE_COLUMN =
  /^((user|owner|author|creator|profile|customer|account|member|client|student|teacher|patient|employee|seller|buyer|host|guest|sender|recipient|receiver|usuario|cliente|utente|utilisateur|benutzer|nutzer|kunde|propietario|proprietario|autor|auteur|auth_user|supabase_user|clerk_user|uploader|reviewer|follower|subscriber|borrower|assignee)(_(user|profile|account))?_?(id|uid|uuid)|(created|uploaded|submitted|posted|sent|owned|requested|criado|creado)_(by|por)(_id|_user_id)?|user|owner|author|uid|userid|ownerid|(id_|usuario_|cliente_)(usuario|cliente|utente|utilisateur|user)?)$/i
/** People whose own table has to be there for their ids to name an owner: elsewhere players and drivers are what an application has lists of. */
const PERSON_BY_ROLE =
  /^(player|driver|rider|passenger|worker|freelancer|learner|donor|volunteer|candidate|applicant|participant|attendee|renter|athlete|resident|bidder)_?(id|uuid|uid)$/i
const TENANT_COLUMN =
  /^((org|organization|organisation|team|workspace|tenant|company|business|household|family|group|clinic|store|shop|restaurant|club|school|agency|empresa|azienda|organizacion|equipo|studio|firma)_?(id|uuid))$/i
const PERSONAL_COLUMN =
  /(^|_)(e?mail(_address)?|correo(_electronico)?|phone(_number)?|mobile|celular|cellulare|whatsapp(_?number)?|telefono|telefone|telephone|contato|contacto|contact_(info|details|number)|nome_completo|nombre_completo|address(_line\d?)?|street|indirizzo|endereco|direccion|zip(code)?|postal_code|birth(day|date|_date)?|dob|date_of_birth|data_nascimento|data_nascita|fecha_nacimiento|ssn|passport|tax_id|cpf|cnpj|codice_fiscale|partita_iva|vat(_number)?|iban|bank_account|card_number|first_name|last_name|full_name|surname|cognome|apellido|sobrenome|ip(_address)?|latitude|longitude|((api|secret|private|signing|encryption|stream(ing)?|rtmps?|srt|ingest(ion)?|broadcast|hmac)_key|access_token|refresh_token|token|secret|password)(_encrypted|_enc|_ciphertext)?|encrypted_(api_key|secret_key|private_key|key|token|secret|password)|password_hash|otp|medical|diagnosis|salary|income|stripe_customer_id|message_body)$/i
/** Where the noun comes first: `email_cliente`, `telefono_autor`. */
const PERSONAL_OF =
  /^(e?mail|correo|phone|telefono|telefone|celular|direccion|endereco|indirizzo|address)_(del?_|do_|da_)?(cliente|usuario|autor|autore|utente|comprador|acquirente|paciente|paziente|contacto|contato|contatto|propietario|proprietario|titular|alumno|aluno|huesped|hospede|ospite|client|customer|user|author|buyer|guest|patient|owner|contact)$/i
/** What opens something, whosever it is. */
const SECRET_COLUMN = /(_key|token|secret|password|credentials?)(_\w{1,12})?$/i
/** What somebody is called is known to whoever knows them, and of players, authors and speakers to everybody: with nothing beside it, the table has to say that its people are somebody's own. */
const PERSON_NAME_DATA_COLUMN = /(^|_)(first_name|last_name|full_name|nome_completo|nombre_completo|surname|cognome|apellido|sobrenome)$/i
const PERSONAL_RECORD_TABLE =
  /booking|order|customer|client|user|profile|patient|reservation|appointment|invoice|payment|message|ticket|application|applicant|candidate|subscri|account|contact|lead|guest|employee|staff|student|pupil|child|famil|people|person|tenant|resident|donor|respondent|attendee|registration|signup|wait_?list|regist|pacient|pazient|membr|socio|aluno|alumno|cliente|usuario|utent|funcionario|empleado|dipendent/i
/** Columns that say who touched a row last or looked after it: no owners. */
const TOUCHED_BY =
  /^(last_\w+|updated|modified|edited|changed|reviewed|responded|replied|answered|approved|rejected|verified|resolved|deleted|moderated|granted|invited|assigned|processed|closed|banned|published|confirmed|cancelled|canceled|handled|attested|invoiced|billed|exported|completed|signed|locked|unlocked|archived|suspended|disabled|deactivated|blocked|paused|flagged|restricted|frozen|sponsored|promoted|featured|boosted|highlighted|validated|scanned|checked_in)_(by|to)(_(user|admin|staff))?(_id)?$|^(assigned_to|assignee)(_id)?$|^(reviewer|approver|moderator|admin|admin_user|mentioned_user|inviter)_id$|^responsi\w{0,6}\d?(_user)?(_id)?$|(^|_)(set|configured|rotated|connected)_by(_id|_user_id)?$|\w_(uploaded|updated|modified|edited|changed|reviewed|approved|verified|checked)_by(_id|_user_id)?$/i
/** Of these, who did something to a row that had been there: whose it is, is another question. */
const TOUCHED_LATER =
  /^(last_|published|updated|modified|edited|changed|reviewed|responded|replied|answered|approved|rejected|verified|resolved|deleted|moderated|suspended|disabled|deactivated|archived|locked|unlocked|paused|blocked|flagged|restricted|frozen|sponsored|promoted|featured|boosted|highlighted|validated|scanned|checked_in)|(^|_)(set|configured|rotated|connected)_by|\w_(uploaded|updated|modified|edited|changed|reviewed|approved|verified|checked)_by/i
/** Contact columns that a business or a place has too. */
const BUSINESS_CONTACT_COLUMN =
  /(^|_)(phone(_number)?|mobile|celular|cellulare|whatsapp(_?number)?|telefono|telefone|telephone|contato|contacto|contact_(info|details|number)|address(_line\d?)?|street|indirizzo|endereco|direccion|zip(code)?|postal_code|latitude|longitude)$/i
/** Where a business is, beside other things that a row says of its owner. */
const OF_A_BUSINESS = /^(business|compan(y|ies)|shop|store|salon|clinic|restaurant|hotel|venue|office|branch|organi[sz]ation|org|firma|azienda|empresa)_/i
const PLACE =
  /(^|_)(stores?|shops?|restaurants?|venues?|locations?|hotels?|places?|branch(es)?|clinics?|schools?|companies|company|businesses|businesse?s?|propert(y|ies)|listings?|rooms?|events?|offices?|warehouses?|organi[sz]ations?|vendors?|suppliers?|brands?|cities|city|countries|peaks?|routes?|stations?|sites?|parks?|settings?|attractions?|destinations?|landmarks?|museums?|monuments?|airports?|beaches|beach|regions?|pois?|condos?|condominiums?|buildings?|apartments?|hostels?|villas?|resorts?|campsites?|campgrounds?|librar(y|ies)|gyms?|studios?|salons?|barber_?shops?|cafes?|pharmac(y|ies)|hospitals?|universit(y|ies)|colleges?|academ(y|ies)|churches?|dealerships?|configs?|configurations?|lojas?|unidades|filiais|sucursales|tiendas?|configuracoes|configuraciones|sedi)$/i
/** How a place is found, and what it is shown with, in a directory of places. */
const PLACE_LISTING_COLUMN = /^(website(_url)?|google_place_id|(opening|business)_hours)$/i
const LISTING_DETAIL_COLUMN =
  /^(website(_url)?|google_place_id|(opening|business)_hours|price(_range|_level)?|(average_|avg_)?rating|reviews?_count|user_ratings_total|(is_)?(featured|verified)|photo_reference|logo(_url)?|image_url|photos|cuisine|category(_id)?)$/i
/** What a directory holds too: a postal code or a company's register number alone is nobody's secret. */
const DIRECTORY = /(^|_)(latitude|longitude|zip(_?code)?|postal_code|cnpj|partita_iva|vat(_number)?)$/i
/** Where something stands is no secret where nothing is called by a name. */
const STREET = /^street$/i
const PRIVILEGE_DATA_COLUMN =
  /^(role|roles|user_role|app_role|is_(super_?)?admin|admin|is_staff|is_moderator|is_owner|is_pro|is_premium|premium|is_paid|paid|has_paid|plan|plan_id|plan_name|tier|subscription(_status|_tier|_plan|_type|_id|_end|_ends_at|_expires_at)?|subscribed|status_subscription|credits?|credit_balance|(available_|withdrawable_|payout_|affiliate_)?balance|tokens_(left|remaining|balance)|wallet_balance|points|coins|quota|usage_limit|trial_ends?_at|trial_end|verified|is_verified|email_verified|(is_)?(phone|mobile|identity|id|business|company|seller|vendor|host|driver|provider|background|background_check|licen[cs]e|insurance|age|kyc)_verified|kyc_status|((business|identity|id|phone|seller|vendor|host|driver|provider|company|account|profile|user|kyc)_)?verification_status|is_super_?(host|seller|vendor|provider|tutor|agent)|statut_verification|status_verificacao|estado_verificacion|approved|is_approved|banned|is_banned|permissions?|access_level|ruolo|rol|papel|is_internal|is_active_subscription|stripe_customer_id|stripe_subscription_id|\w+_credits|(current|active|billing|pricing|paid|subscribed|user|account|selected)_(plan|tier)(_id|_name|_type)?|plan_(type|tier|level|status|code|key|slug|active|expiry|(expires|ends|valid)_(at|on|until)|until|end|end_date)|subscription_(level|active|expiry|until|product|period_end|current_period_end|end_date|valid_until)|has_(active_)?(subscription|premium|pro|lifetime|paid|access|full_access|lifetime_access|premium_access|pro_access|paid_plan)|is_(vip|subscriber|subscribed|lifetime|superuser|super_user|manager|(premium|pro|paid|admin)_(user|member))|vip|vip_(level|status|until)|lifetime_access|lifetime_deal|premium_(until|access|status|active|expiry|(expires|ends)_at)|pro_(until|access|status|(expires|ends)_at)|paid_until|access_(until|tier|expires_at)|license_(type|tier|status|key|plan)|credits_(remaining|balance|left|available|total|used|limit)|tokens?_(balance|available)|admin_level|membership(_(type|tier|level|status|plan|until|expires_at))?|plano(_(id|nome|tipo|atual|ativo|expira_em))?|(status_)?assinatura(_(status|ativa|tipo))?|creditos(_\w{1,20})?|(es|eh)_admin|is_administrador|nivel_(de_)?(acesso|acceso)|tipo_(de_)?(acesso|acceso)|suscripcion(_(activa|tipo|estado))?|abbonamento(_(attivo|tipo|stato))?)$/i
/** Until when, since when and whether somebody uses what others pay for. */
const TRIAL_COLUMN =
  /^(free_)?trial_(used|claimed|consumed|active|status|started|starts?|ends?|ended|expires?|expiry|until|days(_(left|remaining))?)(_(at|on|date))?$|^(has_)?used_(free_)?trial$|^(is_)?(on_|in_)(free_)?trial$|^trial_(start|end)_date$/i
/** What somebody pays for, by the processor's ids: in a row that says who pays there. */
const PROCESSORS = 'stripe|paddle|polar|lemon_?squeezy|dodo|creem'
const PAID_ENTITLEMENT_COLUMN = new RegExp(`^(${PROCESSORS})_(product|price|plan|variant)_id$`, 'i')
const PROCESSOR_CUSTOMER_COLUMN = new RegExp(`^(${PROCESSORS})_(customer|subscription)_id$`, 'i')
/** Tables that say who is in what, and the column that says as what. */
const MEMBER_TABLE = /member|collaborator|_users?$|staff|seat/i
const WHAT_OF_USERS = /^users?_/i
/** Who is in it, also without a reference: builders leave the one to the platform's users out. */
const USER_ID_COLUMN = /^(auth_)?(user|member|profile|usuario|utente|utilisateur)_?(id|uuid|uid)$/i
const MEMBERSHIP_ROLE_COLUMN = /^(role|role_id|access_level|permissions?|is_owner|is_admin|rights)$/i
const MEMBERSHIP_STATUS_COLUMN = /^(role|role_id|access|access_level|permissions?|status|pending|is_owner|is_admin|level|rights)$/i
const ROLE_CATALOGUE_TABLE = /(role|permission|plan|tier|badge|type|status|level)s?$/i
/** What somebody's membership was bought with or for: nobody is in it. */
const BOUGHT_WITH = /(^|_)(discounts?|coupons?|vouchers?|promo(tion)?s?|codes?|prices?|products?|packages?|invoices?|payments?)$/i

/** Where something stands on a chain of blocks, which everybody may read there. */
const ON_CHAIN = /(^|_)(contract|token|mint|pool|pair|router|factory|program|nft|collection)_address$/i

/** Whether a column says something about a person, by its name. */
export const isPersonal = (column: string): boolean =>
  !says(ON_CHAIN, column) &&
  (says(PERSONAL_COLUMN, column) || says(PERSONAL_OF, column)) &&
  !(says(BUSINESS_CONTACT_COLUMN, column) && says(OF_A_BUSINESS, column))

/** What cards to play with or to collect are told apart by: their number pays for nothing. */
const COLLECTIBLE = /^(rarity|card_?(set|name|type|game)|set_?(name|id|code)|(tcg|pokemon|game|series)(_\w+)?|graded?(_\w+)?)$/i

const saysOfPerson = (table: Table, c: Column): boolean =>
  isCredentials(c) ||
  (isPersonal(c.name) && !/^bool/.test(c.type) && !(says(/(^|_)card_number$/i, c.name) && table.columns.some((x) => says(COLLECTIBLE, x.name))))

/** Columns that say what somebody may do or has paid for. */
export const privilegeColumnsByName = ({ columns }: Pick<Table, 'columns'>): readonly string[] => {
  const pays = columns.some((c) => says(PROCESSOR_CUSTOMER_COLUMN, c.name))
  return columns
    .filter((c) => !c.generated && (says(PRIVILEGE_DATA_COLUMN, c.name) || says(TRIAL_COLUMN, c.name) || (pays && says(PAID_ENTITLEMENT_COLUMN, c.name))))
    .map((c) => c.name)
}

const AUTH_USERS = 'auth.users'

/** Marks the tables whose rows belong to somebody, and says why (checks.md, "User data"). Pure. */
export function classifyUserData(tables: readonly Table[], policies: readonly Policy[] = []): Table[] {
  const byName = new Map(tables.map((t) => [`${t.schema}.${t.name}`, t]))
  const people = peopleTables(tables, byName, policies)
  const groups = groupTables(tables, people)
  const byRole = idsOfPeople(tables)
  const direct = new Map<string, UserData>()
  for (const [name, table] of byName) {
    const data = ownData(table, people, groups, policies, byRole)
    if (data && !isEnteredByStaff(table, data, policies)) direct.set(name, data)
    else if (letSomebodyIn(table)) direct.set(name, codesOf(table))
  }
  spread(
    tables.map((t) => (t.stub ? { ...t, foreignKeys: [...t.foreignKeys, ...askedParents(t, policies)] } : t)),
    direct,
  )
  return tables.map((t) => {
    const data = direct.get(`${t.schema}.${t.name}`)
    return data ? { ...t, userData: data } : t
  })
}

/** Tables whose key is the user's id: `profiles(id references auth.users)`, a `users` table, or one whose policies ask for `id = auth.uid()`. */
function peopleTables(tables: readonly Table[], byName: ReadonlyMap<string, Table>, policies: readonly Policy[]): ReadonlySet<string> {
  const people = new Set([AUTH_USERS])
  for (let grown = true; grown; ) {
    grown = false
    for (const t of tables) {
      const name = `${t.schema}.${t.name}`
      if (people.has(name)) continue
      const keyedByUser = t.foreignKeys.some(
        (f) => people.has(f.references) && f.columns.length === 1 && t.primaryKey.length === 1 && f.columns[0] === t.primaryKey[0],
      )
      if (
        keyedByUser ||
        policiesKeyByCaller(t, policies) ||
        isCalledUser(t, tables) ||
        (says(/^(users?|profiles?|user_profiles?|accounts?|usuarios?|perfis|perfiles|utenti|profili|members|customers)$/i, t.name) &&
          t.primaryKey.length === 1 &&
          !byName.get(name)?.columns.some((c) => says(TENANT_COLUMN, c.name) && c.notNull) &&
          keyLooksLikeUser(t))
      ) {
        people.add(name)
        grown = true
      }
    }
  }
  return people
}

/** `app_user`, `t3_accounts`: whatever prefix the tables of a project have, `user_id` of two others refers to the rows of this one, which have an address. */
function isCalledUser(t: Table, tables: readonly Table[]): boolean {
  if (t.primaryKey.length !== 1 || !t.columns.some((c) => says(/^(?:user_?)?e?mail(?:_?address)?$/i, c.name))) return false
  const refer = (other: Table) =>
    other !== t &&
    other.foreignKeys.some(
      (f) => f.references === `${t.schema}.${t.name}` && f.columns.length === 1 && says(USER_REFERENCE_DATA_COLUMN, f.columns[0] as string),
    )
  return tables.filter(refer).length > 1
}

const USER_REFERENCE_DATA_COLUMN = /^(?:auth_|app_)?(?:user|usuario|utente|utilisateur|benutzer)_?(?:id|uuid|uid)$/i

function policiesKeyByCaller(t: Table, policies: readonly Policy[]): boolean {
  const [key, ...more] = t.primaryKey
  const column = t.columns.find((c) => c.name === key)
  return !more.length && column?.type === 'uuid' && isComparedWithCaller(t, column, policies)
}

/** A column as PostgreSQL deparses it beside the caller's id. Columns inside subqueries are qualified there, so a bare name is this table's own. */
function isComparedWithCaller(t: Table, { name: column }: Column, policies: readonly Policy[]): boolean {
  const name = /^[a-z_][a-z0-9_]*$/.test(column) ? column : `"${column}"`
  const asked = [`(${name} = auth.uid())`, `(auth.uid() = ${name})`, `(${name} = ( SELECT auth.uid() AS uid))`, `(( SELECT auth.uid() AS uid) = ${name})`]
  return policies.some((p) => p.schema === t.schema && p.table === t.name && asked.some((a) => p.using?.includes(a) || p.check?.includes(a)))
}

/** Tables that people are members of, whatever they are called: `membership(user_id, account_id, role)` makes `account` one. */
function groupTables(tables: readonly Table[], people: ReadonlySet<string>): ReadonlySet<string> {
  const groups = new Set<string>()
  for (const t of tables) {
    const single = t.foreignKeys.filter((f) => f.columns.length === 1)
    const namesPerson = t.columns.some((c) => says(USER_ID_COLUMN, c.name) && holdsId(c) && !foreignElsewhere(t, c, people))
    if (!namesPerson && !single.some((f) => people.has(f.references))) continue
    // `user_courses(status)` says how far somebody got, `team_users(status)` whether he is in; `user_profiles(role)` what he does, in whichever sport
    const profile = people.has(`${t.schema}.${t.name}`)
    const standing = says(MEMBER_TABLE, t.name) ? MEMBERSHIP_STATUS_COLUMN : says(WHAT_OF_USERS, t.name) && !profile ? MEMBERSHIP_ROLE_COLUMN : undefined
    if (!standing || !t.columns.some((c) => says(standing, c.name))) {
      const joined = joinedByPeople(t.name)
      for (const f of single)
        if (joined && !people.has(f.references) && isNamed(f.references.slice(f.references.indexOf('.') + 1), joined)) groups.add(f.references)
      continue
    }
    for (const f of single)
      if (!people.has(f.references) && !says(ROLE_CATALOGUE_TABLE, f.references) && !says(BOUGHT_WITH, f.references)) groups.add(f.references)
  }
  return groups
}

function keyLooksLikeUser(t: Table): boolean {
  const key = t.columns.find((c) => c.name === t.primaryKey[0])
  return key !== undefined && (/uuid|text|char/.test(key.type) || t.columns.some((c) => /e?mail|passw(?:or)?d|pwd/i.test(c.name)))
}

/** What the ids of people are called whose table has their addresses, where builders leave the reference to it out: `player_id` beside `players(email)`. */
function idsOfPeople(tables: readonly Table[]): ReadonlySet<string> {
  const withAddress = tables.filter((t) => t.primaryKey.length === 1 && t.columns.some((c) => says(/^e?mail(_address)?$/i, c.name)))
  return new Set(withAddress.map((t) => t.name.replace(/s$/, '')))
}

function ownData(
  table: Table,
  people: ReadonlySet<string>,
  groups: ReadonlySet<string>,
  policies: readonly Policy[],
  byRole: ReadonlySet<string>,
): UserData | undefined {
  const single = table.foreignKeys.filter((f) => f.columns.length === 1)
  const toPeople = single.filter((f) => people.has(f.references)).map((f) => f.columns[0] as string)
  const byDefault = table.columns.filter((c) => c.default !== undefined && /\b(auth\.)?uid\(\)/.test(c.default)).map((c) => c.name)
  const isPerson = people.has(`${table.schema}.${table.name}`)
  const named = table.columns
    .filter(
      (c) =>
        (says(OWNER_LIKE_COLUMN, c.name) || namesByRole(c, table, byRole)) &&
        holdsId(c) &&
        !foreignElsewhere(table, c, people) &&
        !isByline(table, c, policies),
    )
    .filter((c) => !isIdOfAnotherService(table, c, policies))
    .map((c) => c.name)
  // builders leave the reference to the platform's users out, and no list has all the words for a person: `bidder_id = auth.uid()`
  const asked = table.columns
    .filter((c) => c.type === 'uuid' && !table.primaryKey.includes(c.name) && !foreignElsewhere(table, c, people) && isComparedWithCaller(table, c, policies))
    .map((c) => c.name)
  const keyIsUser = isPerson && (toPeople.length === 0 || toPeople.some((c) => table.primaryKey.includes(c)))
  const known = [
    ...new Set([...byDefault, ...toPeople.filter((c) => says(OWNER_LIKE_COLUMN, c)), ...named, ...toPeople, ...(keyIsUser ? table.primaryKey : [])]),
  ]
  const candidates = [...new Set([...known, ...asked])].filter((c) => !isPlayedFor(table, c))
  const owners = candidates.filter((c) => !says(TOUCHED_BY, c))
  const helpers = candidates.filter((c) => says(TOUCHED_BY, c) && !says(TOUCHED_LATER, c))
  const ownerColumns = owners.length ? owners : helpers
  const toGroups = new Set(single.filter((f) => groups.has(f.references)).map((f) => f.columns[0] as string))
  const tenantColumns = table.columns.filter((c) => says(TENANT_COLUMN, c.name) || toGroups.has(c.name)).map((c) => c.name)
  const personalColumns = table.columns.filter((c) => saysOfPerson(table, c) || isPayersEvent(table, c)).map((c) => c.name)
  const powerColumns = privilegeColumnsByName(table)
  const strong = personalColumns.filter(
    (c) =>
      !says(DIRECTORY, c) &&
      !(says(STREET, c) && !table.columns.some((x) => says(/name$/i, x.name))) &&
      !(says(BUSINESS_CONTACT_COLUMN, c) && (says(PLACE, table.name) || isEntryOfDirectory(table))) &&
      !(says(PERSON_NAME_DATA_COLUMN, c) && isOfNobodys(table, personalColumns)),
  )
  const key = ownerColumns.find((c) => toPeople.includes(c))
  const because = key
    ? `${key} references ${single.find((f) => f.columns[0] === key)?.references}`
    : byDefault.length
      ? `${byDefault[0]} defaults to the caller's id`
      : keyIsUser
        ? 'each row is a user'
        : ownerColumns.length
          ? `${ownerColumns[0]} names an owner`
          : tenantColumns.length
            ? `${tenantColumns[0]} names a tenant`
            : strong.length
              ? `it holds ${strong.every((c) => says(SECRET_COLUMN, c)) ? 'secrets' : 'personal columns'} (${strong.slice(0, 3).join(', ')})`
              : undefined
  return because ? { because, ownerColumns, tenantColumns, personalColumns, powerColumns } : undefined
}

const OUTCOME =
  /^(?:winner|loser|champion|runner_?up|mvp|(?:player|participant|opponent|fighter|competitor|contestant)_?(?:[1-4]|one|two|a|b))(?:_user|_player|_profile)?_?id$/i
const PLAYED = /^(?:match|game|tournament|round|bracket|bout|fixture|heat)_?(?:id|uuid)$/i

/** Who played and who won, in a row about something that is played: the row is of the match, and none of them wrote it. */
const isPlayedFor = (table: Table, column: string): boolean => says(OUTCOME, column) && table.columns.some((c) => says(PLAYED, c.name))

/** Rows with a website or opening hours, a category, a rating, pictures: the number in them is how to reach a business. */
function isEntryOfDirectory({ name, columns }: Table): boolean {
  return (
    !says(PERSONAL_RECORD_TABLE, name) &&
    columns.some((c) => says(PLACE_LISTING_COLUMN, c.name)) &&
    columns.filter((c) => says(LISTING_DETAIL_COLUMN, c.name)).length >= 4
  )
}

/** Codes that belong to nobody until somebody uses them: whoever handed them out is not whom they are for. */
function codesOf(table: Table): UserData {
  const codes = bearerColumns(table)
  return { because: `${codes[0]} works for whoever has it`, ownerColumns: [], tenantColumns: [], personalColumns: codes, powerColumns: [] }
}

/** Rows that say of a person nothing but the name, in a table that is not called after people with whom the application deals. */
const isOfNobodys = (table: Table, personal: readonly string[]): boolean =>
  personal.every((c) => says(PERSON_NAME_DATA_COLUMN, c)) && !says(PERSONAL_RECORD_TABLE, table.name)

/** Who is given a thing for a while: such a row may do without, and is not his. */
const TEMPORARY_HOLDER_COLUMN = /^(?:driver|rider|worker|freelancer|resident|renter)$/i

function namesByRole({ name, notNull }: Column, table: Table, byRole: ReadonlySet<string>): boolean {
  const role = says(PERSON_BY_ROLE, name) ? name.replace(/_?(?:id|uuid|uid)$/i, '') : undefined
  if (role === undefined || (!notNull && TEMPORARY_HOLDER_COLUMN.test(role))) return false
  return byRole.has(role) && !table.foreignKeys.some((f) => f.columns.includes(name))
}

function holdsId(c: Column): boolean {
  return /^(uuid|text|character varying|varchar|bigint|integer)/.test(c.type)
}

/** What a payment processor sends names payers, their addresses and what they paid. */
export const isPayersEvent = (table: Pick<Table, 'name'>, c: Column): boolean =>
  says(/(^|_)(payments?|stripe|paypal|billing|paddle|checkout)_\w*(webhooks?|events?)(_logs?)?$/i, table.name) &&
  /^jsonb?$/.test(c.type) &&
  says(/^(payload|data|body|event(_data|_payload)?|raw(_event|_payload|_data)?|object)$/i, c.name)

/** Who said or wrote something, as a text that no policy asks for: a quotation's `author` is a name. */
function isByline(table: Table, c: Column, policies: readonly Policy[]): boolean {
  if (!says(/^(author|autor|auteur)$/i, c.name) || !/^(text|char)/.test(c.type) || table.foreignKeys.some((f) => f.columns.includes(c.name))) return false
  return !policies.some((p) => p.schema === table.schema && p.table === table.name && `${p.using ?? ''} ${p.check ?? ''}`.includes(c.name))
}

/** `author_id references public.book_authors` is no owner. */
function foreignElsewhere(table: Table, c: Column, people: ReadonlySet<string>): boolean {
  const keys = table.foreignKeys.filter((f) => f.columns.includes(c.name))
  return keys.length > 0 && !keys.some((f) => people.has(f.references))
}

/** A row that belongs to a row of somebody's belongs to somebody. */
function spread(tables: readonly Table[], found: Map<string, UserData>): void {
  for (let grown = true; grown; ) {
    grown = false
    for (const t of tables) {
      const name = `${t.schema}.${t.name}`
      if (found.has(name)) continue
      const key = t.foreignKeys.find(
        (f) =>
          f.references !== name &&
          (belongsToSomebody(found.get(f.references)) ||
            (isPrivateByName(t.name) && f.columns.every((c) => says(OWNER_LIKE_COLUMN, c)) && tellsWho(found.get(f.references)))) &&
          (f.cascades || belongs(t, f.columns)) &&
          !isPattern(f, tables),
      )
      if (!key) continue
      found.set(name, {
        because: `it belongs to ${key.references} by ${key.columns.join(', ')}`,
        ownerColumns: [],
        tenantColumns: t.columns.filter((c) => says(TENANT_COLUMN, c.name)).map((c) => c.name),
        personalColumns: t.columns.filter((c) => saysOfPerson(t, c)).map((c) => c.name),
        powerColumns: privilegeColumnsByName(t),
      })
      grown = true
    }
  }
}

/** What a row was made after is not what it belongs to: `classes(template_id)`, where templates that nobody made are everybody's. */
function isPattern({ columns, references }: Table['foreignKeys'][number], tables: readonly Table[]): boolean {
  const made = tables.find((t) => `${t.schema}.${t.name}` === references)
  const maker = made?.columns.filter((c) => says(OWNER_LIKE_COLUMN, c.name)) ?? []
  return columns.every((c) => says(/(^|_)template_?id$/i, c)) && maker.every((c) => !c.notNull && says(/^(created|made)_by/i, c.name))
}

/** Owned by a user or a tenant, or a part of such a row. */
function belongsToSomebody(data: UserData | undefined): boolean {
  return data !== undefined && (data.ownerColumns.length > 0 || data.tenantColumns.length > 0 || data.because.startsWith('it belongs'))
}

/** A row that says who somebody is and how to reach him, whom nobody has entered for himself: the orders and appointments of a customer are his. */
function tellsWho(data: UserData | undefined): boolean {
  if (!data || data.ownerColumns.length || data.tenantColumns.length) return false
  return data.personalColumns.length > 1 && data.personalColumns.some((c) => says(BUSINESS_CONTACT_COLUMN, c))
}

/** The reference is part of what the row is: required, or part of its key. */
function belongs(t: Table, columns: readonly string[]): boolean {
  return columns.every((c) => t.primaryKey.includes(c) || t.columns.find((x) => x.name === c)?.notNull === true)
}
