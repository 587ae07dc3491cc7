import { namesClosedTenant } from '../../../database/access/functions/caller-supplied-tenant.ts'
import { asksItself } from '../../../database/access/functions/current-user-in-definer.ts'
import { functionOf } from '../../../database/access/functions/security-definer.ts'
import { isMeantToBeSeen } from '../../../database/access/row-audience/public-content.ts'
import type { Hole, Table } from '../../../database/database.ts'
import { isPersonal } from '../../../database/sandbox/classification/user-data.ts'
import { withoutSqlComments } from '../../../lib/sql-comments.ts'
import { withCapital } from '../../../lib/with-capital.ts'
import type { AppModel } from '../../../model/app-model.ts'
import type { Issue } from '../../define-check.ts'
import { fixOf, functionLints, isDeclaredPublic, listed, qualifiedName, refusedLater, tableOfHole, whoGetsIn } from '../messages/rls.ts'
import { withCallers } from '../remediation/function-callers.ts'
import { DEPENDED_ON, WRITTEN_DOWN } from '../shared/shared-business-data.ts'
import { appointmentIssue, isRowAtSignUp } from './privilege-granting-function.ts'

type Model = Pick<AppModel, 'schema' | 'access' | 'declared' | 'gaps' | 'modules' | 'routes'>

/** Whether the rows of a table, but for what is personal in them, are meant to be seen. */
export const isSeen = (table: Table): boolean =>
  isMeantToBeSeen({ ...table, ...(table.userData ? { userData: { ...table.userData, personalColumns: [] } } : {}) })

/** How a check of the function's own is got past. */
function slips({ schema }: Model, { cause, object }: Hole): string {
  if (cause === 'null-slips-through') return ' (its check lets a caller without a session through, for whom auth.uid() is NULL)'
  if (cause === 'handler') return ' (it refuses by an exception, which its own handler catches; and the handler writes)'
  if (cause === 'secret-null') return ' (it asks for a secret, and whoever passes NULL gets past: a comparison with NULL is neither true nor false)'
  const fn = functionOf(schema, object)
  return fn && asksItself(withoutSqlComments(fn.body))
    ? ` (what it asks of \`current_user\` refuses nobody: there that is ${fn.owner}, who owns it, whoever calls)`
    : ''
}

const REFUSE_NULL =
  'Let its check refuse NULL: "is distinct from" in the place of "<>". A secret that stands in the function is known to whoever reads the repository: keep it in Vault, and change it.'

/** A function that returns rows to whoever calls it; undefined where the tables are declared public. */
export function readingIssue(model: Model, hole: Hole): Issue | undefined {
  const tables = (hole.tables ?? []).map((t) => t.table)
  const known = tables.map((t) => tableOfHole(model.schema, t)).filter((t) => t !== undefined)
  if (known.length && known.every((t) => isDeclaredPublic(model.declared, qualifiedName(t)))) return undefined
  const personal = known.flatMap((t) => t.userData?.personalColumns ?? [])
  // a table made in the dashboard shows only some of its columns
  const partly = known.some((t) => t.stub)
  const shows = (hole.columns ?? []).some((c) => (c === '*' ? personal.length > 0 : personal.includes(c) || (partly && isPersonal(c))))
  const harmless =
    known.length === tables.length &&
    !shows &&
    (hole.because === 'grouped' ||
      known.every(isSeen) ||
      (hole.columns ?? []).every((c) => /(^|_)id$/.test(c)) ||
      ((hole.columns ?? []).length > 0 && (hole.columns ?? []).every((c) => HARMLESS_STATE_COLUMN.test(c))) ||
      /leaderboard|ranking|public/i.test(hole.object.replace(/^public\./, '')))
  const words = answerOf(hole, listed(tables))
  return {
    subject: `function ${hole.object}`,
    severity: harmless ? 'High' : 'Critical',
    title: `${hole.object} returns ${words.title}`,
    message: `${hole.object} is SECURITY DEFINER: it runs past row level security, and it returns ${words.returned} without checking who calls${slips(model, hole)}.${refusedLater(model, hole)}`,
    attack: `${withCapital(whoGetsIn(model.schema, hole.who))} can call it through the API and read ${words.read}.`,
    fix: withCallers(
      model,
      hole,
      fixOf(
        hole,
        hole.cause === 'secret-null' ? REFUSE_NULL : 'Compare the caller with the owner inside the function, or let only the service role execute it.',
      ),
    ),
    at: hole.at,
    proof: hole.proof,
    aliases: [...functionLints(model.schema, hole), 'CWE-862'],
  }
}

/** How far something is, of what kind it is and what it costs: nobody's secret, though not everybody's business. */
const HARMLESS_STATE_COLUMN =
  /^((session|event|game|match|booking|order|room|item|task|job|course|lesson|class|request)_)?(status|state|type|kind|format|mode)$|^(current|max|total)_(participants|players|members|guests|seats|attendees|spots|sessions)$|^(hourly|daily)_(rate|price)(_\w+)?$|^price_per_\w+$/i

/** What a function gives away: rows, the columns of them that it names, or figures about the user who is asked for. */
function answerOf(hole: Hole, tables: string): { readonly title: string; readonly returned: string; readonly read: string } {
  const columns = hole.columns ?? []
  if (!columns.length)
    return {
      title: "other users' figures",
      returned: `figures from ${tables} about whichever user the caller names`,
      read: `the figures of every user whose id is known`,
    }
  const named = columns.includes('*') ? '' : ` (${listed(columns)})`
  if (hole.because === 'grouped')
    return {
      title: "figures of other users' rows",
      returned: `what it adds up from rows of ${tables}, group by group${named},`,
      read: `what other users' rows have in common; a group may be one row`,
    }
  return { title: "other users' rows", returned: `rows of ${tables}${named}`, read: `other users' rows of ${tables}` }
}

/** A function that writes rows for whoever calls it. */
export function writingIssue(model: Model, hole: Hole): Issue {
  if (hole.because === 'sign-up' || hole.because === 'appointment') return appointmentIssue(model, hole)
  if (hole.because === 'admits') return admittingIssue(model, hole)
  const tables = (hole.tables ?? []).toSorted((a, b) => weight(a) - weight(b))
  const touched = listed([...new Set(tables.map((t) => t.table))])
  const matters = (name: string) =>
    tableOfHole(model.schema, name)?.userData !== undefined || DEPENDED_ON.test(name) || DEALT.test(name) || !name.startsWith('public.')
  const worst = tables.some((t) => !t.mild && (t.grants || (t.command !== 'insert' && matters(t.table))))
  const maintenance = hole.because === 'maintenance' || doesWhatIsDue(model, hole)
  const counter = hole.because === 'counter' || tables.every((t) => t.mild || (!t.grants && (t.command === 'insert' || isTally(t.table))))
  const self = hole.because === 'self'
  const shown = (model.access.holes ?? []).find((h) => h.kind === 'function-read' && h.object === hole.object)
  const read = shown && readingIssue(model, shown)
  const returned = read && shown ? ` It also returns ${answerOf(shown, listed((shown.tables ?? []).map((t) => t.table))).returned}.` : ''
  const does = listed(
    [...Map.groupBy(tables, (t) => t.command)].map(([command, of]) => `${VERB_BY_COMMAND[command]} ${listed([...new Set(of.map((t) => t.table))])}`),
  )
  return {
    subject: `function ${hole.object}`,
    severity: (self ? tables.some((t) => t.grants) : worst && !maintenance && !counter) || read?.severity === 'Critical' ? 'Critical' : 'High',
    title: `${hole.object} changes rows for ${hole.who === 'anon' ? 'anyone' : 'anyone who is signed in'}`,
    message: self
      ? `${hole.object} is SECURITY DEFINER and writes ${listed(hole.columns ?? [])} of the caller's own row in ${touched} with a value that the caller passes.${returned}`
      : `${hole.object} is SECURITY DEFINER: it runs past row level security, ${hole.who === 'anon' ? 'anon' : 'every signed-in user'} may execute it, and it writes ${touched} without tying the rows to auth.uid()${slips(model, hole)}.${returned}${refusedLater(model, hole)}`,
    attack: self
      ? hole.columns?.every(namesClosedTenant)
        ? `A signed-in user calls it through the API with the id of any tenant (ids are no secrets: links, invitations and shared rows show them) and is in it, with what its members may read and do.`
        : 'A signed-in user calls it through the API and grants himself what he likes.'
      : `${withCapital(whoGetsIn(model.schema, hole.who))} can call it through the API ${HOW[takesNothing(hole) ? 'job' : counter ? 'counter' : 'chosen']} ${does}${takesNothing(hole) ? ': which rows, the function decides by itself' : ''}.`,
    ...(read ? { alsoFails: [2] } : {}),
    fix: withCallers(
      model,
      hole,
      fixOf(
        hole,
        hole.cause === 'secret-null'
          ? REFUSE_NULL
          : hole.cause === 'null-slips-through' && hole.who === 'anon'
            ? 'Take anon the privilege to execute it, and let its check refuse a caller without a session: if auth.uid() is null or ... then raise exception. REVOKE FROM PUBLIC alone is not enough: anon has a grant of its own.'
            : hole.cause === 'handler'
              ? 'Ask who calls before the block that has the handler, or let the handler end with RAISE, which undoes what it wrote; and let only the service role execute it.'
              : 'Let only the service role execute it, or compare auth.uid() with the owner before it writes. REVOKE FROM PUBLIC alone is not enough: anon and authenticated have their own grants.',
      ),
    ),
    at: hole.at,
    proof: hole.proof,
    aliases: [...functionLints(model.schema, hole), 'CWE-862'],
  }
}

/** Whether another check tells of the same function: it writes for its callers as well, and one fix closes both. */
export const isToldByWrites = (hole: Hole, holes: readonly Hole[]): boolean =>
  hole.kind === 'function-read' && holes.some((h) => h.kind === 'function-write' && h.object === hole.object && !isRowAtSignUp(h) && h.because !== 'admits')

/** A function that says of whoever calls what somebody else was to say. */
function admittingIssue(model: Model, hole: Hole): Issue {
  const table = hole.tables?.[0]?.table ?? ''
  const columns = listed(hole.columns ?? [])
  return {
    subject: `function ${hole.object}`,
    severity: 'Critical',
    title: `${hole.object} lets in whoever calls it`,
    message: `The policies on ${table} take a new row of a user's only while ${columns} waits for somebody who has a role. ${hole.object} is SECURITY DEFINER, every signed-in user may execute it, and it ends the waiting of the caller's own row without asking anything: conditions that only the page looks at bind nobody.`,
    attack: `A signed-in user adds a row of his own to ${table}, calls the function through the API and is let in, with what the application gives to those whom somebody has approved.`,
    fix: fixOf(hole, 'Let only the server execute it, after it has looked at what the page looks at now; or let the function itself look.'),
    at: hole.at,
    proof: hole.proof,
    aliases: [...functionLints(model.schema, hole), 'CWE-269'],
  }
}

const VERB_BY_COMMAND = { insert: 'add rows to', update: 'change rows of', delete: 'delete rows from', select: 'read' } as const

/** What gives rights or money is told first, what is written down of it last. */
const weight = ({ table, grants, mild }: NonNullable<Hole['tables']>[number]): number => (grants ? 0 : WRITTEN_DOWN.test(table) ? 2 : mild ? 2 : 1)

/** Words that have one for a tally in them. */
const NO_TALLY = /accounts?|discounts?|reviews?|interviews?|overviews?|catalogs?|blogs?|status(?:es)?|states?|stations?|logins?/gi
/** Whether the rows of a table count what happened. */
const isTally = (table: string): boolean => /usage|count|view|log|limit|stat|metric|hit|download/i.test(table.replace(NO_TALLY, ''))

/** Whose it is and what was agreed, by tables that the SQL may not show. */
const DEALT =
  /(^|[._])(transactions?|bids?|auctions?|properties|listings?|ledgers?|wallets?|trades?|escrows?|payouts?|refunds?|payments?|withdrawals?|balances?|deposits?)(_(accounts?|entries|requests?))?$/i

const DUE =
  /^(?:auto_)?(?:expire|close|end|finish|complete|disable|deactivate|archive|cancel|release|mark|process|handle|check|run|clean_?up|cleanup|prune|purge)_\w*(?:expired|overdue|due|old|stale|pending|scheduled|ended|past|inactive|completed)|^(?:(?:re_?)?calculate|(?:re_?)?compute|refresh|sync|update|aggregate|rebuild)_\w*(?:stats?|statistics|metrics|summar(?:y|ies)|totals?|counts?|counters?|ratings?|averages?|ranks?|rankings?|leaderboards?|streaks?|tiers?|levels?|scores?|status(?:es)?)$/i

/** Whether a function does by itself what is due, or works out again what is stored: whoever calls it decides when, or for whom, and nothing else. */
function doesWhatIsDue({ schema }: Model, hole: Hole): boolean {
  const fn = functionOf(schema, hole.object)
  return fn !== undefined && DUE.test(fn.name) && fn.args.every((a) => a.type === 'uuid' || a.type === 'date')
}

/** Somebody who calls a function without arguments decides only when it runs. */
const takesNothing = (hole: Hole): boolean => hole.object.endsWith('()')

const HOW = {
  job: 'at any time, as often as they like, and so',
  counter: 'as often as they like, and so',
  chosen: 'and',
} as const
