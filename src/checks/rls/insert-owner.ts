import { grantsPower, isOnlySaid, PROCESSOR_COLUMN_PREFIX } from '../../database/access/column-authority/privilege-columns.ts'
import { isLookedAfter } from '../../database/access/owners/assignee-not-owner.ts'
import { authorOf, isOnesOwn } from '../../database/access/owners/author-column.ts'
import { namesOwner } from '../../database/access/owners/caller-id-column.ts'
import type { Hole, Table } from '../../database/database.ts'
import { plural } from '../../lib/plural.ts'
import { says } from '../../lib/snake-case.ts'
import { withCapital } from '../../lib/with-capital.ts'
import type { AppModel } from '../../model/app-model.ts'
import { defineCheck, failed, type Issue, notApplicable, type Outcome, passed } from '../define-check.ts'
import { appointmentIssue, isRowAtSignUp } from './issues/privilege-granting-function.ts'
import { boughtIssues, notBought } from './issues/processor-owned-rows.ts'
import {
  aboveWords,
  alsoFailedBy,
  anyone,
  assumption,
  bindTo,
  everybody,
  exposedTables,
  fixOf,
  givesRightsByFix,
  letsStaffIn,
  listed,
  memberWords,
  openTables,
  policiesOf,
  policySubject,
  qualifiedName,
  STAFF_ONLY,
  tableOfHole,
  undecidedPolicies,
  unseenTables,
  whoGetsIn,
  why,
  withoutSchema,
} from './messages/rls.ts'
import { withStoppedCode } from './remediation/code-broken-by-fix.ts'
import { oneForEachFix } from './shared/merge-by-fix.ts'
import { oneForEachHelper } from './shared/merge-by-helper.ts'

type Model = Pick<AppModel, 'schema' | 'access' | 'declared' | 'payments' | 'modules' | 'routes'>

export default defineCheck({
  number: 3,
  id: 'rls/insert-owner',
  category: 'RLS',
  rule: 'Every INSERT policy requires user_id to equal the current authenticated user id. A policy that accepts any value (an always-true check) fails.',
  needs: ['schema', 'access', 'declared', 'payments', 'modules', 'routes'],
  doubtedBy: ['table', 'rls', 'policy', 'function'],
  commands: ['insert'],
  run(model): Outcome {
    const { schema } = model
    const missing = withoutSchema(schema, 'who may insert rows')
    if (missing) return missing
    if (!schema.exposedToBrowsers) return notApplicable(schema.exposedBecause || 'no data platform that browsers can reach directly is used')
    const holes = (model.access.holes ?? []).filter((h) => (h.command === 'insert' || isRowAtSignUp(h)) && !h.object.startsWith('storage.'))
    const bought = boughtIssues(model, 'insert')
    const found = notBought(holes, bought).map((hole) => {
      const issue = issueOf(model, hole)
      return { hole, issue: { ...issue, fix: withStoppedCode(model, hole, issue.fix) } }
    })
    const issues = [...oneForEachHelper(oneForEachFix(found), 3, model.access.holes ?? [], model.schema), ...bought]
    const judged = exposedTables(model).filter((t) => t.rls.enabled)
    const policies = judged.flatMap((t) => policiesOf(schema, t)).filter((p) => p.command === 'insert' || p.command === 'all')
    const evidence = [`${plural(policies.length, 'policy', 'policies')} for INSERT on ${plural(judged.length, 'table')} with row level security looked at`]
    // where row level security is off, the policies that the rule speaks of have no effect: check 1 reports the table
    const inert = openTables(model).filter((t) => !judged.length || policiesOf(schema, t).some((p) => p.command === 'insert' || p.command === 'all'))
    const reportedBy = inert.map((t) => [1, `table ${qualifiedName(t)}`] as const)
    if (issues.length || reportedBy.length) return failed(issues, evidence, reportedBy)
    const unseen = unseenTables(schema)
    if (!judged.length && unseen) return unseen
    const undecided = undecidedPolicies(model, ['insert'], evidence)
    if (undecided) return undecided
    if (!policies.length) return passed(...evidence, 'no policy lets browsers insert; only the service role and SQL functions do')
    return passed(...evidence)
  },
})

function issueOf(model: Model, hole: Hole): Issue {
  if (isRowAtSignUp(hole)) return appointmentIssue(model, hole)
  const table = tableOfHole(model.schema, hole.object)
  const owners = table && !isLookedAfter(table) ? namesOwner(table, model.schema) : []
  const power =
    table && !owners.length && ASKS_TO_JOIN.test(table.name)
      ? []
      : [...(table?.userData?.powerColumns ?? []).filter((c) => grantsPower(c) && !(table && isOnlySaid(table, c))), ...paidStates(table)]
  const base = {
    subject: policySubject(hole.object, hole.policy ?? ''),
    at: hole.at,
    proof: hole.proof,
    aliases: [...(hole.cause === 'always' ? ['splinter:0024'] : []), ...(hole.cause === 'user-metadata' ? ['splinter:0015'] : []), 'CWE-639'],
    ...assumption(table, hole.columns),
    ...alsoFailedBy(model, hole, 3),
  }
  const name = table?.name ?? hole.object
  if (hole.kind === 'member')
    return {
      ...base,
      severity: 'Critical',
      ...memberWords(hole, name),
      fix: fixOf(hole, `Let only administrators of the tenant ${hole.because === 'invitation' ? 'invite' : 'add'} members.`),
    }
  if (hole.kind === 'author-free' && hole.because === 'either') {
    const columns = listed(hole.columns ?? [])
    return {
      ...base,
      severity: 'Critical',
      title: `Rows in ${name} can be written under another name`,
      message: `The policy "${hole.policy}" is satisfied when ${owners.length > 1 ? `one of ${listed(owners)} is the caller` : 'another column of the row names the caller'}, and leaves ${columns} free in that case.`,
      attack: `A signed-in user names himself in one column and somebody else in ${columns}: to everybody who reads the row, that user wrote it.`,
      fix: fixOf(hole, `Require ${columns} to be the caller or empty, whatever else holds.`),
    }
  }
  if (hole.kind === 'author-free' && hole.because === 'nobody') {
    const columns = listed((hole.columns ?? []).filter((c) => owners.includes(c)))
    return {
      ...base,
      severity: 'High',
      title: `Rows in ${name} can be written by nobody`,
      message: `The policy "${hole.policy}" takes a new row that leaves ${columns} empty from everybody who belongs to its parent.`,
      attack: `A signed-in user adds a row without an author, which passes for one of the application itself.`,
      fix: fixOf(hole, `Require ${columns} to be the caller; what the application says itself the server adds, with the service role.`),
    }
  }
  if (hole.kind === 'author-free' && hole.because === 'role') {
    const columns = listed(hole.columns ?? [])
    return {
      ...base,
      severity: 'Critical',
      title: `Rows in ${name} can be written under another name`,
      message: `The policy "${hole.policy}" asks what the caller is, but not who: ${columns} of a new row may name anybody, and the other policies take whoever stands there for its owner.`,
      attack: `A signed-in user whom the policy lets in adds a row with somebody else's id in ${columns}: it passes for that user's, who did not write it.`,
      fix: fixOf(hole, `Also require ${columns} to be the caller.`),
    }
  }
  if (hole.kind === 'author-free') {
    const columns = hole.columns ?? []
    // whom a column names is no power, whatever it is called (`administered_by`)
    const grants = columns.filter((c) => grantsPower(c) && !owners.includes(c))
    return {
      ...base,
      severity: grants.length ? 'Critical' : 'High',
      title: `Rows in ${name} can be written under another name`,
      message: `The policy "${hole.policy}" checks the parent row, but not ${listed(columns)} of the new row itself.`,
      attack: `A signed-in user adds a row to the own parent and sets ${listed(columns)} to whatever ${grants.length ? 'grants most or impersonates somebody else' : 'user comes to mind'}.`,
      fix: fixOf(hole, boundAuthor(columns, table)),
    }
  }
  if (hole.kind === 'parent-free') {
    const [column = ''] = hole.columns ?? []
    const parent = hole.tables?.[0]?.table ?? 'the parent'
    return {
      ...base,
      severity: 'High',
      title: `Rows in ${name} can be put under others' rows`,
      message: `The policy "${hole.policy}" binds the author of a new row but leaves ${column} free. Rows of ${parent} are private, and whoever may read one reads what hangs on it.`,
      attack: `A signed-in user who knows the id of somebody else's row of ${parent} inserts a row with it as ${column}: it stands there among what its people take for their own.`,
      fix: fixOf(hole, `Also require that ${column} is the id of a row of ${parent} that the caller may read.`),
    }
  }
  if (hole.kind === 'self-grant') {
    const columns = hole.columns ?? []
    const membership = hole.because === 'membership'
    const reached = listed((hole.tables ?? []).map((t) => t.table))
    if (hole.because === 'tenant')
      return {
        ...base,
        severity: 'Critical',
        title: `Customers insert what they have paid for into ${name}`,
        message: `The policy "${hole.policy}" lets whoever administers a tenant insert rows of the tenant into ${hole.object} and leaves ${listed(columns)} free. Those who administer a tenant are its customers, and what was paid is the payment processor's to say.`,
        attack: `A customer inserts a row for the own tenant with ${columns[0]} set as if it had been paid.`,
        fix: fixOf(hole, 'Drop the policy: the webhook writes these rows with the service role, which needs none.'),
      }
    if (hole.because === 'above') return { ...base, ...aboveWords(hole, name) }
    if (hole.because === 'appointment') {
      const opened = (hole.tables ?? []).map((t) => t.table)
      return {
        ...base,
        severity: 'Critical',
        title: `${anyone(hole.who)} can make himself one of ${name}`,
        message: `The policy "${hole.policy}" lets every signed-in user insert a row of his own into ${hole.object}, and ${opened.length ? `whoever has one there gets in at ${listed(opened)}` : 'by its name that table lists who runs the application'}.`,
        attack: `Somebody signs up, inserts a row with the own id into ${name} and has the rights of those who stand there.`,
        fix: fixOf(hole, 'Let the server add such rows, with the service role, not the browser.'),
      }
    }
    if (hole.because === 'publication') {
      const shown = hole.tables?.[0]?.table ?? 'another table'
      return {
        ...base,
        severity: 'Critical',
        title: `${anyone(hole.who)} can publish others' rows of ${shown} through ${name}`,
        message: `The policy "${hole.policy}" binds the user of a new row but leaves ${listed(columns)} free, and a policy on ${shown} shows every row that such a row declares public.`,
        attack: `A signed-in user who knows the id of somebody else's row of ${shown} inserts a row with it as ${columns[0]} and reads what its owner never published.`,
        fix: fixOf(hole, `Also require that ${columns[0]} is the id of a row of the caller.`),
      }
    }
    if (hole.because === 'certificate')
      return {
        ...base,
        severity: 'High',
        title: `Users issue their own certificates in ${name}`,
        message: `The policy "${hole.policy}" binds the holder of a new row and leaves ${listed(columns)} free: nothing says that the holder has done what ${hole.object} certifies.`,
        attack:
          'A signed-in user inserts a certificate for the own account, for whichever course and with whichever result; to whoever checks its code it is genuine.',
        fix: fixOf(hole, 'Let the server issue certificates, with the service role, after it has looked at what the user has done.'),
      }
    if (hole.because === 'settled')
      return {
        ...base,
        severity: 'High',
        title: `Users say themselves that they have paid in ${name}`,
        message: `The policy "${hole.policy}" binds the owner of a new row but leaves ${listed(columns)} free. A row of ${hole.object} waits at first; that the money has arrived somebody else should say.`,
        attack: `A signed-in user inserts the own row with ${columns[0]} set as if the money had arrived.`,
        fix: fixOf(hole, `Take new rows only as they begin; ${listed(columns)} changes on the server, or by the staff.`),
      }
    if (hole.because === 'requested')
      return {
        ...base,
        severity: 'High',
        title: `Users grant themselves what they ask for in ${name}`,
        message: `The policy "${hole.policy}" binds the owner of a new row but leaves ${listed(columns)} free. A row of ${hole.object} asks for something and waits at first; that it is granted somebody else should say.`,
        attack: `A signed-in user inserts the own row with ${columns[0]} set as if somebody had looked at it and agreed.`,
        fix: fixOf(hole, `Take new rows only as they begin; ${listed(columns)} changes on the server, or by the staff.`),
      }
    if (hole.because === 'placement')
      return {
        ...base,
        severity: 'High',
        title: `Users put their own rows of ${name} before the others`,
        message: `The policy "${hole.policy}" binds the owner of a new row but leaves ${listed(columns)} free: that a row of ${hole.object} stands before the others for a time, somebody else sells or grants.`,
        attack: `A signed-in user inserts the own row with ${columns[0]} set as wanted and has for nothing what others pay for or wait for.`,
        fix: fixOf(hole, `Take browsers the privilege to write ${listed(columns)}; the server or the staff set what was bought.`),
      }
    if (hole.because === 'price')
      return {
        ...base,
        severity: 'Critical',
        title: `Users say themselves what they have paid in ${name}`,
        message: `The policy "${hole.policy}" binds the owner of a new row but leaves ${listed(columns)} free, and with it everything that the row says was bought.`,
        attack: `A signed-in user inserts a row of ${name} with the own session: whatever it says was bought, ${columns[0]} says that it was paid.`,
        fix: fixOf(hole, 'Let the server insert these rows once the money has arrived; the service role needs no policy.'),
      }
    return {
      ...base,
      severity: isSaidByOthers(hole) ? 'High' : 'Critical',
      title: membership
        ? reached
          ? `${anyone(hole.who)} gets at others' rows of ${reached} through ${name}`
          : `${anyone(hole.who)} can join any group through ${name}`
        : `Users grant themselves ${listed(columns)} in ${name}`,
      message: membership
        ? `The policy "${hole.policy}" binds the user of a new row but leaves ${listed(columns)} free, and ${reached ? `policies of ${reached} let in whoever has such a row` : 'other policies let members in by such rows'}.`
        : `The policy "${hole.policy}" binds the owner of a new row but leaves ${listed(columns)} free, ${whatItSays(hole, columns)}.`,
      attack: membership
        ? `A signed-in user inserts a row with somebody else's ${columns[0]} and then ${reached ? `changes rows of ${reached} that are not his` : 'reads everything that its members may read'}.`
        : `A signed-in user inserts the own row with ${columns
            .slice(0, 2)
            .map((c) => `${c} set as wanted`)
            .join(' and ')}.`,
      fix: fixOf(
        hole,
        membership
          ? reached
            ? `Let the policies of ${reached} compare the caller with who owns its rows, not with a row that ${everybody(hole.who)} can add; or let the server add the rows of ${name}.`
            : 'Let the server add members (an invitation that it checks), not the browser.'
          : hole.because === 'moderation'
            ? 'Require that a new row waits; whoever moderates changes that later.'
            : hole.fix?.code.includes('grants already, by its defaults')
              ? `Drop the policy: a row that leaves ${listed(columns)} out has by default what it grants, so taking the privilege to write ${columns.length === 1 ? 'that column' : 'those columns'} alone gives it away all the same. Add such rows on the server, or in a SECURITY DEFINER function that looks at what was paid or redeemed.`
              : `Take browsers the privilege to write ${listed(columns)}.`,
      ),
    }
  }
  if (hole.kind === 'policy' && hole.because === 'guests') {
    const columns = listed((hole.states ?? []).filter((s) => s.op === 'is null' && owners.includes(s.column)).map((s) => s.column))
    const decisive = (table?.columns ?? []).map((c) => c.name).filter((c) => DECIDED_LATER.test(c))
    return {
      ...base,
      severity: 'High',
      title: `Anyone can add rows to ${name} that belong to nobody`,
      message: `The policy "${hole.policy}" also takes new rows of ${hole.object} whose ${columns} is empty, from people who are not signed in: nothing limits how many${decisive.length ? `, and they set ${listed(decisive)} themselves` : ''}.`,
      attack: `${withCapital(whoGetsIn(model.schema, hole.who))} can fill ${name} with made-up rows${decisive.length ? `, ${decisive[0]} as wanted` : ''}, in any number.`,
      fix: fixOf(hole, `Require ${columns} to be the caller; what guests send the server adds with the service role, behind a limit.`),
    }
  }
  const anon = hole.who === 'anon'
  const paid = paidColumns(hole, table)
  const grants = power.length > 0 || paid.length > 0
  // nobody writes in the name of whom a row is about
  const about = owners.length > 0 && owners.every((c) => SUBJECT_COLUMN.test(c)) && !grants
  const under = hole.tables?.[0]?.table
  const parents = hole.kind === 'policy' && !owners.length && !under ? (hole.columns ?? []) : []
  const severity = about ? 'High' : owners.length || grants ? 'Critical' : anon || under || parents.length ? 'High' : 'Medium'
  return {
    ...base,
    severity,
    title: owners.length && !about ? `Rows in ${name} can be forged` : `${anyone(hole.who)} can insert into ${name}`,
    message: `The policy "${hole.policy}" accepts new rows in ${hole.object} without tying them to the caller: ${why(hole)}.${owners.length ? ` ${listed(owners)} may name anybody.` : ''}${parents.length ? ` The other policies tell by ${listed(parents)} whose a row is; here it may be anybody's.` : ''}${grants ? ` What decides about rights and payment may be set as wanted: ${listed([...new Set([...power, ...paid])])}.` : ''}${/system|service|trigger|server/i.test(hole.policy ?? '') ? ' The service role needs no policy: it bypasses row level security.' : ''}`,
    attack: about
      ? `${withCapital(whoGetsIn(model.schema, hole.who))} can add rows about any user, in any number: ${listed(owners)} is whoever comes to mind.`
      : owners.length
        ? `${withCapital(whoGetsIn(model.schema, hole.who))} can insert rows in another user's name.`
        : under
          ? `${withCapital(whoGetsIn(model.schema, hole.who))} can add rows to others' rows of ${under}, in any number.`
          : parents.length
            ? `${withCapital(whoGetsIn(model.schema, hole.who))} can add rows to what belongs to others: ${listed(parents)} is whichever comes to mind.`
            : paid.length
              ? `${withCapital(whoGetsIn(model.schema, hole.who))} can add rows to ${name} that say themselves that they were paid (${listed(paid)}), in any number.`
              : `${withCapital(whoGetsIn(model.schema, hole.who))} can fill ${name} with ${hole.states?.length ? 'rows in that state' : 'any rows'}, in any number.`,
    fix: fixOf(hole, repair(hole, owners)),
  }
}

/** How a row that is paid through a processor says that it was. */
/** What a free column says, where that is not the right or the payment itself but what somebody else has to say of the row first. */
const SAID_BY_OTHERS: Readonly<Record<string, (one: boolean) => string>> = {
  asked: () => 'which other policies ask for before they let somebody in',
  approval: (one) => `which ${one ? 'says' : 'say'} that somebody else looked at the user and let him in`,
  moderation: (one) => `which ${one ? 'says' : 'say'} that others looked at it before it is shown`,
  repute: () => 'which others go by before they deal with the user',
}

const isSaidByOthers = (hole: Hole): boolean => hole.because !== undefined && hole.because in SAID_BY_OTHERS

const whatItSays = ({ because = '' }: Hole, columns: readonly string[]): string =>
  SAID_BY_OTHERS[because]?.(columns.length === 1) ?? `which ${columns.length === 1 ? 'decides' : 'decide'} what a user may do or has paid for`

const PAID_FLAG_COLUMN = /^(?:payment_?status|is_?paid|paid|paid_at)$/i
const paidStates = (table: Table | undefined): readonly string[] => {
  const columns = table?.columns ?? []
  if (!columns.some((c) => PROCESSOR_COLUMN_PREFIX.test(c.name))) return []
  return columns.filter((c) => PAID_FLAG_COLUMN.test(c.name) && !table?.userData?.powerColumns.includes(c.name)).map((c) => c.name)
}

/** Columns by which a new row says that it was paid; one that the policy compares is not free. */
function paidColumns(hole: Hole, table: Table | undefined): readonly string[] {
  if (hole.kind !== 'policy' || !table || ASKS_TO_JOIN.test(table.name)) return []
  const writable = table.grants.some((g) => g.privilege === 'insert' && !g.columns)
  return writable ? table.columns.map((c) => c.name).filter((c) => says(SAYS_PAID, c) && !hole.states?.some((s) => s.column === c)) : []
}

const SAYS_PAID = /^(?:payment_status|is_paid|paid|paid_at|payment_state|estado_pago|status_pagamento|stato_pagamento|payment_confirmed)$/i

/** Who of a new row has to be the caller, and whether that goes for later changes as well. */
function boundAuthor(columns: readonly string[], table: Table | undefined): string {
  const author = authorOf(columns, table ?? {})
  if (!table || !author) return `Also require ${listed(columns)} to be the caller when a row is added; who corrects it later need not be its author.`
  if (isOnesOwn(table, author)) return `Also require ${author} to be the caller, and let nobody else change or delete the row: each has one of their own.`
  return `Also require ${author} to be the caller when a row is added; who corrects it later need not be its author.`
}

function repair(hole: Hole, owners: readonly string[]): string {
  if (letsStaffIn(hole)) return STAFF_ONLY
  if (!owners.length) return 'Insert on the server, behind a limit, and drop the policy; or bind the row to the caller.'
  if (givesRightsByFix(hole)) return bindTo(hole)
  return hole.fix?.code.includes(' is null or ')
    ? `Let ${listed(owners)} of a new row be the caller or empty: guests go on adding rows, which belong to nobody.`
    : 'Require the owner column of the new row to be the caller; drop the policy when only the server inserts.'
}

/** What a row says of itself that the application decides: whether it is paid, shown, granted. */
const DECIDED_LATER =
  /^(status|state|estado|stato|payment_status|estado_pago|is_?paid|paid|total|total_amount|amount|approved|is_approved|published|is_published|verified)$/i

/** Lists of people who would like to be told or let in: as what, they say themselves. */
const ASKS_TO_JOIN =
  /wait_?list|newsletter|early_?access|pre_?regist|(?:^|_)(?:leads?|enquir(?:y|ies)|inquir(?:y|ies)|contact_(?:forms?|messages?|requests?|submissions?)|demo_requests?)$/i

/** Columns that say whom a row is about, not whose it is. */
const SUBJECT_COLUMN = /^(mentioned|tagged|target|reported|rated|reviewed|presenter|speaker)(_(user|profile))?_?(id|uid)?$/i
