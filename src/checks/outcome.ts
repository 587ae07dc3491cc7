import type { Place, RelatedPlace } from '../lib/place.ts'
import type { Rewrite } from '../lib/rewrite.ts'

/** Critical blocks a merge; see checks.md for what each level means. */
export type Severity = 'Critical' | 'High' | 'Medium'

/** Severities as numbers, the gravest highest. */
export const SEVERITY_RANK: Readonly<Record<Severity, number>> = { Critical: 3, High: 2, Medium: 1 }

export const SEVERITIES: readonly Severity[] = ['Critical', 'High', 'Medium']

export interface Fix {
  /** What to do, one or two sentences. */
  readonly text: string
  /** The fix as code for this very place. */
  readonly language?: string
  readonly code?: string
  /** The lines that `code` replaces, when it is a change of lines. */
  readonly replaces?: { readonly path: string; readonly line: number; readonly endLine: number }
  /** How the lines from `line` on change, for fixes that are an exact change of them; the audit applies it to the text and states the result as `code` and `replaces`. */
  readonly rewrite?: { readonly path: string; readonly line: number; readonly endLine?: number; readonly apply: Rewrite }
  /** True when the audit applied it in the sandbox and the hole was closed. */
  readonly proved?: true
  /** What no change of the code does: a key to replace, a setting of a dashboard. `where` is the page to open, an address where one is known. */
  readonly byHand?: { readonly what: string; readonly where: string }
  /** Where one fix closes several findings and its code is that of another one (`sibling`), or of several (`several`): whose words say what it does. */
  readonly from?: 'sibling' | 'several'
  /** The end of `text` that says what of the application's own code stops; said once of a fix that several findings share. */
  readonly stops?: string
}

/** One thing that is wrong, as a check says it. */
export interface Issue {
  /** Stable name of what is wrong (see checks.md, Subject). Never a line number. */
  readonly subject: string
  /** Tells two issues of one check with the same subject apart; from the content, never a running number. */
  readonly discriminator?: string
  readonly severity: Severity
  /** Short headline; the check's own rule name when absent. */
  readonly title?: string
  /** What is wrong here. */
  readonly message: string
  /** What an attacker does with it, one sentence. */
  readonly attack: string
  readonly fix: Fix
  readonly at: Place
  readonly related?: readonly RelatedPlace[]
  /** `executed` when the hole was tried and worked, `inferred` when it was read. */
  readonly proof: 'executed' | 'inferred'
  /** An assumption that the finding rests on and the repository does not settle. */
  readonly assumes?: string
  /** Identifiers of the same rule elsewhere: `splinter:0013`, `CWE-862`. */
  readonly aliases?: readonly string[]
  /** Numbers of other checks that the same cause also fails (one FOR ALL policy: 2, 3 and 4). */
  readonly alsoFails?: readonly number[]
  /** What one change repairs, in words that two findings share only if the same change repairs both; absent where it repairs this one alone. */
  readonly cause?: string
  readonly workspace?: string
}

/** Where a person looks, and what to write into `attest` afterwards. */
export interface HowToVerify {
  readonly where: string
  readonly attest: string
}

/** The answer of a check. A check never passes by default: `passed` names what was looked at. */
export type Outcome =
  | {
      readonly status: 'failed'
      readonly issues: readonly Issue[]
      readonly evidence: readonly string[] /** Violations reported by other checks: [check number, subject]. */
      readonly reportedBy?: readonly (readonly [number, string])[]
    }
  | { readonly status: 'passed'; readonly evidence: readonly string[] }
  | {
      readonly status: 'not-applicable'
      readonly because: string
      readonly evidence?: readonly string[]
      /** What is absent would be absent whatever a file says that could not be read. */
      readonly whateverCodeSays?: true
    }
  | { readonly status: 'unverified'; readonly because: string; readonly howToVerify: HowToVerify; readonly evidence?: readonly string[] }

/** The rule does not hold. `issues` may be empty only when `reportedBy` says where the violations are reported. */
export function failed(issues: readonly Issue[], evidence: readonly string[] = [], reportedBy?: readonly (readonly [number, string])[]): Outcome {
  return reportedBy?.length ? { status: 'failed', issues, evidence, reportedBy } : { status: 'failed', issues, evidence }
}

/** The rule holds on what `evidence` names (a count and the objects looked at). */
export function passed(...evidence: readonly string[]): Outcome {
  return { status: 'passed', evidence }
}

/** The application has nothing that the rule speaks of. */
export function notApplicable(because: string, evidence: readonly string[] = []): Outcome {
  return { status: 'not-applicable', because, evidence }
}

/** The application has nothing that the rule speaks of, and no file could show it that was not read: what it would take is declared elsewhere. */
export function certainlyNotApplicable(because: string): Outcome {
  return { status: 'not-applicable', because, whateverCodeSays: true }
}

/** The repository does not show it; says what to look at. */
export function unverified(because: string, howToVerify: HowToVerify, evidence: readonly string[] = []): Outcome {
  return { status: 'unverified', because, howToVerify, evidence }
}
