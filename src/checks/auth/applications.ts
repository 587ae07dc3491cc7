import type { AppModel } from '../../model/app-model.ts'
import type { Route, SessionModel } from '../../model/routes/routes.ts'

/**
 * One session model for each application: what a package of the monorepo holds that serves nothing by itself and that other workspaces
 * depend on belongs to the applications that use it.
 */
export function byApplication(sessions: readonly SessionModel[], routes: readonly Route[], { all }: AppModel['workspaces']): readonly SessionModel[] {
  // server actions are part of whatever imports them
  const serving = new Set(routes.flatMap((r) => (r.kind === 'action' || r.kind === 'procedure' ? [] : [r.workspace ?? ''])))
  const byName = new Map(all.map((w) => [w.name, w.dir]))
  const uses = new Map(all.map((w) => [w.dir, (w.manifest?.dependencies ?? []).flatMap((d) => byName.get(d.name) ?? []).filter((dir) => dir !== w.dir)]))
  const used = new Set([...uses.values()].flat())
  const isLibrary = (dir: string) => used.has(dir) && !serving.has(dir)
  const byDir = new Map(sessions.map((s) => [s.workspace, s]))
  return sessions
    .filter((s) => !isLibrary(s.workspace))
    .map((s) => [...librariesOf(s.workspace, uses, isLibrary)].flatMap((dir) => byDir.get(dir) ?? []).reduce(merged, s))
}

/** The packages below a workspace, through other packages as well. */
function librariesOf(dir: string, uses: ReadonlyMap<string, readonly string[]>, isLibrary: (dir: string) => boolean): ReadonlySet<string> {
  const found = new Set<string>()
  const queue = [dir]
  for (const at of queue)
    for (const below of uses.get(at) ?? []) {
      if (found.has(below) || !isLibrary(below)) continue
      found.add(below)
      queue.push(below)
    }
  return found
}

const merged = (s: SessionModel, below: SessionModel): SessionModel => ({
  workspace: s.workspace,
  libraries: [...s.libraries, ...below.libraries],
  providers: [...s.providers, ...below.providers],
  serverClients: [...s.serverClients, ...below.serverClients],
  browserClients: [...s.browserClients, ...below.browserClients],
  storageClients: [...s.storageClients, ...below.storageClients],
  listeners: [...s.listeners, ...below.listeners],
  sessionReads: [...s.sessionReads, ...below.sessionReads],
  browserAuth: [...s.browserAuth, ...below.browserAuth],
  serverReads: [...s.serverReads, ...below.serverReads],
  ownCookies: [...s.ownCookies, ...below.ownCookies],
  accessCookies: [...s.accessCookies, ...below.accessCookies],
  renewals: [...s.renewals, ...below.renewals],
  ownRenewals: [...s.ownRenewals, ...below.ownRenewals],
  lostRenewals: [...s.lostRenewals, ...below.lostRenewals],
  leftToPackages: [...s.leftToPackages, ...below.leftToPackages],
})
