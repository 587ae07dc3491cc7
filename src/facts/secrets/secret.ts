/** `live` grants something today, `test` only in a sandbox, `local-demo` is published by the platform for local work. */
export type SecretLife = 'live' | 'test' | 'local-demo'

/** A secret in a text: where it is and what it is, never what it says. Offsets are UTF-16 code units, end exclusive. */
export interface SecretSpan {
  /** Format, such as `stripe-live-secret`; `generic-secret`, `password` and `default-secret` are known by the name they are assigned to. */
  readonly kind: string
  readonly start: number
  readonly end: number
  /** Prefix that shows the kind, then `…`; never enough to use. */
  readonly redacted: string
  readonly live: SecretLife
  /** Of JWTs: the decoded `role`, `iss` and `ref`. */
  readonly claims?: { readonly role?: string; readonly iss?: string; readonly ref?: string }
  /** The name it is assigned to, when the line shows one. */
  readonly name?: string
}
