import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { auditFiles } from '../../support/audit-files.ts'
import { documentationCases } from '../../support/documentation-cases.ts'

/** Small projects, each with the routes that the report has to list: `METHOD route | who is let in @ where that is decided`. */
const PROJECTS = documentationCases(readFileSync(new URL('./inventories.md', import.meta.url), 'utf8'))

describe('who is let in', () => {
  test.each(PROJECTS.map((p) => [p.title, p] as const))('%s', async (_title, project) => {
    const { routes } = await auditFiles(project.files)
    expect(
      routes.map((r) => `${r.method ?? 'ANY'} ${r.route} | ${r.guard ? `${r.guard.who.replace(/ \(.*/, '')} @ ${r.guard.path}:${r.guard.line}` : 'anybody'}`),
    ).toEqual(project.expected)
  })
})
