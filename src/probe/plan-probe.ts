import { withArticle } from '../lib/article.ts'
import type { Report, ReportRoute } from '../report/report.ts'

/** One request of the probe, and which check it is evidence for. */
export interface ProbeRequest {
  readonly path: string
  readonly subject: string
  readonly check: 10 | 16
  readonly route: ReportRoute
  /** Why the route should refuse a logged-out visitor. */
  readonly because: string
  /** The audit reports the route as open; otherwise the code has a guard. */
  readonly reported: boolean
}

export interface ProbePlan {
  readonly requests: readonly ProbeRequest[]
  /** Protected routes that a GET cannot try. */
  readonly skipped: readonly { readonly subject: string; readonly because: string }[]
}

/** Stands in for ids in paths; no row has it. */
const NOBODYS_ID = '00000000-0000-4000-8000-000000000000'

/** The protected routes of an inventory as GET requests: what a guard stands before, and what checks 10 and 16 report as open. */
export function planProbe(report: Pick<Report, 'routes' | 'checks'>): ProbePlan {
  const reported = new Map<string, 10 | 16>()
  for (const c of report.checks) {
    if (c.number !== 10 && c.number !== 16) continue
    for (const f of c.findings)
      for (const subject of [f.subject, ...f.related.flatMap((r) => r.subject ?? [])]) if (!reported.has(subject)) reported.set(subject, c.number)
  }
  const requests: ProbeRequest[] = []
  const skipped: { subject: string; because: string }[] = []
  for (const route of report.routes) {
    const because = reported.has(route.subject)
      ? `check ${reported.get(route.subject)} reports it as open`
      : route.guard && isPersonal(route.guard.who)
        ? `${route.guard.path}:${route.guard.line} guards it`
        : undefined
    if (!because) continue
    if (route.kind === 'page' || (route.kind === 'api' && (route.method === undefined || route.method === 'GET'))) {
      if (/\[\.\.\./.test(route.route)) skipped.push({ subject: route.subject, because: 'its path takes any number of segments' })
      else
        requests.push({
          path: route.route.replace(/\[[^[\]]+\]/g, NOBODYS_ID),
          subject: route.subject,
          check: route.kind === 'page' ? 10 : 16,
          route,
          because,
          reported: reported.has(route.subject),
        })
    } else
      skipped.push({
        subject: route.subject,
        because: route.kind === 'api' ? `the probe sends GET only` : `${withArticle(route.kind.replace('-', ' '))} is not opened with GET`,
      })
  }
  return { requests, skipped }
}

function isPersonal(who: string): boolean {
  return /^(signed-in user|user with a role|own check|holder of a secret)/.test(who)
}
