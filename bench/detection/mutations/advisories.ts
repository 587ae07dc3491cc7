import type { Advisory, AdvisoryData } from '../../../src/model/dependencies/advisory.ts'

const advisory = (id: string, name: string, severity: Advisory['severity'], vulnerable: string, fixedIn: string, summary: string): Advisory => ({
  id,
  package: name,
  severity,
  summary,
  vulnerable,
  fixedIn,
  url: `https://github.com/advisories/${id}`,
})

/** A few advisories of the GitHub Advisory Database, as published: enough to tell a vulnerable version from others without the network. */
export const ADVISORIES: AdvisoryData = {
  source: 'snapshot',
  asOf: '2026-11-20',
  advisories: [
    advisory('GHSA-f82v-jwr5-mffw', 'next', 'critical', '>= 15.0.0, < 15.2.3', '15.2.3', 'Authorization bypass in Next.js middleware'),
    advisory('GHSA-c2qf-rxjj-qqgw', 'semver', 'high', '>= 7.0.0, < 7.5.2', '7.5.2', 'Regular expression denial of service in semver'),
    advisory('GHSA-3h5v-q93c-6h6q', 'ws', 'high', '>= 8.0.0, < 8.17.1', '8.17.1', 'Denial of service by a request with many headers'),
    advisory('GHSA-3xgq-45jj-v275', 'cross-spawn', 'high', '>= 7.0.0, < 7.0.5', '7.0.5', 'Regular expression denial of service in cross-spawn'),
    advisory('GHSA-grv7-fg5c-xmjg', 'braces', 'high', '< 3.0.3', '3.0.3', 'Uncontrolled resource consumption in braces'),
  ],
}
