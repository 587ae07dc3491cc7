import type { ReportFinding } from '../../src/report/report.ts'

/** The text after the button of the suggestion was pressed: GitHub replaces whole lines. */
export function applyFix(text: string, fix: ReportFinding['fix']): string {
  if (!fix.replaces || fix.code === undefined) throw new Error('the fix is no exact change of lines')
  const lines = text.split('\n')
  lines.splice(fix.replaces.line - 1, fix.replaces.endLine - fix.replaces.line + 1, ...fix.code.split('\n'))
  return lines.join('\n')
}
