import type { ValueFact } from '../kinds.ts'
import { findSecrets } from './detect.ts'
import { hashValue } from './hash.ts'
import { decodeJwt } from './jwt.ts'
import { isPlaceholder, isReference } from './placeholder.ts'
import { redact } from './redact.ts'

const PUBLISHABLE = /^(?:pk_(?:live|test)_|sb_publishable_|phc_|AIza)/
const MAX_VALUE = 400

/** Says what a value assigned to a name is: the secret's format, or why it is none. */
export function describeValue(name: string, value: string): ValueFact {
  const hash = hashValue(value)
  if (value.trim() === '') return { value: '', kind: 'empty', hash }
  if (isReference(value)) return { value: value.slice(0, MAX_VALUE), kind: 'reference', hash }
  const line = `${name}=${quoted(value)}`
  const spans = findSecrets(line)
  const secret = spans[0]
  if (secret) {
    const shown = redact(line, spans)
      .slice(name.length + 1)
      .replace(/^["'`]|["'`]$/g, '')
    return { value: shown.slice(0, MAX_VALUE), kind: secret.kind, hash, live: secret.live, ...(secret.claims ? { claims: secret.claims } : {}) }
  }
  const claims = value.startsWith('eyJ') ? decodeJwt(value) : undefined
  if (claims?.role === 'anon') {
    const { role, iss, ref } = claims
    return { value: value.slice(0, MAX_VALUE), kind: 'supabase-anon-jwt', hash, claims: { role, ...(iss ? { iss } : {}), ...(ref ? { ref } : {}) } }
  }
  const kind =
    isPlaceholder(value) && !/^(?:true|false|[0-9.]+|[a-z]{2,12}|(?:https?|wss?):\/\/\S+)$/i.test(value)
      ? 'placeholder'
      : PUBLISHABLE.test(value)
        ? 'publishable'
        : 'plain'
  return { value: value.slice(0, MAX_VALUE), kind, hash }
}

function quoted(value: string): string {
  const quote = ['"', "'", '`'].find((q) => !value.includes(q))
  return quote && !value.includes('\\') && !value.includes('\n') ? `${quote}${value}${quote}` : value
}
