import type { Table } from '../../../database/database.ts'
import { says } from '../../../lib/snake-case.ts'
import type { Effect } from '../../behaviour/types.ts'

type Query = Extract<Effect, { kind: 'db' }>

/**
 * Whether a query of documents tells of somebody what is between them and whoever keeps the records: what a teacher earns and whom to call in an
 * emergency, when a student was there. No owner stands in such a row, for it is nobody's own.
 */
export function tellsRecords(e: Query, { name, columns }: Table): boolean {
  // a pipeline may leave nothing of it but numbers
  if (e.op !== 'select' || e.countOnly || (e.unread && !e.columns?.length)) return false
  const has = (pattern: RegExp) => columns.some((c) => says(pattern, c.name))
  if (says(PERSONNEL_RECORD_TABLE, name)) return columns.some((c) => says(OF_PERSON, c.name) && isRead(c.name, e))
  return has(NAMES_PERSON) && has(CONTACT_NUMBER_COLUMN) && columns.some((c) => says(BETWEEN_THEM, c.name) && isRead(c.name, e))
}

/** Files that people brought, with what was heard or read in them: the recording of a consultation beside its words. Nobody else's, and no owner stands there. */
export function tellsWhatWasHeard(e: Query, { name, columns }: Table): boolean {
  const has = (pattern: RegExp) => columns.some((c) => says(pattern, c.name))
  return e.op === 'select' && !e.countOnly && says(BROUGHT, name) && has(FILE) && columns.some((c) => says(HEARD, c.name) && isRead(c.name, e))
}

/** Fields of a field are columns of their own: `salary_base` is read with `salary`. */
const isRead = (column: string, { columns }: Query): boolean =>
  !columns?.length || columns.some((c) => c === '*' || c === column || column.startsWith(`${c}_`) || c.startsWith(`${column}(`))

/** What is written down of people again and again. */
const PERSONNEL_RECORD_TABLE =
  /(?:^|_)(?:attendances?|pay_?rolls?|pay_?slips?|salar(?:y|ies)|(?:leave|medical|health|disciplinary)_?(?:requests?|records?|applications?|histor(?:y|ies))|leaves|prescriptions?|report_?cards?)(?:_?(?:records?|entr(?:y|ies)|logs?))?$/

const BROUGHT = /(?:^|_)(?:uploads?|uploaded_files?|recordings?|voice_?notes?|audio_?files?|scans?|consultations?|calls?|meetings?)$/
const FILE = /^(?:original_?name|file_?(?:name|path|url|key)|storage_?(?:path|key)|mime_?type|(?:audio|recording|image)_?(?:url|path))$/
const HEARD = /^(?:transcripts?|transcriptions?|(?:ocr|extracted|recogni[sz]ed)_?text|ai_?analysis|diagnos[ie]s)(?:_|$)/

const OF_PERSON = /^(?:students?|employees?|staff|workers?|patients?|members?|teachers?|users?|persons?)(?:_?ids?)?$/
const NAMES_PERSON = /^(?:(?:first|last|full|student|employee|teacher|patient|staff)_?name|name)$/
const CONTACT_NUMBER_COLUMN = /(?:^|_)(?:e_?mail|phone|mobile|contact)(?:_?(?:number|no))?$/
const BETWEEN_THEM =
  /^(?:(?:base_?|basic_?|net_?|gross_?|monthly_?)?(?:salar(?:y|ies)|wages?)|emergency_?contacts?|(?:guardian|parent|father|mother)s?_?(?:phone|mobile|contact|number|e_?mail)|iban|bank_?(?:account|details)|account_?number|ssn|social_?security\w{0,10}|national_?id|aadhaa?r\w{0,8}|passport\w{0,8}|date_?of_?birth|birth_?date|dob|blood_?(?:group|type)|medical\w{0,12}|allergies|diagnos[ie]s)(?:_|$)/
