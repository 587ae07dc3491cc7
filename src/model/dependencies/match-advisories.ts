import semver from 'semver'
import type { Advisory } from './advisory.ts'

const SEVERITY_ORDER = ['critical', 'high', 'moderate', 'low']

/** Looks up the advisories that affect a version; worst first. Several ranges of one advisory count once. */
export function matchAdvisories(advisories: readonly Advisory[]): (name: string, version: string) => Advisory[] {
  const byName = Map.groupBy(advisories, (a) => a.package)
  return (name, version) => {
    const hits = new Map<string, Advisory>()
    for (const advisory of byName.get(name) ?? []) {
      if (!hits.has(advisory.id) && affects(advisory.vulnerable, version)) hits.set(advisory.id, advisory)
    }
    return [...hits.values()].sort((a, b) => SEVERITY_ORDER.indexOf(a.severity) - SEVERITY_ORDER.indexOf(b.severity) || (a.id < b.id ? -1 : 1))
  }
}

/** True when the version lies in a range as advisories write it: `>= 1.0.0, < 1.2.3`, `= 4.0.0`. */
export function affects(range: string, version: string): boolean {
  return semver.satisfies(version, range.replaceAll(',', ' '), { includePrerelease: true, loose: true })
}

/** The highest of the fixed versions: the lowest version that has every fix. Undefined when an advisory has none. */
export function fixedVersion(advisories: readonly Advisory[]): string | undefined {
  let highest: string | undefined
  for (const { fixedIn } of advisories) {
    if (!fixedIn || !semver.valid(fixedIn, true)) return undefined
    if (!highest || semver.compareLoose(fixedIn, highest) > 0) highest = fixedIn
  }
  return highest
}
