import { joinedByPeople } from '../../../database/access/owners/join-table-name.ts'
import { tablesCalled } from '../../../database/called-table.ts'
import type { Table } from '../../../database/database.ts'
import { lastPart } from '../../../lib/last-part.ts'
import type { Place } from '../../../lib/place.ts'
import { partsOf } from '../../../model/behaviour/domain/contains.ts'
import { isCallers, requestName } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Query, Step, Value } from '../../../model/behaviour/types.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import type { Severity } from '../../define-check.ts'
import { isModelAnswer } from '../binding/llm-output-source.ts'
import { broughtAlong } from '../object-level/embedded-relation.ts'
import { forPeople } from '../principal/human-caller.ts'

/** What is chosen by nothing that a request sends: what people may write about themselves at the platform. */
export const OWN_METADATA = "the user's own metadata"

/** What a sale is made on, beside its price. */
export type TermOfSale = 'discount' | 'trial' | 'payee'

/** One thing that a handler does for somebody who does not own it. */
export interface OwnershipBreach {
  readonly kind:
    | 'row'
    | 'rls'
    | 'admin'
    | 'appoints'
    | 'job'
    | 'listing'
    | 'every-row'
    | 'forged-owner'
    | 'forged-tenant'
    | 'joins'
    | 'any-table'
    | 'parent'
    | 'bought'
    | 'mass-assignment'
    | 'power'
    | 'state'
    | 'editable'
    | 'email-lookup'
    | 'file'
    | 'function'
    | 'payment'
    | 'processors-own'
    | 'account-wide'
    | 'claimed-payment'
    | 'unbound-proof'
    | 'payers-row'
    | 'price'
    | 'terms'
  readonly severity: Severity
  readonly at: Place
  /** For the list of places: "deletes invoices by body `id`". */
  readonly what: string
  readonly table?: string
  readonly verb?: string
  /** Which condition of a sale the request sets. */
  readonly term?: TermOfSale
  /** What of the request chooses the object. */
  readonly by?: string
  /** The column of the table that is compared with it. */
  readonly column?: string
  /** The column that holds the owner, when the schema or custom tells. */
  readonly ownerColumn?: string
  /** The schema says which column that is. */
  readonly ownerKnown?: true
  /** An account is looked for by what its user writes into the own metadata. */
  readonly found?: true
  /** Accounts of others that are answered with: columns of theirs that are nobody else's, those that are to be seen, and the table whose rows name them. */
  readonly accounts?: { readonly kept: readonly string[]; readonly shown: readonly string[]; readonly namedBy: string }
  /** What is put under the row comes back with what the row says. */
  readonly told?: true
  /** The schema says that no column does. */
  readonly ownerUnknown?: true
  readonly callerAs?: string
  readonly library?: string
  /** The only tie lets rows without an owner through. */
  readonly ownerless?: true
  /** How it is reached by people without an account. */
  readonly open?: true
  /** The row is the caller's own; what may be written into it is not asked. */
  readonly own?: true
  /** It is a plan that others pay for. */
  readonly plan?: true
  /** Some columns of the row are set by the code. */
  readonly bound?: true
  /** The column says that something was paid; `house`: something else that is the application's to say. */
  readonly paid?: true | 'house'
  /** The function without arguments by which policies of the table ask for a role. */
  readonly asks?: string
  /** The path says that the handler is for administrators. */
  readonly area?: true
  /** The owner column holds the id of a row that stands for a person, not the person's own. */
  readonly indirect?: true
  /** The handler for the scheduler that does the same work. */
  readonly alike?: string
  /** Other handlers show people their own rows of the table only. */
  readonly apart?: true
  /** The role that the handler asks for, which whoever has rows of this kind has. */
  readonly role?: string
  /** What of the request names the tenant in which the caller was asked for a role, or what he was asked to have bought. */
  readonly within?: string
  /** The column that says in which of several places a row stands, where the role is one in one of them, and the roles that are over all of them. */
  readonly house?: string
  readonly above?: readonly string[]
  /** The column with the password of the account, which the request sets. */
  readonly takesOver?: string
  /** The check that a failing look-up passes by: the error is answered, and the handler goes on. */
  readonly around?: Place
  /** The processor said that the payment is paid; nothing of what it said is booked. */
  readonly settled?: true
  /** What of the request the payment processor has signed. */
  readonly signed?: string
  /** The table that has the owner column, where the row is a part of one of its rows. */
  readonly ownedBy?: string
  /** Only whether both belong to the same business is asked. */
  readonly colleague?: true
  /** The policies of the table ask for what the handler does not. */
  readonly byPolicy?: true
  /** What comes along with a row of nobody's and has the owner column. */
  readonly brings?: string
}

/** Columns that name the person a row belongs to. */
export const OWNER_COLUMN = /^(?:user_?id|owner_?id|author_?id|created_?by|profile_?id|account_?id|customer_?id|member_?id|uid|user|owner|user_?email)$/i

/** Tables whose names say that their rows are somebody's, where no schema is there to tell. */
export const PERSONAL_NAME =
  /(^|_)(users?|profiles?|accounts?|customers?|clients?|orders?|payments?|subscriptions?|invoices?|messages?|conversations?|chats?|sessions?|tickets?|bookings?|reservations?|appointments?|members?|memberships?|teams?|organi[sz]ations?|credits?|wallets?|transactions?|notes?|documents?|files?|uploads?|contacts?|patients?|leads?|addresses|carts?|returns?|refunds?|api_?keys?|tokens?|notifications?|employees?|students?|projects?|tasks?|todos?|subscribers?|reports?|scans?|workspaces?|purchases?|enroll?ments?|registrations?|attendees?|participants?|payouts?|guests?)(_|$)/i

/** What a query does, in the words of a finding. */
export const verbOf = (e: Query): string => ({ select: 'loads', insert: 'inserts into', update: 'changes', upsert: 'writes', delete: 'deletes' })[e.op]

/** What each finding about a query says of it: where it stands, what it does to which table, and who calls. */
export const aboutQuery = ({ at }: Step, e: Query, behaviour: Behaviour): Pick<OwnershipBreach, 'at' | 'table' | 'verb' | 'callerAs'> => ({
  at,
  table: e.table,
  verb: verbOf(e),
  callerAs: callerOf(behaviour),
})

/** Somebody writes `by`, which they choose themselves, into a column that says whose a row is or what they may do. */
export const breachOfColumn = (
  kind: OwnershipBreach['kind'],
  at: Place,
  { verb, table }: { readonly verb: string; readonly table: string },
  column: string,
  by: string,
): OwnershipBreach => ({ kind, severity: 'Critical', at, table, verb, by, ownerColumn: column, what: `${verb} ${table} with ${column} = ${by}` })

/** Something is put below a parent that the request names, of which nothing says that the caller may. */
export const breachOfParent = (step: Step, e: Query, column: string, value: Value, parent: Table): OwnershipBreach => {
  const by = requestName(value) ?? 'a value of the request'
  const verb = verbOf(e)
  return { kind: 'parent', severity: 'High', at: step.at, table: e.table, verb, by, what: `${verb} ${e.table} with ${column} = ${by}`, ownedBy: parent.name }
}

/** The value comes from the request as it is (not through a row that was found). */
export function isRequestControlled(value: Value, behaviour: Behaviour): boolean {
  const chosen = forPeople(value, behaviour)
  return !isCallers(chosen, behaviour) && mentionsDirectly(chosen, behaviour, 0)
}

/** The request's value itself, not something computed from it by an unknown function. */
export function directly(value: Value): boolean {
  if (value.v === 'request') return true
  if (value.v === 'any') return value.of.some(directly)
  return value.v === 'text' && value.parts.length === 1
}

/** The table of a query in the schema; the one of the same name in another schema where the own has none. */
export function tableOf(e: Query, schema: Pick<SchemaModel, 'tables'>): Table | undefined {
  const [a, b] = e.table.includes('.') ? e.table.split('.') : ['public', e.table]
  const same = tablesCalled(b as string, schema.tables)
  return same.find((t) => t.schema === a) ?? same[0]
}

/** The table whose rows a column names by itself. */
export function referredTo(table: Table, column: string, { tables }: Pick<SchemaModel, 'tables'>): Table | undefined {
  const key = table.foreignKeys.find((k) => k.columns.length === 1 && k.columns[0] === column)
  return key && tables.find((t) => `${t.schema}.${t.name}` === key.references)
}

/** The column refers to rows that are nobody's: a category, a plan. */
export function refersToNobodys(table: SchemaModel['tables'][number], column: string, schema: Pick<SchemaModel, 'tables'>): boolean {
  const target = referredTo(table, column, schema)
  return target !== undefined && !target.stub && !target.userData
}

/** Whether the rows are somebody's: by the schema, else by the name of the table. */
export function belongsToSomebody(e: Query, schema: Pick<SchemaModel, 'tables'>, behaviour: Behaviour): boolean {
  if (e.countOnly) return false
  const table = tableOf(e, schema)
  const shown = e.filters.some((f) => /^(?:is_?)?(?:published|public|active|visible|approved|shared)$/i.test(f.column) && f.value.v === 'const')
  if (table && !table.stub) {
    if (!table.userData && broughtAlong(e, table, schema)) return true
    if (!table.userData) return isTenant(table, schema) && (e.op === 'update' || e.op === 'delete' || isChangedLater(e, behaviour))
    return !(e.op === 'select' && shown && !table.userData.personalColumns.length)
  }
  return PERSONAL_NAME.test(lastPart(e.table)) && !(e.op === 'select' && shown)
}

const MEMBERSHIP_TABLE_WORD = /member|(?:^|_)(?:users?|roles?|staff|collaborators?)$/i

/** A team, an organisation: its rows name nobody, those of its members do. */
const isTenant = (table: Table, { tables }: Pick<SchemaModel, 'tables'>): boolean =>
  tables.some(
    (t) =>
      t !== table &&
      (MEMBERSHIP_TABLE_WORD.test(t.name) || joinedByPeople(t.name) !== undefined) &&
      (t.userData?.ownerColumns.length ?? 0) > 0 &&
      t.foreignKeys.some((k) => k.references === `${table.schema}.${table.name}` || k.references === table.name),
  )

/** A row that is loaded first and changed by its key: `update … where id = team.id`. */
const isChangedLater = (e: Query, behaviour: Behaviour): boolean =>
  behaviour.steps.some(
    ({ effect: w }) =>
      w.kind === 'db' &&
      (w.op === 'update' || w.op === 'delete') &&
      w.table === e.table &&
      w.filters.some((f) => f.value.v === 'row' && f.value.step >= 0 && behaviour.steps[f.value.step]?.effect === e),
  )

/** An expression for the caller's id, as this handler gets it. */
export function callerOf(behaviour: Behaviour): string {
  const how = behaviour.steps.find((s) => s.effect.kind === 'identify')?.effect
  const name = how?.kind === 'identify' ? how.how : ''
  return /clerk/i.test(name) ? 'userId' : /next-auth|Auth\.js|Better Auth/i.test(name) ? 'session.user.id' : 'user.id'
}

/** Headers that say from which address of the network somebody calls. */
const CLIENT_IP_HEADER = /^(?:x-forwarded-for|x-real-ip|x-client-ip|cf-connecting-ip|true-client-ip|fly-client-ip|x-vercel-forwarded-for)$/i

/** Something of the request that the caller chooses; what running a query gave is the query's choice, whatever it was asked with. */
function mentionsDirectly(value: Value, behaviour: Behaviour, depth: number): boolean {
  if (value.v === 'request') return value.part !== 'ip' && value.part !== 'cookie' && !(value.part === 'header' && CLIENT_IP_HEADER.test(value.name ?? ''))
  if (value.v === 'result') return isModelAnswer(value, behaviour)
  if (value.v === 'call' && /^execute(?:TakeFirst\w*)?$/.test(value.name)) return false
  return depth < 8 && partsOf(value).some((p) => mentionsDirectly(p, behaviour, depth + 1))
}
