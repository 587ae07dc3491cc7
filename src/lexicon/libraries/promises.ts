/** Calls of a library that give a promise: what they find is not there until somebody waits for it. */
interface PromisedCalls {
  /** Names of packages; with a slash at the end also what lies below. */
  readonly packages: readonly string[]
  /** What is called, as it is written after the import: `auth`, `auth.protect`, `jwtVerify`. */
  readonly calls: readonly string[]
}

/**
 * Who calls, whether a password or a signature is right: questions that libraries answer later. Source: the types that each package publishes. Calls that
 * take a callback instead give none.
 */
export const PROMISED: readonly PromisedCalls[] = [
  { packages: ['next-auth/', '@auth/'], calls: ['auth', 'getServerSession', 'unstable_getServerSession', 'getSession', 'getToken', 'decode'] },
  { packages: ['better-auth/'], calls: ['api.getSession', 'api.verifyApiKey', 'api.verifyJWT', 'api.getMcpSession', 'getSession'] },
  // version 5 has another name for the package in this model: its `auth().protect()` answers at once
  { packages: ['@clerk/nextjs/'], calls: ['auth.protect', 'currentUser'] },
  { packages: ['@clerk/backend/', '@clerk/express/', '@clerk/nextjs/'], calls: ['verifyToken', 'authenticateRequest'] },
  { packages: ['@kinde-oss/kinde-auth-nextjs/', '@workos-inc/authkit-nextjs/'], calls: ['getUser', 'isAuthenticated', 'getPermission', 'withAuth'] },
  { packages: ['@auth0/nextjs-auth0/'], calls: ['getSession', 'getAccessToken'] },
  { packages: ['jose/'], calls: ['jwtVerify', 'compactVerify', 'flattenedVerify', 'generalVerify', 'jwtDecrypt', 'compactDecrypt'] },
  { packages: ['djwt/', 'hono/jwt', 'hono/utils/jwt', '@tsndr/cloudflare-worker-jwt'], calls: ['verify'] },
  { packages: ['bcrypt/', 'bcryptjs/', 'bcrypt-ts/', '@node-rs/bcrypt'], calls: ['compare', 'verify'] },
  { packages: ['argon2/', '@node-rs/argon2', 'oslo/password'], calls: ['verify'] },
  { packages: ['firebase-admin/'], calls: ['verifyIdToken', 'verifySessionCookie'] },
  { packages: ['iron-session/'], calls: ['getIronSession', 'unsealData'] },
  { packages: ['supabase'], calls: ['auth.getUser', 'auth.getSession', 'auth.getClaims'] },
  { packages: ['crypto'], calls: ['subtle.verify'] },
]

/** What promises have themselves: reading anything else off one gives undefined. */
export const OF_PROMISES: ReadonlySet<string> = new Set(['then', 'catch', 'finally'])
