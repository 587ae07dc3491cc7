/** Settings and flows of authentication: redirects, mail links, code lifetimes, session refresh. Filled in by its builder. */
export interface AuthModel {
  readonly providers: readonly string[]
}
