import { readFileSync } from 'node:fs'
import { CHECKS } from '../checks/index.ts'
import { requireUsage, UsageError } from './usage-error.ts'

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

/** `prelaunch explain CHECK`: the documentation page of a check, given by number or id. */
export function explainCommand(args: readonly string[]): number {
  requireUsage(args.length < 2, 'explain takes one check')
  const wanted = args[0]
  const found = CHECKS.find((c) => c.id === wanted || String(c.number) === wanted)
  if (!found) throw new UsageError(wanted ? `there is no check "${wanted}"; see prelaunch checks` : 'explain takes a check')
  process.stdout.write(readFileSync(new URL(`../checks/${found.id}.md`, import.meta.url), 'utf8'))
  return 0
}
