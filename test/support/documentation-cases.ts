import type { HostedSettings } from '../../src/model/auth/hosted-settings.ts'
import type { Advisory } from '../../src/model/dependencies/advisory.ts'
import { fillPlaceholders } from './placeholders.ts'

/** One case of a documentation page: a small repository and the exact findings expected of the page's check. */
export interface DocumentationCase {
  readonly title: string
  readonly files: Readonly<Record<string, string>>
  /** Files of an earlier commit (`commit=earlier` in the info string), gone or changed since. */
  readonly earlier?: Readonly<Record<string, string>>
  /** A block ```authors: e-mail addresses of commit authors, one per line. */
  readonly authors?: readonly string[]
  readonly expected: readonly string[]
  readonly status?: string
  /** A block ```advisories: what the advisory source answers (JSON array); without one no source is in reach. */
  readonly advisories?: readonly Advisory[]
  /** A block ```hosted: settings of the hosted platform (JSON object). */
  readonly hosted?: HostedSettings
  readonly line: number
}

/** Reads the cases of a page: every heading with file blocks and a `findings` block. */
export function documentationCases(markdown: string): DocumentationCase[] {
  const cases: DocumentationCase[] = []
  let heading = ''
  let sub = ''
  let current:
    | {
        title: string
        line: number
        files: Record<string, string>
        earlier?: Record<string, string>
        authors?: string[]
        findings?: string[]
        advisories?: readonly Advisory[]
        hosted?: HostedSettings
      }
    | undefined
  const finish = () => {
    if (current && (Object.keys(current.files).length || current.earlier)) {
      if (!current.findings) throw new Error(`line ${current.line}: case "${current.title}" has files but no findings block`)
      const status = current.findings
        .find((l) => l.startsWith('status:'))
        ?.slice(7)
        .trim()
      const expected = current.findings.filter((l) => l && !l.startsWith('status:'))
      cases.push({
        title: current.title,
        files: current.files,
        expected,
        line: current.line,
        ...(status ? { status } : {}),
        ...(current.earlier ? { earlier: current.earlier } : {}),
        ...(current.authors ? { authors: current.authors } : {}),
        ...(current.advisories ? { advisories: current.advisories } : {}),
        ...(current.hosted ? { hosted: current.hosted } : {}),
      })
    }
    current = undefined
  }
  const lines = markdown.split('\n')
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] as string
    const h = /^(##|###) (.+)$/.exec(line)
    if (h) {
      finish()
      if (h[1] === '##') [heading, sub] = [h[2] as string, '']
      else sub = h[2] as string
      current = { title: sub ? `${heading}: ${sub}` : heading, line: i + 1, files: {} }
      continue
    }
    const fence = /^(`{3,}|~{3,})(\S*)\s*(.*)$/.exec(line)
    if (!fence || !current) continue
    const body: string[] = []
    for (i++; i < lines.length && lines[i] !== fence[1]; i++) body.push(lines[i] as string)
    const path = /(?:^|\s)path=(\S+)/.exec(fence[3] ?? '')?.[1]
    if (fence[2] === 'findings') current.findings = body.map((l) => l.trim()).filter(Boolean)
    else if (fence[2] === 'advisories') current.advisories = JSON.parse(body.join('\n'))
    else if (fence[2] === 'hosted') current.hosted = JSON.parse(body.join('\n'))
    else if (fence[2] === 'authors') current.authors = body.map((l) => fillPlaceholders(l.trim())).filter(Boolean)
    else if (path && /(?:^|\s)commit=earlier\b/.test(fence[3] ?? '')) {
      current.earlier ??= {}
      current.earlier[path] = fillPlaceholders(`${body.join('\n')}\n`)
    } else if (path) current.files[path] = fillPlaceholders(`${body.join('\n')}\n`)
  }
  finish()
  return cases
}
