import type { Table } from '../../database.ts'

/** Whom or what somebody looked at and let through, in the languages that builders' users write their schemas in. */
const APPROVED_ABROAD = 'apro[bv]ad[oa]|approvat[oa]|approuv[ée]e?'
/** Participles and adjectives for what is shown to everybody. */
const SHOWN_ABROAD = `publicad[oa]|p[úu]blic[oa]|publi[ée]e?|publique|pubblic(?:at)?[oa]|ver(?:ö|oe)ffentlicht|(?:ö|oe)ffentlich|freigegeben|gepubliceerd|openbaar|publicerad|opublikowan[eya]|vis[íi]vel|visibile|sichtbar|zichtbaar|${APPROVED_ABROAD}`
/** The same for what is kept back. */
const HIDDEN_ABROAD = 'rascunho|borrador|brouillon|bozza|entwurf|concept|szkic|privad[oa]|privat[oa]?|priv[ée]e?|ocult[oa]|nascost[oa]|versteckt|verborgen'

const PUBLICATION_COLUMN = new RegExp(
  `public|publish|visib|shar(ed|ing)|privacy|listed|searchable|discoverable|approved|moderat|^(phone|e?mail|contact|address)_consent$|(^|_)(${SHOWN_ABROAD})($|_)`,
  'i',
)
/** Rows that came from the public (a form, a booking page), not rows that are shown to it. */
const FROM_THE_PUBLIC =
  /public_?(request|ticket|submission|booking|order|form|lead|in?quiry|enquiry|contact|message|sign_?up|registration|intake|report|complaint|response|answer)s?$/i
const HIDES = new RegExp(`^(is_?)?(private|personal|draft|hidden|secret|unlisted|${HIDDEN_ABROAD})$`, 'i')
const PUBLISHED_VALUE = new RegExp(
  `^(true|public|published|shared|everyone|anyone|unlisted|visible|listed|approved|live|link|${SHOWN_ABROAD})$|^(public|everyone|anyone)[_-](read|view|access|link|with[_-]link)(er|able|only)?$|^(read|view)[_-](public|everyone|anyone)$`,
  'i',
)
const HIDDEN_VALUE = new RegExp(`^(private|draft|hidden|unpublished|false|${HIDDEN_ABROAD})$`, 'i')
/** How something is shown to everybody: each of its values but those that shut it says so (`public_access IN ('live', 'grace')`). */
const PUBLIC_ACCESS = /^public_?(?:access|state|status|mode|visibility)$/i
const SHUT = /^(?:none|no|off|closed|blocked|disabled|suspended|paused|denied|restricted|locked|expired)$/i
const PUBLISHED_WHEN =
  /^(published|approved|shared)_(at|on)$|^publish(ed)?_date$|^(publicad[oa]|pubblicat[oa]|publi[ée]e?|aprovad[oa]|aprobad[oa])_(em|en|il|le|at)$/i

/** Whether a condition on the row is its owner's decision to show it (`is_public = true`, `visibility <> 'private'`). */
export function isPublication(state: { readonly column: string; readonly op: string; readonly value?: string | number | boolean }): boolean {
  if (FROM_THE_PUBLIC.test(state.column)) return false
  if (state.op === 'is not null') return PUBLISHED_WHEN.test(state.column)
  if (state.value === undefined) return /^(published|publish)_(at|on|date)$|^(data|fecha)_(de_)?(publica(cao|cion)|pubblicazione)$/.test(state.column)
  const value = String(state.value)
  if (HIDES.test(state.column) && ((state.op === '=' && value === 'false') || (state.op === '<>' && value === 'true'))) return true
  if (state.op === '=' && PUBLIC_ACCESS.test(state.column)) return !HIDDEN_VALUE.test(value) && !SHUT.test(value)
  if (state.op === '=') return PUBLISHED_VALUE.test(value) && (PUBLICATION_COLUMN.test(state.column) || !/^true$/i.test(value))
  return state.op === '<>' && HIDDEN_VALUE.test(value) && (PUBLICATION_COLUMN.test(state.column) || !/^false$/i.test(value))
}

const APPROVED = new RegExp(`approved|${APPROVED_ABROAD}`, 'i')
const IS_APPROVED = new RegExp(`^(?:approved|${APPROVED_ABROAD})$`, 'i')

/** What an entry of a directory never shows, however it came to be approved. */
const KEPT_FROM_ALL =
  /(^|_)(birth(day|date|_date)?|dob|date_of_birth|data_nascimento|data_nascita|fecha_nacimiento|ssn|passport(_number)?|cpf|codice_fiscale|iban|bank_account(_number)?|password(_hash)?|access_token|refresh_token|salary|medical|diagnosis)$/i

/**
 * Whether a condition on the row says no more than that somebody let its owner in: that a sitter was approved is no word of his that strangers may
 * know when he was born.
 */
export function isOnlyApproval(table: Table, state: { readonly column: string; readonly op: string; readonly value?: string | number | boolean }): boolean {
  const approved = APPROVED.test(state.column) || (state.op === '=' && IS_APPROVED.test(String(state.value)))
  return approved && (table.userData?.ownerColumns.length ?? 0) > 0 && table.columns.some((c) => KEPT_FROM_ALL.test(c.name))
}

/** Whether a condition on the row says that the application brought it along for everybody (`is_default`). */
export function isBroughtAlong(state: { readonly column: string; readonly op: string; readonly value?: string | number | boolean }): boolean {
  return state.op === '=' && String(state.value) === 'true' && /^(is_?)?(default|global|system|template|preset|built_?in)$/i.test(state.column)
}
