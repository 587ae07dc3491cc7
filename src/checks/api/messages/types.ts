/** What the words of a breach are given and what they are made of; the three files of words have it in common. */
import type { Route } from '../../../model/routes/routes.ts'
import type { Fix } from '../../define-check.ts'
import type { Manners } from '../remediation/code-conventions.ts'
import type { OwnershipBreach } from '../shared/violation.ts'

/** A breach with what its words speak of. */
export interface ToldBreach {
  readonly b: OwnershipBreach
  readonly route: Route
  readonly how: Manners
  /** How the handler knows who calls, in parentheses after a blank; empty where that is not known. */
  readonly who: string
  /** Where it happens: `path:line`. */
  readonly place: string
}

/** The text of a finding of check 17. */
export interface SaidOfBreach {
  readonly title: string
  readonly message: string
  readonly attack: string
  readonly fix: Fix
}

/** What is said of breaches of one kind. */
export type BreachWords = (told: ToldBreach) => SaidOfBreach

/** What is said of breaches of some of the kinds. */
export type WordsOfKinds = Readonly<Partial<Record<OwnershipBreach['kind'], BreachWords>>>
