import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { CHECKS } from '../checks/index.ts'
import { asUsageError, requireUsage, UsageError } from './usage-error.ts'

/** `prelaunch checks`: the list of checks. */
export function checksCommand(args: readonly string[]): number {
  requireUsage(args.length === 0, 'checks takes no arguments')
  let category = ''
  for (const c of CHECKS) {
    if (c.category !== category) process.stdout.write(`${category ? '\n' : ''}${c.category}\n`)
    category = c.category
    process.stdout.write(`  ${String(c.number).padStart(2)}  ${c.id.padEnd(30)} ${c.rule}\n`)
  }
  return 0
}

/** `prelaunch explain CHECK [--details]`: what a check finds, given by number or id; with `--details` the whole page with its examples. */
export function explainCommand(args: readonly string[]): number {
  const { checks, details } = readExplain(args)
  requireUsage(checks.length < 2, 'explain takes one check')
  const [wanted] = checks
  const found = CHECKS.find((c) => c.id === wanted || String(c.number) === wanted)
  if (!found) throw new UsageError(wanted ? `there is no check "${wanted}"; see prelaunch checks` : 'explain takes a check')
  const page = readFileSync(new URL(`../checks/${found.id}.md`, import.meta.url), 'utf8')
  process.stdout.write(
    details ? page : `${found.number} ${found.id}\n${found.rule}\n\n${shortPage(page)}\n\nExamples: prelaunch explain ${found.number} --details\n`,
  )
  return 0
}

function readExplain(args: readonly string[]): { checks: readonly string[]; details: boolean } {
  try {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: { details: { type: 'boolean', default: false } } })
    return { checks: positionals, details: values.details }
  } catch (error) {
    throw asUsageError(error)
  }
}

/** A page without its title and its examples, which stand from `Bad` to `How to fix` and are the tests of the check: a screen or two. */
function shortPage(page: string): string {
  const [head = ''] = page.split(/^## Bad$/m, 1)
  return `${head.slice(head.search(/^## /m))}${page.slice(page.search(/^## How to fix$/m))}`.trimEnd()
}
