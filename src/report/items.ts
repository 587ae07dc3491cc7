import type { Severity } from '../checks/outcome.ts'
import { compareFindings } from '../findings/order.ts'
import { plural } from './plural.ts'
import type { Report, ReportFinding } from './report.ts'

/**
 * One root cause as people are shown it: the finding that says most, with the places and headlines of the others. It stands wherever a finding can; JSON
 * keeps the findings apart, because each decides the status of its check.
 */
export interface Item extends ReportFinding {
  /** The findings of the cause as they are in the report, the one that speaks first. */
  readonly members: readonly ReportFinding[]
}

/** Places or headlines that one sentence names; the rest is counted. */
const MAX_NAMED = 5

/** Findings in the order in which people read them. */
export const byImportance = (a: ReportFinding, b: ReportFinding): number => compareFindings({ ...a, at: a }, { ...b, at: b })

/** Findings as items, one for each cause, in the order in which people read them. Only what is given is grouped: give new and old ones apart. */
export function itemsOf(findings: readonly ReportFinding[]): readonly Item[] {
  const groups = Map.groupBy(findings, (f) => f.cause ?? f)
  return [...groups.values()].map((group) => itemOf(group.toSorted(byImportance))).sort(byImportance)
}

/** The items of a whole report; what the change introduced comes first. */
export function reportItems({ checks }: Pick<Report, 'checks'>): readonly Item[] {
  const all = checks.flatMap((c) => c.findings)
  return [...itemsOf(all.filter((f) => f.state === 'introduced')), ...itemsOf(all.filter((f) => f.state !== 'introduced'))]
}

/** What a comparison says, in items. `introduced` and `existing` are those that nobody suppressed. */
export function changesOf({
  checks,
  comparison,
}: Pick<Report, 'checks' | 'comparison'>): Readonly<Record<'introduced' | 'existing' | 'fixed' | 'unreadable', readonly Item[]>> {
  const introduced = new Set(comparison?.introduced)
  const all = checks.flatMap((c) => c.findings)
  return {
    introduced: itemsOf(all.filter((f) => introduced.has(f.fingerprint))),
    existing: itemsOf(all.filter((f) => !introduced.has(f.fingerprint))),
    fixed: itemsOf(comparison?.fixed ?? []),
    unreadable: itemsOf(comparison?.unreadable ?? []),
  }
}

/** The findings that items stand for, one by one: what is accepted, suggested or counted by its fingerprint. */
export const membersOf = (items: readonly Item[]): readonly ReportFinding[] => items.flatMap((i) => i.members)

/** How many items there are of each severity. */
export function countBySeverity(items: readonly Item[]): Readonly<Record<Severity, number>> {
  const count = (severity: Severity) => items.filter((i) => i.severity === severity).length
  return { Critical: count('Critical'), High: count('High'), Medium: count('Medium') }
}

/** `3 problems`, and `3 problems in 7 places` where they stand at more places than there are of them. */
export function countWithPlaces(items: readonly Item[], noun: string): string {
  const places = new Set(membersOf(items).map((f) => `${f.path}:${f.line}`)).size
  return places > items.length ? `${plural(items.length, noun)} in ${places} places` : plural(items.length, noun)
}

function itemOf(members: readonly ReportFinding[]): Item {
  const [first, ...others] = members as [ReportFinding, ...ReportFinding[]]
  if (!others.length) return { ...first, members }
  const here = others.filter((f) => isSamePlace(f, first))
  const elsewhere = others.filter((f) => !isSamePlace(f, first))
  return {
    ...first,
    message: `${first.message}${alsoCloses(first, here)}${alsoAt(first, elsewhere)}`,
    fix: { ...first.fix, text: `${first.fix.text}${doAlso(elsewhere)}` },
    related: [
      ...elsewhere.map((f) => ({ path: f.path, line: f.line, subject: f.subject, what: f.title === first.title ? 'the same problem' : f.title })),
      ...first.related.filter((r) => !elsewhere.some((f) => isSamePlace(f, r))),
    ],
    alsoFails: [...new Set(members.flatMap((f) => f.alsoFails))].sort((a, b) => a - b),
    members,
  }
}

const isSamePlace = (a: Pick<ReportFinding, 'path' | 'line'>, b: Pick<ReportFinding, 'path' | 'line'>): boolean => a.path === b.path && a.line === b.line

/** What else is wrong at the very place, and goes with the same fix. */
function alsoCloses(first: ReportFinding, here: readonly ReportFinding[]): string {
  const titles = [...new Set(here.map((f) => f.title))].filter((title) => title !== first.title)
  return titles.length ? ` The same fix also closes: ${named(titles, '; ')}.` : ''
}

function alsoAt({ title }: ReportFinding, elsewhere: readonly ReportFinding[]): string {
  if (!elsewhere.length) return ''
  const same = elsewhere.every((f) => f.title === title)
  return ` ${same ? 'The same problem is at' : 'The same change repairs'} ${named(elsewhere.map((f) => f.subject))}.`
}

/** The same change at other places: named by their lines, because each is a line to go to. */
function doAlso(elsewhere: readonly ReportFinding[]): string {
  return elsewhere.length ? ` Make sure that the change covers ${named([...new Set(elsewhere.map((f) => `${f.path}:${f.line}`))])} as well.` : ''
}

function named(all: readonly string[], separator = ', '): string {
  const shown = all.slice(0, MAX_NAMED)
  return `${shown.join(separator)}${all.length > shown.length ? `${separator}and ${all.length - shown.length} more` : ''}`
}
