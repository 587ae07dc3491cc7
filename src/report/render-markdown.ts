import type { Report } from './report.ts'

/** The report as markdown. */
export function renderMarkdown(report: Report): string {
  return JSON.stringify(report.summary)
}
