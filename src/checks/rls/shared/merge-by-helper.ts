import type { Hole } from '../../../database/database.ts'
import { withCapital } from '../../../lib/with-capital.ts'
import { type Fix, type Issue, SEVERITIES } from '../../define-check.ts'
import { COMMANDS_BY_CHECK, everybody, listed, whoGetsIn } from '../messages/rls.ts'

/** What a policy is found to let through. */
export interface FoundIn {
  readonly hole: Hole
  readonly issue: Issue
}

/** The same findings, those of policies that are open because of one function they ask as one: the function is what has to be mended. */
export function oneForEachHelper(found: readonly FoundIn[], check: 2 | 3 | 4, all: readonly Hole[], schema: Parameters<typeof whoGetsIn>[0]): Issue[] {
  const byHelper = Map.groupBy(found, ({ hole, issue }) => hole.helper?.object ?? issue)
  return [...byHelper.values()].map((group) => ((group[0] as FoundIn).hole.helper ? helperIssue(group, check, all, schema) : (group[0] as FoundIn).issue))
}

const ATTACK_BY_CHECK = {
  2: (tables: string) => `read every user's rows in ${tables}`,
  3: (tables: string) => `add rows to ${tables} as if they were entitled to`,
  4: (tables: string) => `change or delete the rows of ${tables}`,
} as const

function helperIssue(group: readonly FoundIn[], check: 2 | 3 | 4, all: readonly Hole[], schema: Parameters<typeof whoGetsIn>[0]): Issue {
  const { hole, issue } = group[0] as FoundIn
  const { object, at } = hole.helper as NonNullable<Hole['helper']>
  const tables = listed([...new Set(group.map((g) => g.hole.object))])
  const who = group.some((g) => g.hole.who === 'anon') ? 'anon' : 'authenticated'
  const same = all.filter((h) => h.helper?.object === object)
  const alsoFails = ([2, 3, 4] as const).filter((n) => n !== check && same.some((h) => COMMANDS_BY_CHECK[n].includes(h.command)))
  const gets = whoGetsIn(schema, who)
  const { assumes: _, ...base } = issue
  return {
    ...base,
    subject: `function ${object}`,
    severity: SEVERITIES.find((s) => group.some((g) => g.issue.severity === s)) ?? issue.severity,
    title: `${object} lets ${everybody(who)} in`,
    message: `${says(hole, object)}, and ${group.length > 1 ? `${group.length} policies that ask it let them through` : 'a policy that asks it lets them through'}: on ${tables}.`,
    attack: `${withCapital(gets)} can ${ATTACK_BY_CHECK[check](tables)}.`,
    fix: mending(hole),
    at,
    related: group.map((g) => ({ ...g.issue.at, subject: g.issue.subject, what: 'a policy that asks it' })),
    proof: group.some((g) => g.issue.proof === 'executed') ? 'executed' : 'inferred',
    ...(alsoFails.length ? { alsoFails } : {}),
    cause: `function ${object}`,
  }
}

function says({ cause, because }: Hole, object: string): string {
  if (cause === 'null-slips-through') return `${object} says yes to a caller without a session, for whom auth.uid() is NULL`
  if (cause === 'user-metadata') return `${object} trusts user_metadata${because ? ` (${because})` : ''}, which every user can edit in the own account`
  if (cause === 'signed-in') return `${object} only asks whether somebody is signed in, not who`
  return `${object} says yes whoever asks`
}

function mending({ cause, fix }: Hole): Fix {
  const text =
    cause === 'user-metadata'
      ? 'Read app_metadata in the function, which only the server writes: move the value there with the service role (auth.admin.updateUserById).'
      : cause === 'null-slips-through'
        ? 'Let the function say no to whoever has no session: every policy that asks it is closed with it.'
        : 'Let the function look the caller up (auth.uid()) and say no to everybody else: every policy that asks it is closed with it.'
  return fix ? { text, language: 'sql', code: fix.code, ...(fix.proved ? { proved: true as const } : {}) } : { text }
}
