import { type AuditPorts, type AuditResult, audit } from '../audit.ts'
import { emptyMemory } from '../audit-memory.ts'
import type { Audited } from '../audited.ts'
import { FolderSource } from '../platform/local/folder-source.ts'
import { GitSource, isGit, WORKING_TREE } from '../platform/local/git-source.ts'
import { localPorts } from '../platform/local/ports.ts'
import { readConfig } from './audit-command.ts'
import { UsageError } from './usage-error.ts'

/**
 * Audits one folder again and again in this process. What did not change since the audit before is not read, followed or replayed again. Audits wait for
 * each other.
 */
export class AuditSession {
  readonly dir: string
  readonly #offline: boolean
  readonly #memory = emptyMemory()
  #ports: Promise<AuditPorts & { close(): Promise<void> }> | undefined
  #turn: Promise<unknown> = Promise.resolve()

  /** `dir` is an absolute path. */
  constructor(dir: string, options: { readonly offline: boolean }) {
    this.dir = dir
    this.#offline = options.offline
  }

  /** Audits the files as they are now, compared with where they left `base` when it is given. Throws a `UsageError` for a base that is none. */
  audit(base?: string, onAudited?: (audited: Audited) => void): Promise<AuditResult> {
    const result = this.#turn.then(() => this.#audit(base, onAudited))
    this.#turn = result.catch(() => undefined)
    return result
  }

  /** Ends threads and sandboxes. An audit that is under way is not waited for: it may take half a minute, and nobody reads it. */
  async close(): Promise<void> {
    await (await this.#ports)?.close()
  }

  async #audit(base: string | undefined, onAudited: ((audited: Audited) => void) | undefined): Promise<AuditResult> {
    // A source keeps the listing of the working tree: each audit has its own.
    const source = isGit(this.dir) ? new GitSource(this.dir) : new FolderSource(this.dir)
    if (base !== undefined) await requireBase(source, base)
    this.#ports ??= localPorts(this.dir, { offline: this.#offline })
    const ports = await this.#ports
    const { config, problems, commit } = await readConfig(source, base ?? WORKING_TREE)
    return audit(
      {
        commit: WORKING_TREE,
        ...(base === undefined ? {} : { base }),
        config,
        ...(commit ? { configCommit: commit } : {}),
        configProblems: problems,
        today: new Date().toISOString().slice(0, 10),
      },
      { ...ports, source, memory: this.#memory, ...(onAudited ? { onAudited } : {}) },
    )
  }
}

async function requireBase(source: GitSource | FolderSource, base: string): Promise<void> {
  if (!(source instanceof GitSource)) throw new UsageError('a base needs a git repository, and this folder is none')
  await source.resolve(base).catch(() => {
    throw new UsageError(`there is no branch, tag or commit ${JSON.stringify(base.slice(0, 100))}`)
  })
  if ((await source.mergeBase(base, WORKING_TREE)) === undefined)
    throw new UsageError(`${JSON.stringify(base.slice(0, 100))} has no commit in common with the working tree`)
}
