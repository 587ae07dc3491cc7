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
