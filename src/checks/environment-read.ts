import { inEdgeFunctions } from '../lib/edge-function.ts'
import type { ModulesModel } from '../model/modules/modules.ts'

/** An expression that reads a variable of the server's environment, in the language of the file where it goes. */
export interface EnvironmentRead {
  readonly code: string
  readonly language: string
}

/** Languages that the application's own functions are not written in, by the end of the file. */
const OTHER_LANGUAGES: readonly (readonly [RegExp, (name: string) => EnvironmentRead])[] = [
  [/\.php$/i, (name) => ({ code: `getenv('${name}')`, language: 'php' })],
  [/\.py$/i, (name) => ({ code: `os.environ['${name}']`, language: 'python' })],
  [/\.prisma$/i, (name) => ({ code: `env("${name}")`, language: 'prisma' })],
]

/** What is built by Vite alone runs in browsers, components that no page shows yet too. */
const VITE = /(?:^|\/)vite\.config\.[cm]?[jt]s$/
const RENDERS = /(?:^|\/)(?:(?:next|nuxt|svelte|astro|remix|react-router)\.config\.[cm]?[jt]s|entry[.-]server\.[jt]sx?)$/

/**
 * How code at a place reads a variable that stays on the server; undefined where nothing can: in code for browsers a variable would be published with
 * the build or is not there at all, and SQL, documents and settings read none.
 */
export function environmentRead(path: string, line: number, name: string, modules: ModulesModel): EnvironmentRead | undefined {
  const other = OTHER_LANGUAGES.find(([end]) => end.test(path))
  if (other) return other[1](name)
  if (!/\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/i.test(path)) return undefined
  if (inEdgeFunctions(path)) return { code: `Deno.env.get('${name}')`, language: 'ts' }
  if (/\.(?:[jt]sx|vue|svelte)$/i.test(path) && modules.files.some((f) => VITE.test(f)) && !modules.files.some((f) => RENDERS.test(f))) return undefined
  return modules.inBrowser(path, line) || modules.clientChain(path) !== undefined ? undefined : { code: `process.env.${name}`, language: 'ts' }
}
