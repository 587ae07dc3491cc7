import type { Place } from '../../lib/place.ts'

/** What has to happen before a server can ask for the session, where the browser keeps it in its storage. */
export const inCookiesFirst = (client: Place | undefined): string =>
  client
    ? `First let the browser keep its session in cookies, with createBrowserClient() of @supabase/ssr in place of createClient() at ${client.path}:${client.line}: in its storage no server finds it, and everybody would be sent to sign-in. Then: `
    : ''
