import { redact } from '../facts/secrets/redact.ts'
import type { Excerpt, Excerpts } from '../report/html/findings.ts'
import type { Report } from '../report/report.ts'
import type { Source } from '../source/source.ts'

const BEFORE = 1
const AFTER = 3
const MAX_BYTES = 1 << 20

/** The lines around every finding, secrets redacted, for the HTML report. */
export async function readExcerpts(report: Report, source: Source, revision: string): Promise<Excerpts> {
  const snapshot = await source.snapshot(revision)
  const shaOf = new Map(snapshot.blobs.filter((b) => b.mode !== 'symlink' && b.size <= MAX_BYTES).map((b) => [b.path, b.sha]))
  const places = report.checks.flatMap((c) => c.findings)
  const contents = await source.read([...new Set(places.flatMap((p) => shaOf.get(p.path) ?? []))])
  const lines = new Map<string, readonly string[]>()
  const excerpts = new Map<string, Excerpt>()
  for (const { path, line, endLine } of places) {
    const bytes = contents.get(shaOf.get(path) ?? '')
    if (!bytes) continue
    if (!lines.has(path)) lines.set(path, redact(new TextDecoder().decode(bytes)).split('\n'))
    const first = Math.max(1, line - BEFORE)
    excerpts.set(`${path}:${line}`, {
      first,
      lines: (lines.get(path) as readonly string[]).slice(first - 1, Math.min(endLine, line + 7) + AFTER).map((l) => l.slice(0, 300)),
    })
  }
  return excerpts
}
