import { plural } from '../lib/plural.ts'

/** What the user sees of an audit that runs. */
export interface Progress {
  /** A phase begins. */
  say(phase: string): void
  /** So many more files were read. */
  read(files: number): void
  clear(): void
}

const PHASE_WORDS: Readonly<Record<string, string>> = {
  snapshot: 'listing files',
  history: 'reading the history',
  facts: 'reading code',
  database: 'replaying SQL and trying it',
  model: 'following guards',
  checks: 'judging',
}

/** `reading code, 120 files read, 3 s`: the phase, how much was read so far, and the time since the start. */
export function progressText(phase: string, files: number, elapsedMs: number): string {
  const seconds = Math.floor(elapsedMs / 1000)
  const time = seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return [PHASE_WORDS[phase] ?? phase, ...(files ? [`${plural(files, 'file')} read`] : []), time].join(', ')
}

const REFRESH_MS = 500

/** One line that is written over and over, on a terminal only: a pipe gets nothing. */
export function progressLine(stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>, wanted: boolean): Progress {
  if (!wanted || !stream.isTTY) return { say: () => {}, read: () => {}, clear: () => {} }
  const started = performance.now()
  let phase = 'snapshot'
  let files = 0
  const draw = () => stream.write(`\r\x1b[2K${progressText(phase, files, performance.now() - started)} …`)
  const timer = setInterval(draw, REFRESH_MS)
  timer.unref()
  return {
    say: (next) => {
      phase = next
      draw()
    },
    read: (more) => {
      files += more
      draw()
    },
    clear: () => {
      clearInterval(timer)
      stream.write('\r\x1b[2K')
    },
  }
}
