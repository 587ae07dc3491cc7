import type { Report } from './report.ts'

/** The report as html. */
export function renderHtml(report: Report): string {
  return JSON.stringify(report.summary)
}
