import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

interface Workflow {
  readonly permissions: unknown
  readonly jobs: Record<string, { readonly steps: readonly { readonly uses?: string }[] }>
}

const folder = new URL('../.github/workflows/', import.meta.url)
const workflows = readdirSync(folder).map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }))

it.each(workflows)('$name: every action is pinned by its commit, the version beside it', ({ text }) => {
  const { jobs } = parse(text) as Workflow
  const used = Object.values(jobs).flatMap((job) => job.steps.flatMap((step) => step.uses ?? []))
  expect(used.length).toBeGreaterThan(0)
  expect(used.filter((action) => !/^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/.test(action))).toEqual([])
  for (const action of used) expect(text).toMatch(new RegExp(`${action} # v\\d+\\.\\d+\\.\\d+\\n`))
})

it.each(workflows)('$name: the token may read the content and nothing else', ({ text }) => {
  expect((parse(text) as Workflow).permissions).toEqual({ contents: 'read' })
})

it('the oldest Node that package.json allows is tested', () => {
  const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { engines: { node: string } }
  const oldest = engines.node.replace('>=', '')
  expect(workflows.some(({ text }) => text.includes(`'${oldest}.0'`))).toBe(true)
})
