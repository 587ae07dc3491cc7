import { says } from '../../../lib/snake-case.ts'
import type { Table } from '../../database.ts'

/** What a thing or a place is called; people have first and last names. */
const TITLE = /^(name|title|headline|brand|model|make|nom|nome|nombre|titre|titulo|titolo|marca|modelo)$/i
const ASKING_PRICE_COLUMN = /(^|_)(price|rent|cost|rate|fee|precio|preco|prezzo|prix|preis)s?($|_)/i
/** What it is shown with, one pattern for each kind of showing. */
const LISTING_DETAIL_COLUMNS = [
  ASKING_PRICE_COLUMN,
  /^(description|about|summary|descripcion|descricao|descrizione|beschreibung)$/i,
  /(^|_)(images?|photos?|pictures?|cover|gallery|thumbnail|fotos?|imagen(es)?|imagem|imagens)(_url)?s?$/i,
  /(^|_)(rating|review_count|reviews_count)$/i,
  /^(amenities|features|specs|facilities|equipment|surface(_type)?|condition|mileage|bedrooms|bathrooms|square_(feet|meters)|capacity|opening_hours|cuisine|breed)$/i,
]
/** Whoever asks for something, or is under way with it, says where he lives or is. */
const PERSON_WHEREABOUTS_TABLE =
  /request|quote|lead|order|booking|reserv|appointment|ticket|report|incident|complaint|deliver|shipment|pick_?up|ride|trip|visit|check_?in|track(?!s?$)|need|help|customer|client|user|profile|patient|account|contact|guest|employee|staff|member|student|child|famil|people|person|tenant|resident|donor|subscri|application|message|claim|inspection|solicit|pedid|demande|anfrage|richiest|addresses|enderec|direccion/i
const LOCATION_DETAIL_COLUMN =
  /(^|_)(latitude|longitude|lat|lng|address(_line\d?)?|street|(adresse|indirizzo|endereco|direccion)(_complet[aeo])?|zip(code)?|postal_code|code_postal)$/i

/** Whether a column says where something stands, by its name. */
export const isWhere = (column: string): boolean => says(LOCATION_DETAIL_COLUMN, column)

/**
 * Whether the rows describe things or places that somebody shows to others, a car for sale or a sports hall: where that stands is said of the
 * thing. By its columns, because `locations` may be of shops or of drivers; a table with one row for each user is about the user.
 */
export function isListing(table: Table): boolean {
  if (says(PERSON_WHEREABOUTS_TABLE, table.name) || !table.columns.some((c) => says(TITLE, c.name))) return false
  if (LISTING_DETAIL_COLUMNS.filter((kind) => table.columns.some((c) => says(kind, c.name))).length < 2) return false
  const alone = (column: string) => table.primaryKey.join() === column || table.uniques.some((u) => !u.partial && u.columns.join() === column)
  return !table.userData?.ownerColumns.some(alone)
}

/** Who entered a row, which says nothing of whose it is. */
export const ENTERED_BY_COLUMN = /^(?:created|added|entered|uploaded)_by(?:_id|_user_id)?$/i

/** What somebody subscribes to, and what it costs from when on. */
const PRICED_PLAN_TABLE = /^(?:(?:subscription|pricing|membership|billing)_)?(?:plans?|packages?|tiers?)(?:_(?:versions?|prices?|pricing))?$/i
const OF_SUBSCRIPTIONS = /^(?:subscription|pricing|membership|billing)_/i

const isPlanForAll = ({ name, columns, userData }: Table): boolean =>
  says(PRICED_PLAN_TABLE, name) &&
  (says(OF_SUBSCRIPTIONS, name) || columns.some((c) => says(ASKING_PRICE_COLUMN, c.name))) &&
  !userData?.personalColumns.length &&
  (userData?.ownerColumns ?? []).every((c) => says(ENTERED_BY_COLUMN, c))

const WARES =
  /^(?:(?:shop|store|catalog|menu)_?)?(?:products?|listings?|variants?|product_?variants?|menus?|menu_?items?|dishes|shops?|stores?|restaurants?|categor(?:y|ies))$/i
/** What it costs to have something brought, and where to: whoever orders sees it first. */
const TARIFFS = /^(?:(?:shop|store)_)?(?:delivery|shipping)_?(?:zones?|rates?|methods?|options?|areas?|fees?|classes)$/i
const isTariff = ({ name, userData }: Table): boolean =>
  says(TARIFFS, name) && !userData?.ownerColumns.length && !userData?.personalColumns.some((c) => !isWhere(c))
/** What somebody keeps books of, plans with or works on, whatever it costs. */
const OF_THE_OWN =
  /project|task|note|document|workspace|invoice|expense|budget|inventor|asset|goal|bill|purchase|stock|supplier|draft|wish|collection|portfolio|holding|cart|basket/i

/**
 * Whether the rows are wares: products, what stands on a menu, and things with a price that are described or pictured. Of these any one may be looked
 * at by its id, unlike the rest of its seller's rows.
 */
export function isForSale(table: Table): boolean {
  if (isPlanForAll(table) || isTariff(table)) return true
  if (says(OF_THE_OWN, table.name) || says(PERSON_WHEREABOUTS_TABLE, table.name)) return false
  return says(WARES, table.name) || (isListing(table) && table.columns.some((c) => says(ASKING_PRICE_COLUMN, c.name)))
}

/** What people put up for sale or for rent, one by one. */
const LISTING_TABLE =
  /^(?:\w{1,30}_)?(?:propert(?:y|ies)|listings?|vehicles?|cars?|homes?|houses?|apartments?|flats?|rooms?|rentals?|real_?estates?|products?|items?|im[oó]ve(?:l|is)|inmuebles?|immobili|anuncios?|an[uú]ncios?|annunci|annonces?|classifieds?|ads)$/i
const AVAILABLE_FLAG_COLUMN = /^(?:active|available|for_(?:sale|rent)|open|listed|in_stock|activ[oa]|attiv[oa]|disponi(?:vel|ble|bile))$/i
const IS_ON_SALE = /^(?:is_?)?(?:active|available|for_sale|for_rent|in_stock|listed|ativ[oa]|activ[oa]|disponi(?:vel|ble|bile))$/i
/** How to reach whoever offers it, which stands beside the price in every advertisement. */
const REACHED_BY =
  /^(?:(?:agents?|contact|seller|owner|listing|broker)_?)?(?:name|phone(?:_?number)?|telephone|mobile|whats_?app(?:_?number)?|e_?mail|telefon[eo]|celular)$/i

/**
 * Whether a condition on a row says that it stands in a shop window, and nothing is in the row but what stands there: what it is, what it costs, where
 * it is and whom to call.
 */
export function isInTheWindow(table: Table, state: { readonly column: string; readonly op: string; readonly value?: string | number | boolean }): boolean {
  const value = String(state.value)
  const shown =
    state.op === '=' &&
    (AVAILABLE_FLAG_COLUMN.test(value) ? says(/^(?:status|state|estado|stato)$|_status$/i, state.column) : value === 'true' && says(IS_ON_SALE, state.column))
  if (
    !shown ||
    !says(LISTING_TABLE, table.name) ||
    says(OF_THE_OWN, table.name) ||
    !isListing(table) ||
    !table.columns.some((c) => says(ASKING_PRICE_COLUMN, c.name))
  )
    return false
  return (table.userData?.personalColumns ?? []).every((c) => isWhere(c) || says(REACHED_BY, c))
}
