import type { Config } from '../config/config.ts'
import type { AccessMatrix } from '../database/database.ts'
import type { AuthModel } from './auth/auth.ts'
import type { HostedSettings } from './auth/hosted-settings.ts'
import type { CodeModel } from './code/code.ts'
import type { CoverageModel } from './coverage/coverage-model.ts'
import type { DependenciesModel } from './dependencies/dependencies.ts'
import type { EnvModel } from './env/env.ts'
import type { FilesModel } from './files/files.ts'
import type { Gap } from './gap.ts'
import type { ModulesModel } from './modules/modules.ts'
import type { PaymentsModel } from './payments/payments.ts'
import type { RoutesModel } from './routes/routes.ts'
import type { SchemaModel } from './schema/schema-model.ts'
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
  /** What answers requests and could not be judged. */
  readonly coverage: CoverageModel
  readonly gaps: readonly Gap[]
}

export interface DeclaredModel {
  readonly public: Config['public']
  readonly productionDomains: readonly string[]
  /** Settings of the hosted platform, when a token allowed to read them. */
  readonly hosted?: HostedSettings
}

/** Slices that later builders may read: each builder sees the ones before it. */
export type ModelBase = Pick<AppModel, 'files' | 'workspaces' | 'declared' | 'schema' | 'access' | 'modules'>
