import type { Program } from './program.ts'

/** Which files of a program register on routers, and in which order they run. */
export interface RouterFiles {
  readonly paths: readonly string[]
  /** The files among them that run before the file itself, because it imports them. */
  before(path: string): readonly string[]
}

/**
 * Files that import the library, and those that import a router from one of them: `import { app } from './app'; app.get(…)` names no
 * library at all. `makes` tells whether a file exports a router that it makes.
 */
export function routerFiles(program: Program, packages: readonly string[], makes: (path: string) => boolean): RouterFiles {
  const found = new Set(program.paths.filter((p) => packages.some((d) => program.importersOf(d).has(p))))
  const handing = [...found].filter(makes)
  for (const path of handing)
    for (const { path: importer } of program.modules.importers(path)) {
      if (found.has(importer) || !program.js(importer)) continue
      found.add(importer)
      // a barrel hands it on
      if (program.js(importer)?.exports.some((e) => e.from)) handing.push(importer)
    }
  return {
    paths: [...found],
    // `require` runs where it stands; what is imported has run before the first statement
    before: (path) =>
      program.js(path)?.imports.flatMap((i) => {
        const target = i.how === 'static' && !i.typeOnly ? program.modules.resolve(path, i.from) : undefined
        return target && found.has(target) ? [target] : []
      }) ?? [],
  }
}
