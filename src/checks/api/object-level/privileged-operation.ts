import { isListing, isWhere } from '../../../database/access/row-audience/for-sale.ts'
import { isPrivateByName } from '../../../database/access/row-audience/public-content.ts'
import type { Table } from '../../../database/database.ts'
import { isCallers, isCallersRow, mentions, requestName } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Effect, Query, Step, Value } from '../../../model/behaviour/types.ts'
import { copiedFrom, objectKey, objectStoreWork } from '../../../model/routes/operations/object-store.ts'
import { fileReadByName, givenName } from '../../../model/routes/operations/path-from-request.ts'
import { changesAtProcessor } from '../../../model/routes/operations/payments.ts'
import { isLog } from '../../../model/routes/operations/row-operations.ts'
import type { Route } from '../../../model/routes/routes.ts'
import type { SchemaModel } from '../../../model/schema/schema-model.ts'
import { refusesTheServer } from '../binding/function-requires-caller.ts'
import { isImpossible } from '../binding/infeasible-path.ts'
import type { Ties } from '../binding/ownership-binding.ts'
import { isKeptForOwners } from '../binding/policy-binding.ts'
import { takesColleaguesAccount } from '../broken-authentication/peer-account-takeover.ts'
import { tellsOfAccounts } from '../exposure/account-enumeration.ts'
import { showsNamesInPart } from '../exposure/partial-name.ts'
import { appointsByRequest } from '../function-level/role-assigned-by-request.ts'
import { lookedUpBy } from '../payment-integrity/customer-lookup-by-request.ts'
import { accountWide } from '../payment-integrity/processor-account-disclosure.ts'
import { chosenByCaller, isHarmlessChoice, PLAINLY_POWER } from '../property-level/mass-assignment.ts'
import {
  aboutQuery,
  belongsToSomebody,
  callerOf,
  directly,
  isRequestControlled,
  OWN_METADATA,
  type OwnershipBreach,
  PERSONAL_NAME,
  tableOf,
  verbOf,
} from '../shared/violation.ts'
import { deletedElsewhere } from './third-party-deletion.ts'

/** Every row of a personal table for anybody who is signed in. */
export function listingBreaches(
  step: Step,
  index: number,
  e: Query,
  behaviour: Behaviour,
  ties: Ties,
  schema: Pick<SchemaModel, 'tables'>,
  route: Route,
): OwnershipBreach[] {
  if (e.client.rights !== 'service' || e.countOnly || e.unread || isImpossible(step.under)) return []
  const admin = /(?:^|[/_-])(?:admin|backoffice|internal|management)(?:[/_-]|$)/i.test(route.route) || /(?:^|\/)admin(?:\/|$)/i.test(route.path)
  const table = tableOf(e, schema)
  const operation: OwnershipBreach = {
    kind: 'admin',
    severity: 'Critical',
    ...aboutQuery(step, e, behaviour),
    what: `${verbOf(e)} ${e.table}`,
  }
  // what everybody depends on and nobody owns: contests, prices, settings
  if (admin && e.op !== 'select' && !step.before && table && !table.stub && !table.userData && !isLog(table.name) && !ties.byCondition(step)) return [operation]
  if (e.filters.some((f) => f.value.v !== 'const') || ties.byCondition(step)) return []
  if (e.op === 'select') {
    // where something stands that is on offer is said of the thing
    const ofPeople = (table: Table) => (table.userData?.personalColumns ?? []).filter((c) => !(isWhere(c) && isListing(table)))
    const personal = table && !table.stub ? ofPeople(table) : undefined
    const columns = e.columns
    const shows = personal ? personal.some((c) => !columns || columns.includes('*') || columns.includes(c)) : admin && PERSONAL_NAME.test(e.table)
    if (
      !(shows || (admin && table && showsWhatWasSaid(table, columns)) || (table && takesPeopleAlong(table, columns ?? [], schema))) ||
      !belongsToSomebody(e, schema, behaviour) ||
      e.one
    )
      return []
    const picked = columns && !columns.includes('*') ? personal?.filter((c) => columns.includes(c)) : undefined
    if (picked && showsNamesInPart(behaviour, index, picked)) return []
    const shown = behaviour.steps
      .slice(index + 1)
      .some(
        (s) =>
          s.effect.kind === 'respond' &&
          (s.effect.status ?? 200) < 400 &&
          s.effect.body !== undefined &&
          mentions(s.effect.body, (x) => x.v === 'row' && x.step === index && x.field !== 'length'),
      )
    return shown
      ? [
          {
            kind: 'listing',
            severity: 'Critical',
            ...aboutQuery(step, e, behaviour),
            what: `answers with all rows of ${e.table}`,
          },
        ]
      : []
  }
  const empties = emptiesTable(e)
  // what a guard writes down before the handler is no operation of it
  if ((!admin && !empties) || e.op === 'insert' || step.before) return []
  return [empties ? { ...operation, what: `deletes every row of ${e.table}` } : operation]
}

const TEXT_COLUMN = /^(?:content|body|text|message|comment|notes?)$/i

/** What people wrote to few, whoever they are. */
const showsWhatWasSaid = ({ name }: Table, columns: readonly string[] | undefined): boolean =>
  isPrivateByName(name) && (!columns || columns.some((c) => c === '*' || TEXT_COLUMN.test(c)))

/** Whole rows of people beside rows that are between few: `prisma.payment.findMany({ include: { payer: true } })`. */
function takesPeopleAlong(table: Table, columns: readonly string[], { tables }: Pick<SchemaModel, 'tables'>): boolean {
  if (!isPrivateByName(table.name)) return false
  return columns.some((c) => {
    const [, relation] = /^(\w+)\(\*\)$/.exec(c) ?? []
    const key =
      relation && table.foreignKeys.find((k) => k.columns.length === 1 && (k.columns[0] ?? '').replace(/_?id$/i, '').toLowerCase() === relation.toLowerCase())
    return key && tables.some((t) => `${t.schema}.${t.name}` === key.references && (t.userData?.personalColumns.length ?? 0) > 0)
  })
}

/** `delete().neq('id', NOBODY)`: the condition that the client library asks for before it deletes all rows. What only keeps answers of others is made anew. */
function emptiesTable(e: Query): boolean {
  return e.op === 'delete' && e.filters.length > 0 && e.filters.every((f) => f.op === 'neq') && !/cache|temp|tmp|logs?(?:_|$)/i.test(e.table)
}

/** `report-${id}-${Date.now()}.pdf`, `${Date.now()}-${random}.${extension}`: in nobody's folder, and under no name that is taken. */
function isNewName(path: Value): boolean {
  if (path.v !== 'text') return false
  const made = path.parts.findIndex((x) => mentions(x, (y) => y.v === 'call' && NEW.test(y.name)))
  if (made < 0) return false
  const [first] = path.parts
  if (!path.parts.slice(0, made).some((x) => mentions(x, (y) => y.v === 'request'))) return true
  return first?.v === 'const' && !!first.value && !path.parts.some((x) => x.v === 'const' && String(x.value).includes('/'))
}

/** What gives something else each time. */
const NEW = /^(?:Date\.now|(?:crypto\.)?randomUUID|uuid(?:v4)?|nanoid|Math\.random)$/

/** Account administration, files, functions and payments that the request points at somebody else. */
export function otherBreaches(
  step: Step,
  e: Effect,
  behaviour: Behaviour,
  ties: Ties,
  schema: Pick<SchemaModel, 'tables' | 'functions' | 'enums' | 'policies'>,
): OwnershipBreach[] {
  if (ties.byCondition(step)) return e.kind === 'auth-call' ? takesColleaguesAccount(step, e, behaviour) : []
  switch (e.kind) {
    case 'auth-call': {
      if (e.op !== 'admin') return []
      const raised = raisedByCaller(step, e.args, behaviour, schema)
      if (raised.length) return raised
      const appointed = appointsByRequest(step, e, behaviour, schema)
      if (appointed.length) return appointed
      const target = e.args[0]
      if (target && isCallers(target, behaviour)) return []
      const linkFor = target && /generateLink/.test(e.name) ? accountOf(target, behaviour, ties) : undefined
      if (
        /deleteUser|updateUserById|generateLink|inviteUserByEmail|listUsers|users\.(?:delete|update|ban)/.test(e.name) &&
        (/listUsers/.test(e.name) || (target && mentions(target, (x) => x.v === 'request')) || linkFor)
      ) {
        if (/listUsers/.test(e.name) && !behaviour.steps.some((s) => tellsOfAccounts(s, behaviour.steps.indexOf(step), behaviour))) return []
        return [
          {
            kind: 'admin',
            // sent to whom it signs in, it hands nobody the account
            severity: linkFor && !isTold(step, behaviour) ? 'High' : 'Critical',
            at: step.at,
            verb: e.name,
            ...(target ? { by: requestName(linkFor ?? target) ?? 'a value of the request' } : {}),
            what: `${e.name} with the service role`,
          },
        ]
      }
      return []
    }
    case 'storage': {
      if (e.client.rights !== 'service' || !isRequestControlled(e.object, behaviour)) return []
      if (mentions(e.object, (x) => isCallers(x, behaviour)) || (e.op === 'write' && !e.replaces && isNewName(e.object))) return []
      return [
        {
          kind: 'file',
          severity: e.op === 'write' || e.op === 'list' ? 'High' : 'Critical',
          at: step.at,
          table: e.bucket,
          verb: e.op,
          by: requestName(e.object) ?? 'a value of the request',
          callerAs: callerOf(behaviour),
          what: `${e.op}s files of bucket ${e.bucket || '(computed)'} at ${requestName(e.object) ?? 'a path of the request'}`,
        },
      ]
    }
    case 'file': {
      const [first] = e.args
      if (FILE_WRITE_CALL.test(e.name)) return first ? namedFile(step, first) : []
      const read = fileReadByName(e.name, e.args, step.under)
      if (read && isAnsweredWith(step, behaviour)) {
        const by = requestName(read) ?? 'a value of the request'
        return [{ kind: 'file', severity: 'Critical', at: step.at, verb: 'read', by, what: `answers with the file of its disk that ${by} names` }]
      }
      const source = copiedFrom(e)
      if (source && isRequestControlled(source, behaviour) && !mentions(source, (x) => isCallers(x, behaviour)) && !checkedBefore(step, source, behaviour)) {
        const by = requestName(source) ?? 'a value of the request'
        const what = `copies whichever file of the store ${by} names`
        return [{ kind: 'file', severity: 'Critical', at: step.at, table: '', verb: 'copie', by, callerAs: callerOf(behaviour), what }]
      }
      const stored = objectStoreWork(e) === 'delete'
      const object = stored ? objectKey(e) : first
      if (!(stored || /destroy|^del$|\.del$/i.test(e.name)) || !object || !isRequestControlled(object, behaviour)) return []
      if (mentions(object, (x) => isCallers(x, behaviour)) || checkedBefore(step, object, behaviour)) return []
      return [
        {
          kind: 'file',
          severity: 'Critical',
          at: step.at,
          verb: 'delete',
          by: requestName(object) ?? 'a value of the request',
          callerAs: callerOf(behaviour),
          what: `deletes the file at ${requestName(object) ?? 'an address of the request'}`,
        },
      ]
    }
    case 'rpc': {
      if (e.client.rights !== 'service' || e.args.v !== 'object' || mentions(e.args, (x) => isCallers(x, behaviour))) return []
      if (refusesTheServer(e.function, schema)) return []
      const chosen =
        Object.entries(e.args.props).find(
          ([n, v]) =>
            /(?:^|_)(?:user|owner|profile|account|customer|member|target)_?id$|^p?_?(?:user|uid|userid)$/i.test(n) && isRequestControlled(v, behaviour),
        ) ??
        Object.entries(e.args.props).find(
          ([n, v]) =>
            /(?:^|_)ids?$/i.test(n) &&
            isRequestControlled(v, behaviour) &&
            !checkedBefore(step, v, behaviour) &&
            (handsOutRows(e.function, schema) || changesUnseen(e.function, n, schema) || changesKept(e.function, n, schema)),
        )
      return chosen
        ? [
            {
              kind: 'function',
              severity:
                schema.functions.some((f) => f.name === e.function && !f.stub) || /user|owner|profile|account|customer|member/i.test(chosen[0])
                  ? 'Critical'
                  : 'High',
              at: step.at,
              table: e.function,
              by: requestName(chosen[1]) ?? 'a value of the request',
              ownerColumn: chosen[0],
              callerAs: callerOf(behaviour),
              what: `calls ${e.function} with ${chosen[0]} = ${requestName(chosen[1]) ?? 'a value of the request'}`,
            },
          ]
        : []
    }
    case 'payment': {
      const books = accountWide(step, e, behaviour)
      if (books.length) return books
      if (/customers\.(?:list|search)$/.test(e.name)) {
        const written = (x: Value) => x.v === 'row' && /^e_?mail$/i.test(x.field ?? '') && x.step >= 0 && isCallersRow(x.step, behaviour)
        const how = e.args.some((a) => mentions(a, (x) => x.v === 'caller' && (x.field ?? '').endsWith('email')))
          ? "the caller's e-mail address"
          : e.args.some((a) => mentions(a, written))
            ? "the e-mail address in the caller's own row"
            : undefined
        if (how) return [{ kind: 'email-lookup', severity: 'Medium', at: step.at, what: `${e.name} by ${how}`, by: 'e-mail' }]
      }
      const target = e.args[0]
      if (
        /subscriptions\.(?:create|update|cancel|del)|billingPortal\.sessions\.create|customers\.(?:update|del)|paymentMethods\.(?:attach|detach)|refunds\.create|invoices\.(?:pay|voidInvoice|update)|subscriptionItems\.|accounts\.createLoginLink|accountLinks\.create/.test(
          e.name,
        ) &&
        target
      ) {
        const id = target.v === 'object' ? (target.props.customer ?? target.props.payment_intent ?? target.props.charge ?? target.props.account) : target
        // a new subscription for an id that the request sends is how the processor's own examples begin one
        const named = id && !e.name.endsWith('subscriptions.create') && isRequestControlled(id, behaviour) && directly(id) ? id : undefined
        const asked = named ?? (id && lookedUpBy(id, behaviour))
        if (asked)
          return [
            {
              kind: 'payment',
              severity: 'High',
              at: step.at,
              verb: e.name,
              by: requestName(asked) ?? 'a value of the request',
              callerAs: callerOf(behaviour),
              what: `${e.name} on ${requestName(asked)}`,
            },
          ]
      }
      return []
    }
    case 'http': {
      const elsewhere = deletedElsewhere(step, e, behaviour)
      if (elsewhere.length) return elsewhere
      const changed = changesAtProcessor(e)
      const id = changed && askedBy(changed.id, behaviour)
      if (!changed || !id || checkedBefore(step, id, behaviour)) return []
      const by = requestName(id) ?? 'a value of the request'
      return [
        {
          kind: 'processors-own',
          severity: 'High',
          at: step.at,
          verb: changed.call,
          by,
          callerAs: callerOf(behaviour),
          what: `calls ${changed.call} on ${by}`,
        },
      ]
    }
    default:
      return []
  }
}

/** What of the request the account was looked up by to whose address a link is made: `generateLink({ email: (await admin.getUserById(id)).data.user.email })`. */
function accountOf(target: Value, { steps }: Behaviour, ties: Ties): Value | undefined {
  const email = target.v === 'object' ? target.props.email : undefined
  const asked = email?.v === 'row' && email.step >= 0 ? steps[email.step]?.effect : undefined
  if (asked?.kind === 'auth-call' && /getUserById/.test(asked.name)) return asked.args[0] && directly(asked.args[0]) ? asked.args[0] : undefined
  if (asked?.kind !== 'db' || asked.client.rights !== 'service' || ties.byFilter(asked)) return undefined
  return asked.filters.find((f) => f.op === 'eq' && directly(f.value))?.value
}

/** An answer holds something of what the step gave. */
const isTold = (step: Step, behaviour: Behaviour): boolean => isAnsweredWith(step, behaviour)

/** The value of the request that an id is, or that whoever told the id was asked by, and nothing of the caller's beside it. */
function askedBy(id: Value, { steps }: Behaviour): Value | undefined {
  if (id.v === 'request') return id
  const asked = id.v === 'result' ? steps[id.step]?.effect : undefined
  if (asked?.kind !== 'http' || asked.args.some((a) => mentions(a, (x) => x.v === 'caller' || x.v === 'row'))) return undefined
  const address = asked.args[0]
  return address?.v === 'text' ? address.parts.find((p) => p.v === 'request') : undefined
}

/** An answer holds what the step found. */
function isAnsweredWith(step: Step, { steps }: Behaviour): boolean {
  const index = steps.indexOf(step)
  return steps.some(({ effect: e }) => e.kind === 'respond' && e.body !== undefined && mentions(e.body, (x) => x.v === 'result' && x.step === index))
}

const FILE_WRITE_CALL = /(?:^|\.)(?:writeFile|writeFileSync|outputFile|outputFileSync|createWriteStream)$/

/** Where on the server's disk something is written, by the name that whoever sends it gives it: `../` leads out of the folder. */
function namedFile({ at }: Step, path: Value): OwnershipBreach[] {
  const named = givenName(path)
  if (!named) return []
  const by = requestName(named) ?? 'a value of the request'
  return [{ kind: 'file', severity: 'High', at, verb: 'write', by, what: `writes to its disk under ${by}` }]
}

/** What stands in the app metadata is believed, because users cannot edit it: here the caller says what it is to be. */
function raisedByCaller(step: Step, args: readonly Value[], behaviour: Behaviour, schema: Pick<SchemaModel, 'enums'>): OwnershipBreach[] {
  const settings = args.flatMap((a) => (a.v === 'object' && a.props.app_metadata?.v === 'object' ? Object.entries(a.props.app_metadata.props) : []))
  return settings.flatMap(([name, value]): OwnershipBreach[] => {
    if (!PLAINLY_POWER.test(name) || !chosenByCaller(value, behaviour, schema) || isHarmlessChoice(step, value)) return []
    const by = requestName(value) ?? OWN_METADATA
    return [
      {
        kind: 'power',
        severity: 'Critical',
        at: step.at,
        table: 'app_metadata',
        verb: 'writes',
        by,
        ownerColumn: name,
        what: `writes app_metadata with ${name} = ${by}`,
      },
    ]
  })
}

/** A function of the repository's SQL that returns rows of somebody's table and never looks at who asks. */
function handsOutRows(name: string, schema: Pick<SchemaModel, 'tables' | 'functions'>): boolean {
  const fn = schema.functions.find((f) => f.name.toLowerCase() === name.toLowerCase() && !f.stub)
  if (!fn || /\bauth\s*\.\s*(?:uid|jwt)\s*\(/i.test(fn.body)) return false
  const words = new Set(fn.body.toLowerCase().match(/[a-z_]\w*/g))
  // what is put together as a document tells of people where it names what is personal of them
  if (/^jsonb?\b/i.test(fn.returns))
    return schema.tables.some((t) => words.has(t.name.toLowerCase()) && t.userData?.personalColumns.some((c) => words.has(c.toLowerCase())))
  if (!/^(?:table|setof|record)\b/i.test(fn.returns)) return false
  return schema.tables.some((t) => t.userData && !t.stub && words.has(t.name.toLowerCase()) && t.userData.ownerColumns.length > 0)
}

/**
 * `set_primary_address(p_address_id)`, made in the dashboard: with the service role it cannot know who asks, and nobody else is told. What it does
 * is said by its name alone.
 */
function changesUnseen(name: string, argument: string, { functions }: Pick<SchemaModel, 'functions'>): boolean {
  if (functions.some((f) => f.name.toLowerCase() === name.toLowerCase() && !f.stub)) return false
  const of = argument.replace(/^_?p_/i, '').replace(/_?ids?$/i, '')
  return CHANGING_FUNCTION_NAME.test(name) && (PERSONAL_NAME.test(of) || PERSONAL_NAME.test(`${of}es`)) && name.toLowerCase().includes(of.toLowerCase())
}

/** A function of the repository's SQL, called so, that changes rows which policies keep for whom they belong to, and never looks at who asks. */
function changesKept(name: string, argument: string, { functions, tables, policies }: Pick<SchemaModel, 'tables' | 'functions' | 'policies'>): boolean {
  const fn = functions.find((f) => f.name.toLowerCase() === name.toLowerCase() && !f.stub)
  if (!fn || !CHANGING_FUNCTION_NAME.test(name) || DERIVED_FIGURE_COLUMN.test(name) || /\bauth\s*\.\s*(?:uid|jwt)\s*\(/i.test(fn.body)) return false
  const body = fn.body.toLowerCase()
  if (!body.split(/\W+/).includes(argument.toLowerCase())) return false
  return [...body.matchAll(/\b(?:update|delete\s+from)\s+(?:only\s+)?(?:public\s*\.\s*)?"?([a-z_]\w{0,62})/g)].some(([, changed]) =>
    tables.some((t) => t.name.toLowerCase() === changed && !t.stub && t.rls.enabled && isKeptForOwners(t, policies)),
  )
}

/** A count or a figure that follows from other rows. */
const DERIVED_FIGURE_COLUMN = /count|stat|total|average|rating|usage|views?|last_|timestamp|metric|score/i

const CHANGING_FUNCTION_NAME = /^(?:set|make|mark|update|change|edit|rename|delete|remove|cancel|archive|restore|reset|revoke|assign|unassign)_/i

/** The ids were looked up among the caller's own rows before. */
function checkedBefore(step: Step, value: Value, behaviour: Behaviour): boolean {
  const name = requestName(value)
  return behaviour.steps
    .slice(0, behaviour.steps.indexOf(step))
    .some(
      ({ effect }) =>
        effect.kind === 'db' &&
        (effect.client.rights === 'caller' || effect.filters.some((f) => isCallers(f.value, behaviour))) &&
        effect.filters.some((f) => requestName(f.value) === name),
    )
}
