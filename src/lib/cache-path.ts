import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

/** The folder of this program's caches (`$XDG_CACHE_HOME/prelaunch` or `~/.cache/prelaunch`), or one below it; it need not exist. */
export function cachePath(...below: readonly string[]): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir() || tmpdir(), '.cache'), 'prelaunch', ...below)
}
