import type { ValueFact } from '../../facts/kinds.ts'

/** Environment variables: every read, every definition, env files in tree and history, and what ignore files let in. */
export interface EnvModel {
  readonly definitions: readonly EnvDefinition[]
  readonly reads: readonly EnvRead[]
  /** Names of secrets without which the application does not go on: asked for in a schema or a list, or missed with an exception. */
  readonly demanded: readonly string[]
  /** Env files and templates, in the tree or in the history, in order of the path. */
  readonly files: readonly EnvFileState[]
  /** Ignore files that let a variant of an env file in; empty when all are ignored. */
  readonly ignoreGaps: readonly IgnoreGap[]
  readonly ignoreFiles: readonly string[]
  readonly history: { readonly commits: number; readonly complete: boolean; readonly because?: string }
  /** Prefixes that put a variable into the bundle, a Vite `envPrefix` included. */
  readonly publicPrefixes: readonly string[]
  /** Variables whose value ends up in the browser bundle, by name. */
  readonly publicVariables: readonly PublicVariable[]
  /** What development and production sources have in common. */
  readonly separation: Separation
  /** One project's URL and key as literals in source code. */
  readonly hardcodedProjects: readonly HardcodedProject[]
}

/** For which environment a source speaks; `shared` applies to all, `template` to none. */
export type Environment = 'development' | 'production' | 'preview' | 'test' | 'shared' | 'template'

/** A variable that some file of the repository gives a value (or a name without one, as in templates). */
export interface EnvDefinition extends ValueFact {
  readonly name: string
  readonly path: string
  readonly line: number
  /** Where it is defined: env file, template, compose file, workflow, bundler configuration, … */
  readonly source: 'env-file' | 'template' | 'compose' | 'workflow' | 'build-config' | 'platform-config' | 'dockerfile'
  readonly environment: Environment
  /** How a configuration file puts the value into the browser bundle whatever its name; absent when the name decides. */
  readonly inlinedBy?: string
}

/** A variable that a prefix or a bundler's configuration puts into the browser bundle. */
export interface PublicVariable {
  readonly name: string
  /** The name without the prefix. */
  readonly bare: string
  readonly prefix?: string
  /** Reads in code; for inlined ones empty, the definition says it all. */
  readonly reads: readonly EnvRead[]
  readonly definitions: readonly EnvDefinition[]
  /** The server's own variable that holds the same secret. */
  readonly servers?: EnvDefinition
}

export interface EnvRead {
  readonly name: string
  readonly path: string
  readonly line: number
  /** True when the value is used as a switch (compared with 'true', passed to Boolean). */
  readonly flag?: true
}

export interface IgnoreGap {
  readonly path: string
  /** Line of the last pattern that speaks of env files; 1 when there is none. */
  readonly line: number
  readonly pattern?: string
  readonly lets: readonly string[]
  readonly exists: boolean
}

export interface HardcodedProject {
  readonly path: string
  readonly line: number
  readonly what: 'supabase' | 'firebase'
  /** Project reference or id. */
  readonly project: string
  readonly keyLine: number
  /** Further files with the same literals. */
  readonly also: readonly { readonly path: string; readonly line: number }[]
}

/** One env file or template, as it stands in the tree and as it stood before. */
export interface EnvFileState {
  readonly path: string
  readonly template: boolean
  /** True for files that tests load: their values are made up unless their format says otherwise. */
  readonly test: boolean
  readonly tracked?: EnvVersion
  /** Versions in the history that differ from the tree's, newest first. */
  readonly past: readonly (EnvVersion & { readonly commit: string })[]
}

export interface EnvVersion {
  /** False when the content could not be read. */
  readonly readable: boolean
  readonly secrets: readonly EnvSecret[]
  readonly variables: number
}

/** A secret of an env file. */
export interface EnvSecret {
  readonly name?: string
  readonly line: number
  readonly kind: string
  readonly redacted: string
  readonly live: 'live' | 'test' | 'local-demo'
}

/** A value that names one project, account or database: two environments with the same one are one environment. */
export interface Identity {
  readonly what: string
  readonly id: string
  readonly definition: EnvDefinition
}

/** The same identity in a development and in a production source. */
export interface SharedIdentity {
  readonly what: string
  readonly development: EnvDefinition
  readonly production: EnvDefinition
}

export interface Separation {
  readonly shared: readonly SharedIdentity[]
  /** Identities that differ between the two sides, by variable name. */
  readonly distinct: readonly string[]
  readonly sides: { readonly development: readonly string[]; readonly production: readonly string[] }
}
