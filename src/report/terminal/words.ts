import { styleText } from 'node:util'
import { cleanLine } from '../../lib/clean-text.ts'
import { plural } from '../plural.ts'
import type { Report } from '../report.ts'

export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string

export const SEVERITY_TINT = { Critical: 'red', High: 'yellow', Medium: 'cyan' } as const

/** Paints, or leaves text as it is where there is no colour. */
export const painter =
  (color: boolean): Paint =>
  (style, text) =>
    color ? styleText(style, text, { validateStream: false }) : text

/** Words broken into lines of at most `width` columns; a longer word keeps a line of its own. */
export function wrap(text: string, width: number, indent: string): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line && indent.length + line.length + 1 + word.length > width) {
      lines.push(indent + line)
      line = word
    } else line = line ? `${line} ${word}` : word
  }
  if (line) lines.push(indent + line)
  return lines
}

/** Problems of the configuration at their lines; they come first, because they change what everything below means. */
export function configurationLines({ audit }: Pick<Report, 'audit'>, paint: Paint, width: number, most: number): string[] {
  const { problems } = audit.config
  if (!problems.length) return []
  const shown = problems.slice(0, most)
  return [
    paint(['yellow', 'bold'], `The configuration has ${plural(problems.length, 'problem')}:`),
    ...shown.flatMap((p) => wrap(`${cleanLine(p.path)}:${p.line} ${cleanLine(p.message, 300)}`, width, '  ')),
    ...(problems.length > shown.length ? [`  … and ${problems.length - shown.length} more (--details shows all)`] : []),
    '',
  ]
}

/** What was audited: repository, commit, files, history. */
export function auditedLine({ audit }: Pick<Report, 'audit'>): string {
  return `${cleanLine(audit.repository ?? '')}${audit.repository ? ' ' : ''}${audit.commit.slice(0, 12)}, ${plural(audit.files, 'file')}, ${plural(audit.history.commits, 'commit')}${audit.complete ? '' : ' (the file list is not complete)'}`
}
