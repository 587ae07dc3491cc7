import { minimatch } from 'minimatch'
import type { Extraction, Extractor } from './facts.ts'
import { EXTRACTORS } from './extractors/index.ts'

/** Bytes above which a file is declared a gap, when its extractor does not say. */
export const DEFAULT_MAX_BYTES = 1 << 20

const compiled = EXTRACTORS.map((extractor) => ({
  extractor,
  patterns: extractor.paths.map((p) => new minimatch.Minimatch(p, { dot: true, nocase: true })),
}))

/** The extractors that read a path, in the order of the registry. */
export function extractorsFor(path: string): readonly Extractor[] {
  return compiled.filter((c) => c.patterns.some((p) => p.match(path))).map((c) => c.extractor)
}

/** Key of one extraction in the facts cache: content, kind, extractor version, and the part of the path that decides the dialect. */
export function factsKey(sha: string, path: string, extractor: Extractor): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dialect = name.includes('.') ? name.slice(name.indexOf('.')) : name
  return `${sha}:${extractor.kind}:${extractor.version}:${dialect.toLowerCase()}`
}

/** Runs one extractor; an exception is our bug and becomes a problem of the file, never a lost audit. */
export function runExtractor(extractor: Extractor, text: string, path: string): Extraction | undefined {
  try {
    const { facts, problems } = extractor.extract(text, path)
    return { kind: extractor.kind, facts, problems }
  } catch (error) {
    return { kind: extractor.kind, facts: undefined as never, problems: [{ message: `could not be analysed (${error instanceof Error ? error.message.slice(0, 120) : 'unknown error'})` }] }
  }
}
