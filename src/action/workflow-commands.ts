import type { Annotation } from '../annotations/annotations.ts'
import { cleanLine } from '../lib/clean-text.ts'
import { cutBytes } from '../lib/escape-markdown.ts'

/** The runner keeps 10 annotations of each level for one step and drops later ones without a word. One is left for the verdict. */
const MAX_OF_LEVEL = 9
/** The runner cuts messages at 4,096 characters. */
const MAX_MESSAGE_BYTES = 4000

const RUNNER_COMMAND = { failure: 'error', warning: 'warning', notice: 'notice' } as const

/** The data of a workflow command, escaped as the runner unescapes it: nothing in it ends the line. */
export const commandData = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

/** A property of a workflow command: beyond the data, nothing in it ends the property or the properties. */
export const commandProperty = (text: string): string => commandData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

/** `::error file=…,line=…::message`: one line that the runner turns into an annotation. */
export function annotationCommand({ path, start_line, end_line, annotation_level, title, message }: Annotation): string {
  const properties = { file: path, line: String(start_line), endLine: String(end_line), title }
  const written = Object.entries(properties).map(([name, value]) => `${name}=${commandProperty(value)}`)
  return `::${RUNNER_COMMAND[annotation_level]} ${written.join(',')}::${commandData(cutBytes(message, MAX_MESSAGE_BYTES))}`
}

/** The annotations that the runner keeps, in the order given, and how many it would drop. */
export function keptAnnotations(annotations: readonly Annotation[]): { readonly kept: readonly Annotation[]; readonly left: number } {
  const counts = { failure: 0, warning: 0, notice: 0 }
  const kept = annotations.filter((a) => ++counts[a.annotation_level] <= MAX_OF_LEVEL)
  return { kept, left: annotations.length - kept.length }
}

/**
 * A line for the log that is no command, whatever it holds. The runner reads commands from both outputs: `::name::` at the beginning of a line and, of
 * its first years, `##[name]` anywhere in it.
 */
export const logLine = (text: string): string =>
  cleanLine(text)
    .replaceAll('##[', '## [')
    .replace(/^\s*::/, ' : :')
