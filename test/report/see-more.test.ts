import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { renderCheckRun } from '../../src/annotations/check-run.ts'
import { fitInto } from '../../src/annotations/sections.ts'
import { SEE_MORE } from '../../src/report/see-more.ts'
import { audience, finding, report } from '../annotations/sample-report.ts'

test('nobody is told to run a package that is not published', () => {
  const shown = [...globSync(['src/**/*.{ts,md,json,sql}', 'docs/**/*.md', '*.md', 'schema/*.json', 'app.yml', 'bin/*', 'scripts/*.{ts,mjs,cjs,json}'])]
  expect(shown.length).toBeGreaterThan(500)
  expect(shown.filter((path) => /\b(npx|bunx|pnpm dlx|yarn dlx|npm exec)\s+(-\S+\s+)*prelaunch/.test(readFileSync(path, 'utf8')))).toEqual([])
})

test('a text that leaves parts out says where its reader finds them', () => {
  const sections = [
    { name: 'verdict', expendable: 0, text: 'Fine.' },
    { name: 'routes', expendable: 1, text: 'r'.repeat(300) },
  ]
  expect(fitInto(sections, 200, SEE_MORE.comment)).toBe(
    'Fine.\n\n_Left out for size: routes. The check run “Prelaunch audit” of this pull request has room for more._',
  )
})

test('on a public repository the check run says how its existing findings are shown', () => {
  const text = renderCheckRun(report([finding()], { introduced: [] }), audience({ private: false })).summary
  expect(text).toContain('existing findings are counted and not described. To see them here, set `publish: all`')
})
