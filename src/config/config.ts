/** The repository's `.github/prelaunch.yml`, defaults filled in. */
export interface Config {
  readonly failOn: 'critical' | 'high' | 'medium' | 'never'
  readonly comment: 'always' | 'findings' | 'never'
  /** Undefined: introduced only on public repositories, all on private ones. */
  readonly publish?: 'introduced' | 'all'
  readonly paths: { readonly ignore: readonly string[] }
  readonly public: {
    readonly tables: readonly Declared[]
    readonly routes: readonly Declared[]
    readonly buckets: readonly Declared[]
  }
  readonly production: { readonly domains: readonly string[] }
  readonly attest: readonly Attestation[]
  readonly suppress: readonly Suppression[]
}

/** Something that is public by intention. `line` is the entry's line in the configuration file. */
export interface Declared {
  readonly name: string
  readonly reason: string
  readonly line: number
}

export interface Attestation {
  readonly check: string
  readonly statement: string
  readonly by: string
  /** ISO dates. */
  readonly date: string
  readonly expires?: string
  readonly line: number
}

export interface Suppression {
  readonly check: string
  readonly subject: string
  readonly reason: string
  readonly expires?: string
  readonly line: number
}

/** Something wrong in the configuration file; the defaults apply instead. */
export interface ConfigProblem {
  readonly path: string
  readonly line: number
  readonly message: string
}

export const CONFIG_PATH = '.github/prelaunch.yml'

export const DEFAULT_CONFIG: Config = {
  failOn: 'critical',
  comment: 'always',
  paths: { ignore: [] },
  public: { tables: [], routes: [], buckets: [] },
  production: { domains: [] },
  attest: [],
  suppress: [],
}
