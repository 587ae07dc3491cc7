import type { Report } from './report.ts'
import { detailLines } from './terminal/details.ts'
import { summaryLines } from './terminal/summary.ts'
import { auditedLine, configurationLines, painter } from './terminal/words.ts'

export interface TerminalOptions {
  /** False for pipes. */
  readonly color: boolean
  /** Columns of the terminal. */
  readonly width?: number
  /** Everything before the summary, instead of the summary alone. */
  readonly details?: boolean
}

/** The report for a terminal: one screen, or everything with the summary at its end. Text of the repository is stripped of control characters. */
export function renderTerminal(report: Report, { color, width: columns = 100, details = false }: TerminalOptions): string {
  const paint = painter(color)
  const width = Math.max(60, Math.min(columns, 140))
  return [
    paint('bold', 'Prelaunch audit'),
    auditedLine(report),
    '',
    ...configurationLines(report, paint, width, details ? Number.POSITIVE_INFINITY : 3),
    ...(details ? [...detailLines(report, paint, width), ''] : []),
    ...summaryLines(report, paint, width, details),
  ]
    .join('\n')
    .concat('\n')
}
