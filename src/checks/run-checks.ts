import type { AppModel } from '../model/app-model.ts'
import type { Gap } from '../model/gap.ts'
import { type Coverage, coveredBy, type NotFollowed } from './coverage.ts'
import type { Check } from './define-check.ts'
import { type Outcome, unverified } from './outcome.ts'

/** The answer of one check, doubts of gaps included. `crash` is the message of a check that threw (our bug, shown to the user). */
export interface CheckResult {
  readonly check: Check
  readonly outcome: Outcome
  readonly crash?: string
  /** What it looked at, for checks that judge handlers, pages or modules one by one. */
  readonly coverage?: Coverage
}

/** Runs every check; a gap that could have changed what a check looked at turns its pass into `unverified`. */
export function runChecks(checks: readonly Check[], model: AppModel): CheckResult[] {
  return checks.map((check) => {
    try {
      return judged(check, check.run(model), model)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      return {
        check,
        crash: error instanceof Error ? (error.stack ?? message) : message,
        outcome: unverified(`this check failed inside Prelaunch (${message.slice(0, 200)}); the rest of the audit is not affected`, {
          where: 'the code that the rule speaks of',
          attest: 'that you looked at it yourself; please report the error',
        }),
      }
    }
  })
}

function judged(check: Check, outcome: Outcome, model: AppModel): CheckResult {
  const after = doubt(check, outcome, model.gaps)
  if (!check.covers) return { check, outcome: after }
  const { coverage, doubts } = coveredBy(check.covers, model, gapsThatTouch(check, model.gaps))
  return { check, outcome: check.seenOnce && outcome.status === 'passed' ? after : notLookedAt(after, doubts), coverage }
}

/** A pass over what was not looked at is none: the answer names it. */
function notLookedAt(outcome: Outcome, doubts: readonly NotFollowed[]): Outcome {
  const absent = outcome.status === 'not-applicable' && !outcome.whateverCodeSays
  const [first] = doubts
  if (!first || (outcome.status !== 'passed' && !absent)) return outcome
  const more = doubts.length > 1 ? ` (and ${doubts.length - 1} more)` : ''
  const what = `${first.subject} was not followed: ${first.because} (${first.path}:${first.line})${more}`
  return unverified(
    absent ? `${outcome.because}, as far as could be followed; but ${what}` : `what could be followed holds, but ${what}`,
    {
      where: doubts
        .slice(0, 5)
        .map((d) => `${d.subject} at ${d.path}:${d.line}`)
        .join(', '),
      attest: absent ? 'that these places hold nothing that the rule speaks of' : 'that these places do not break the rule',
    },
    outcome.evidence,
  )
}

function doubt(check: Check, outcome: Outcome, gaps: readonly Gap[]): Outcome {
  const absent = outcome.status === 'not-applicable' && !outcome.whateverCodeSays
  if (outcome.status !== 'passed' && !absent) return outcome
  // what a file is missing of which nothing is known may be what is said to be absent
  const weighed = absent ? gaps.filter((gap) => gap.unread && gap.touches.some((t) => t.topic === 'code')) : gaps
  const doubts = gapsThatTouch(check, weighed)
  if (!doubts.length) return outcome
  const first = doubts[0] as Gap
  const more = doubts.length > 1 ? ` (and ${doubts.length - 1} more)` : ''
  const place = `${first.path}${first.line ? `:${first.line}` : ''}`
  return unverified(
    absent
      ? `${outcome.because}, as far as could be read; but ${place} ${first.because}${more}`
      : `what could be read holds, but ${place} could not be read whole: ${first.because}${more}`,
    {
      where: doubts
        .slice(0, 5)
        .map((g) => `${g.path}${g.line ? `:${g.line}` : ''}`)
        .join(', '),
      attest: absent ? 'that these places hold nothing that the rule speaks of' : 'that these places do not break the rule',
    },
    outcome.evidence,
  )
}

const gapsThatTouch = (check: Check, gaps: readonly Gap[]): readonly Gap[] =>
  gaps.filter((gap) => gap.touches.some((t) => t.topic === 'anything' || (check.doubtedBy.includes(t.topic) && !isOfOthers(check, t))))

/** Policies on files are the matter of the check that looks at buckets, and policies on tables that of the others, each for its commands. */
const isOfOthers = (check: Check, { topic, object, command }: Gap['touches'][number]): boolean =>
  topic === 'policy' &&
  ((object !== undefined && object.startsWith('storage.') !== check.doubtedBy.includes('bucket')) ||
    (command !== undefined && check.commands !== undefined && !check.commands.includes(command)))
