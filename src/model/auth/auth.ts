import type { Place } from '../../lib/place.ts'
import type { HostedSettings } from './hosted-settings.ts'
import type { UrlValue } from './url-value.ts'

/** Settings and flows of authentication: redirects, mail links, code lifetimes. */
export interface AuthModel {
  /** Every place that starts a sign-in with another provider. */
  readonly oauth: readonly AuthUse[]
  /** Every place that sends a password reset mail. */
  readonly resets: readonly AuthUse[]
  /** Every place that sends a magic link or a one-time code. */
  readonly codes: readonly CodeUse[]
  /** URLs that users are sent to after signing in or from a mail. */
  readonly redirects: readonly RedirectUse[]
  /** Of those, the ones that lead to localhost, a preview or a tunnel, by the place where the host is written. */
  readonly wrongHosts: readonly WrongHost[]
  /** Origins that a library lets callbacks lead to. */
  readonly allowLists: readonly AllowList[]
  /** Sign-in callbacks that send the browser where a request parameter says. */
  readonly openRedirects: readonly OpenRedirect[]
  /** Settings in configuration files, and whether they reach production. */
  readonly settings: readonly AuthSetting[]
  /** Mail templates with a literal host. */
  readonly templateHosts: readonly TemplateHost[]
  readonly hosted?: HostedSettings
  /** Reference of the hosted project, when the repository names one. */
  readonly projectRef?: string
  readonly productionDomains: readonly string[]
}

export type AuthLibrary = 'supabase' | 'authjs' | 'better-auth' | 'clerk' | 'passport' | 'arctic' | 'own'

export interface AuthUse {
  readonly at: Place
  readonly library: AuthLibrary
  /** What is called, as a person would search for it. */
  readonly how: string
  readonly provider?: string
}

export interface CodeUse extends AuthUse {
  readonly channel: 'email' | 'sms'
  /** Lifetime in seconds that the code itself sets; `libraryDefault` when the library's own applies, `none` when it never ends. */
  readonly lifetime?:
    | { readonly seconds: number; readonly at: Place }
    | { readonly seconds: number; readonly libraryDefault: true }
    | { readonly none: true; readonly at: Place }
    | { readonly unknown: true; readonly at: Place }
}

export interface RedirectUse {
  readonly purpose: 'oauth' | 'confirmation' | 'magic-link' | 'reset'
  readonly at: Place
  /** Name of the option or function, such as `redirectTo`. */
  readonly how: string
  readonly values: readonly UrlValue[]
}

export interface WrongHost {
  readonly url: string
  readonly kind: 'localhost' | 'LAN address' | 'tunnel' | 'preview domain'
  /** Where the host is written: code, or the definition of the variable that brings it. */
  readonly at: Place
  /** The variable that brings it, when it comes from a production environment file. */
  readonly variable?: string
  /** Variables whose absence makes the fallback apply; undefined when the host applies always. */
  readonly unless?: readonly string[]
  readonly uses: readonly RedirectUse[]
}

export interface OpenRedirect {
  /** The redirect itself. */
  readonly at: Place
  readonly subject: string
  readonly param: string
  /** Where the parameter is read. */
  readonly from: Place
  /** How another origin gets in: an absolute URL, `//host`, `/\\host` (a URL parser takes it for `//host`), or a host glued to the origin. */
  readonly how: 'absolute' | 'protocol-relative' | 'backslash' | 'glued'
}

/** A list in code of the origins to which sign-in may lead. */
export interface AllowList {
  readonly at: Place
  /** Name of the option, such as `trustedOrigins`. */
  readonly name: string
  readonly entries: readonly string[]
}

export interface AuthSetting {
  /** `auth.site_url`, `auth.additional_redirect_urls`, `auth.email.otp_expiry`, `auth.sms.otp_expiry`, `auth.external.google`, … relative to its section. */
  readonly key: string
  /** `[auth]` or `[remotes.production.auth]`. */
  readonly section: string
  readonly value: string | number | boolean | readonly string[]
  readonly at: Place
  /** It stands under the header of its section on a line of its own, so that the line can be replaced; false in an inline table or as a dotted key. */
  readonly ownLine: boolean
  /** Production when it is pushed to the hosted project or belongs to a production remote. */
  readonly stage: 'local' | 'production' | 'other'
  readonly because?: string
}

export interface TemplateHost {
  readonly at: Place
  readonly url: string
  readonly purpose: 'reset' | 'other'
}
