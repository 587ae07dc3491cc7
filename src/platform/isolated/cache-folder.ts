import { mkdirSync } from 'node:fs'
import { cachePath } from '../../lib/cache-path.ts'

/** Where processes of one kind keep what they prepare between runs; made when it is missing. Where it cannot be made they work without. */
export function cacheFolder(...kind: readonly string[]): string {
  const folder = cachePath(...kind)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch {
    // A read-only home.
  }
  return folder
}
