import type { AppModel } from '../app-model.ts'

const SCRIPT_FILE = /(?:^|\/)(?:scripts?|bin|tools?|tasks)\/(?:[^/]+\/)*(?!(?:server|index|main|app|worker|start|cron)[.-])[^/]+$/i

/** What whoever works on the application runs by hand: it lies among the scripts, and no part of the application imports it. */
export function isScript(path: string, { modules, routes }: Pick<AppModel, 'modules' | 'routes'>): boolean {
  return SCRIPT_FILE.test(path) && modules.importers(path).length === 0 && !routes.routes.some((r) => r.path === path)
}
