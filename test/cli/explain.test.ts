import { expect, test } from 'vitest'
import { CHECKS } from '../../src/checks/index.ts'
import { explainCommand } from '../../src/cli/checks-command.ts'

function explain(...args: string[]): string {
  const written: string[] = []
  const write = process.stdout.write
  process.stdout.write = ((text: string) => written.push(text) > 0) as typeof write
  try {
    explainCommand(args)
  } finally {
    process.stdout.write = write
  }
  return written.join('')
}

test.each(CHECKS.map((c) => [c.number, c] as const))('explain %i is a page of a screen or two, without its examples', (number, check) => {
  const page = explain(String(number))
  expect(page.startsWith(`${number} ${check.id}\n${check.rule}\n\n## What it finds\n`)).toBe(true)
  expect(page).toContain('## How to fix')
  expect(page).not.toContain('```findings')
  expect(page.split('\n').length).toBeLessThanOrEqual(60)
})

test('explain --details has the examples', () => {
  expect(explain('api/ownership', '--details')).toContain('```findings')
})
