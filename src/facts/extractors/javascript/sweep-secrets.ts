import type { SecretSpan } from '../../secrets/detect.ts'

/** Short values are words as well: replacing them everywhere would rename the program. Literals that hold one are redacted where they stand. */
const MIN_LENGTH = 16

/** Cuts secrets down wherever else their text turned up: keys of objects, names, specifiers, regular expressions. */
export function sweepSecrets<T>(facts: T, text: string, secrets: readonly SecretSpan[]): T {
  const values = secrets
    .map((s) => [text.slice(s.start, s.end), s.redacted] as const)
    .filter(([value, shown]) => value.length >= MIN_LENGTH && /\d/.test(value) && !shown.includes(value))
  return sweep(facts) as T

  function sweep(value: unknown): unknown {
    if (typeof value === 'string') return values.reduce((s, [secret, shown]) => (s.includes(secret) ? s.replaceAll(secret, () => shown) : s), value)
    if (Array.isArray(value)) return value.map(sweep)
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, sweep(v)]))
  }
}
