import { findSecrets } from './detect.ts'
import type { SecretSpan } from './secret.ts'

/** The text with every secret replaced by its redacted form; lines stay where they are, so a secret of several lines is blanked out in place. */
export function redact(text: string, spans: readonly SecretSpan[] = findSecrets(text)): string {
  if (!spans.length) return text
  let out = ''
  let at = 0
  for (const s of spans) {
    const value = text.slice(s.start, s.end)
    out += text.slice(at, s.start) + (value.includes('\n') ? blank(value, s) : s.redacted)
    at = s.end
  }
  return out + text.slice(at)
}

/** The text with every secret blanked out by `*` in place: same length, same lines, the shown prefix kept. */
export function redactInPlace(text: string, spans: readonly SecretSpan[] = findSecrets(text)): string {
  if (!spans.length) return text
  let out = ''
  let at = 0
  for (const s of spans) {
    out += text.slice(at, s.start) + blank(text.slice(s.start, s.end), s)
    at = s.end
  }
  return out + text.slice(at)
}

function blank(value: string, span: SecretSpan): string {
  const shown = span.redacted.slice(0, -1)
  const keep = value.startsWith(shown) ? shown.length : 0
  return value.slice(0, keep) + value.slice(keep).replace(/[^\s'"]/g, '*')
}
