import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
  readonly with?: Readonly<Record<string, unknown>>
  readonly if?: string
}

const action = parse(readFileSync('action.yml', 'utf8')) as {
  readonly inputs: Readonly<Record<string, unknown>>
  readonly outputs: Readonly<Record<string, { readonly value: string }>>
  readonly runs: { readonly steps: readonly Step[] }
}
const page = readFileSync('docs/action.md', 'utf8')
const workflows = [...page.matchAll(/^```yaml\n(.+?)^```/gms)].map(([, text]) => parse(text as string))
const { steps } = action.runs
const PINNED = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/

it('uses actions by their commit', () => {
  for (const { uses } of steps) if (uses) expect(uses).toMatch(PINNED)
})

it('writes no expression into a script', () => {
  for (const { run } of steps) expect(run ?? '').not.toContain('${{')
})

it('hands every input over, and reads no other', () => {
  const handed = Object.keys(steps.at(-1)?.env ?? {}).sort()
  const named = Object.keys(action.inputs).map((name) => (name === 'token' ? 'GITHUB_TOKEN' : `PRELAUNCH_${name.toUpperCase().replaceAll('-', '_')}`))
  expect(handed).toEqual(named.sort())
  const read = [...readFileSync('src/action/inputs.ts', 'utf8').matchAll(/input\('(\w+)'\)/g)].map(([, name]) => `PRELAUNCH_${name}`)
  expect([...new Set(read)].sort()).toEqual(handed.filter((name) => name !== 'GITHUB_TOKEN'))
})

it('declares the outputs that it sets', () => {
  for (const [name, { value }] of Object.entries(action.outputs)) expect(value).toBe(`\${{ steps.audit.outputs.${name} }}`)
  const written = /writeOutputs\(inputs\.outputFile, \{([^}]+)\}/.exec(readFileSync('src/action/run-action.ts', 'utf8'))?.[1] ?? ''
  expect([...written.matchAll(/^\s*'?([\w-]+)'?:/gm)].map(([, name]) => name).sort()).toEqual(Object.keys(action.outputs).sort())
})

it('is documented by a workflow with the least permissions, which never runs with the secrets of the repository', () => {
  const [workflow] = workflows
  expect(Object.keys(workflow.on).sort()).toEqual(['merge_group', 'pull_request', 'push'])
  expect(workflow.permissions).toEqual({ contents: 'read' })
  const { steps, permissions } = workflow.jobs.audit as { steps: readonly Step[]; permissions: object }
  expect(permissions).toEqual({ contents: 'read', 'security-events': 'write' })
  expect(steps.map((s) => s.uses?.split('@')[0])).toEqual(['actions/checkout', 'actions/cache', 'prelaunch/prelaunch', 'github/codeql-action/upload-sarif'])
  expect(steps[0]?.with).toMatchObject({ 'fetch-depth': 0, 'persist-credentials': false })
  expect(steps.at(-1)?.if).toContain('github.event.pull_request.head.repo.full_name == github.repository')
  for (const { uses } of steps) if (!uses?.startsWith('prelaunch/')) expect(uses).toMatch(PINNED)
  for (const name of Object.keys(steps[2]?.with ?? {})) expect(action.inputs).toHaveProperty([name])
})
