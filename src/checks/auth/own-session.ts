import type { Route, RoutesModel } from '../../model/routes/routes.ts'

/** How the server of a page learns who asks, where the application keeps its sessions itself: neither a library nor the platform does. */
export interface OwnSession {
  /** A function of the application that finds it out by itself. */
  readonly helper?: { readonly name: string; readonly path: string }
  /** The cookie that handlers look into. */
  readonly cookie?: string
  /** Where a handler verifies it. */
  readonly at?: { readonly path: string; readonly line: number }
}

const SUPABASE_AUTH_PACKAGES = ['@supabase/supabase-js', '@supabase/ssr', '@supabase/auth-helpers-nextjs', '@nuxtjs/supabase']
const SESSION_GETTER_NAME = /^(?:(?:get|require|fetch|load)_?(?:current|auth|server|session|logged_?in)?_?(?:user|session|auth)|current_?user|auth)$/i
const COOKIE_LABEL = /\bcookie ([\w.-]{1,60})$/

/** What the handlers of the application show of its own sessions; undefined where the platform keeps them. */
export function ownSession(route: Route, { routes, surroundings }: RoutesModel): OwnSession | undefined {
  const guards = routes.flatMap(({ guard: g, workspace }) =>
    workspace === route.workspace && g?.trust === 'verified' && (g.who === 'user' || g.who === 'admin') ? [g] : [],
  )
  const platform = SUPABASE_AUTH_PACKAGES.some((name) => surroundings.uses(name, route.path))
  if (guards.some((g) => /supabase|getSession|locals/i.test(g.how)) || (platform && !guards.length)) return undefined
  const guard = guards.find((g) => COOKIE_LABEL.test(g.how)) ?? guards[0]
  const cookie = guard && COOKIE_LABEL.exec(guard.how)?.[1]
  const helper = surroundings.exported(SESSION_GETTER_NAME).find(({ path, fn }) => {
    const code = surroundings.code(path)
    return fn.params.length === 0 && code?.imports.some((i) => i.from === 'next/headers') && !code.directives.includes('use client')
  })
  return {
    ...(helper ? { helper: { name: helper.name, path: helper.path } } : {}),
    ...(cookie ? { cookie } : {}),
    ...(guard ? { at: { path: guard.at.path, line: guard.at.line } } : {}),
  }
}

/** The check of a page in front of whom the application knows by its own sessions, and what has to be there for it. */
export function ownSessionCode(route: Route, own: OwnSession): { readonly code: string; readonly note: string } {
  const { helper, cookie, at } = own
  const stands = at ? `stands for the check at ${at.path}:${at.line}` : 'stands for a function that verifies the session'
  const note =
    !at && !helper
      ? ' Nothing on the server knows who is signed in so far: it takes sessions that the server verifies.'
      : cookie || helper
        ? ''
        : ' The page is asked for without a header: the token has to be in an httpOnly cookie for it, because what the browser keeps in its storage no server of a page finds.'
  const asks = (cookies: string) => `const user = await currentUser(${cookies}) // ${stands}`
  const lines = (): string => {
    switch (route.framework) {
      case 'SvelteKit':
        return `// +layout.server.ts; loads of pages below it call \`await parent()\` before they read anything\nexport const load = async ({ cookies }) => {\n  ${asks('cookies')}\n  if (!user) redirect(303, '/login')\n  return { user }\n}`
      case 'Nuxt':
        return `// middleware/auth.ts, named by definePageMeta({ middleware: 'auth' })\nexport default defineNuxtRouteMiddleware(async () => {\n  const user = await useRequestFetch()('/api/me').catch(() => null) // an address that ${at ? `asks as ${at.path}:${at.line} does` : 'verifies the session'} and answers who is signed in\n  if (!user) return navigateTo('/login')\n})`
      case 'Astro':
        return `${asks('Astro.cookies')}\nif (!user) return Astro.redirect('/login')`
      case 'Remix':
        return `export async function loader({ request }) {\n  ${asks('request')}\n  if (!user) throw redirect('/login')\n  return null\n}`
      default:
        if (route.path.includes('pages/'))
          return `export const getServerSideProps = async ({ req }) => {\n  ${asks(cookie ? `req.cookies['${cookie}']` : 'req')}\n  if (!user) return { redirect: { destination: '/login', permanent: false } }\n  return { props: {} }\n}`
        return `// layout.tsx above the page, a server component${helper ? `; ${helper.name} comes from ${helper.path}` : ''}\nexport default async function Layout({ children }) {\n  ${helper ? `const user = await ${helper.name}()` : asks(cookie ? `(await cookies()).get('${cookie}')?.value` : 'await cookies()')}\n  if (!user) redirect('/login')\n  return children\n}`
    }
  }
  return { code: lines(), note }
}
