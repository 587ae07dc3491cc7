import { narrow } from '../../../database/access/fixes/column-privileges.ts'
import { protectedByTrigger } from '../../../database/access/functions/column-protecting-trigger.ts'
import type { Hole, Policy, Table } from '../../../database/database.ts'
import type { AppModel } from '../../../model/app-model.ts'
import type { BoughtRow } from '../../../model/payments/payments.ts'
import type { Fix, Issue } from '../../define-check.ts'
import { assumption, exposedTables, isDeclaredPublic, listed, policiesOf, policySubject, qualifiedName } from '../messages/rls.ts'

type Model = Pick<AppModel, 'schema' | 'access' | 'declared' | 'payments'>

const OWNERS_POLICY_ROLE = /^(public|authenticated)$/i
/** Those who sell or let something: the state of what others bought of them is theirs to say. */
const SELLER_SQL = /seller|vendor|host|provider|instructor|teacher|driver|merchant|landlord|coach|doctor|venditor|vendedor|vendeur/i
/** What whoever sells something pays for as well: that others see it first. */
const PROMOTION = /feature|boost|promot|sponsor|highlight|spotlight/i
const STAFF_ROLE_SQL = /role|admin|staff|moderator/i

/**
 * Policies by which browsers write what only a payment should: the server inserts such rows, or sets those columns, because the processor
 * says that something was paid, and whoever owns the row may do the same without paying.
 */
export function boughtIssues(model: Model, command: 'insert' | 'update'): Issue[] {
  const tables = exposedTables(model).filter((t) => t.rls.enabled && t.userData?.ownerColumns.length && !isDeclaredPublic(model.declared, qualifiedName(t)))
  return tables.flatMap((table) => {
    const name = qualifiedName(table)
    const bought = model.payments.bought.filter((b) => b.table === table.name || b.table === name)
    // what a payment only changes may stand in the row from the beginning
    const main = bought.find((b) => command === 'update' || b.inserted) ?? bought[0]
    const holes = model.access.holes?.filter((h) => h.object === name && h.command === command) ?? []
    if (!main || holes.some((h) => h.kind !== 'owner-change' && h.cause !== 'row-state' && !givesWay(h))) return []
    // the day until which it holds tells most about what was bought
    const columns = [...new Set(bought.flatMap((b) => b.columns))].sort((a, b) => Number(TERM.test(b)) - Number(TERM.test(a)))
    const [found, ...others] = policiesOf(model.schema, table)
      .flatMap((policy) => {
        const free = holes.some((h) => h.policy === policy.name && !givesWay(h)) ? [] : freeColumns(model, table, policy, command, columns)
        return free.length ? [{ policy, free, roles: STAFF_ROLE_SQL.test(`${policy.using ?? ''} ${policy.check ?? ''}`) }] : []
      })
      // what was written for the owner first, then what was written for administrators and lets the owner in as well
      .sort((a, b) => Number(a.roles) - Number(b.roles))
    if (!found || isRefused(model, name, command)) return []
    const waiting = [...new Set(holes.filter(isModeration).flatMap((h) => h.columns ?? []))].filter((c) => !found.free.includes(c))
    const issue = issueOf(table, found.policy, found.free, main, command, waiting)
    const more = others.map(({ policy }) => ({ ...policy.at, subject: policySubject(name, policy.name), what: 'lets the owner do so as well' }))
    return [more.length ? { ...issue, related: [...(issue.related ?? []), ...more] } : issue]
  })
}

/** That somebody else looks at a row before it is shown: the finding on what was paid for says so too, so that one fix does not hand back what another takes. */
const isModeration = (hole: Hole): boolean => hole.because === 'moderation'

const givesWay = (hole: Hole): boolean => isModeration(hole) || hole.because === 'placement'

/** The holes that no issue on bought rows speaks of: where the processor sets what puts a row before the others, that is the better proof. */
export function notBought(holes: readonly Hole[], issues: readonly Issue[]): readonly Hole[] {
  return holes.filter((h) => !givesWay(h) || !issues.some((i) => i.subject.startsWith(`policy ${h.object} `)))
}

/** What one policy lets the owner of a row write of the columns that a payment sets. */
function freeColumns({ schema }: Model, table: Table, policy: Policy, command: 'insert' | 'update', columns: readonly string[]): readonly string[] {
  if (!policy.permissive || (policy.command !== command && policy.command !== 'all') || !policy.roles.some((r) => OWNERS_POLICY_ROLE.test(r))) return []
  const text = `${policy.using ?? ''} ${policy.check ?? ''}`
  const owners = boundOwners(text, table)
  if (/\band\b/i.test(text) && STAFF_ROLE_SQL.test(text)) return []
  const grants = table.grants.filter((g) => g.privilege === command && OWNERS_POLICY_ROLE.test(g.role))
  const writable = (c: string) => grants.some((g) => !g.columns || g.columns.includes(c))
  return columns.filter(
    (c) =>
      owners.some((owner) => PROMOTION.test(c) || !SELLER_SQL.test(owner)) &&
      table.columns.some((x) => x.name === c && !x.generated) &&
      writable(c) &&
      !new RegExp(`\\b${c}\\b`, 'i').test(text) &&
      !protectedByTrigger(schema, qualifiedName(table), c, command),
  )
}

/** The owners of a row with whom it compares the caller. */
function boundOwners(text: string, table: Table): readonly string[] {
  const caller = '(?:\\(\\s*select\\s+)?(?:auth\\.)?uid\\(\\)(?:\\s+as\\s+uid\\s*\\))?'
  return (table.userData?.ownerColumns ?? []).filter((c) =>
    new RegExp(`${caller}\\s*=\\s*(?:\\w+\\.)?"?${c}"?\\b|(?:^|[^\\w.])"?${c}"?\\s*=\\s*${caller}`, 'i').test(text),
  )
}

/** What was tried and refused is no hole. */
const isRefused = ({ access }: Model, name: string, command: 'insert' | 'update'): boolean =>
  access.objects
    .find((o) => o.kind === 'table' && o.object === name)
    ?.cells.some((c) => c.role === 'A' && c.row === 'own' && c.command === command && c.result === 'refused') ?? false

/** A row that holds until some day was bought as such: what says so is named first. */
const TERM = /until|end|expir|credit|balance/i

function issueOf(table: Table, policy: Policy, free: readonly string[], bought: BoughtRow, command: 'insert' | 'update', waiting: readonly string[]): Issue {
  const name = qualifiedName(table)
  const columns = listed(free)
  const early = command === 'insert' && !bought.inserted
  const paid = `${bought.subject} ${bought.inserted ? `inserts into ${table.name}` : `sets ${listed(bought.columns)}`} when the processor says that something was paid (${bought.at.path}:${bought.at.line})`
  return {
    subject: policySubject(name, policy.name),
    severity: bought.entitles || free.some((c) => TERM.test(c) || !PROMOTION.test(c)) ? 'Critical' : 'High',
    title:
      command === 'insert'
        ? `Users insert into ${table.name} what ${early ? 'only a payment should say' : 'others pay for'}`
        : `Users change in ${table.name} what others pay for`,
    message: `${paid}. The policy "${policy.name}" lets users ${early ? 'insert rows that say so from the beginning' : command === 'insert' ? 'insert such rows' : 'change their own rows'} without that, and nothing (no column privilege, no trigger) protects ${columns}.${waiting.length ? ` The same goes for ${listed(waiting)}, by which others say that what the user sent in may be shown.` : ''}`,
    attack: `A signed-in user sends one request with the own session, ${command === 'insert' ? 'inserts a row' : 'changes the own row'} with ${free[0]} ${bought.entitles ? 'naming whatever is sold' : 'set as if it had been paid'}, and has it for nothing.`,
    fix:
      bought.entitles && command === 'insert'
        ? onServerAlone(table)
        : {
            text: `Leave ${listed([...free, ...waiting])} to the server: take browsers the privilege to ${command === 'insert' ? 'insert' : 'change'} ${free.length + waiting.length > 1 ? 'them' : 'it'}, or drop the policy where no page needs it. The service role needs no policy.${early ? ` A page that adds rows leaves ${free.length + waiting.length > 1 ? 'them' : 'it'} out then: the default holds.` : ''}${waiting.length ? ` Where moderators change ${listed(waiting)} in the browser, let a trigger refuse it to everybody else instead.` : ''}`,
            language: 'sql',
            code: narrow(table, [...free, ...waiting], command, { granting: true }) ?? '',
          },
    at: policy.at,
    related: [{ ...bought.at, what: 'where a payment does the same' }],
    proof: 'inferred',
    aliases: ['CWE-840', 'CWE-915'],
    ...assumption(table),
  }
}

const onServerAlone = (table: Table): Fix => ({
  text: 'Let the server alone add such rows, with the service role, which needs no policy. Where some of it is free, let the policy look up that it costs nothing.',
  language: 'sql',
  code: `revoke insert on ${qualifiedName(table)} from anon, authenticated;`,
})
