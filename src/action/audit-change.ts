import { audit } from '../audit.ts'
import { readConfig } from '../cli/audit-command.ts'
import { applyBaseline } from '../cli/baseline-file.ts'
import { UsageError } from '../cli/usage-error.ts'
import type { Config } from '../config/config.ts'
import { GitSource, isGit } from '../platform/local/git-source.ts'
import { localPorts } from '../platform/local/ports.ts'
import type { Report } from '../report/report.ts'
import { cachedReplays, fileFactsCache } from './cached-ports.ts'
import type { AuditedChange } from './event.ts'
import { FactsFile } from './facts-file.ts'
import type { ActionInputs } from './inputs.ts'

/** What an audit of a change gives the action to write. */
export interface ChangeAudit {
  readonly report: Report
  readonly config: Config
  /** Paths that differ between base and head; undefined without a base. */
  readonly changedPaths: ReadonlySet<string> | undefined
  /** Sentences for the log. They may hold names of the repository. */
  readonly notes: readonly string[]
}

/** Audits what an event asks for, in the checkout of the runner. Throws a `UsageError` when the checkout lacks what is needed. */
export async function auditChange(change: AuditedChange, inputs: ActionInputs): Promise<ChangeAudit> {
  if (!isGit(inputs.dir)) throw new UsageError('There is no checkout. Put actions/checkout with "fetch-depth: 0" before this action.')
  const git = new GitSource(inputs.dir)
  const commit = await requireCommit(git, change.head ?? 'HEAD')
  const base = change.base && (await baseCommit(git, change, commit))
  const ports = await localPorts(inputs.dir, { offline: inputs.offline })
  try {
    const kept = inputs.cacheDir ? new FactsFile(inputs.cacheDir) : undefined
    const { config, problems, commit: configCommit } = await readConfig(ports.source, base ?? commit)
    const { report, crashes, run } = await audit(
      {
        repository: change.repository,
        commit,
        ...(base ? { base } : {}),
        ...(change.pullRequest ? { pullRequest: change.pullRequest } : {}),
        config,
        ...(configCommit ? { configCommit } : {}),
        configProblems: problems,
        today: new Date().toISOString().slice(0, 10),
      },
      { ...ports, ...(kept ? { cache: fileFactsCache(kept), database: cachedReplays(ports.database as Required<typeof ports.database>, kept) } : {}) },
    )
    kept?.save()
    const notes = crashes.map((c) => `check ${c.check} failed inside Prelaunch: ${c.error.split('\n')[0]}`)
    if (kept) notes.push(`facts of ${run.cacheHits} files came from the cache, ${run.cacheMisses} were read`)
    const judged = inputs.baseline ? await applyBaseline(report, ports.source, { file: inputs.baseline, dir: inputs.dir, base }) : { report, notes: [] }
    return { report: judged.report, config, changedPaths: await changedPaths(git, report), notes: [...notes, ...judged.notes] }
  } finally {
    await ports.close()
  }
}

/**
 * The tip of the branch that a pull request goes to, where the checkout has it: GitHub does not keep the base commit of the event up to date, and what
 * others merged meanwhile is not this change's.
 */
async function baseCommit(git: GitSource, { base, baseBranch }: AuditedChange, head: string): Promise<string> {
  const tip = baseBranch && (await git.resolve(`refs/remotes/origin/${baseBranch}`).catch(() => undefined))
  const commit = tip || (await requireCommit(git, base as string))
  if ((await git.mergeBase(commit, head)) === undefined)
    throw new UsageError('The checkout has no commit that base and head share. Check out with "fetch-depth: 0".')
  return commit
}

async function requireCommit(git: GitSource, revision: string): Promise<string> {
  return git.resolve(revision).catch(() => {
    throw new UsageError(`The checkout does not have the commit ${revision.slice(0, 12)}. Check out with "fetch-depth: 0".`)
  })
}

async function changedPaths(git: GitSource, { audit: { mergeBase, commit } }: Report): Promise<ReadonlySet<string> | undefined> {
  if (!mergeBase) return undefined
  const [before, after] = await Promise.all([git.snapshot(mergeBase), git.snapshot(commit)])
  const shas = new Map(before.blobs.map((b) => [b.path, b.sha]))
  const changed = after.blobs.filter((b) => shas.get(b.path) !== b.sha).map((b) => b.path)
  const here = new Set(after.blobs.map((b) => b.path))
  return new Set([...changed, ...before.blobs.map((b) => b.path).filter((path) => !here.has(path))])
}
