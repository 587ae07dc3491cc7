import { mkdirSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where processes of one kind keep what they prepare between runs; made when it is missing. Where it cannot be made they work without. */
export function cacheFolder(...kind: readonly string[]): string {
  const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir() || tmpdir(), '.cache'), 'prelaunch', ...kind)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch {
    // A read-only home.
  }
  return folder
}
