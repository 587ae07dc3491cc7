/** Environment variables: every read, every definition, committed env files. Filled in by its builder. */
export interface EnvModel {
  readonly definitions: readonly EnvDefinition[]
  readonly reads: readonly { readonly name: string; readonly path: string; readonly line: number }[]
}

/** A variable that some file of the repository gives a value (or a name without one, as in templates). */
export interface EnvDefinition {
  readonly name: string
  readonly path: string
  readonly line: number
  readonly value: string
  readonly kind: string
  readonly hash: string
  /** Where it is defined: env file, template, compose file, workflow, bundler configuration, … */
  readonly source: 'env-file' | 'template' | 'compose' | 'workflow' | 'build-config' | 'platform-config' | 'dockerfile'
}
