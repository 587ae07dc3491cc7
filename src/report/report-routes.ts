import type { AppModel } from '../model/app-model.ts'
import type { Guard } from '../model/routes/routes.ts'
import type { ReportRoute } from './report.ts'

const AUTHORITY_LABELS: Readonly<Record<Guard['who'], string>> = {
  user: 'signed-in user',
  admin: 'user with a role',
  secret: 'holder of a secret',
  signature: 'signed message',
  token: 'holder of a token',
  check: 'own check',
}

/** Who is let in, for people; what the guard trusts is said when it is not verified. */
function whoWords(g: Guard): string {
  const doubt = g.opensWithout
    ? `, anybody when ${g.opensWithout} is unset`
    : g.trust === 'unverified'
      ? ', unverified'
      : g.trust === 'editable'
        ? ', by what the user can edit'
        : ''
  return `${AUTHORITY_LABELS[g.who]} (${g.how})${doubt}`
}

/** The route table of the report, ordered by path and method. */
export function reportRoutes(model: AppModel): ReportRoute[] {
  return model.routes.routes
    .map(
      (r): ReportRoute => ({
        ...(r.method ? { method: r.method } : {}),
        route: r.route,
        subject: r.subject,
        kind: r.kind,
        framework: r.framework,
        guard: r.guard && r.guard.trust !== 'claimed' ? { who: whoWords(r.guard), path: r.guard.at.path, line: r.guard.at.line } : null,
        ...(r.client ? { client: r.client } : {}),
        tables: r.tables,
        ...(r.limit ? { limit: { path: r.limit.path, line: r.limit.line } } : {}),
        path: r.path,
        line: r.line,
        ...(r.workspace ? { workspace: r.workspace } : {}),
      }),
    )
    .sort((a, b) => (a.route < b.route ? -1 : a.route > b.route ? 1 : (a.method ?? '') < (b.method ?? '') ? -1 : 1))
}
