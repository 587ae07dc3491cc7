import type { Surroundings } from '../../../model/routes/routes.ts'
import type { Issue } from '../../define-check.ts'

/**
 * One finding for each handler: what is served under several paths is wrong in one place, and so is an edge function whose file stands in the repository
 * twice, byte for byte: the project has one of that name. The first path speaks, the others are named beside it.
 */
export function oncePerHandler(issues: readonly Issue[], around: Surroundings): Issue[] {
  const first = new Map<string, Issue>()
  const copies = new Map<unknown, number>()
  /** The same content is the same object. */
  const contentOf = (path: string): string => {
    const code = around.code(path)
    if (!code) return path
    if (!copies.has(code)) copies.set(code, copies.size)
    return `content ${copies.get(code)}`
  }
  const placeOf = ({ subject, at }: Issue): string => `${/^function /.test(subject) ? contentOf(at.path) : at.path}:${at.line}`
  const key = (issue: Issue): string => `${issue.severity} ${issue.title ?? ''} ${/^route [A-Z]+ /.exec(issue.subject)?.[0] ?? issue.subject} ${placeOf(issue)}`
  for (const issue of issues) {
    const known = first.get(key(issue))
    const what = known && known.at.path !== issue.at.path ? 'the same file once more' : 'the same handler under another path'
    const also = { ...issue.at, subject: issue.subject, what }
    first.set(key(issue), known ? { ...known, related: [...(known.related ?? []), also] } : issue)
  }
  return [...first.values()]
}
