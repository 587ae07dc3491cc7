import { constant, type Val } from '../domain/abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'

/** How code that runs on both sides asks where it is: Nuxt's and Vite's own words for it. */
const ON_SERVER: ReadonlySet<string> = new Set(['import.meta.server', 'process.server', 'import.meta.env.SSR'])
const BROWSER_RUNTIME_FLAGS: ReadonlySet<string> = new Set(['import.meta.client', 'import.meta.browser', 'process.client', 'process.browser'])
/** Globals that only a browser has. */
const OF_BROWSER: ReadonlySet<string> = new Set(['window', 'document', 'localStorage', 'sessionStorage'])

/** `import.meta.server`; undefined for what asks for something else. */
export function sideNamed(it: Interpreter, name: string): Val | undefined {
  return ON_SERVER.has(name) ? constant(!isBrowser(it)) : BROWSER_RUNTIME_FLAGS.has(name) ? constant(isBrowser(it)) : undefined
}

/** `typeof window`; undefined for what both sides have. */
export function typeOfBrowsers(it: Interpreter, of: Val): Val | undefined {
  return of.v === 'global' && OF_BROWSER.has(of.name) ? constant(isBrowser(it) ? 'object' : 'undefined') : undefined
}

/** What modules hold is evaluated once for all that run them: as on the server. */
function isBrowser(it: Interpreter): boolean {
  if (it.quiet) return false
  it.restsOnSide = true
  return it.request?.side === 'browser'
}
