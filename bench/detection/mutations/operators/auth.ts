import { adding, type Files, isBrowser, isCode, isImported, isMiddleware, isSignIn, type Operator, type Plant, replacing, usesSupabase } from '../plant.ts'
import { refusals, trustingSession } from '../refusals.ts'

const sendsCodes = (files: Files) => [...files].some(([p, t]) => isCode(p) && /\.auth\.signInWithOtp\(/.test(t))
const isConfig = (p: string) => p.endsWith('supabase/config.toml')
const isPage = (p: string) => isCode(p) && /(page|layout)\.(tsx|jsx|ts|js)$|\+(page|layout)\.server\./.test(p) && !isSignIn(p)

/** A value of an object literal: a template, or everything up to the next comma, brace or line. */
const VALUE = '(?:`[^`\\n]*`|[^,}\\n]+)'
const oauth = (url: string): Plant => replacing(isCode, new RegExp(`(signInWithOAuth\\(\\{[\\s\\S]{0,200}?redirectTo:\\s*)${VALUE}`), `$1'${url}'`)
const reset = (url: string): Plant => replacing(isCode, new RegExp(`(resetPasswordForEmail\\([^,]+,\\s*\\{\\s*redirectTo:\\s*)${VALUE}`), `$1'${url}'`)

/** True when something before the pages sends people away: what a page itself does is then no longer the only guard. */
const guardedBefore = (files: Files) =>
  [...files].some(([p, t]) => (/(^|\/)(middleware|proxy|hooks\.server)\.[jt]s$/.test(p) || /updateSession/.test(t)) && /redirect\(/.test(t))

const RENEWS = /getUser|getClaims|updateSession/
/** True when middleware fetches the user, which renews the session. */
const renewsBefore = (files: Files) => [...files].some(([p, t]) => isMiddleware(p) && RENEWS.test(t))

/** True when a page of any name is guarded before: the middleware lists what is open, not what is closed. */
const guardsEveryPage = (files: Files) =>
  guardedBefore(files) &&
  [...files].some(([p, t]) => isMiddleware(p) && (/!\s*[\w.]*(startsWith|includes|some)\(|public(Routes|Paths|Pages)/i.test(t) || !/startsWith\(/.test(t)))

/** Changes a page that guards itself where nothing before it does. */
const onPages =
  (change: (text: string) => string | undefined): Plant =>
  (files) =>
    guardedBefore(files)
      ? []
      : [...files].flatMap(([path, text]) => {
          const next = isPage(path) && !isBrowser(text) ? change(text) : undefined
          return next === undefined ? [] : [{ path, text: next }]
        })

const nextApp = (files: Files) => [...files.keys()].map((p) => /^(?:.*\/)?app\/(?=(?:.*\/)?page\.tsx$)/.exec(p)?.[0]).find((d) => d !== undefined)
const sveltekit = (files: Files) => [...files.keys()].map((p) => /^(?:.*\/)?src\/routes\/(?=.*\+page\.svelte$)/.exec(p)?.[0]).find((d) => d !== undefined)

const admin =
  "import { createClient } from '@supabase/supabase-js'\nconst db = createClient(process.env.SUPABASE_URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!)\n"

/** A new page of the administrators that gives everybody what it reads with the service role. */
const openPage: Plant = (files) => {
  if (guardsEveryPage(files) || !usesSupabase(files)) return []
  const app = nextApp(files)
  const routes = sveltekit(files)
  return [
    ...(app
      ? [
          {
            path: `${app}planted/admin/page.tsx`,
            text: `${admin}\nexport default async function Customers() {\n  const { data } = await db.from('customers').select('id, email, phone')\n  return <pre>{JSON.stringify(data)}</pre>\n}\n`,
          },
        ]
      : []),
    ...(routes
      ? [
          {
            path: `${routes}planted/admin/+page.server.ts`,
            text: `${admin}\nexport const load = async () => {\n  const { data } = await db.from('customers').select('id, email, phone')\n  return { customers: data }\n}\n`,
            beside: [
              {
                path: `${routes}planted/admin/+page.svelte`,
                text: '<script>\n  let { data } = $props()\n</script>\n{JSON.stringify(data.customers)}\n',
              },
            ],
          },
        ]
      : []),
  ]
}

/** A new page that the browser alone guards. */
const browserGuard: Plant = (files) => {
  const app = nextApp(files)
  if (!app || guardsEveryPage(files) || !usesSupabase(files)) return []
  return [
    {
      path: `${app}planted/notes/page.tsx`,
      text: `'use client'\nimport { createBrowserClient } from '@supabase/ssr'\nimport { useRouter } from 'next/navigation'\nimport { useEffect, useState } from 'react'\n\nexport default function Notes() {\n  const router = useRouter()\n  const [notes, setNotes] = useState<unknown[]>([])\n  useEffect(() => {\n    const supabase = createBrowserClient(process.env.NEXT_PUBLIC_SUPABASE_URL!, process.env.NEXT_PUBLIC_SUPABASE_ANON_KEY!)\n    supabase.auth.getUser().then(async ({ data }) => {\n      if (!data.user) return router.push('/login')\n      const { data: rows } = await supabase.from('notes').select('*').eq('user_id', data.user.id)\n      setNotes(rows ?? [])\n    })\n  }, [router])\n  return <pre>{JSON.stringify(notes)}</pre>\n}\n`,
    },
  ]
}

const PRODUCTION = '\n[remotes.production]\nproject_id = "qkzvtnwbxrmhyjdplcfs"\n\n[remotes.production.auth.email]\notp_expiry = 86400\n'
const SIGN_IN_BY_CODE = {
  path: 'src/planted-sign-in.ts',
  text: "import { createClient } from '@supabase/supabase-js'\nconst supabase = createClient(process.env.NEXT_PUBLIC_SUPABASE_URL!, process.env.NEXT_PUBLIC_SUPABASE_ANON_KEY!)\nexport const sendCode = (email: string) => supabase.auth.signInWithOtp({ email })\n",
}

/** A new sign-in by e-mailed codes, together with a change of the platform's configuration. */
const newCodes =
  (setting: RegExp, by: string): Plant =>
  (files) =>
    usesSupabase(files) && !sendsCodes(files)
      ? replacing(isConfig, setting, by, (text) => !/^\[remotes/m.test(text))(files).map((p) => ({ ...p, beside: [SIGN_IN_BY_CODE] }))
      : []

/** Checks 7 to 11: sign-in. */
export const AUTH: readonly Operator[] = [
  { check: 7, name: 'OAuth goes back to localhost', plant: oauth('http://localhost:3000/auth/callback') },
  { check: 7, name: 'OAuth goes back to a preview', plant: oauth('https://shop-git-main-acme.vercel.app/auth/callback') },
  { check: 7, name: 'OAuth goes back to a LAN address', plant: oauth('http://192.168.1.20:5173/auth/callback') },
  { check: 8, name: 'the reset mail links to localhost', plant: reset('http://localhost:3000/reset') },
  { check: 8, name: 'the reset mail links to a preview', plant: reset('https://acme-shop.lovable.app/reset') },
  { check: 8, name: 'the reset mail links to a tunnel', plant: reset('https://3f1c.ngrok-free.app/reset') },
  {
    check: 9,
    name: 'the middleware no longer fetches the user',
    plant: replacing(
      (p) => isMiddleware(p) || /supabase\/(middleware|proxy)\.ts$/.test(p),
      /await\s+[\w.]+\.auth\.(getUser|getClaims)\([^)]*\)/g,
      '{ data: { user: null, claims: null }, error: null }',
      (text) => /supabase/i.test(text),
    ),
    also: [10, 16],
  },
  {
    check: 9,
    name: 'the root no longer listens',
    // where the middleware renews the cookie, pages of the server need no listener
    plant: replacing((p, files) => isCode(p) && isImported(files, p) && !renewsBefore(files), /\.auth\.onAuthStateChange\(/g, '.auth.neverCalled('),
  },
  {
    check: 9,
    name: 'the middleware is gone',
    plant: (files) => [...files].flatMap(([path, text]) => (isMiddleware(path) && RENEWS.test(text) ? [{ path, text: undefined }] : [])),
    also: [10, 16, 17],
  },
  {
    check: 10,
    name: 'a page trusts getSession',
    also: [16],
    plant: onPages((text) => (/redirect\(/.test(text) ? trustingSession(text) : undefined)),
  },
  {
    check: 10,
    name: 'a page no longer redirects',
    also: [16],
    plant: onPages((text) => {
      const refusal = refusals(text).find((r) => !r.stoppedAfter)
      return refusal && text.slice(0, refusal.start) + text.slice(refusal.end)
    }),
  },
  {
    check: 10,
    name: 'the matcher covers nothing',
    plant: replacing(isMiddleware, /matcher:\s*\[/, "matcher: ['/nowhere'], unused: [", (text) => /redirect\(/.test(text)),
    also: [9, 16],
  },
  { check: 10, name: 'a new page shows everybody what the service role reads', also: [16], plant: openPage },
  { check: 10, name: 'a new page is guarded in the browser alone', plant: browserGuard },
  { check: 11, name: 'a new sign-in by code, valid for a day', plant: newCodes(/otp_expiry = \d+/, 'otp_expiry = 86400') },
  { check: 11, name: 'a new sign-in by code, valid for two hours', plant: newCodes(/otp_expiry = \d+/, 'otp_expiry = 7200') },
  {
    check: 11,
    name: 'codes live for a day in production',
    plant: (files) => (sendsCodes(files) ? replacing(isConfig, /$/, PRODUCTION)(files) : []),
  },
  {
    check: 11,
    name: 'a new configuration lets codes live for a day',
    plant: adding('supabase/config.toml', '[auth]\nenabled = true\n\n[auth.email]\notp_expiry = 86400\n', sendsCodes),
  },
  {
    check: 11,
    name: 'a new sign-in by code, valid for a day in production',
    plant: newCodes(/$/, PRODUCTION),
  },
]
