import { join } from 'node:path'
import { UsageError } from '../cli/usage-error.ts'

/** What the runner and the workflow tell the action, by environment variables alone. */
export interface ActionInputs {
  readonly eventName: string | undefined
  readonly eventPath: string | undefined
  /** The folder of the checkout. */
  readonly dir: string
  readonly summaryFile: string | undefined
  readonly outputFile: string | undefined
  /** Where the SARIF document is written. */
  readonly sarif: string
  /** The folder that `actions/cache` keeps; undefined when nothing is kept. */
  readonly cacheDir: string | undefined
  /** Path of a baseline in the repository. */
  readonly baseline: string | undefined
  readonly offline: boolean
}

/** Reads the inputs. Throws a `UsageError` for a value of several lines: it could write commands or outputs. */
export function readInputs(env: NodeJS.ProcessEnv): ActionInputs {
  const input = (name: string) => {
    const value = env[`PRELAUNCH_${name}`] || undefined
    if (value !== undefined && /[\r\n]/.test(value)) throw new UsageError(`The input ${name.toLowerCase().replaceAll('_', '-')} has several lines.`)
    return value
  }
  const { GITHUB_WORKSPACE, RUNNER_TEMP } = env
  if (!GITHUB_WORKSPACE || !RUNNER_TEMP) throw new UsageError('GITHUB_WORKSPACE or RUNNER_TEMP is not set. The action runs in a workflow of GitHub Actions.')
  return {
    eventName: env['GITHUB_EVENT_NAME'],
    eventPath: env['GITHUB_EVENT_PATH'],
    dir: join(GITHUB_WORKSPACE, input('PATH') ?? '.'),
    summaryFile: env['GITHUB_STEP_SUMMARY'],
    outputFile: env['GITHUB_OUTPUT'],
    sarif: join(input('SARIF') ? GITHUB_WORKSPACE : RUNNER_TEMP, input('SARIF') ?? 'prelaunch.sarif'),
    cacheDir: input('CACHE_DIR'),
    baseline: input('BASELINE'),
    offline: input('OFFLINE') === 'true',
  }
}
