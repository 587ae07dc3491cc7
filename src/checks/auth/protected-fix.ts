import type { Place } from '../../lib/place.ts'
import type { Route } from '../../model/routes/routes.ts'
import type { Fix } from '../define-check.ts'
import { matcherBelow } from '../shared/matcher-pattern.ts'
import { ADMIN_PAGE_PATH } from './admin-pages.ts'
import { inCookiesFirst } from './in-cookies-first.ts'
import { type OwnSession, ownSessionCode } from './own-session.ts'

/** The fix of a protected page as code for its framework and for the library that keeps its sessions. */
export function pageFix(route: Route, what: string, library: string | undefined, around: Around): Fix {
  const f = fixOf(route, what, library, around)
  return around.old && library === 'Auth.js' && f.code ? { ...f, code: f.code.replaceAll('await auth()', 'await getServerSession(authOptions)') } : f
}

function fixOf(route: Route, what: string, library: string | undefined, { stored, middleware, signIn, ofItsOwn: own }: Around): Fix {
  if (what === 'account') return roleFix(library, own)
  const f = checkOf(route, what, library, own)
  const asks = what === 'open' || what === 'client' || what === 'presence'
  const code = signIn === undefined ? f.code : f.code?.replaceAll(/'\/(?:login|sign-in)'/g, `'${signIn}'`)
  if (!asks) return { ...f, ...(code === undefined ? {} : { code }) }
  const admin = isForAdministrators(route)
  const covered =
    middleware && !stored && !isForAdministrators(route) && (what === 'open' || what === 'client') && route.framework === 'Next.js'
      ? `The check at ${middleware.path}:${middleware.line} stands before other pages already: let it cover ${route.route} as well. Or without it: `
      : ''
  const linked = isReachedByLink(route)
  const text = `${inCookiesFirst(stored)}${covered}${covered ? `${f.text[0]?.toLowerCase()}${f.text.slice(1)}` : f.text}${linked ? KEEPS_PARAMETERS : ''}${admin ? ' Ask for the role of an administrator as well, and answer 404 to everybody else: whoever has an account is none.' : ''}`
  if (linked && code?.includes('export default async function Layout')) return { ...f, text, code: inPage(code, route) }
  const role = admin && code?.includes('\n  return children') ? code.replace('\n  return children', `\n${roleLines(library)}\n  return children`) : code
  return { ...f, text, ...(role === undefined ? {} : { code: role }) }
}

/** What else the fix of a page depends on. */
interface Around {
  readonly stored?: Place
  readonly middleware?: Place
  readonly signIn?: string
  readonly old?: true
  /** The sessions that the application keeps itself. */
  readonly ofItsOwn?: OwnSession
}

const isForAdministrators = ({ route }: Route): boolean => ADMIN_PAGE_PATH.test(route)

/** What somebody was mailed or given leads here, and says in its parameters what it is about. */
const isReachedByLink = ({ route, framework }: Route): boolean =>
  framework === 'Next.js' && /(?:^|\/)(?:accept|invitations?|invites?|join|claim|redeem|confirm|unsubscribe)(?:[-_/]|$)/i.test(route)

const KEEPS_PARAMETERS =
  ' A link with parameters leads to this page: hand the address with them on to the sign-in, which comes back to it. A layout does not know them, so ask in the page, or in the middleware.'

/** The check of a layout, in a page that is given the parameters. */
const inPage = (code: string, { route }: Route): string =>
  code
    .replace('// layout.tsx above the page, a server component', '// page.tsx, a server component around what it renders now')
    .replace('export default async function Layout({ children })', 'export default async function Page({ searchParams })')
    .replace(
      /redirect\('(\/[^']*)'\)/,
      (_, door) =>
        `redirect(\`${door}?next=\${encodeURIComponent(\`${route}?\${new URLSearchParams(await searchParams)}\`)}\`) // next: as the sign-in page calls it`,
    )
    .replace('return children', 'return <Content /> // the component of the browser')

/** In a layout that knows who is signed in. */
const roleLines = (library: string | undefined): string =>
  library === 'Clerk'
    ? "  const { sessionClaims } = await auth()\n  if (sessionClaims?.metadata?.role !== 'admin') notFound()"
    : library === 'Auth.js' || library === 'Better Auth'
      ? "  if (session.user.role !== 'admin') notFound()"
      : '  if (!(await isAdministrator(user.id))) notFound() // stands for the look-up of the role where only the server writes it'

/** The check by itself. */
function checkOf(route: Route, what: string, library: string | undefined, own: OwnSession | undefined): Fix {
  const text =
    what === 'trust'
      ? 'Verify the session: getUser() (or getClaims()) instead of getSession(), then redirect.'
      : what === 'presence'
        ? 'Verify what the cookie says where this guard looks at it: a value that the server has signed, or a session that it keeps. Where the pages are for people with an account, fetch the user on the server before the page is rendered and redirect when there is none.'
        : 'Fetch the user on the server before the page is rendered and redirect when there is none.'
  if (what === 'spelling' && route.bypass?.because === 'matcher')
    return {
      text: 'Ask who is signed in in the page itself as well, or add a pattern for all paths below to the matcher of the middleware.',
      language: 'ts',
      code: matcherBelow(route.route),
    }
  if (what === 'idle' && route.idleGuard?.because === 'place')
    return {
      text: `Move ${route.idleGuard.at.path} into ${route.idleGuard.belongsIn || 'the root of the application'}, beside the folder of the pages; imports in it follow.`,
      language: 'sh',
      code: `git mv ${route.idleGuard.at.path} ${route.idleGuard.belongsIn}${route.idleGuard.at.path.split('/').at(-1)}`,
    }
  if (what === 'idle' && route.idleGuard?.because === 'version') {
    const { path } = route.idleGuard.at
    return {
      text: `Call the file middleware and what it exports as well, until Next.js 16 is in use, which knows ${path.split('/').at(-1)}.`,
      language: 'sh',
      code: `git mv ${path} ${path.replace(/proxy(?=\.\w+$)/, 'middleware')}`,
    }
  }
  if (what === 'idle')
    return {
      text: 'Let the middleware run for the protected paths, and compare public ones whole: every path begins with "/".',
      language: 'ts',
      code: "const isPublic = PUBLIC_PATHS.some((p) => pathname === p || (p !== '/' && pathname.startsWith(`${p}/`)))\n\nexport const config = { matcher: ['/((?!_next/static|_next/image|favicon.ico).*)'] }",
    }
  if (what === 'beside')
    return {
      text: 'Let the load wait for the layout before it reads anything, or put the guard into the hook, which runs before every load.',
      language: 'ts',
      code: 'export const load = async ({ parent }) => {\n  await parent() // the guard of the layout; it redirects whoever may not be here\n  // …\n}',
    }
  if (what === 'after')
    return {
      text: 'Refuse signed-out visitors first in afterAuth: Clerk does it by itself only when there is no afterAuth.',
      language: 'ts',
      code: 'afterAuth: async (auth, req) => {\n  if (!auth.userId && !auth.isPublicRoute) return redirectToSignIn({ returnBackUrl: req.url })\n  // …\n}',
    }
  if (own && what !== 'trust') {
    const { code, note } = ownSessionCode(route, own)
    const above = code.includes('\n  return children') ? ' A layout above the protected pages does it once for all of them.' : ''
    return { text: `${text}${above}${note}`, language: above ? 'tsx' : 'ts', code }
  }
  switch (route.framework) {
    case 'SvelteKit':
      return {
        text,
        language: 'ts',
        code: "// +layout.server.ts; loads of pages below it call `await parent()` before they read anything\nexport const load = async ({ locals }) => {\n  const { user } = await locals.safeGetSession() // getSession() verified with getUser()\n  if (!user) redirect(303, '/login')\n  return { user }\n}",
      }
    case 'Nuxt':
      return {
        text,
        language: 'ts',
        code: "// middleware/auth.ts, named by definePageMeta({ middleware: 'auth' })\nexport default defineNuxtRouteMiddleware(async () => {\n  const user = useSupabaseUser()\n  if (!user.value) return navigateTo('/login')\n})",
      }
    case 'Astro':
      return {
        text,
        language: 'ts',
        code: "const token = Astro.cookies.get('sb-access-token')?.value ?? ''\nconst { data: { user } } = await supabase.auth.getUser(token)\nif (!user) return Astro.redirect('/login')",
      }
    case 'Remix':
      return {
        text,
        language: 'ts',
        code: "export async function loader({ request }) {\n  const { data: { user } } = await createServerClient(request).auth.getUser()\n  if (!user) throw redirect('/login')\n  return null\n}",
      }
    case 'TanStack Start':
      return {
        text,
        language: 'ts',
        code: "beforeLoad: async () => {\n  const user = await getCurrentUser() // a server function that calls getUser()\n  if (!user) throw redirect({ to: '/login' })\n}",
      }
    default:
      if (LAYOUTS[library ?? ''] && !route.path.includes('pages/'))
        return {
          text: `${text} A layout above the protected pages does it once for all of them.`,
          language: 'tsx',
          code: `// layout.tsx above the page, a server component\nexport default async function Layout({ children }) {\n${LAYOUTS[library ?? '']}\n  return children\n}`,
        }
      if (route.path.includes('pages/'))
        return {
          text,
          language: 'ts',
          code: "export const getServerSideProps = async (ctx) => {\n  const { data: { user } } = await createClient(ctx).auth.getUser()\n  if (!user) return { redirect: { destination: '/login', permanent: false } }\n  return { props: {} }\n}",
        }
      return {
        text: `${text} A layout above the protected pages does it once for all of them.`,
        language: 'tsx',
        code: "// layout.tsx above the page, a server component\nexport default async function Layout({ children }) {\n  const supabase = await createClient()\n  const { data: { user } } = await supabase.auth.getUser()\n  if (!user) redirect('/login')\n  return children\n}",
      }
  }
}

/** How a layout of Next.js asks the libraries that keep sessions. */
const LAYOUTS: Readonly<Record<string, string>> = {
  Clerk: "  const { userId } = await auth()\n  if (!userId) redirect('/sign-in')",
  'Auth.js': "  const session = await auth()\n  if (!session?.user) redirect('/login')",
  'Better Auth': "  const session = await auth.api.getSession({ headers: await headers() })\n  if (!session) redirect('/login')",
}

const ROLE_CHECK_BY_LIBRARY: Readonly<Record<string, string>> = {
  Clerk: "const { sessionClaims } = await auth()\nif (sessionClaims?.metadata?.role !== 'admin') notFound()",
  'Auth.js': "const session = await auth()\nif (session?.user?.role !== 'admin') notFound()",
  'Better Auth': "const session = await auth.api.getSession({ headers: await headers() })\nif (session?.user.role !== 'admin') notFound()",
}

function roleFix(library: string | undefined, own: OwnSession | undefined): Fix {
  return {
    text: 'Ask, on the server and before anything is read, for a role that only the server can set.',
    language: 'ts',
    code:
      ROLE_CHECK_BY_LIBRARY[library ?? ''] ??
      (own
        ? 'if (!(await isAdministrator(user.id))) notFound() // stands for the look-up of the role where only the server writes it'
        : "const { data: { user } } = await supabase.auth.getUser()\nif (user?.app_metadata?.role !== 'admin') notFound()"),
  }
}
