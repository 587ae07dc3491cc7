/** A changed file; undefined text removes it. `beside` are further files of the same change. */
export interface Planted {
  readonly path: string
  readonly text: string | undefined
  readonly beside?: readonly Planted[]
}

export type Files = ReadonlyMap<string, string>

/** Every place where a hole can be planted, in order of path. */
export type Plant = (files: Files) => readonly Planted[]

/** One way to plant a hole, and the checks that must see it. */
export interface Operator {
  readonly check: number
  readonly name: string
  /** Other checks that the same hole may rightly be reported under. */
  readonly also?: readonly number[]
  readonly plant: Plant
}

export const isCode = (p: string) =>
  /\.(ts|tsx|js|jsx|mjs|svelte|vue|astro)$/.test(p) && !/(test|spec|stories|__tests__|e2e|\.d\.ts|scripts?\/|examples?\/)/.test(p)
export const isServer = (p: string) => isCode(p) && /(^|\/)(api|functions|server|routes|actions)(\/|\.)|route\.[jt]s$|\+server\.|\+page\.server\./.test(p)
/** A server file that holds nothing but code: what is put before its first line runs. */
export const isServerScript = (p: string) => isServer(p) && /\.[cm]?[jt]sx?$/.test(p)
/** Sign-in itself: nothing there is protected. */
export const isSignIn = (p: string) => /(^|\/)\(?(auth|sign-?in|sign-?up|login|register|callback|confirm|forgot-password|reset-password)\)?(\/|\.)/.test(p)
export const isBrowser = (text: string) => /^\s*['"]use client['"]/.test(text)
export const isMiddleware = (p: string) => /(^|\/)(middleware|proxy|hooks\.server)\.[jt]s$/.test(p) && !/(^|\/)(lib|utils|auth|supabase)\//.test(p)
/** A client that row level security does not bind. */
export const withServiceRole = (text: string) => /SERVICE_ROLE|[aA]dminClient|supabaseAdmin|serviceClient/.test(text)

export const usesSupabase = (files: Files) => [...files].some(([p, t]) => p.endsWith('package.json') && /"@supabase\//.test(t)) || hasFunctions(files)
const hasFunctions = (files: Files) => [...files.keys()].some((p) => /supabase\/functions\/[^_/]+\/index\.ts$/.test(p))

/** A module that another one imports by its name: in one that nothing loads, nothing can go wrong. */
export function isImported(files: Files, path: string): boolean {
  const name = path
    .replace(/\.\w+$/, '')
    .replace(/\/index$/, '')
    .split('/')
    .at(-1) as string
  const imports = new RegExp(`(from|import)\\s*\\(?['"][^'"\\n]*/${name.replace(/[^\w-]/g, '.')}(\\.\\w+)?['"]`)
  return [...files].some(([p, text]) => p !== path && imports.test(text))
}

/** Replaces the first match in each file for which `where` holds; one planted hole a file. */
export function replacing(
  where: (path: string, files: Files) => boolean,
  pattern: RegExp,
  by: string | ((...m: string[]) => string),
  needs?: (text: string) => boolean,
): Plant {
  return (files) =>
    [...files].flatMap(([path, text]) => {
      if (!where(path, files) || (needs && !needs(text))) return []
      const next = text.replace(pattern, by as never)
      return next === text ? [] : [{ path, text: next }]
    })
}

/** A file of its own, where the repository has what `when` looks for. */
export const adding =
  (path: string, text: string, when: (files: Files) => boolean = (f) => f.has('package.json'), beside: readonly Planted[] = []): Plant =>
  (files) =>
    !files.has(path) && !beside.some((b) => files.has(b.path)) && when(files) ? [{ path, text, beside }] : []
