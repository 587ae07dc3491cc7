import { fingerprint } from '../findings/fingerprint.ts'
import { HELP_BASE } from '../report/build-report.ts'
import type { ReportFinding } from '../report/report.ts'
import type { ProbeResult } from './run-probe.ts'

const REPORTED = 'Check on the server who asks before anything is answered; the finding of the audit for the same route has the code.'
const GUARDED =
  'The code has a guard, so what runs there is another version of it, or something in front of it (a cache, a proxy, static files) answers: deploy this code, find out what answers, and probe again.'

/** What the probe proved, as findings of checks 10 and 16: the address answered a logged-out visitor with content. */
export function probeFindings(base: URL, results: readonly ProbeResult[]): readonly ReportFinding[] {
  return results.flatMap((r): ReportFinding[] => {
    if (r.verdict.kind !== 'open') return []
    const { route, subject, check } = r.request
    const id = check === 10 ? 'auth/protected-routes' : 'api/auth'
    const url = new URL(r.request.path, base).href
    return [
      {
        fingerprint: fingerprint(id, { subject, discriminator: 'probe', ...(route.workspace ? { workspace: route.workspace } : {}) }),
        check: id,
        severity: check === 16 ? 'Critical' : 'High',
        subject,
        title: check === 10 ? 'A protected page opens without signing in' : 'A protected route answers without signing in',
        message: `GET ${url} answered a visitor without a session: ${r.verdict.how}; expected a redirect or 401 (${r.request.because}).`,
        attack: `Anybody opens ${url} and gets what it answers.`,
        fix: { text: r.request.reported ? REPORTED : GUARDED },
        path: route.path,
        line: route.line,
        endLine: route.line,
        related: [],
        alsoFails: [],
        aliases: ['CWE-306'],
        help: `${HELP_BASE}${id}.md`,
        proof: 'executed',
        ...(route.workspace ? { workspace: route.workspace } : {}),
      },
    ]
  })
}
