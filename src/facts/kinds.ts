import type { JavaScriptFacts } from './javascript.ts'

/**
 * Every kind of facts and its type. Each extractor's folder declares its own type; this is the only place that lists them.
 */
export interface FactsByKind {
  javascript: JavaScriptFacts
  sql: SqlFacts
  'env-file': EnvFileFacts
  gitignore: GitignoreFacts
  'package-json': PackageJsonFacts
  /** TOML, YAML and JSON configuration as plain data with the line of every key. */
  'config-file': ConfigFileFacts
  lockfile: LockfileFacts
  /** Secrets by format, in any text file. */
  secrets: SecretsFacts
  /** Other text that checks look into: shell scripts, HTML, Markdown, Dockerfiles (redacted). */
  text: TextFacts
}

/** SQL text, secrets redacted in place (same length, so offsets hold). Split and parsed inside the database sandbox. */
export interface SqlFacts {
  readonly text: string
  /** True when a statement seems to create, alter or drop something; data-only dumps and queries are false. */
  readonly definesSchema: boolean
}

export interface EnvFileFacts {
  readonly variables: readonly EnvVariableFact[]
}

export interface EnvVariableFact extends ValueFact {
  readonly name: string
  readonly line: number
}

/** What a configured value is, without holding it when it is a secret. */
export interface ValueFact {
  /** Redacted when it is a secret; otherwise as written, without quotes. */
  readonly value: string
  /** A format of `SecretsFacts`; `empty`, `placeholder`, `reference`, `publishable`, `supabase-anon-jwt` or `plain` when it is no secret. */
  readonly kind: string
  /** Keyed hash of the value, for comparing values across files without holding them; 3 digits when it could be guessed. */
  readonly hash: string
  /** Set for secrets. */
  readonly live?: 'live' | 'test' | 'local-demo'
  /** Of JWTs: the decoded `role`, `iss` and `ref`. */
  readonly claims?: { readonly role?: string; readonly iss?: string; readonly ref?: string }
}

export interface GitignoreFacts {
  readonly lines: readonly string[]
}

export interface PackageJsonFacts {
  readonly name?: string
  readonly version?: string
  readonly private?: boolean
  readonly type?: string
  readonly scripts: Readonly<Record<string, string>>
  readonly workspaces: readonly string[]
  readonly dependencies: readonly PackageDependency[]
  /** `imports` and `exports` maps, `main`, `browser`, as written. */
  readonly fields: Readonly<Record<string, unknown>>
  readonly author?: string
}

export interface PackageDependency {
  readonly name: string
  readonly range: string
  readonly group: 'dependencies' | 'devDependencies' | 'optionalDependencies' | 'peerDependencies'
  readonly line: number
}

export interface ConfigFileFacts {
  readonly format: 'toml' | 'yaml' | 'json'
  readonly data: unknown
  /** Line of each key, by its dotted path (`auth.email.otp_expiry`, array positions as numbers). */
  readonly lines: Readonly<Record<string, number>>
}

export interface LockfileFacts {
  readonly format: 'npm' | 'pnpm' | 'yarn' | 'bun' | 'deno'
  readonly packages: readonly LockedPackage[]
  /** The projects that the lock file lists itself; empty for yarn classic and binary bun files, which list none. */
  readonly importers: readonly LockImporter[]
  /** Yarn and binary bun files: what each `name@range` was resolved to, as `name@version`. */
  readonly resolutions?: Readonly<Record<string, string>>
}

/** A project inside a lock file and what its manifest asked for when the file was written. */
export interface LockImporter {
  /** Relative to the lock file's folder; '' for the root. */
  readonly dir: string
  readonly dependencies: readonly LockedDependency[]
}

export interface LockedDependency {
  /** The name in the manifest (an alias, when the manifest gives one). */
  readonly name: string
  /** `name@version` of the package it was resolved to. */
  readonly resolved: string
  /** Undefined when the lock file does not say (yarn berry, Deno). */
  readonly dev?: boolean
}

export interface LockedPackage {
  readonly name: string
  readonly version: string
  /** Line in the lock file; 1 for binary lock files. */
  readonly line: number
  /** Packages that it depends on, as `name@version`. */
  readonly requires: readonly string[]
  /** True when the lock file itself says that only development needs it; undefined when it does not say. */
  readonly dev?: boolean
}

export interface SecretsFacts {
  readonly secrets: readonly SecretFact[]
}

export interface SecretFact {
  /** Format, such as `stripe-live-secret`, `supabase-service-role-jwt`, `private-key`. */
  readonly kind: string
  readonly line: number
  /** 1-based columns, end exclusive. */
  readonly column: number
  readonly endColumn: number
  /** Prefix that shows the kind, then `…`; never enough to use. */
  readonly redacted: string
  readonly length: number
  /** Keyed hash of the whole value. */
  readonly hash: string
  /** Live secrets grant something today; `test` ones only in a sandbox; `local-demo` are published by the platform. */
  readonly live: 'live' | 'test' | 'local-demo'
  /** The name it is assigned to, when the line shows one. */
  readonly name?: string
  /** Of JWTs: the decoded `role`, `iss` and `ref`. */
  readonly claims?: { readonly role?: string; readonly iss?: string; readonly ref?: string }
}

export interface TextFacts {
  readonly text: string
}
