import { setImmediate } from 'node:timers/promises'
import { Minimatch } from 'minimatch'
import { isServedPath } from '../lexicon/served-paths.ts'
import type { Blob, BlobSha, Snapshot, Source } from '../source/source.ts'
import { byproductRole } from './byproducts.ts'
import { isPlainData } from './data-files.ts'
import { DEFAULT_MAX_BYTES, type ExtractAll, type ExtractionJob, type KeyedExtractor, keyedExtractorsFor } from './extract.ts'
import type { Extraction, FactKind, FactsIndex } from './facts.ts'
import { SYNTAX_ERROR } from './syntax-error.ts'

/** Facts by the keys of `keyedExtractorsFor`. Implemented by the store; a cache may forget anything at any time. */
export interface FactsCache {
  get(keys: readonly string[]): Promise<ReadonlyMap<string, Extraction>>
  put(entries: ReadonlyMap<string, Extraction>): Promise<void>
}

/** A declared gap, in the words of the model (`model/gap.ts` reads it as it is). */
export interface FileGap {
  readonly path: string
  readonly line?: number
  readonly because: string
  /** Nothing of the file is known. */
  readonly unread?: true
  readonly touches: readonly {
    readonly topic: 'table' | 'rls' | 'policy' | 'grant' | 'function' | 'view' | 'bucket' | 'code' | 'source-text' | 'env-file' | 'config' | 'lockfile' | 'tree'
  }[]
}

/** Why a file has no facts although the tree names it. */
export const UNREADABLE = 'its content could not be read'

/** All facts of a snapshot, what could not be read, and what it cost. */
export interface Gathered {
  readonly facts: FactsIndex
  /** Blobs that are part of the audit: ignored paths left out, in code-unit order of the path. */
  readonly blobs: readonly Blob[]
  readonly gaps: readonly FileGap[]
  /** The facts of a blob when a single kind was asked for. */
  readonly bySha: ReadonlyMap<BlobSha, unknown>
  readonly hits: number
  readonly misses: number
  readonly bytesRead: number
}

interface Wanted extends KeyedExtractor {
  readonly blob: Blob
}

/** Some kinds of facts that are wanted before the others, and who is told when they are there. */
export interface FirstFacts {
  readonly kinds: readonly FactKind[]
  readonly tell: (facts: FactsIndex, paths: readonly string[]) => void
}

/** Told of facts as soon as they are there, while others are still extracted. */
export type OnFacts = (path: string, extraction: Extraction) => void

/** Selects what is worth reading, takes known facts from the cache, and extracts the rest. */
export async function gatherFacts(
  snapshot: Snapshot,
  source: Source,
  extractAll: ExtractAll,
  ignore: readonly string[],
  cache?: FactsCache,
  onlyKinds?: readonly FactKind[],
  first?: FirstFacts,
  onFacts?: OnFacts,
): Promise<Gathered> {
  const ignored = ignore.map((p) => new Minimatch(p, { dot: true }))
  const blobs = snapshot.blobs.filter((b) => !ignored.some((m) => m.match(b.path))).sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
  const gaps: FileGap[] = []
  const wanted = select(blobs, gaps, onlyKinds)
  const known = new Map(cache ? await cache.get([...new Set(wanted.map((w) => w.key))]) : [])
  const missing = wanted.filter((w) => !known.has(w.key))
  // One job for each content and meaning of the path: a hundred thousand copies of a file are read once.
  const groups = [...Map.groupBy(missing, (w) => `${w.blob.sha} ${w.key.slice(w.key.lastIndexOf(':'))}`).values()]
  const isFirst = ({ extractor }: Wanted) => first?.kinds.includes(extractor.kind) ?? false
  // Files of which more is wanted, such as code, are read once, with the others.
  const { early = [], others = [] } = Object.groupBy(groups, (g) => (g.every(isFirst) ? 'early' : 'others'))
  let bytesRead = await extractMissing(early, known, source, extractAll, cache)
  if (first) {
    const paths = blobs.map((b) => b.path)
    first.tell(indexOf(wanted.filter(isFirst), known), paths)
  }
  bytesRead += await extractMissing(others, known, source, extractAll, cache, onFacts)

  const bySha = new Map<BlobSha, unknown>()
  for (const { blob, extractor, key } of wanted) {
    const extraction = known.get(key)
    if (!extraction) {
      gaps.push({ path: blob.path, because: UNREADABLE, unread: true, touches: TOUCHES[extractor.kind] ?? [] })
      continue
    }
    for (const p of extraction.problems)
      gaps.push({
        path: blob.path,
        ...(p.line ? { line: p.line } : {}),
        because: p.message,
        ...(extraction.facts ? {} : { unread: true as const }),
        touches: touchesOf(extractor.kind, blob.path, p.message),
      })
    if (extraction.facts === undefined || extraction.facts === null) continue
    if (onlyKinds) bySha.set(blob.sha, extraction.facts)
  }
  return { facts: indexOf(wanted, known), blobs, gaps: dedupe(gaps), bySha, hits: wanted.length - missing.length, misses: missing.length, bytesRead }
}

function indexOf(wanted: readonly Wanted[], known: ReadonlyMap<string, Extraction>): FactsIndex {
  const maps = new Map<FactKind, Map<string, unknown>>()
  for (const { blob, extractor, key } of wanted) {
    const facts = known.get(key)?.facts
    if (facts === undefined || facts === null) continue
    const map = maps.get(extractor.kind) ?? new Map<string, unknown>()
    map.set(blob.path, facts)
    maps.set(extractor.kind, map)
  }
  const empty = new Map<string, never>()
  return { of: (kind) => (maps.get(kind) ?? empty) as never }
}

/** What a file of each kind could have shown. */
const TOUCHES: Partial<Record<FactKind, FileGap['touches']>> = {
  javascript: [{ topic: 'code' }, { topic: 'source-text' }],
  sql: (['table', 'rls', 'policy', 'grant', 'function', 'view', 'bucket'] as const).map((topic) => ({ topic })),
  'env-file': [{ topic: 'env-file' }],
  'package-json': [{ topic: 'lockfile' }],
  lockfile: [{ topic: 'lockfile' }],
  'config-file': [{ topic: 'config' }],
  gitignore: [{ topic: 'env-file' }],
}

/** What a problem inside a file leaves in doubt. */
function touchesOf(kind: FactKind, path: string, message: string): FileGap['touches'] {
  const touches = TOUCHES[kind] ?? []
  if (kind === 'javascript' && message.startsWith(SYNTAX_ERROR)) return touches.filter((t) => t.topic !== 'source-text')
  // a workflow that is no YAML does not run
  if (kind === 'config-file' && /(^|\/)\.github\/workflows\/[^/]+$/.test(path)) return []
  return touches
}

function select(blobs: readonly Blob[], gaps: FileGap[], onlyKinds?: readonly FactKind[]): Wanted[] {
  const wanted: Wanted[] = []
  for (const blob of blobs) {
    if (blob.mode === 'submodule') {
      gaps.push({ path: blob.path, because: 'is a submodule: its code lives in another repository and was not audited', touches: [] })
      continue
    }
    if (blob.mode === 'symlink') {
      if (isServedPath(blob.path) && !byproductRole(blob.path))
        gaps.push({
          path: blob.path,
          because: 'is a symbolic link: a framework serves what it leads to, which was not read here',
          unread: true,
          touches: TOUCHES.javascript ?? [],
        })
      continue
    }
    const byproduct = byproductRole(blob.path)
    for (const { extractor, key } of keyedExtractorsFor(blob.sha, blob.path)) {
      if (onlyKinds && !onlyKinds.includes(extractor.kind)) continue
      if (byproduct && !BYPRODUCT_KINDS.has(extractor.kind)) continue
      if (byproduct === 'vendored') continue
      const limit = extractor.maxBytes ?? DEFAULT_MAX_BYTES
      if (blob.size > limit) {
        const touches = TOUCHES[extractor.kind]
        if (touches && !isPlainData(blob.path))
          gaps.push({
            path: blob.path,
            because: `has ${(blob.size / (1 << 20)).toFixed(1)} MiB and was not analysed (limit ${(limit / (1 << 20)).toFixed(2)} MiB)`,
            unread: true,
            touches,
          })
        continue
      }
      wanted.push({ blob, extractor, key })
    }
  }
  return wanted
}

/** Build output is read for secrets only (checks 5 and 25). */
const BYPRODUCT_KINDS: ReadonlySet<FactKind> = new Set(['secrets', 'env-file'])

/** Blobs read at once: bounds memory on large repositories. */
const READ_BATCH = 500

/** A file to extract, and under what each of its facts is kept. */
type KeyedJob = ExtractionJob & { readonly keys: readonly string[] }

async function extractMissing(
  groups: readonly (readonly Wanted[])[],
  known: Map<string, Extraction>,
  source: Source,
  extractAll: ExtractAll,
  cache: FactsCache | undefined,
  onFacts?: OnFacts,
): Promise<number> {
  let bytesRead = 0
  const keep = async (jobs: readonly KeyedJob[], results: Awaited<ReturnType<ExtractAll>>) => {
    const fresh = new Map<string, Extraction>()
    jobs.forEach((job, j) => {
      job.keys.forEach((key, k) => {
        const extraction = results[j]?.[k]
        if (extraction) {
          known.set(key, extraction)
          fresh.set(key, extraction)
        }
      })
    })
    if (cache && fresh.size) await cache.put(fresh)
    if (onFacts) await tell(onFacts, jobs, results)
  }
  // While threads extract a batch the next one is read and the one before it is kept.
  let extracting: Promise<unknown> = Promise.resolve()
  let kept: Promise<void> = Promise.resolve()
  for (let i = 0; i < groups.length; i += READ_BATCH) {
    const batch = groups.slice(i, i + READ_BATCH)
    const contents = await source.read([...new Set(batch.map((g) => (g[0] as Wanted).blob.sha))])
    const jobs: KeyedJob[] = []
    for (const group of batch) {
      const blob = (group[0] as Wanted).blob
      const bytes = contents.get(blob.sha)
      if (!bytes) continue
      bytesRead += bytes.length
      const kinds = new Map(group.map((w) => [w.key, w.extractor.kind]))
      jobs.push({ path: blob.path, bytes, kinds: [...kinds.values()], keys: [...kinds.keys()] })
    }
    await extracting
    const results = extractAll(jobs.map(({ path, bytes, kinds }) => ({ path, bytes, kinds })))
    kept = Promise.all([results, kept]).then(([extracted]) => keep(jobs, extracted))
    // What fails is thrown at the end, once.
    kept.catch(() => {})
    extracting = results.catch(() => {})
  }
  await kept
  return bytesRead
}

/** Files that are asked between two looks at what threads have answered. */
const TOLD_AT_ONCE = 8

async function tell(onFacts: OnFacts, jobs: readonly KeyedJob[], results: Awaited<ReturnType<ExtractAll>>): Promise<void> {
  for (const [j, job] of jobs.entries()) {
    for (const extraction of results[j] ?? []) if (extraction?.facts) onFacts(job.path, extraction)
    if (j % TOLD_AT_ONCE === TOLD_AT_ONCE - 1) await setImmediate()
  }
}

function dedupe(gaps: readonly FileGap[]): FileGap[] {
  const seen = new Map<string, FileGap>()
  for (const gap of gaps) {
    const key = `${gap.path}\0${gap.line ?? ''}\0${gap.because}`
    const same = seen.get(key)
    // Several extractors miss the same file; the gap doubts what each of them would have shown.
    seen.set(key, same ? { ...same, touches: [...same.touches, ...gap.touches.filter((t) => !same.touches.some((s) => s.topic === t.topic))] } : gap)
  }
  return [...seen.values()]
}
