import { findNodeAtLocation, type ParseError, parseTree } from 'jsonc-parser'
import { lineFinder } from '../../../lib/line-finder.ts'
import type { Extractor, Problem } from '../../facts.ts'
import type { PackageDependency, PackageJsonFacts } from '../../kinds.ts'

const GROUPS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const
const EMPTY_PACKAGE: PackageJsonFacts = { scripts: {}, workspaces: [], dependencies: [], fields: {} }

/** package.json manifests. */
export const packageJson: Extractor<'package-json'> = {
  kind: 'package-json',
  version: '1',
  paths: ['**/package.json'],
  extract(text) {
    const problems: Problem[] = []
    const errors: ParseError[] = []
    const root = parseTree(text, errors)
    const lineAt = lineFinder(text)
    for (const e of errors.slice(0, 1)) problems.push({ line: lineAt(e.offset), message: 'is not valid JSON' })
    const data = asRecord(safeParse(text))
    if (!root || !data) return { facts: EMPTY_PACKAGE, problems: problems.length ? problems : [{ line: 1, message: 'is not a JSON object' }] }
    const dependencies: PackageDependency[] = []
    for (const group of GROUPS) {
      for (const [name, range] of Object.entries(asRecord(data[group]) ?? {})) {
        if (typeof range !== 'string') continue
        const node = findNodeAtLocation(root, [group, name])
        dependencies.push({ name, range, group, line: lineAt(node?.parent?.offset ?? 0) })
      }
    }
    const ws = Array.isArray(data.workspaces) ? data.workspaces : asRecord(data.workspaces)?.packages
    const scripts = Object.fromEntries(Object.entries(asRecord(data.scripts) ?? {}).filter((e): e is [string, string] => typeof e[1] === 'string'))
    const author = typeof data.author === 'string' ? data.author : asRecord(data.author)?.email
    const fields = Object.fromEntries(
      ['imports', 'exports', 'main', 'module', 'browser', 'types', 'packageManager', 'engines', 'expo', 'next']
        .filter((k) => k in data)
        .map((k) => [k, data[k]]),
    )
    return {
      facts: {
        ...(typeof data.name === 'string' ? { name: data.name } : {}),
        ...(typeof data.version === 'string' ? { version: data.version } : {}),
        ...(typeof data.private === 'boolean' ? { private: data.private } : {}),
        ...(typeof data.type === 'string' ? { type: data.type } : {}),
        ...(typeof author === 'string' ? { author } : {}),
        scripts,
        workspaces: Array.isArray(ws) ? ws.filter((w): w is string => typeof w === 'string') : [],
        dependencies,
        fields,
      },
      problems,
    }
  },
}

function safeParse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
}
