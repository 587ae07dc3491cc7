import { readFileSync, statSync } from 'node:fs'
import { isAbsolute, join, normalize } from 'node:path/posix'
import { cleanLine } from '../lib/clean-text.ts'
import { plural } from '../lib/plural.ts'
import { MAX_BASELINE, parseBaseline, withBaseline } from '../report/baseline.ts'
import type { Report } from '../report/report.ts'
import type { Source } from '../source/source.ts'
import { UsageError } from './usage-error.ts'

/** Where a baseline is read from. */
export interface BaselinePlace {
  /** Path in the repository. */
  readonly file: string
  /** The audited folder. */
  readonly dir: string
  /** With a base the file is read from there: a change cannot accept its own findings. */
  readonly base: string | undefined
}

/** The report without what a baseline accepts, and sentences about the baseline for the log. Throws a `UsageError` for a file that is none. */
export async function applyBaseline(
  report: Report,
  source: Source,
  place: BaselinePlace,
): Promise<{ readonly report: Report; readonly notes: readonly string[] }> {
  const name = cleanLine(place.file, 200)
  const text = place.base === undefined ? readFromFolder(place) : await readFromCommit(source, place.base, place.file)
  if (text === undefined) return { report, notes: [`the base has no ${name}, so no finding is taken from a baseline`] }
  const baseline = parseBaseline(text)
  if (!baseline) throw new UsageError(`${name} is not a baseline. Write one with "prelaunch baseline".`)
  const applied = withBaseline(report, baseline)
  const gone = applied.gone ? [`${plural(applied.gone, 'entry', 'entries')} of ${name} no longer found: write the baseline again`] : []
  return { report: applied.report, notes: gone }
}

function readFromFolder({ dir, file }: BaselinePlace): string {
  const path = join(dir, file)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile()) throw new UsageError(`there is no baseline ${cleanLine(file, 200)} in the audited folder`)
  if (stat.size > MAX_BASELINE) throw new UsageError(`the baseline ${cleanLine(file, 200)} is larger than ${MAX_BASELINE >> 20} MiB`)
  return readFileSync(path, 'utf8')
}

async function readFromCommit(source: Source, commit: string, file: string): Promise<string | undefined> {
  const path = normalize(file)
  if (isAbsolute(path) || path.startsWith('../')) throw new UsageError('with a base, the baseline is a path in the repository')
  const blob = (await source.snapshot(commit)).blobs.find((b) => b.path === path && b.mode !== 'symlink')
  if (!blob) return undefined
  if (blob.size > MAX_BASELINE) throw new UsageError(`the baseline ${cleanLine(file, 200)} is larger than ${MAX_BASELINE >> 20} MiB`)
  const bytes = (await source.read([blob.sha])).get(blob.sha)
  return bytes && new TextDecoder().decode(bytes)
}
