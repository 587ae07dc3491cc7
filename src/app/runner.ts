import { forgetClones } from '../platform/github/bare-clone.ts'
import { SourceError } from '../source/source.ts'
import { TargetRun } from './run-target.ts'
import { type RunnerOptions, Superseded } from './runner-options.ts'

/** Seconds that an audit may take altogether. */
const MAX_AUDIT_SECONDS = 15 * 60
/** Runs the newest wish of a target and brings its Check Run to a conclusion, whatever happens. */
export class Runner {
  readonly #options: RunnerOptions
  readonly #running = new Map<string, AbortController>()

  constructor(options: RunnerOptions) {
    this.#options = options
  }

  /** Ends a running audit: its target got a newer wish or none at all. */
  interrupt(key: string, by: Superseded['by']): void {
    this.#running.get(key)?.abort(new Superseded(by))
  }

  /** Ends the running audits of repositories: the App was uninstalled there. */
  interruptRepositories(repositories: readonly number[]): void {
    for (const key of this.#running.keys()) if (repositories.some((id) => key.startsWith(`${id}/`))) this.interrupt(key, 'closed')
  }

  /** Ends every running audit; each is resumed by the next process. */
  interruptAll(): void {
    for (const controller of this.#running.values()) controller.abort(new Superseded('shutdown'))
  }

  async run(key: string): Promise<void> {
    const { targets } = this.#options.store
    const stored = await targets.get(key)
    if (!stored || stored.done >= stored.version || stored.state === 'cancelled') return
    const starts = await targets.markRunning(key)
    const controller = new AbortController()
    this.#running.set(key, controller)
    // Another process may take the newer webhook: the row tells.
    const watch = setInterval(() => {
      targets.version(key).then(
        (version) => version !== stored.version && controller.abort(new Superseded(version === undefined ? 'closed' : 'newer')),
        () => {},
      )
    }, 2000)
    const deadline = setTimeout(
      () => controller.abort(new SourceError(`The audit took longer than ${MAX_AUDIT_SECONDS / 60} minutes.`)),
      MAX_AUDIT_SECONDS * 1000,
    )
    try {
      await new TargetRun(this.#options, stored, starts, controller.signal).run()
    } finally {
      clearInterval(watch)
      clearTimeout(deadline)
      this.#running.delete(key)
      // An audit can clone again what was deleted with the installation while it ran.
      if (controller.signal.aborted && !(await targets.knows(stored.target.repository.id)))
        await forgetClones(this.#options.store.cloneRoot, [stored.target.repository.id])
      await targets.endStart(key)
    }
  }
}
