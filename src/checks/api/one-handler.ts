import type { Issue } from '../define-check.ts'

/** One finding for each handler: what is served under several paths is wrong in one place. The first path speaks, the others are named beside it. */
export function oncePerHandler(issues: readonly Issue[]): Issue[] {
  const first = new Map<string, Issue>()
  const key = ({ subject, at, severity, title }: Issue): string =>
    `${severity} ${title ?? ''} ${/^route [A-Z]+ /.exec(subject)?.[0] ?? subject} ${at.path}:${at.line}`
  for (const issue of issues) {
    const known = first.get(key(issue))
    const also = { ...issue.at, subject: issue.subject, what: 'the same handler under another path' }
    first.set(key(issue), known ? { ...known, related: [...(known.related ?? []), also] } : issue)
  }
  return [...first.values()]
}
