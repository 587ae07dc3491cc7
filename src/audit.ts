import { isDeepStrictEqual } from 'node:util'
import { type AuditMemory, emptyMemory } from './audit-memory.ts'
import type { Audited, Outside } from './audited.ts'
import { CHECKS } from './checks/index.ts'
import { runChecks } from './checks/run-checks.ts'
import type { Config, ConfigProblem } from './config/config.ts'
import type { Database, DatabaseResult, ReplayInput } from './database/database.ts'
import { KINDS_BESIDE_CODE, planReplay, planWithoutCode } from './database/plan-replay.ts'
import { countAuditable } from './facts/auditable.ts'
import { type ExtractAll, extractInProcess } from './facts/extract.ts'
import type { FactsIndex } from './facts/facts.ts'
import { type FactsCache, type FirstFacts, type Gathered, gatherFacts, type OnFacts, UNREADABLE } from './facts/gather.ts'
import type { JavaScriptFacts } from './facts/javascript.ts'
import { codeQuestions } from './facts/questions.ts'
import { atTheirCause } from './findings/cause.ts'
import { collectFindings } from './findings/collect.ts'
import { type Comparison, compareWithBase } from './findings/compare.ts'
import { rewrittenPaths, stateExactFixes } from './findings/exact-fixes.ts'
import type { Finding } from './findings/finding.ts'
import { compareFindings } from './findings/order.ts'
import { followRenames } from './findings/renames.ts'
import { withOneFix } from './findings/root-cause.ts'
import { staleEntries } from './findings/stale-config.ts'
import { ignoreComments, markNew, suppress } from './findings/suppress.ts'
import { touchedObjects } from './findings/touched.ts'
import { isEnvFile } from './lib/env-file-name.ts'
import type { HostedSettings } from './model/auth/hosted-settings.ts'
import { buildModel } from './model/build-model.ts'
import type { AdvisoryData } from './model/dependencies/advisory.ts'
import { lockedPackageKeys } from './model/dependencies/build-dependencies.ts'
import { fileRole } from './model/files/files.ts'
import type { Gap } from './model/gap.ts'
import { buildReport } from './report/build-report.ts'
import type { Report, RunInfo } from './report/report.ts'
import { withRecentBlobs } from './source/recent-blobs.ts'
import type { History, Snapshot, Source } from './source/source.ts'

/** What to audit. Revisions are full commit SHAs or whatever the source understands. */
export interface AuditRequest {
  readonly repository?: string
  readonly commit: string
  /** The branch or commit to compare with; its merge base with `commit` is audited too. */
  readonly base?: string
  /** Set when the platform already told the merge base. */
  readonly mergeBase?: string
  readonly pullRequest?: number
  readonly config: Config
  readonly configCommit?: string
  readonly configProblems?: readonly ConfigProblem[]
  /** ISO date of the audit; decides which suppressions and attestations have expired. */
  readonly today: string
}

/** What the audit needs from outside. Everything but `source` has a default that works without network or state. */
export interface AuditPorts {
  readonly source: Source
  readonly database: Database
  readonly cache?: FactsCache
  /** What earlier audits of this repository left in this process; the two commits of one comparison share it in any case. */
  readonly memory?: AuditMemory
  readonly extractAll?: ExtractAll
  /** Advisories for locked packages, given as `name@version`. */
  readonly advisories?: (packages: readonly string[]) => Promise<AdvisoryData>
  /** Settings of the hosted platform for a project reference. */
  readonly hosted?: (facts: FactsIndex) => Promise<HostedSettings | undefined>
  /** Told when a commit's facts and database are complete and computing begins: threads and processes that stand ready only take memory then. */
  readonly rest?: () => void
  /** Given everything that was established about the commit itself, for whoever needs more than the report says. */
  readonly onAudited?: (audited: Audited) => void
  /** Told when a phase begins; for progress and traces. */
  readonly onPhase?: (phase: string) => void
}

export interface AuditResult {
  readonly report: Report
  readonly run: RunInfo
  /** Checks that crashed, with stacks, for the log. */
  readonly crashes: readonly { readonly check: string; readonly error: string }[]
}

/** The whole program: snapshots, facts, database, model, checks, findings, comparison, report. */
export async function audit(request: AuditRequest, outside: AuditPorts): Promise<AuditResult> {
  const started = performance.now()
  const ports = { ...outside, source: withRecentBlobs(outside.source) }
  const meter = new Meter(ports.onPhase)
  const memory = ports.memory ?? emptyMemory()
  const head = await auditCommit(request.commit, request, ports, memory, meter)
  const mergeBase = request.mergeBase ?? (request.base ? await ports.source.mergeBase(request.base, request.commit) : undefined)
  const base = mergeBase ? await auditBase(mergeBase, request, ports, memory, meter) : undefined
  memory.facts.forgetUnused()
  ports.onAudited?.(head)

  const renamed = base ? followRenames(base.snapshot, head.snapshot) : undefined
  const compared = base && renamed ? compare(renamed(base.findings), base, head) : undefined
  const introduced = new Set(compared?.introduced.map((f) => f.fingerprint))
  const { kept, suppressed, problems } = suppress(
    head.findings,
    ignoreComments(head.gathered.facts),
    request.config,
    request.today,
    (f) => f.severity === 'Critical' && introduced.has(f.fingerprint),
  )
  const keptPrints = new Set(kept.map((f) => f.fingerprint))
  const comparison: Comparison | undefined = compared && {
    ...compared,
    introduced: compared.introduced.filter((f) => keptPrints.has(f.fingerprint)),
    existing: compared.existing.filter((f) => keptPrints.has(f.fingerprint)),
    ...(base ? { touched: touchedObjects(base.model, head.model) } : {}),
  }
  // Of a pull request only what it introduces is shown with its fix: no other file has to be read for that.
  const shown = comparison ? kept.filter((f) => introduced.has(f.fingerprint)) : kept
  const exact = stateExactFixes(kept, await readTexts(rewrittenPaths(shown), head.snapshot, ports.source))
  const explain = base && atTheirCause(sideOf(base), sideOf(head))
  const findings = explain ? exact.map((f) => (introduced.has(f.fingerprint) ? explain(f) : f)).sort(compareFindings) : exact
  const report = buildReport({
    audit: {
      ...(request.repository ? { repository: request.repository } : {}),
      commit: head.snapshot.commit,
      ...(request.base ? { base: request.base } : {}),
      ...(mergeBase ? { mergeBase } : {}),
      ...(request.pullRequest ? { pullRequest: request.pullRequest } : {}),
      complete: head.snapshot.complete,
      files: head.model.files.paths.length,
      auditable: countAuditable(head.gathered.blobs),
      history: { commits: head.history.commits, complete: head.history.complete },
      advisories: { source: head.advisories.source, ...(head.advisories.asOf ? { asOf: head.advisories.asOf } : {}) },
    },
    ...(request.configCommit ? { configCommit: request.configCommit } : {}),
    problems: [...(request.configProblems ?? []), ...problems, ...staleEntries(request.config, head.results, head.model, request.today)],
    config: request.config,
    today: request.today,
    results: head.results,
    findings,
    suppressed: base ? markNew(suppressed, ignoreComments(base.gathered.facts), introduced) : suppressed,
    ...(comparison ? { comparison } : {}),
    model: head.model,
  })
  return {
    report,
    run: { durationMs: performance.now() - started, ...meter.totals() },
    crashes: head.results.flatMap((r) => (r.crash ? [{ check: r.check.id, error: r.crash }] : [])),
  }
}

/** Pull requests share their merge base: what was found out about it holds while everything outside of the commit is the same. */
async function auditBase(commit: string, request: AuditRequest, ports: AuditPorts, memory: AuditMemory, meter: Meter): Promise<Audited> {
  const known = memory.base
  if (known?.audited.snapshot.commit === commit && isDeepStrictEqual(known.config, request.config)) {
    const { database, advisories, hosted } = known.audited
    if (isDeepStrictEqual(await askOutside(known.audited.plan, known.audited.gathered.facts, ports, meter), { database, advisories, hosted }))
      return known.audited
  }
  const audited = await auditCommit(commit, request, ports, memory, meter)
  // What could not be read this time may be there the next time.
  if (audited.snapshot.complete && audited.history.complete && !audited.gathered.gaps.some((g) => g.because === UNREADABLE))
    memory.base = { config: request.config, audited }
  return audited
}

async function askOutside(plan: ReplayInput, facts: FactsIndex, ports: AuditPorts, meter: Meter): Promise<Outside> {
  const [database, advisories, hosted] = await Promise.all([
    plan.files.length ? meter.phase('database', () => replayOrGap(ports.database, plan)) : undefined,
    ports.advisories
      ? ports.advisories(lockedPackageKeys(facts.of('lockfile').values()))
      : ({ source: 'none', because: 'no advisory source was asked', advisories: [] } as const),
    ports.hosted?.(facts),
  ])
  return { database, advisories, hosted }
}

async function auditCommit(commit: string, request: AuditRequest, ports: AuditPorts, memory: AuditMemory, meter: Meter): Promise<Audited> {
  const cache = memory.facts.over(ports.cache)
  const snapshot = await meter.phase('snapshot', () => ports.source.snapshot(commit))
  const historyReady = meter.phase('history', () => ports.source.history(snapshot.commit, isEnvFile))
  const read = await meter.phase('facts', () =>
    gatherFacts(
      snapshot,
      ports.source,
      ports.extractAll ?? extractInProcess,
      request.config.paths.ignore,
      cache,
      undefined,
      beginsReplay(ports.database),
      askAhead,
    ),
  )
  const gathered = { ...read, facts: memory.facts.following(read.facts) }
  meter.count(gathered)
  const paths = gathered.blobs.map((b) => b.path)
  const plan = planReplay(gathered.facts, paths)
  const [outside, history] = await Promise.all([askOutside(plan, gathered.facts, ports, meter), historyReady])
  const { database, advisories, hosted } = outside
  const historySecrets = await meter.phase('history', () => readHistoric(history, snapshot, ports, cache))
  ports.rest?.()
  const model = await meter.phase('model', async () =>
    buildModel({
      files: gathered.blobs,
      facts: gathered.facts,
      database,
      history,
      historySecrets,
      advisories,
      ...(hosted ? { hosted } : {}),
      config: request.config,
      gaps: [...snapshotGaps(snapshot), ...gathered.gaps],
      memory: memory.model,
    }),
  )
  const results = await meter.phase('checks', async () => runChecks(CHECKS, model))
  const findings = withOneFix(results.flatMap(collectFindings)).sort(compareFindings)
  return { snapshot, gathered, plan, model, results, findings, history, ...outside }
}

const sideOf = ({ snapshot, gathered, model }: Audited) => ({ snapshot, facts: gathered.facts, model })

/** Texts of files, by path; what is linked, huge or unreadable is left out. */
async function readTexts(paths: readonly string[], snapshot: Snapshot, source: Source): Promise<Map<string, string>> {
  const wanted = new Set(paths.slice(0, MAX_REWRITTEN_FILES))
  const blobs = snapshot.blobs.filter((b) => wanted.has(b.path) && b.mode !== 'symlink' && b.size <= MAX_REWRITTEN_BYTES)
  if (!blobs.length) return new Map()
  const contents = await source.read(blobs.map((b) => b.sha))
  return new Map(blobs.flatMap((b) => (contents.has(b.sha) ? [[b.path, new TextDecoder().decode(contents.get(b.sha))] as const] : [])))
}

/** Files whose lines are read again to state a fix exactly. */
const MAX_REWRITTEN_FILES = 100
const MAX_REWRITTEN_BYTES = 2 << 20

/** Code is asked what is asked of each file alone while other files are extracted in threads. */
const askAhead: OnFacts = (path, { kind, facts }) => {
  if (kind === 'javascript' && fileRole(path) === 'source') codeQuestions.askAhead(path, facts as JavaScriptFacts)
}

/** Where the database can begin early, SQL is replayed while code is read. */
function beginsReplay(database: Database): FirstFacts | undefined {
  if (!database.begin) return undefined
  const tell = (facts: FactsIndex, paths: readonly string[]) => {
    const plan = planWithoutCode(facts, paths)
    if (plan) database.begin?.(plan)
  }
  return { kinds: KINDS_BESIDE_CODE, tell }
}

/** A replay that dies is a gap, never a lost audit. */
async function replayOrGap(database: Database, plan: Parameters<Database['replay']>[0]): Promise<DatabaseResult> {
  try {
    return await database.replay(plan)
  } catch (error) {
    const because = `the SQL could not be replayed: ${error instanceof Error ? error.message : String(error)}`
    return {
      catalog: { tables: [], policies: [], views: [], functions: [], buckets: [], enums: [], triggers: [], speaksOfStorage: false },
      access: { objects: [] },
      gaps: [
        {
          path: plan.files[0]?.path ?? '',
          because,
          touches: ['table', 'rls', 'policy', 'grant', 'function', 'view', 'bucket'].map((topic) => ({ topic: topic as 'table' })),
          lost: true,
        },
      ],
      statements: { total: 0, applied: 0, explained: 0 },
    }
  }
}

/** Reads the versions of env files that the history holds and the tree does not. */
async function readHistoric(history: History, snapshot: Snapshot, ports: AuditPorts, cache: FactsCache) {
  const blobs = [...new Map(history.files.map((f) => [f.sha, { path: f.path, sha: f.sha, size: -1, mode: 'file' as const }])).values()].slice(
    0,
    MAX_HISTORIC_BLOBS,
  )
  const found = new Map<string, import('./facts/kinds.ts').EnvFileFacts>()
  if (!blobs.length) return found
  const past = await gatherFacts({ ...snapshot, blobs }, ports.source, extractInProcess, [], cache, ['env-file'])
  for (const blob of past.blobs) {
    const facts = past.bySha.get(blob.sha)
    if (facts) found.set(blob.sha, facts as import('./facts/kinds.ts').EnvFileFacts)
  }
  return found
}

const MAX_HISTORIC_BLOBS = 500

function snapshotGaps(snapshot: Snapshot): Gap[] {
  return snapshot.complete ? [] : [{ path: '', because: snapshot.incompleteBecause ?? 'the file list is not complete', touches: [{ topic: 'anything' }] }]
}

function compare(baseFindings: readonly Finding[], base: Audited, head: Audited): Comparison {
  const lost = head.model.gaps.find((g) => g.lost)
  // without a database nothing that rests on it is repaired, wherever the statements stand
  const blind = new Set(lost ? CHECKS.filter((c) => c.needs.includes('schema')).map((c) => c.id) : [])
  const unreadable = new Set(head.model.gaps.filter((g) => g.touches.length > 0).map((g) => g.path))
  const hidden = (f: Finding) => unreadable.has(f.at.path) && head.model.gaps.some((g) => g.path === f.at.path && g.touches.some((t) => couldHide(t.topic, f)))
  const failedChecks = new Set(head.results.filter((r) => r.crash !== undefined).map((r) => r.check.id))
  const readable = (f: Finding) => !hidden(f) && !failedChecks.has(f.check) && !unreadable.has('') && !blind.has(f.check)
  const compared = compareWithBase(baseFindings, head.findings, readable)
  return lost && !base.model.gaps.some((g) => g.lost) ? { ...compared, lost: lost.because } : compared
}

/** Whether what a gap touches decides a finding; the public flag of a bucket is no matter of policies. */
function couldHide(topic: Gap['touches'][number]['topic'], finding: Finding): boolean {
  if (topic === 'policy' && finding.subject.startsWith('bucket ') && finding.discriminator === undefined) return false
  return topic === 'anything' || CHECKS.some((c) => c.id === finding.check && c.doubtedBy.includes(topic))
}

/** Adds up phases and counts over the commits of one audit. */
class Meter {
  private readonly phases: Record<string, number> = {}
  private hits = 0
  private misses = 0
  private bytes = 0
  private readonly onPhase: ((phase: string) => void) | undefined

  constructor(onPhase: ((phase: string) => void) | undefined) {
    this.onPhase = onPhase
  }

  async phase<T>(name: string, run: () => Promise<T>): Promise<T> {
    this.onPhase?.(name)
    const from = performance.now()
    try {
      return await run()
    } finally {
      this.phases[name] = (this.phases[name] ?? 0) + performance.now() - from
    }
  }

  count(gathered: Gathered): void {
    this.hits += gathered.hits
    this.misses += gathered.misses
    this.bytes += gathered.bytesRead
  }

  totals(): Omit<RunInfo, 'durationMs'> {
    return { cacheHits: this.hits, cacheMisses: this.misses, bytesRead: this.bytes, phases: this.phases }
  }
}
