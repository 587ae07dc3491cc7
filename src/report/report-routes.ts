import type { AppModel } from '../model/app-model.ts'
import type { ReportRoute } from './report.ts'

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
        guard: null,
        tables: [],
        path: r.path,
        line: r.line,
        ...(r.workspace ? { workspace: r.workspace } : {}),
      }),
    )
    .sort((a, b) => (a.route < b.route ? -1 : a.route > b.route ? 1 : (a.method ?? '') < (b.method ?? '') ? -1 : 1))
}
