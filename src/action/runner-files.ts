import { appendFileSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { cutBytes } from '../lib/escape-markdown.ts'

/** GitHub refuses a job summary of more than 1 MiB as a whole. */
const MAX_SUMMARY_BYTES = 1 << 20

/** Adds Markdown to the summary of the step; what does not fit is cut, because a summary that is too long is not shown at all. */
export function writeSummary(file: string | undefined, markdown: string): void {
  if (!file) return
  const room = MAX_SUMMARY_BYTES - (statSync(file, { throwIfNoEntry: false })?.size ?? 0) - 1
  if (room > 0) appendFileSync(file, `${cutBytes(markdown, room)}\n`)
}

/** Sets outputs of the step. Throws for a value of several lines: it could set outputs of its own. */
export function writeOutputs(file: string | undefined, outputs: Readonly<Record<string, string | number>>): void {
  const lines = Object.entries(outputs).map(([name, value]) => `${name}=${value}`)
  if (lines.some((line) => /[\r\n]/.test(line))) throw new Error('an output of the action has several lines')
  if (file) appendFileSync(file, `${lines.join('\n')}\n`)
}

/** Writes a file as a whole, in place of what is there: a link of the repository at this path is replaced and not followed. */
export function replaceFile(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  const written = `${file}.${process.pid}.new`
  writeFileSync(written, text, { flag: 'wx' })
  renameSync(written, file)
}
