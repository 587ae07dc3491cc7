import type { SecretFact } from '../../facts/kinds.ts'

/** Values hardcoded in code and text. Filled in by its builder. */
export interface CodeModel {
  readonly secrets: readonly (SecretFact & { readonly path: string })[]
}
