import type { Extractor } from '../../facts.ts'
import type { LockfileFacts } from '../../kinds.ts'
import { parseBunBinary, parseBunText } from './bun.ts'
import { parseDeno } from './deno.ts'
import { parseNpm } from './npm.ts'
import { MAX_PACKAGES } from './package-table.ts'
import { parsePnpm } from './pnpm.ts'
import { parseYarn } from './yarn.ts'

const PARSERS: Readonly<Record<string, { readonly format: LockfileFacts['format']; readonly parse: (text: string) => LockfileFacts }>> = {
  'package-lock.json': { format: 'npm', parse: parseNpm },
  'npm-shrinkwrap.json': { format: 'npm', parse: parseNpm },
  'pnpm-lock.yaml': { format: 'pnpm', parse: parsePnpm },
  'yarn.lock': { format: 'yarn', parse: parseYarn },
  'bun.lock': { format: 'bun', parse: parseBunText },
  'bun.lockb': { format: 'bun', parse: parseBunBinary },
  'deno.lock': { format: 'deno', parse: parseDeno },
}

/** Lock files of npm, pnpm, yarn, bun and Deno. */
export const lockfile: Extractor<'lockfile'> = {
  kind: 'lockfile',
  version: '2',
  paths: Object.keys(PARSERS).map((name) => `**/${name}`),
  maxBytes: 24 << 20,
  formatByName: true,
  extract(text, path) {
    const { format, parse } = PARSERS[path.slice(path.lastIndexOf('/') + 1).toLowerCase()] ?? { format: 'npm', parse: parseNpm }
    try {
      const facts = parse(text.startsWith('\uFEFF') ? text.slice(1) : text)
      const problems = facts.packages.length >= MAX_PACKAGES ? [{ message: `holds more than ${MAX_PACKAGES} packages; the rest was not read` }] : []
      return { facts, problems }
    } catch (error) {
      return { facts: { format, packages: [], importers: [] }, problems: [{ line: 1, message: `is no lock file that can be read (${reason(error)})` }] }
    }
  },
}

function reason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return (message.split('\n', 1)[0] ?? '').slice(0, 120)
}
