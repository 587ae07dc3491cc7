/** How one framework writes a page that shows the orders of whoever is signed in, with or without a check on the server. */
export interface PageFramework {
  readonly name: string
  readonly packages: readonly string[]
  /** The page without any check: everybody's orders for everybody. */
  readonly open: Readonly<Record<string, string>>
  /** Asks who is there, sends strangers to sign-in and shows one's own orders. */
  readonly guarded: Readonly<Record<string, string>>
}

const IMPORTS = (lib: string) => `import { prisma } from '${lib}/clients'\nimport { userOf } from '${lib}/user'`
const ALL = 'await prisma.order.findMany()'
const OWN = 'await prisma.order.findMany({ where: { userId: user.id } })'

/** Frameworks that render pages on the server. */
export const PAGE_FRAMEWORKS: readonly PageFramework[] = [
  {
    name: 'Next.js App Router',
    packages: ['next', 'react'],
    open: {
      'app/dashboard/page.tsx': `${IMPORTS('../../lib')}\nexport default async function Page() {\n  const orders = ${ALL}\n  return <p>{orders.length}{orders.map((o) => o.total)}</p>\n}\n`,
    },
    guarded: {
      'app/dashboard/page.tsx': `import { cookies } from 'next/headers'\nimport { redirect } from 'next/navigation'\n${IMPORTS('../../lib')}\nexport default async function Page() {\n  const user = userOf((await cookies()).get('session')?.value)\n  if (!user) redirect('/login')\n  const orders = ${OWN}\n  return <p>{orders.map((o) => o.total)}</p>\n}\n`,
    },
  },
  {
    name: 'Next.js Pages Router',
    packages: ['next', 'react'],
    open: {
      'pages/dashboard.tsx': `${IMPORTS('../lib')}\nexport const getServerSideProps = async () => ({ props: { orders: ${ALL} } })\nexport default function Page({ orders }) {\n  return <p>{orders.length}</p>\n}\n`,
    },
    guarded: {
      'pages/dashboard.tsx': `${IMPORTS('../lib')}\nexport const getServerSideProps = async ({ req }) => {\n  const user = userOf(req.cookies.session)\n  if (!user) return { redirect: { destination: '/login', permanent: false } }\n  return { props: { orders: ${OWN} } }\n}\nexport default function Page({ orders }) {\n  return <p>{orders.length}</p>\n}\n`,
    },
  },
  {
    name: 'Remix',
    packages: ['@remix-run/node', '@remix-run/react'],
    open: {
      'app/routes/dashboard.tsx': `${IMPORTS('../../lib')}\nexport const loader = async () => Response.json(${ALL})\nexport default function Page() {\n  return <p />\n}\n`,
    },
    guarded: {
      'app/routes/dashboard.tsx': `import { redirect } from '@remix-run/node'\n${IMPORTS('../../lib')}\nexport const loader = async ({ request }) => {\n  const user = userOf(request.headers.get('authorization'))\n  if (!user) throw redirect('/login')\n  return Response.json(${OWN})\n}\nexport default function Page() {\n  return <p />\n}\n`,
    },
  },
  {
    name: 'SvelteKit',
    packages: ['@sveltejs/kit', 'svelte'],
    open: {
      'src/routes/dashboard/+page.svelte': '<p>{data.orders.length}</p>\n',
      'src/routes/dashboard/+page.server.ts': `${IMPORTS('../../../lib')}\nexport const load = async () => ({ orders: ${ALL} })\n`,
    },
    guarded: {
      'src/routes/dashboard/+page.svelte': '<p>{data.orders.length}</p>\n',
      'src/routes/dashboard/+page.server.ts': `import { redirect } from '@sveltejs/kit'\n${IMPORTS('../../../lib')}\nexport const load = async ({ cookies }) => {\n  const user = userOf(cookies.get('session'))\n  if (!user) redirect(303, '/login')\n  return { orders: ${OWN} }\n}\n`,
    },
  },
  {
    name: 'Astro',
    packages: ['astro'],
    open: {
      'astro.config.mjs': "import { defineConfig } from 'astro/config'\nexport default defineConfig({ output: 'server' })\n",
      'src/pages/dashboard.astro': `---\n${IMPORTS('../../lib')}\nconst orders = ${ALL}\n---\n<p>{orders.length}</p>\n`,
    },
    guarded: {
      'astro.config.mjs': "import { defineConfig } from 'astro/config'\nexport default defineConfig({ output: 'server' })\n",
      'src/pages/dashboard.astro': `---\n${IMPORTS('../../lib')}\nconst user = userOf(Astro.cookies.get('session')?.value)\nif (!user) return Astro.redirect('/login')\nconst orders = ${OWN}\n---\n<p>{orders.length}</p>\n`,
    },
  },
  {
    name: 'TanStack Start',
    packages: ['@tanstack/react-start', '@tanstack/react-router'],
    open: {
      'src/routes/dashboard.tsx': `import { createFileRoute } from '@tanstack/react-router'\nimport { createServerFn } from '@tanstack/react-start'\n${IMPORTS('../../lib')}\nconst orders = createServerFn({ method: 'GET' }).handler(async () => ${ALL})\nexport const Route = createFileRoute('/dashboard')({ loader: () => orders(), component: () => <p /> })\n`,
    },
    guarded: {
      'src/routes/dashboard.tsx': `import { createFileRoute, redirect } from '@tanstack/react-router'\nimport { createServerFn } from '@tanstack/react-start'\nimport { getCookie } from '@tanstack/react-start/server'\n${IMPORTS('../../lib')}\nconst orders = createServerFn({ method: 'GET' }).handler(async () => {\n  const user = userOf(getCookie('session'))\n  if (!user) throw redirect({ to: '/login' })\n  return ${OWN}\n})\nexport const Route = createFileRoute('/dashboard')({ loader: () => orders(), component: () => <p /> })\n`,
    },
  },
]
