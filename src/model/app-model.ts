import type { Config } from '../config/config.ts'
import type { AccessMatrix, Catalog } from '../database/database.ts'
import type { ClientQuery } from '../database/plan/client-queries.ts'
import type { FactsIndex } from '../facts/facts.ts'
import type { History } from '../source/source.ts'
import type { AuthModel } from './auth/auth.ts'
import type { CodeModel } from './code/code.ts'
import type { DependenciesModel } from './dependencies/dependencies.ts'
import type { EnvModel } from './env/env.ts'
import type { FilesModel } from './files/files.ts'
import type { Gap } from './gap.ts'
import type { ModelMemory } from './memory.ts'
import type { ModulesModel } from './modules/modules.ts'
import type { PaymentsModel } from './payments/payments.ts'
import type { RoutesModel } from './routes/routes.ts'
import type { BucketInCode } from './schema/buckets-in-code.ts'
import type { CallInCode } from './schema/calls-in-code.ts'
import type { WorkspacesModel } from './workspaces/workspaces.ts'

/** What the application is. Every slice is plain data; a check declares the slices that it reads. */
export interface AppModel {
  /** Which files there are and what part they play. */
  readonly files: FilesModel
  readonly workspaces: WorkspacesModel
  /** The final database schema. */
  readonly schema: SchemaModel
  /** Who could read and write what, as tried. */
  readonly access: AccessMatrix
  /** Module graph and client reachability. */
  readonly modules: ModulesModel
  /** Every HTTP entry, page and action, what guards it and what it does. */
  readonly routes: RoutesModel
  readonly env: EnvModel
  readonly auth: AuthModel
  readonly payments: PaymentsModel
  readonly dependencies: DependenciesModel
  /** Values hardcoded in code and text: secrets, bypasses, debug switches, markers. */
  readonly code: CodeModel
  /** What the owner declared in the configuration, and settings read from the hosted platform. */
  readonly declared: DeclaredModel
  readonly gaps: readonly Gap[]
}

/** The catalog, and whether the application has a database at all. */
export interface SchemaModel extends Catalog {
  /** SQL files that were replayed, in order. */
  readonly files: readonly string[]
  /** True when the data platform exposes tables to browsers (Supabase in use). */
  readonly exposedToBrowsers: boolean
  /** Why `exposedToBrowsers` is what it is. */
  readonly exposedBecause: string
  /** A client of the platform is installed and not used, and the code has a database of its own, which the platform may host or not. */
  readonly unusedClient?: string
  /** Pages are known, and no code of theirs has a client of the platform or its key. */
  readonly keyOnServerAlone?: true
  /** Tables that code queries (`.from('x')`) but that no SQL creates, with the first place that queries each. */
  readonly queriedButNotCreated: readonly { readonly table: string; readonly path: string; readonly line: number }[]
  /** Every query of the code through Supabase's client, tables as written. */
  readonly queries?: readonly (Pick<ClientQuery, 'table' | 'path' | 'line' | 'verb' | 'columns' | 'writes' | 'addsOnly'> & {
    /** Through a client that a module makes with the service-role key. */
    readonly onServer?: true
  })[]
  /** Functions of the database that code calls through the client. */
  readonly calls?: readonly CallInCode[]
  /** Tables by what Prisma's client calls them, in lower case. */
  readonly accessors?: ReadonlyMap<string, string>
  /** Buckets that code names (`storage.from('x')`, `createBucket('x')`), with the first place; `public` when code creates it so. */
  readonly bucketsInCode?: readonly BucketInCode[]
}

export interface DeclaredModel {
  readonly public: Config['public']
  readonly productionDomains: readonly string[]
  /** Settings of the hosted platform, when a token allowed to read them. */
  readonly hosted?: HostedSettings
}

/** Settings that the platform's management API shows. */
export interface HostedSettings {
  /** The project that they belong to. */
  readonly projectRef?: string
  readonly siteUrl?: string
  readonly redirectUrls?: readonly string[]
  readonly mailerOtpExpiry?: number
  readonly smsOtpExpiry?: number
  readonly externalProviders?: readonly string[]
}

/** Advisories for locked packages; `source` says where they come from and `none` that they could not be had. */
export interface AdvisoryData {
  readonly source: 'github' | 'snapshot' | 'none'
  readonly asOf?: string
  readonly because?: string
  readonly advisories: readonly Advisory[]
}

export interface Advisory {
  readonly id: string
  readonly package: string
  readonly severity: 'critical' | 'high' | 'moderate' | 'low'
  readonly summary: string
  /** Semver range of affected versions. */
  readonly vulnerable: string
  readonly fixedIn?: string
  readonly url: string
}

/** Everything that the model is built from. */
export interface ModelInput {
  readonly files: readonly { readonly path: string; readonly size: number; readonly mode: string; readonly sha?: string }[]
  readonly facts: FactsIndex
  readonly database: import('../database/database.ts').DatabaseResult | undefined
  readonly history: History | undefined
  readonly historySecrets?: ReadonlyMap<string, import('../facts/kinds.ts').EnvFileFacts>
  readonly advisories: AdvisoryData
  readonly hosted?: HostedSettings
  readonly config: Config
  readonly gaps: readonly Gap[]
  /** What audits of the same repository before this one found out. */
  readonly memory?: ModelMemory
}
