import { endpoint, SIGNED_IN } from '../endpoints.ts'
import { type Files, isServerScript, type Operator, type Plant, replacing } from '../plant.ts'
import { LIVE_KEY } from '../secrets.ts'

export const isLock = (p: string) => /(^|\/)(package-lock\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lock)$/.test(p)

/** A locked package goes back to another version, as every lock format writes it. */
const locking = (name: string, version: string): Plant => {
  const entries = [
    new RegExp(`("node_modules/${name}": \\{\\s*"version": ")[^"]+(")`),
    new RegExp(`(^"?${name}@[^\\n]*:\\n {2}version:? "?)[^"\\n]+("?)`, 'm'),
    new RegExp(`(\\n\\s+"${name}": \\["${name}@)[^"]+(")`),
  ]
  return (files: Files) =>
    [...files].flatMap(([path, text]) => {
      if (!isLock(path)) return []
      const next = path.endsWith('pnpm-lock.yaml') ? inPnpm(text, name, version) : entries.reduce((t, e) => t.replace(e, `$1${version}$2`), text)
      return next === text ? [] : [{ path, text: next }]
    })
}

/** pnpm repeats the version wherever a package is asked for. */
function inPnpm(text: string, name: string, version: string): string {
  const old = new RegExp(`^ {2}'?/?${name}@(\\d[^:(']*)`, 'm').exec(text)?.[1]
  if (!old) return text
  const exact = old.replaceAll('.', '\\.')
  return text
    .replaceAll(new RegExp(`(?<![\\w@-])(?<![\\w-]/)${name}@${exact}(?![\\w.-])`, 'g'), `${name}@${version}`)
    .replaceAll(new RegExp(`(\\n\\s+${name}:\\n\\s+specifier: [^\\n]+\\n\\s+version: )${exact}(?![\\w.-])`, 'g'), `$1${version}`)
    .replaceAll(new RegExp(`(\\n\\s+${name}: )${exact}(?=\\n|\\()`, 'g'), `$1${version}`)
}

/** Checks 24 and 25: dependencies, and values written in the code. */
export const CODE: readonly Operator[] = [
  {
    check: 24,
    name: 'the lock file is gone',
    plant: (files) => {
      const locks = [...files.keys()].filter((p) => /^(package-lock\.json|pnpm-lock\.yaml|yarn\.lock|bun\.lockb?)$/.test(p))
      return locks.length === 1 ? [{ path: locks[0] as string, text: undefined }] : []
    },
  },
  { check: 24, name: 'the framework has a critical advisory', plant: locking('next', '15.1.0') },
  { check: 24, name: 'a package that others pull in has a high advisory', plant: locking('ws', '8.16.0') },
  { check: 24, name: 'a package of the tool chain has a high advisory', plant: locking('cross-spawn', '7.0.3') },
  { check: 24, name: 'another one has', plant: locking('braces', '3.0.2') },
  { check: 25, name: 'a live key in the code', plant: replacing(isServerScript, /^/, `const key = '${LIVE_KEY}'\n`) },
  {
    check: 25,
    name: 'a new endpoint lets one address in',
    also: [16, 17],
    plant: endpoint(
      'grant',
      "  if (input.email !== 'boss@acme-shop.io') return new Response(null, { status: 401 })\n",
      "  await db.from('profiles').update({ role: 'member' }).eq('id', input.id)\n  return Response.json({ ok: true })",
    ),
  },
  {
    check: 25,
    name: 'the administrator is a fixed address',
    plant: endpoint(
      'stats',
      `${SIGNED_IN}  if (user.email !== 'boss@acme-shop.io') return new Response(null, { status: 403 })\n`,
      "  const { count } = await db.from('profiles').select('*', { count: 'exact', head: true })\n  return Response.json({ count })",
    ),
  },
  {
    check: 25,
    name: 'a secret with a fallback that everybody can read',
    also: [16, 17],
    plant: endpoint(
      'sweep-old',
      "  if (HEADER(x-api-key) !== (ENV(SWEEP_SECRET) ?? 'letmein-please-42')) return new Response(null, { status: 401 })\n",
      "  await db.from('profiles').delete().eq('id', input.id)\n  return Response.json({ ok: true })",
    ),
  },
]
