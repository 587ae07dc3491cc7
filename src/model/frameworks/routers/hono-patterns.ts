/**
 * For which routes Hono runs middleware. A pattern ends where its last segment does, unless that is a wildcard of its own. Until a late version 4 the
 * router compared patterns with the text of routes, so that some never matched: seen by running 4.6.0, 4.12.0, 4.13.0, 4.13.10 and 4.13.19.
 */
import { minVersion, lt as olderThan } from 'semver'
import type { Program } from '../program.ts'

/** From here on a wildcard matches wherever it stands (honojs/hono#5258, #5394). */
const MATCHES_ANYWHERE = '4.13.19'

/** Whether `use(pattern)`, prefixes included, runs for a route of the file: `/members/*` for `/members/[id]`, `/members` for itself alone. */
export function honoCovers(pattern: string, route: string, program: Program, path: string): boolean {
  const wanted = segmentsOf(pattern)
  if (wanted.join('') === '*') return true
  const last = wanted.at(-1) ?? ''
  const isOld = comparesTexts(program, path)
  if (isOld && last !== '*' && last.endsWith('*')) return false
  const open = last.endsWith('*')
  const fixed = last === '*' ? wanted.slice(0, -1) : wanted
  const asked = segmentsOf(route)
  if (open ? asked.length < fixed.length : asked.length !== fixed.length) return false
  return fixed.every((s, i) => {
    const other = asked[i] as string
    if (isOld && open && s === '*') return other === '*'
    return matchesSegment(s, other)
  })
}

const segmentsOf = (path: string): string[] => path.split('/').filter((s) => s !== '')

function matchesSegment(pattern: string, segment: string): boolean {
  if (pattern === '*' || pattern === segment) return true
  // `:id` and `[id]`; one with an expression of its own (`:id{[0-9]+}`) is taken to match another parameter
  if (/^(?::|\[)/.test(pattern)) return true
  return pattern.endsWith('*') && segment.startsWith(pattern.slice(0, -1))
}

/** Whether the oldest version that the manifest lets in compares patterns with the text of routes. */
function comparesTexts(program: Program, path: string): boolean {
  const { all, of } = program.workspaces
  const range = [of(path), all[0]].flatMap((w) => w?.manifest?.dependencies.find((d) => d.name === 'hono')?.range ?? [])[0]
  if (range === undefined || range.length > 100) return false
  try {
    const oldest = minVersion(range)
    return oldest !== null && olderThan(oldest, MATCHES_ANYWHERE)
  } catch {
    return false
  }
}
