import { minimatch } from 'minimatch'
import { Lately } from '../lib/memo/recent-values.ts'
import { EXTRACTORS } from './extractors/index.ts'
import type { Extraction, Extractor, FactKind } from './facts.ts'

/** Bytes above which a file is declared a gap, when its extractor does not say. */
export const DEFAULT_MAX_BYTES = 1 << 20

const compiled = EXTRACTORS.map((extractor) => ({
  extractor,
  patterns: extractor.paths.map((p) => new minimatch.Minimatch(p, { dot: true, nocase: true })),
}))

const extractorsByPath = new Lately<readonly Extractor[]>()

/** The extractors that read a path, in the order of the registry. */
export function extractorsFor(path: string): readonly Extractor[] {
  return (
    extractorsByPath.get(path) ??
    extractorsByPath.set(
      path,
      compiled.filter((c) => c.patterns.some((p) => p.match(path))).map((c) => c.extractor),
    )
  )
}

/** An extractor that reads a file, and the key under which what it finds is kept. */
export interface KeyedExtractor {
  readonly extractor: Extractor
  readonly key: string
}

const keyedByPath = new Lately<{ readonly sha: string; readonly keyed: readonly KeyedExtractor[] }>()

/** The extractors that read a file. Its keys are the same strings as the last time, which are quicker to look up than new ones. */
export function keyedExtractorsFor(sha: string, path: string): readonly KeyedExtractor[] {
  const known = keyedByPath.get(path)
  if (known?.sha === sha) return known.keyed
  const keyed = extractorsFor(path).map((extractor) => ({ extractor, key: factsKey(sha, path, extractor) }))
  return keyedByPath.set(path, { sha, keyed }).keyed
}

/** Key of one extraction in the facts cache: content, kind, extractor version, and the part of the path that decides the dialect. */
function factsKey(sha: string, path: string, extractor: Extractor): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dialect = name.includes('.') && !extractor.formatByName ? name.slice(name.indexOf('.')) : name
  return `${sha}:${extractor.kind}:${extractor.version}:${dialect.toLowerCase()}`
}

/** Runs one extractor; an exception is our bug and becomes a problem of the file, never a lost audit. */
export function runExtractor(extractor: Extractor, text: string, path: string): Extraction {
  try {
    const { facts, problems } = extractor.extract(text, path)
    return { kind: extractor.kind, facts, problems }
  } catch (error) {
    return {
      kind: extractor.kind,
      facts: undefined as never,
      problems: [{ message: `could not be analysed (${error instanceof Error ? error.message.slice(0, 120) : 'unknown error'})` }],
    }
  }
}

/** One file to extract: its bytes and the kinds of facts wanted. */
export interface ExtractionJob {
  readonly path: string
  readonly bytes: Uint8Array
  readonly kinds: readonly FactKind[]
}

/** Runs jobs, somewhere; results are in the order of the jobs and, within a job, of its kinds. */
export type ExtractAll = (jobs: readonly ExtractionJob[]) => Promise<readonly (readonly Extraction[])[]>

const byKind = new Map(EXTRACTORS.map((e) => [e.kind, e]))

/** Runs one job in this thread. Too large and undecodable files give problems. */
export function extractJob(job: ExtractionJob): Extraction[] {
  const decoded = decode(job.bytes, job.path)
  return job.kinds.map((kind) => {
    const extractor = byKind.get(kind) as Extractor
    const limit = extractor.maxBytes ?? DEFAULT_MAX_BYTES
    if (job.bytes.length > limit)
      return { kind, facts: undefined as never, problems: [{ message: `is larger than ${Math.round(limit / 1024)} KiB and was not analysed` }] }
    if (decoded.binary && !BINARY_FORMATS.test(job.path))
      return { kind, facts: undefined as never, problems: BINARY_IS_NORMAL.has(kind) ? [] : [{ message: 'is a binary file' }] }
    if (!BINARY_IS_NORMAL.has(kind) && LFS_POINTER.test(decoded.text))
      return { kind, facts: undefined as never, problems: [{ message: 'is a pointer of Git LFS: its content is not in the repository' }] }
    const extraction = runExtractor(extractor, decoded.text, job.path)
    return decoded.problem ? { ...extraction, problems: [...extraction.problems, { line: 1, message: decoded.problem }] } : extraction
  })
}

/** Kinds that read whatever file there is: a binary one is nothing that they missed. */
const BINARY_IS_NORMAL: ReadonlySet<FactKind> = new Set(['secrets', 'text'])

const LFS_POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\//

/** Formats that are binary by design; their text is the bytes as Latin-1, so that the extractor can have them back. */
const BINARY_FORMATS = /\.lockb$/i

const UTF8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Uint8Array, path: string): { text: string; binary?: true; problem?: string } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (BINARY_FORMATS.test(path)) return { text: buffer.toString('latin1'), binary: true }
  if (buffer[0] === 0xff && buffer[1] === 0xfe) return { text: new TextDecoder('utf-16le').decode(buffer) }
  if (buffer[0] === 0xfe && buffer[1] === 0xff) return { text: new TextDecoder('utf-16be').decode(buffer) }
  try {
    const text = UTF8.decode(buffer)
    if (!text.includes('\0') || path.endsWith('.sql') || isTextWithNuls(text)) return { text }
    return /(^|\/)\.gitignore$/.test(path) ? { text: withoutNulLines(text) } : { text: '', binary: true }
  } catch {
    if (buffer.subarray(0, 8000).includes(0)) return { text: '', binary: true }
    return { text: buffer.toString('latin1'), problem: 'is not valid UTF-8; it was read as Latin-1' }
  }
}

/** Source may hold the character itself, as what separates the parts of a key; a binary file that happens to be UTF-8 has it everywhere. */
function isTextWithNuls(text: string): boolean {
  let nuls = 0
  for (let at = text.indexOf('\0'); at >= 0; at = text.indexOf('\0', at + 1)) nuls++
  return nuls * 500 <= text.length
}

/** A shell that appends UTF-16 to an ignore file leaves lines with NULs, where git's patterns end. */
function withoutNulLines(text: string): string {
  return text
    .split('\n')
    .map((line) => (line.includes('\0') ? '' : line))
    .join('\n')
}

/** Runs all jobs in this thread. */
export const extractInProcess: ExtractAll = async (jobs) => jobs.map(extractJob)
