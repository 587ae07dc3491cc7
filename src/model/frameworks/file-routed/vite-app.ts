import { folderPrefix } from '../../../lib/folder-prefix.ts'
import type { Program } from '../program.ts'

const SCRIPT_EXTENSIONS = ['ts', 'js', 'mjs', 'mts']

/** Whether a file belongs to a single-page application that Vite starts from `src/main`, even where a builder's export put Next.js into its package.json. */
export function isBuiltByVite(program: Program, path: string): boolean {
  const { dir } = program.workspace(path)
  const exists = (name: string, extensions: readonly string[]) => extensions.some((e) => program.js(`${folderPrefix(dir)}${name}.${e}`))
  return exists('vite.config', SCRIPT_EXTENSIONS) && exists('src/main', ['tsx', 'jsx', 'ts', 'js']) && !exists('next.config', SCRIPT_EXTENSIONS)
}
