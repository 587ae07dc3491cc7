import { type Issue, SEVERITIES } from '../../define-check.ts'
import type { FoundIn } from './merge-by-helper.ts'

/**
 * Policies of one table that let the same people do the same are one finding: the fix of one has to take the others as well. The widest of them is
 * shown, with the fix that closes most.
 */
export function oneForEachFix(found: readonly FoundIn[]): FoundIn[] {
  const groups: FoundIn[][] = []
  for (const one of found) {
    const same = groups.filter((g) => g.some((other) => isClosedBy(one, other) || isClosedBy(other, one)))
    for (const g of same) groups.splice(groups.indexOf(g), 1)
    groups.push([...same.flat(), one].sort((a, b) => found.indexOf(a) - found.indexOf(b)))
  }
  return groups.sort((a, b) => found.indexOf(a[0] as FoundIn) - found.indexOf(b[0] as FoundIn)).map(merged)
}

function isClosedBy({ hole, issue }: FoundIn, other: FoundIn): boolean {
  return (
    hole !== other.hole &&
    issue.subject !== other.issue.subject &&
    hole.object === other.hole.object &&
    hole.bucket === other.hole.bucket &&
    hole.command === other.hole.command &&
    hole.policy !== undefined &&
    other.hole.beside?.includes(hole.policy) === true
  )
}

const width = ({ hole, issue }: FoundIn): readonly number[] => [SEVERITIES.indexOf(issue.severity), hole.who === 'anon' ? 0 : 1, hole.states?.length ?? 0]

function wider(a: FoundIn, b: FoundIn): FoundIn {
  const [left, right] = [width(a), width(b)]
  const at = left.findIndex((n, i) => n !== right[i])
  return at < 0 || (left[at] as number) < (right[at] as number) ? a : b
}

function merged(group: readonly FoundIn[]): FoundIn {
  const widest = group.reduce(wider)
  if (group.length < 2) return widest
  const closing = group.reduce((a, b) => ((b.hole.beside?.length ?? 0) > (a.hole.beside?.length ?? 0) ? b : a))
  const others = group.filter((f) => f !== widest)
  const related = others.map(({ issue }) => ({ ...issue.at, subject: issue.subject, what: 'a policy that lets the same people do the same' }))
  const alsoFails = [...new Set(group.flatMap(({ issue }) => issue.alsoFails ?? []))].sort()
  const issue: Issue = {
    ...widest.issue,
    message: `${widest.issue.message} ${others.length > 1 ? `${others.length} other policies let` : `The policy "${others[0]?.hole.policy}" lets`} the same people do the same, so all have to go.`,
    fix: { ...closing.issue.fix, text: widest.issue.fix.text },
    related: [...(widest.issue.related ?? []), ...related],
    ...(alsoFails.length ? { alsoFails } : {}),
  }
  return { hole: widest.hole, issue }
}
