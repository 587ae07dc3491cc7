import { isMachineAuthor } from '../../source/authors.ts'
import type { HistoricFile, History } from '../../source/source.ts'

/**
 * Every commit with the address of its author and the files that it changed, newest first; of a merge, the files that differ from all
 * its parents (the other versions are in their histories). No paths are given: matching them takes git several times as long, and with
 * them it leaves out the side of a merge that added and removed a file again, which everybody can still read.
 */
export const LOG_ARGUMENTS = ['log', '--format=commit %H %ae', '--encoding=UTF-8', '--raw', '--no-abbrev', '--no-renames', '--no-relative', '-c', '-z']

/** How much of a history is read. */
export interface HistoryLimits {
  /** Bytes that git prints: about 500 for a commit. */
  readonly bytes: number
  /** Distinct versions of wanted files, and distinct authors. */
  readonly kept: number
}

export const DEFAULT_HISTORY_LIMITS: HistoryLimits = { bytes: 256 << 20, kept: 10_000 }

/** Longest record: a path, or a line about it. */
const MAX_RECORD_BYTES = 64 << 10
const NUL = 0
const NEWLINE = 10
const COLON = 58

/** Reads what git prints for `LOG_ARGUMENTS`, piece by piece: of all that, only the wanted files and the authors are kept. */
export class HistoryReader {
  private readonly wanted: (path: string) => boolean
  private readonly limits: HistoryLimits
  private readonly files = new Map<string, HistoricFile>()
  private readonly authors = new Map<string, number>()
  private commits = 0
  private bytes = 0
  private commit = ''
  /** The line about the file whose path comes next. */
  private change = ''
  private rest: Buffer = Buffer.alloc(0)
  private because: string | undefined

  constructor(wanted: (path: string) => boolean, limits: HistoryLimits = DEFAULT_HISTORY_LIMITS) {
    this.wanted = wanted
    this.limits = limits
  }

  /** Takes the next piece of the output; false when a limit is reached and nothing more is wanted. */
  take(piece: Buffer): boolean {
    const all = this.rest.length ? Buffer.concat([this.rest, piece]) : piece
    let at = 0
    for (let end = all.indexOf(NUL); end !== -1 && !this.because; end = all.indexOf(NUL, at)) {
      this.record(all, at, end)
      this.bytes += end + 1 - at
      at = end + 1
      if (this.bytes > this.limits.bytes) this.because = 'there is more of it than is read'
      else if (this.files.size > this.limits.kept || this.authors.size > this.limits.kept) this.because = 'it holds too many env files or authors'
    }
    this.rest = all.subarray(at)
    if (this.rest.length > MAX_RECORD_BYTES) this.because ??= 'a name in it is too long'
    return this.because === undefined
  }

  /** What was read, once the output is at its end or a limit was reached. */
  history(isShallow: boolean): History {
    const because = this.because
      ? `only the newest commits of the history (${this.commits}) were read: ${this.because}`
      : isShallow
        ? 'the clone is shallow: older commits are not here'
        : undefined
    return {
      commits: this.commits,
      complete: because === undefined,
      ...(because ? { because } : {}),
      files: [...this.files.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.sha < b.sha ? -1 : 1)),
      authors: byFrequency(this.authors),
    }
  }

  /** `commit SHA ADDRESS`, an empty record, a line that begins with one colon for each parent (after a newline or not), or a path. */
  private record(all: Buffer, from: number, end: number): void {
    if (this.change) {
      const path = all.toString('utf8', from, end)
      if (this.wanted(path)) this.keep(path)
      this.change = ''
      return
    }
    const start = all[from] === NEWLINE ? from + 1 : from
    if (start >= end) return
    if (all[start] === COLON) this.change = all.toString('latin1', start, end)
    else {
      const [, commit = '', author = ''] = /^commit (\S+) (.*)/.exec(all.toString('utf8', start, end)) ?? []
      this.commit = commit
      this.commits++
      if (!isMachineAuthor(author)) this.authors.set(author, (this.authors.get(author) ?? 0) + 1)
    }
  }

  /** `:…: MODE… MODE SHA… SHA STATUS`: modes and contents of each parent, and then of the commit. */
  private keep(path: string): void {
    const parents = this.change.lastIndexOf(':') + 1
    const fields = this.change.slice(parents).split(' ')
    const mode = fields[parents] ?? ''
    const sha = fields[2 * parents + 1] ?? ''
    const isFile = mode.startsWith('100')
    const key = `${path}\0${sha}`
    if (isFile && !this.files.has(key)) this.files.set(key, { path, sha, commit: this.commit })
  }
}

function byFrequency(counts: ReadonlyMap<string, number>): string[] {
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([v]) => v)
}
