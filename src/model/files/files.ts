import { byproductRole } from '../../facts/byproducts.ts'
import type { JavaScriptFacts } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { withoutAddress } from '../../lexicon/served-paths.ts'

/** What part a file plays; decides which checks may speak of it (checks.md, "Across all checks"). */
export type FileRole = 'source' | 'test' | 'example' | 'seed' | 'docs' | 'generated' | 'vendored'

export interface FilesModel {
  /** Every path of the snapshot that is not ignored, in code-unit order. */
  readonly paths: readonly string[]
  role(path: string): FileRole
}

const TEST =
  /(^|\/)(__tests__|__mocks__|(?:(?:unit|integration|e2e|api|smoke|acceptance|component|functional|load|playwright|cypress)[-_])?tests?|e2e|cypress|playwright|spec|fixtures?|mocks?|testdata)\/|\.(test|spec|e2e|cy|stories|mock)\.[cm]?[jt]sx?$|(^|\/)(vitest|jest|playwright|cypress)\.(?:[\w-]{1,30}\.)?(config|setup)\.|(^|\/)\.(?:gitleaksignore|trufflehogignore)$/i
const EXAMPLE = /(^|\/)(examples?|demos?|samples?|playgrounds?|test-(?:apps?|projects?)|stories|storybook|\.storybook|templates?\/examples?)\//i
/** A file that says by its own name that it shows how something may be done: `cdn-server-example.js`. */
const EXAMPLE_FILE = /[-._](?:example|sample)\.[cm]?[jt]sx?$/i
/** What the tools of whoever writes the application keep beside it: skills with templates in them, hooks, commands. */
const TOOL_FOLDER = /(^|\/)\.(?:agents?|claude|codex|cursor|gemini|kiro|opencode|roo|trae|windsurf|shared)\//i
const SEED = /(^|\/)(seeds?|seeders?)(\/|\.[a-z]+$)|(^|\/)seed[-_.][^/]*$/i
const DOCS = /\.(md|mdx|markdown|rst|txt|adoc)$/i
const GENERATED_SOURCE_PATH = /(^|\/)(__generated__|generated|\.prisma)\/|\.(gen|generated)\.[cm]?[jt]sx?$|(^|\/)database\.types\.ts$/i

/** Every slice asks for the role of every path; only names are kept, and not without end. */
const roles = new Map<string, FileRole>()
const MAX_ROLES = 100_000

/** The role of a path, by the conventions of the field. */
export function fileRole(path: string): FileRole {
  let role = roles.get(path)
  if (!role) {
    role = judge(path)
    if (roles.size >= MAX_ROLES) roles.clear()
    roles.set(path, role)
  }
  return role
}

/** The code that is the application's own source. */
export const sourceFiles = collectByCodeFile((path, js: JavaScriptFacts) => (fileRole(path) === 'source' ? js : undefined))

function judge(file: string): FileRole {
  const byproduct = byproductRole(file)
  if (byproduct) return byproduct
  const path = withoutAddress(file)
  if (GENERATED_SOURCE_PATH.test(path)) return 'generated'
  if (TEST.test(path)) return 'test'
  if (EXAMPLE.test(path) || EXAMPLE_FILE.test(path) || TOOL_FOLDER.test(path)) return 'example'
  if (SEED.test(path)) return 'seed'
  if (DOCS.test(path)) return 'docs'
  return 'source'
}

/** The files slice. */
export function buildFiles(paths: readonly string[]): FilesModel {
  return { paths, role: fileRole }
}
