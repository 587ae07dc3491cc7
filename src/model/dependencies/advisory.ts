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
