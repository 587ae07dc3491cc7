import type { RelatedPlace } from '../../lib/place.ts'
import type { Issue } from '../define-check.ts'

const SEVERITY_SORT_KEY = { Critical: 0, High: 1, Medium: 2 } as const

/** One finding for each endpoint, which two applications may call the same: the worst of what is wrong speaks, what else is wrong in the same handler stands beside it. */
export function onePerEndpoint(issues: readonly Issue[]): readonly Issue[] {
  return [...Map.groupBy(issues, (i) => `${i.subject} ${i.at.path}`).values()].map((same) => {
    const [main, ...others] = [...same].sort((a, b) => SEVERITY_SORT_KEY[a.severity] - SEVERITY_SORT_KEY[b.severity])
    if (!others.length) return main as Issue
    return beside(main as Issue, others)
  })
}

function beside(main: Issue, others: readonly Issue[]): Issue {
  const also = others.map((o): RelatedPlace => ({ ...placeOf(o), what: lowered(o.title ?? o.message) }))
  return {
    ...main,
    message: `${main.message} Beside that: ${others.map((o) => o.message).join(' ')}`,
    fix: { ...main.fix, text: `${main.fix.text} ${others.map((o) => o.fix.text).join(' ')}` },
    related: [...(main.related ?? []), ...also, ...others.flatMap((o) => o.related ?? [])],
  }
}

const placeOf = ({ at }: Issue): { path: string; line: number } => ({ path: at.path, line: at.line })

const lowered = (title: string): string => title.charAt(0).toLowerCase() + title.slice(1)
