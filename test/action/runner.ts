import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { GitRepository } from '../support/github/git-repository.ts'

const MAIN = resolve('src/action/main.ts')

/** What a step of the action left behind. */
export interface StepRun {
  readonly status: number
  readonly lines: readonly string[]
  readonly outputs: Readonly<Record<string, string>>
  readonly summary: string
  readonly sarif: string | undefined
}

/** Runs the script of the action as the runner does: a checkout, the event's payload, and files for summary and outputs. */
export async function runStep(
  root: string,
  checkout: string,
  event: { readonly name: string; readonly payload: unknown },
  inputs: Readonly<Record<string, string>> = {},
): Promise<StepRun> {
  const temp = mkdtempSync(join(root, 'runner-'))
  const file = (name: string, text = '') => {
    writeFileSync(join(temp, name), text)
    return join(temp, name)
  }
  const [summary, output] = [file('summary'), file('output')]
  const env = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    GITHUB_ACTIONS: 'true',
    GITHUB_WORKSPACE: checkout,
    RUNNER_TEMP: temp,
    GITHUB_EVENT_NAME: event.name,
    GITHUB_EVENT_PATH: file('event.json', JSON.stringify(event.payload)),
    GITHUB_STEP_SUMMARY: summary,
    GITHUB_OUTPUT: output,
    PRELAUNCH_OFFLINE: 'true',
    ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`PRELAUNCH_${name}`, value])),
  }
  const child = spawn(process.execPath, [MAIN], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const pieces: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => pieces.push(piece.toString()))
  const [status] = (await once(child, 'close')) as [number]
  const outputs = Object.fromEntries(
    readFileSync(output, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
  return {
    status,
    lines: pieces.join('').split('\n').filter(Boolean),
    outputs,
    summary: readFileSync(summary, 'utf8'),
    sarif: outputs['sarif'] ? readFileSync(outputs['sarif'], 'utf8') : undefined,
  }
}

/** The payload of a pull request, with what the action reads of it. */
export const pullRequest = (base: string, head: string, more: { readonly fork?: boolean; readonly private?: boolean } = {}) => ({
  name: 'pull_request',
  payload: {
    action: 'opened',
    repository: { full_name: 'acme/shop', html_url: 'https://github.com/acme/shop', private: more.private ?? false },
    pull_request: {
      number: 7,
      base: { sha: base, ref: 'main' },
      head: { sha: head, ref: 'feature', repo: { full_name: more.fork ? 'stranger/shop' : 'acme/shop', fork: more.fork ?? false } },
    },
  },
})

/** A checkout as `actions/checkout` with `fetch-depth: 0` makes it: all branches as those of origin. */
export function checkOut(repository: GitRepository, root: string, branch: string): string {
  const dir = mkdtempSync(join(root, 'workspace-'))
  mkdirSync(dir, { recursive: true })
  repository.git('clone', '--quiet', '--branch', branch, repository.dir, dir)
  return dir
}
