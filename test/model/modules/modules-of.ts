import { extractorsFor, runExtractor } from '../../../src/facts/extract.ts'
import type { FactKind, FactsIndex } from '../../../src/facts/facts.ts'
import { buildFiles } from '../../../src/model/files/files.ts'
import type { ModelInput } from '../../../src/model/model-input.ts'
import { buildModules } from '../../../src/model/modules/build-modules.ts'
import type { ModulesModel } from '../../../src/model/modules/modules.ts'
import { buildWorkspaces } from '../../../src/model/workspaces/workspaces.ts'

/** The module graph of files given as texts. */
export function modulesOf(files: Readonly<Record<string, string>>): ModulesModel {
  const paths = Object.keys(files).sort()
  const maps = new Map<FactKind, Map<string, unknown>>()
  for (const path of paths) {
    for (const extractor of extractorsFor(path)) {
      const { facts, problems } = runExtractor(extractor, files[path] as string, path)
      if (problems.length > 0) throw new Error(`${path}: ${JSON.stringify(problems)}`)
      const map = maps.get(extractor.kind) ?? new Map<string, unknown>()
      map.set(path, facts)
      maps.set(extractor.kind, map)
    }
  }
  const empty = new Map<string, never>()
  const facts: FactsIndex = { of: (kind) => (maps.get(kind) ?? empty) as never }
  const input = { files: paths.map((path) => ({ path, size: 1, mode: 'file' })), facts } as unknown as ModelInput
  return buildModules(input, { files: buildFiles(paths), workspaces: buildWorkspaces(facts) })
}

/** A package.json that depends on the packages. */
export function manifest(name: string, dependencies: readonly string[], more: object = {}): string {
  return JSON.stringify({ name, dependencies: Object.fromEntries(dependencies.map((d) => [d, '1.0.0'])), ...more })
}
