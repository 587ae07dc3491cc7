import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { createRequire, findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Packages that the sandbox imports; what they need themselves is found in their package.json. */
const SANDBOX_PACKAGES = ['@electric-sql/pglite', '@electric-sql/pglite-pgvector', 'libpg-query', 'nanotar']

/** `src`, or `dist/src` of a build. */
const SOURCES = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')

let found: readonly string[] | undefined

/**
 * All files and folders that the sandbox's process reads, by absolute path: its own modules, the packages of the engine and of the parser, and the
 * package.json files in which Node looks up how modules are loaded. Throws when a package is not installed.
 */
export function readablePaths(): readonly string[] {
  found ??= [...['database', 'lib'].map((folder) => join(SOURCES, folder)), ...packageFiles(), ...installed(SANDBOX_PACKAGES, import.meta.url, new Set())]
  return found
}

/** Above the sources; of a build its copy, and that of the package that it is in. */
function packageFiles(): string[] {
  const above = import.meta.url.endsWith('.ts') ? ['..'] : ['..', join('..', '..')]
  return above.map((folder) => join(SOURCES, folder, 'package.json')).filter((file) => existsSync(file) && isOurs(file))
}

function isOurs(file: string): boolean {
  return (JSON.parse(readFileSync(file, 'utf8')) as { name?: string }).name === 'prelaunch'
}

function installed(names: readonly string[], from: string | URL, folders: Set<string>): Set<string> {
  for (const name of names) {
    const file = findPackageJSON(name, from)
    if (!file) throw new Error(`the package ${name} is not installed`)
    const folder = dirname(file)
    if (folders.has(folder)) continue
    folders.add(folder).add(realpathSync(folder))
    const { dependencies = {} } = createRequire(import.meta.url)(file) as { dependencies?: Record<string, string> }
    installed(Object.keys(dependencies), file, folders)
  }
  return folders
}
