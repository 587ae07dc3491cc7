/** Columns whose value decides what a user may do or has paid for. */
const GRANTS = /(^|_)(role|roles|role_id)$|admin|superuser|is_staff|permission|(^|_)plan($|_)|(^|_)tier($|_)|subscri|credit|balance|premium|is_pro$|(^|_)paid($|_)|licen[cs]e|entitle|wallet|(^|_)coins?($|_)|payment_status|billing_status|stripe_(customer|subscription)|access_level|is_internal|user_type|account_type/i

/** Whether a power column grants power or money by itself (else it only bends a limit or a badge). */
export function grantsPower(column: string): boolean {
  return GRANTS.test(column)
}

const PUBLISHED = /public|publish|visib|shar(ed|ing)|privacy|listed|searchable|discoverable|approved|moderat/i
const PUBLISHED_VALUE = /^(true|public|published|shared|everyone|anyone|unlisted|visible|listed|approved|live|link)$/i
const HIDDEN_VALUE = /^(private|draft|hidden|unpublished|false)$/i

/** Whether a condition on the row is its owner's decision to show it (`is_public = true`, `visibility <> 'private'`). */
export function isPublication(state: { readonly column: string; readonly op: string; readonly value?: string | number | boolean }): boolean {
  if (state.op === 'is not null') return /^(published|approved|shared)_(at|on)$|^publish(ed)?_date$/.test(state.column)
  if (state.value === undefined) return /^(published|publish)_(at|on|date)$/.test(state.column)
  const value = String(state.value)
  if (state.op === '=') return PUBLISHED_VALUE.test(value) && (PUBLISHED.test(state.column) || !/^true$/i.test(value))
  return state.op === '<>' && HIDDEN_VALUE.test(value) && (PUBLISHED.test(state.column) || !/^false$/i.test(value) || PUBLISHED.test(state.column))
}
