import type { Table } from '../../database.ts'
import { isListing, isWhere } from './for-sale.ts'

const PERSONAL_TABLE =
  /booking|order|customer|client|user|profile|member|patient|reservation|appointment|invoice|payment|message|chat|conversation|ticket|application|submission|subscri|account|contact|lead|guest|employee|student|note|document|pedido|ordenes|reserva|(^|_)citas?$|cliente|usuario|perfil|perfis|mensaje|mensage|pagos?$|pagamento|prenotazion|ordini|utent|pacient|pazient|alumno|aluno|factura|fatura|fattur/i
/** Lists that an application brings along, whatever they are lists for. */
const CATALOGUE_TABLE = /(^|_)(plans?|types?|status(es)?|categor(y|ies)|tiers?|prices?|pricing|products?|packages?|features?|templates?)$/i
/** Where something is and how to reach a business is no secret of a person. */
const PLACE_OR_CONTACT_COLUMN =
  /latitude|longitude|(^|_)(lat|lng|lon)$|address|street|zip|postal|phone|mobile|telefon|telephone|celular|cellulare|whatsapp|direcc|indirizz|endereco|contact_(info|details|number)/i
const PLACE_TABLE =
  /store|shop|restaurant|venue|hotel|clinic|hospital|location|branch|school|peak|place|trail|route|station|compan|business|office|gym|studio|dealer|provider|partner|club|event|listing|propert|room|attraction|destination|landmark|museum|monument|airport|(^|_)pois?$|cit(y|ies)$|region|neighbou?rhood|beach|park|condo|building|apartment|hostel|villa|resort|campsite|campground|contact_info|site_|setting|config|footer|configura/i
const OWN_MAIL = /^(?:(?:contact|support|business|site|public)_)?e?mail(?:_conta(?:c?to|t|tto))?$/i
/** The one row that says how a shop or a site is set up: what it has of addresses is the house's own, the one that customers pay to among them. */
const SETTINGS = /(?:^|_)(?:settings?|config(?:uration)?s?|configurac\w{2,6}|impostazioni|info)$/i
const MAIL_OF_HOUSE =
  /^(?:store|shop|company|business|office|sales|info|help|hello|service|orders?|booking|reservations?|press|paypal|zelle|payment|from|sender|reply_?to)_e?mail(?:_address)?$/i
/** Who comes there, works there or wants something: `event_registrations`, `school_students`, `clinic_leads`. */
const PEOPLE_THERE =
  /registra|registrant|attend|sign_?ups?(_|$)|rsvp|particip|inquir|enquir|(^|_)leads?(_|$)|applica|candidat|donor|volunt|wait_?list|enroll?|inscri|iscri|matricul|booking|order|customer|client|user|profile|member|patient|reserv|appointment|invoice|guest|employee|staff|student|pupil|teacher|parent|coach|driver|request|message|subscri|cliente|usuario|utent|pacient|pazient|alumno|aluno/i

/**
 * What a table's name adds to its columns. A table that only the dashboard created shows no columns: its name has to do. A catalogue of
 * places holds coordinates and phone numbers without being about people.
 */
export function withUserData(table: Table): Table {
  const user = table.userData
  if (user && !user.ownerColumns.length && !user.tenantColumns.length && user.personalColumns.length) {
    const places =
      user.personalColumns.every((c) => /latitude|longitude/i.test(c)) ||
      (isListing(table) && user.personalColumns.every(isWhere)) ||
      (PLACE_TABLE.test(table.name) &&
        !PEOPLE_THERE.test(table.name) &&
        user.personalColumns.every((c) => PLACE_OR_CONTACT_COLUMN.test(c) || OWN_MAIL.test(c) || (SETTINGS.test(table.name) && MAIL_OF_HOUSE.test(c))))
    if (places && user.because.startsWith('it holds personal')) {
      const { userData: _none, ...rest } = table
      return rest
    }
  }
  if (user || !table.stub || !PERSONAL_TABLE.test(table.name) || CATALOGUE_TABLE.test(table.name)) return table
  return {
    ...table,
    userData: {
      because: 'its name says so; no SQL in the repository shows its columns',
      ownerColumns: [],
      tenantColumns: [],
      personalColumns: [],
      powerColumns: [],
    },
  }
}
