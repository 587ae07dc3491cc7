/** The folder under which a framework makes addresses of folder names; the first of a path. */
const ROUTING_ROOT = /^(?:[^/]+\/)*?(?:app|pages|routes|server\/(?:api|routes))\//
/** Files that serve an address, or the actions beside them; under `pages/`, `routes/` and `server/` all do. */
const SERVES = /(?:^|\/)(?:route|page|layout|template|default|actions?|\+[\w.]+)\.[a-z]+$/
/** Folders of tests; a framework serves what it finds there all the same, where the name of the file or the root says that it serves. */
const NO_ADDRESS = /(?:^|\/)(?:__\w+__|e2e|cypress|playwright)\//
const ALWAYS_SERVED = /(?:^|\/)(?:pages\/api|server\/(?:api|routes))\/$/
const CODE_FILE = /\.[cm]?[jt]sx?$|\.(?:vue|svelte|astro)$/

/**
 * The path without what is part of an address: `app/api/stories/route.ts` serves stories, `pages/tests/[id].tsx` a test that somebody takes,
 * `app/api/demo/route.ts` is there for everybody, and `app/api/__tests__/route.ts` answers like any other.
 */
export function withoutAddress(path: string): string {
  const found = ROUTING_ROOT.exec(path)?.[0]
  if (found === undefined) return path
  const root = /(?:^|\/)pages\/$/.test(found) && path.startsWith(`${found}api/`) ? `${found}api/` : found
  const serves = SERVES.test(path)
  if (/(?:^|\/)app\/$/.test(root) && !serves) return path
  if (NO_ADDRESS.test(path) && !serves && !ALWAYS_SERVED.test(root)) return path
  return root + path.slice(path.lastIndexOf('/') + 1)
}

/** Folders that frameworks pass over wherever they lie: what is installed, and hidden ones. */
const PASSED_OVER = /(?:^|\/)(?:node_modules|\.[\w-]+)\//

/** Whether a framework serves a file whatever the folders of its address are called, as its own name or its root says. */
export function isServedForCertain(path: string): boolean {
  if (PASSED_OVER.test(path)) return false
  const root = ROUTING_ROOT.exec(path)?.[0]
  return root !== undefined && CODE_FILE.test(path) && (SERVES.test(path) || path.startsWith(`${root}api/`) || ALWAYS_SERVED.test(root))
}

/** Whether a framework that makes addresses of files would serve this one, or what is below this folder, if it is there. */
export function isServedPath(path: string): boolean {
  const root = ROUTING_ROOT.exec(path)?.[0]
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (root === undefined) return false
  return name.includes('.') ? CODE_FILE.test(name) && withoutAddress(path) !== path : true
}
