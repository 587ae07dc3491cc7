import { grantsPower } from '../../../database/access/column-authority/privilege-columns.ts'
import type { AccessMatrix } from '../../../database/database.ts'
import { lastPart } from '../../../lib/last-part.ts'
import { says } from '../../../lib/snake-case.ts'
import { mentions } from '../../behaviour/domain/contains.ts'
import type { Behaviour, Step, Value } from '../../behaviour/types.ts'
import type { SchemaModel } from '../../schema/schema-model.ts'
import { peopleAlong } from '../exposure/embedded-people.ts'
import { disclosure, isAside, isDisclosed, isRepeated } from '../exposure/response-disclosure.ts'
import { handedOut } from '../exposure/secret-disclosure.ts'
import { guardWithWayPast } from '../guards/conditional-guard.ts'
import { capability } from '../guards/evidence/bearer-capability.ts'
import { ofCallerOrNobody } from '../guards/evidence/null-principal-filter.ts'
import { unlessSigned } from '../guards/evidence/optional-signature.ts'
import { isBesideProof } from '../guards/evidence/unrelated-proof.ts'
import { guardOfStep } from '../guards/guard.ts'
import type { Guard } from '../guards/guard-model.ts'
import { isRoleField, namesAdministrator } from '../guards/identity-words.ts'
import { asksOpenFunction, laterGuard, requiresSession } from '../guards/late-guard.ts'
import { decides, looksForToken } from '../guards/lookup-in-guard.ts'
import { guardByPolicies } from '../guards/rls-as-guard.ts'
import { countsCalls } from '../limits/rate-limiter.ts'
import { isTainted } from '../request/request-taint.ts'
import { anyFunction, anyTable } from './dynamic-table.ts'
import { tellsOfException } from './error-alert.ts'
import { handsOutFixedSession, makesAdministrator, makesFixedAccount, removesFound, setsPassword } from './hardcoded-account.ts'
import { keepsNewCode, renewsToken, replacesCode, throwsAwayExpired } from './housekeeping.ts'
import { booksAsPaid } from './marked-paid.ts'
import { choosesRecipient, choosesWords, speaksToWhomItNames } from './messages.ts'
import { objectKey, objectStoreWork } from './object-store.ts'
import type { Work, WorkKind } from './operation-model.ts'
import { http, invoked } from './outbound-calls.ts'
import { madeWithCallersKey } from './outbound-credentials.ts'
import { fileReadByName } from './path-from-request.ts'
import { payment } from './payments.ts'
import { booksOnNamedCustomer } from './processor-customer.ts'
import { rightsWords, rowWork } from './row-operations.ts'
import { signedWith } from './signing-oracle.ts'

/** Changes of rows. */
export const ROW_CHANGES: ReadonlySet<WorkKind> = new Set(['insert', 'update', 'delete'])
const FIXED_SESSION: Omit<Work, 'at' | 'via'> = {
  kind: 'secret',
  what: 'hands out the session of an account whose password the application holds itself',
  call: 'session',
  whole: true,
}

const NEW_ADMINISTRATOR: Omit<Work, 'at' | 'via'> = {
  kind: 'admin',
  what: 'makes an account of an administrator (admin.createUser)',
  call: 'auth.admin.createUser',
  rights: 'service',
}

/** Work that shows only in what else the handler does. */
function unnamed(step: Step, behaviour: Behaviour): Omit<Work, 'at' | 'via'> | undefined {
  if (handsOutFixedSession(step, behaviour)) return FIXED_SESSION
  return makesAdministrator(step, behaviour) && !guardOfStep(step, behaviour) ? NEW_ADMINISTRATOR : undefined
}

/** The work of a behaviour, in order. */
export function workOf(behaviour: Behaviour, schema: Pick<SchemaModel, 'tables' | 'policies'>, access: AccessMatrix): readonly Work[] {
  const out: Work[] = []
  const answered = disclosure(behaviour)
  behaviour.steps.forEach((step, index) => {
    const found = classify(step, schema, access) ?? unnamed(step, behaviour)
    if (!found) return
    const people = found.kind === 'read' ? peopleAlong(step, index, behaviour, schema) : undefined
    const work = people
      ? { ...found, what: found.what.replace(/(?= with )/, ` and ${people.what}`), table: people.of, userData: true, along: true as const }
      : found
    // what is written down before every request, whatever it asks for, is done by nobody's choice
    if (step.everywhere && ROW_CHANGES.has(work.kind)) return
    if (tellsOfException(step, work)) return
    // whoever stores a file makes the bucket for it first
    if (work.kind === 'bucket' && behaviour.steps.some(({ effect: e }) => e.kind === 'storage' && e.op === 'write')) return
    if (
      concernsWhatItMade(step, behaviour) ||
      replacesCode(step, behaviour, index) ||
      keepsNewCode(step, behaviour, index) ||
      throwsAwayExpired(step) ||
      renewsToken(step, behaviour, index) ||
      countsCalls(index, behaviour)
    )
      return
    const asked = guardOfStep(step, behaviour)
    const before = asked && asksOpenFunction(asked, access) ? undefined : asked
    const own = !before || before.trust === 'claimed' || before.who === 'token' ? capability(step, behaviour) : undefined
    const proof =
      !before || before.trust === 'claimed' ? (own ?? guardWithWayPast(step, behaviour) ?? guardByPolicies(step, behaviour, schema, access) ?? before) : before
    const stands =
      (proof && ((!own && isBesideProof(step, proof, behaviour)) || isForAnybodysCode(work, proof)) ? undefined : proof) ??
      (before ? undefined : ofCallerOrNobody(step, schema))
    const guard = unlessSigned(stands, step)
    // asking who a token belongs to, with the server's own key, is part of the check
    if (step.effect.kind === 'db' && (!guard || guard.trust === 'claimed') && looksForToken(step.effect, behaviour, index)) return
    if (step.effect.kind === 'http' && (!guard || guard.trust === 'claimed') && decides(behaviour, index)) return
    // whoever knows a code may look at what it is for; that somebody has to be signed in to use it up is said before it is
    const early = guard?.who === 'token' && ROW_CHANGES.has(work.kind)
    const after = guard && guard.trust !== 'claimed' && !early ? undefined : laterGuard(behaviour, index, access)
    const later = early && after && !requiresSession(after) ? undefined : after
    // a guard looks keys and sessions up to compare them, and the secret of whoever has signed what came in
    const looksUp = looksUpSecret(later, index, behaviour) || (step.before === true && /api_?keys?|tokens?|sessions?|credentials?/i.test(work.table ?? ''))
    const hidden =
      (!guard || guard.trust === 'claimed') &&
      (work.kind === 'read' || work.kind === 'file-read' || work.kind === 'payment-read') &&
      (!answered || looksUp || !isDisclosed(behaviour, index, schema) || (isAside(work, step) && !isRepeated(behaviour, index)))
    const unsure = guard && guard.trust !== 'claimed' ? undefined : behaviour.gaps?.find((g) => g.step <= index)
    const named = (work.kind === 'mail' || work.kind === 'sms') && !work.chosen && speaksToWhomItNames(step.effect, behaviour)
    out.push({
      ...work,
      ...(named ? { chosen: 'recipient' as const } : {}),
      ...((work.kind === 'mail' || work.kind === 'sms') && choosesWords(step.effect) ? { worded: true as const } : {}),
      ...(removesFound(step, behaviour.steps) ? { what: 'deletes an account that was there before (admin.deleteUser)' } : {}),
      ...(work.kind === 'insert' && booksAsPaid(step.effect, behaviour) ? { chosen: 'paid' as const } : {}),
      ...(work.kind === 'payment' && !work.chosen && booksOnNamedCustomer(step.effect, behaviour) ? { chosen: 'owner' as const } : {}),
      ...granted(step),
      at: step.at,
      via: step.via,
      ...(guard ? { guard } : {}),
      ...(unsure ? { unsure } : {}),
      ...(hidden ? { hidden: true as const } : {}),
      ...(later ? { guardedLater: later } : {}),
      ...(step.before ? { inFront: true as const } : {}),
    })
  })
  return withoutIdleClaims(out)
}

/** What a middleware makes of a header that came along is no check, where the same is done on the way without the header. */
function withoutIdleClaims(all: readonly Work[]): readonly Work[] {
  if (!all.some((w) => w.guard?.trust === 'claimed')) return all
  const open = new Set(all.flatMap((w) => (w.guard || w.hidden ? [] : [placeOf(w)])))
  return all.filter((w) => w.guard?.trust !== 'claimed' || !open.has(placeOf(w)))
}

const placeOf = ({ kind, at }: Work): string => `${kind} ${at.path}:${at.line}`

const isRowTold = ({ steps }: Behaviour, index: number): boolean =>
  steps.some(({ effect: e }) => e.kind === 'respond' && e.body !== undefined && mentions(e.body, (x) => x.v === 'row' && x.step === index))

/** Whether a signature that is asked for later is made with what this step found, and nothing of that is told. */
const looksUpSecret = (later: Guard | undefined, index: number, behaviour: Behaviour): boolean =>
  later?.who === 'signature' &&
  later.trust === 'verified' &&
  !isRowTold(behaviour, index) &&
  behaviour.steps.some(({ under }) =>
    under.some((c) => mentions(c.test, (x) => x.v === 'call' && /hmac|digest|sign/i.test(x.name) && x.args[0]?.v === 'row' && x.args[0].step === index)),
  )

/** A code that is handed around to bring others along names its owner: whoever is entered under it is named by the request alone. */
const isForAnybodysCode = (work: Omit<Work, 'at' | 'via'>, { who, how }: Guard): boolean =>
  who === 'token' &&
  work.kind === 'insert' &&
  work.chosen === 'owner' &&
  /(?:referral|affiliate|promo|coupon|discount|voucher)\w{0,12}_?(?:code|key)$/i.test(how)

const PAYMENT_MARK_COLUMN = /^(?:is_?)?paid(?:_?at)?$|^payment_?(?:status|state)$|^(?:amount|total)_?paid$/i

/** Columns that a change names and that grant something: a role, credits, that a thing is paid. */
function granted({ effect: e }: Step): Pick<Work, 'sets' | 'raises'> {
  if (e.kind !== 'db' || !['insert', 'update', 'upsert'].includes(e.op) || e.payload?.v !== 'object') return {}
  const sets = Object.keys(e.payload.props).filter((column) => grantsPower(column) || says(PAYMENT_MARK_COLUMN, column))
  const raises = Object.entries(e.payload.props).some(
    ([column, v]) => isRoleField(column) && grantsPower(column) && (v.v === 'const' ? v.value === true || namesAdministrator(v.value) : isTainted(v)),
  )
  return sets.length ? { sets, ...(raises ? { raises: true as const } : {}) } : {}
}

/** Deletes the row or account that the handler itself has just made, undoing half of a failed registration, or writes into that row what came out since. */
function concernsWhatItMade(step: Step, behaviour: Behaviour): boolean {
  const e = step.effect
  if (e.kind === 'auth-call' && e.op === 'admin' && /deleteUser/i.test(e.name))
    return (
      !removesFound(step, behaviour.steps) &&
      behaviour.steps
        .slice(0, behaviour.steps.indexOf(step))
        .some(({ effect: made }) => made.kind === 'auth-call' && (made.op === 'sign-up' || /createUser|inviteUser/i.test(made.name)))
    )
  if (e.kind !== 'db' || (e.op !== 'delete' && e.op !== 'update')) return false
  return e.filters.some((f) => {
    if (f.op !== 'eq' || f.value.v !== 'row') return false
    const made = behaviour.steps[f.value.step]?.effect
    return made?.kind === 'db' && made.op === 'insert' && made.table === e.table
  })
}

function madeUp(v: Value, depth: number): boolean {
  if (depth > 4) return false
  if (v.v === 'call') return v.name === 'random'
  if (v.v === 'text') return v.parts.some((p) => madeUp(p, depth + 1))
  if (v.v === 'array') return v.items.length > 0 && v.items.every((p) => madeUp(p, depth + 1))
  if (v.v === 'any') {
    const named = v.of.filter((x) => !(x.v === 'const' && (x.value === null || x.value === undefined)))
    return named.length > 0 && named.every((p) => madeUp(p, depth + 1))
  }
  return false
}

/** The name that the request gives, with nothing of the server's own but words of the code: whatever stands under it is replaced. */
function isNamedWhole(v: Value, depth: number): boolean {
  if (v.v === 'request') return v.part !== 'whole' && v.as !== 'enum'
  const parts = v.v === 'text' ? v.parts.filter((p) => p.v !== 'const') : v.v === 'any' ? v.of : []
  return depth < 4 && parts.length > 0 && parts.every((p) => isNamedWhole(p, depth + 1))
}

/** What the request brings is kept on the disk of the server, where it stays. */
function writesToDisk({ name, args }: Extract<Step['effect'], { name: string }>): boolean {
  if (!/(?:^|\.)(?:writeFile|writeFileSync|outputFile|outputFileSync|appendFile|appendFileSync)$/.test(name)) return false
  const [path, content] = args
  const passing =
    path && mentions(path, (v) => (v.v === 'const' && /^\/?(?:var\/)?te?mp(?:\/|$)/.test(String(v.value))) || (v.v === 'call' && /tmpdir|mkdtemp/.test(v.name)))
  return content !== undefined && !passing && isTainted(content)
}

/** Functions of the database whose name says that they give what is public. */
const GIVES_PUBLIC = /^(?:get|list|fetch|search)_(?:\w{1,20}_)?public_/i

/** Functions of the database that put mail into a queue. */
const QUEUES_MAIL = /^(?:enqueue|queue|send|schedule)_(?:\w{1,20}_)?e?mails?$/i

/** Whoever names the function himself has all of them, also those that were taken from browsers because only the server may call them. */
function rpcWork(step: Step, e: Extract<Step['effect'], { kind: 'rpc' }>): Omit<Work, 'at' | 'via'> {
  const named = anyFunction(step)
  const which = named ? `whatever database function ${named} names` : `the database function ${e.function || 'whose name is put together'}`
  return {
    kind: 'rpc',
    what: `calls ${which} ${rightsWords(e.client.rights)}`,
    rights: e.client.rights,
    call: e.function,
    ...(named ? { chosen: 'function' as const } : {}),
  }
}

function classify(step: Step, schema: Pick<SchemaModel, 'tables'>, access: AccessMatrix): Omit<Work, 'at' | 'via'> | undefined {
  const e = step.effect
  switch (e.kind) {
    case 'db': {
      const named = anyTable(step)
      if (!named) return rowWork(e, schema, access)
      const [kind, does] = ({ select: ['read', 'reads'], insert: ['insert', 'inserts into'], delete: ['delete', 'deletes from'] } as const)[
        e.op as 'select'
      ] ?? ['update', 'changes']
      return { kind, what: `${does} whatever table ${named} names ${rightsWords(e.client.rights)}`, rights: e.client.rights, userData: true, chosen: 'table' }
    }
    case 'rpc':
      if (GIVES_PUBLIC.test(lastPart(e.function))) return undefined
      if (QUEUES_MAIL.test(lastPart(e.function)))
        return {
          kind: 'mail',
          what: `puts mail into the queue from which it is sent (${e.function})`,
          call: e.function,
          ...(choosesRecipient([e.args]) ? { chosen: 'recipient' as const } : {}),
        }
      return rpcWork(step, e)
    case 'storage': {
      if (e.op === 'manage')
        return {
          kind: 'bucket',
          what: `makes or changes ${e.bucket ? `bucket ${e.bucket}` : 'a bucket'} ${rightsWords(e.client.rights)}`,
          rights: e.client.rights,
        }
      // a file under a name that the server has just made up: nobody else's can be meant
      const fresh = madeUp(e.object, 0)
      if (fresh && e.op === 'delete') return undefined
      const kind = e.op === 'delete' ? 'file-delete' : e.op === 'write' ? 'file-write' : 'file-read'
      const replaced = e.op === 'write' && e.replaces === true && isTainted(e.object)
      const does = replaced ? 'replaces' : { read: 'reads', write: 'writes', delete: 'deletes', list: 'lists', sign: 'signs links to' }[e.op]
      return {
        kind,
        what: `${does} files of ${e.bucket ? `bucket ${e.bucket}` : 'a bucket'}${replaced ? ' that the request names' : ''} ${rightsWords(e.client.rights)}`,
        rights: e.client.rights,
        ...(fresh && e.op === 'write' ? { fresh: true as const } : {}),
        ...(replaced ? { chosen: 'file' as const } : {}),
      }
    }
    case 'auth-call':
      if (e.op === 'admin' && /admin\.(listUsers|getUser\w*)$/i.test(e.name))
        return {
          kind: 'read',
          what: `reads accounts (${e.name}) ${rightsWords('service')}`,
          call: e.name,
          rights: 'service',
          table: 'auth.users',
          userData: true,
        }
      if (makesFixedAccount(e))
        return { kind: 'admin', what: `makes an account with a password that stands in the code (${e.name})`, call: e.name, rights: 'service' }
      if (setsPassword(e))
        return {
          kind: 'admin',
          what: `sets a password that the request brings for an account (${e.name})`,
          call: e.name,
          rights: 'service',
          chosen: 'password',
        }
      return e.op === 'admin' && !/createUser|admin\.signOut/i.test(e.name)
        ? { kind: 'admin', what: `administers accounts (${e.name})`, call: e.name, rights: 'service' }
        : undefined
    case 'mail':
      return { kind: 'mail', what: `sends mail (${e.name})`, call: e.name, ...(choosesRecipient(e.args) ? { chosen: 'recipient' as const } : {}) }
    case 'sms':
      return { kind: 'sms', what: `sends a message (${e.name})`, call: e.name, ...(choosesRecipient(e.args) ? { chosen: 'recipient' as const } : {}) }
    case 'invoke':
      return invoked(e)
    case 'ai':
      if (madeWithCallersKey(e.settings)) return undefined
      return { kind: 'paid-api', what: `calls a paid model (${e.name})`, call: e.name }
    case 'payment':
      return payment(e)
    case 'http':
      return http(e)
    case 'file':
      switch (objectStoreWork(e)) {
        case 'link':
          return { kind: 'file-read', what: `signs links to files (${e.name})`, call: e.name, rights: 'service' }
        case 'delete': {
          // what was just stored under a name of the server's is taken away again
          const key = objectKey(e)
          return key && madeUp(key, 0) ? undefined : { kind: 'file-delete', what: `deletes files (${e.name})`, call: e.name, rights: 'service' }
        }
        case 'write': {
          const key = objectKey(e)
          const named = key !== undefined && isNamedWhole(key, 0)
          return {
            kind: 'file-write',
            what: named ? `replaces whichever file the request names (${e.name})` : `stores files (${e.name})`,
            call: e.name,
            rights: 'service',
            ...(key && madeUp(key, 0) ? { fresh: true as const } : {}),
            ...(named ? { chosen: 'file' as const } : {}),
          }
        }
      }
      if (fileReadByName(e.name, e.args, step.under))
        return { kind: 'file-read', what: `reads whichever file of its disk the request names (${e.name})`, call: e.name, rights: 'service', chosen: 'file' }
      if (/^put$|\.put$|upload|handleUpload/i.test(e.name)) return { kind: 'file-write', what: `stores files (${e.name})`, call: e.name, rights: 'service' }
      if (writesToDisk(e)) return { kind: 'file-write', what: `writes files to its disk (${e.name})`, call: e.name, rights: 'service' }
      return /destroy|^del$|\.del$/i.test(e.name) ? { kind: 'file-delete', what: `deletes files (${e.name})`, call: e.name, rights: 'service' } : undefined
    case 'respond': {
      if (!e.body || (e.status ?? 200) >= 400) return undefined
      const secret = handedOut(e.body)
      const key = secret?.whole ? undefined : signedWith(e.body, 0)
      if (secret && !key)
        return {
          kind: 'secret',
          what: `hands out ${secret.whole ? '' : 'a part of '}${secret.name}`,
          call: secret.name,
          ...(secret.whole ? { whole: true as const } : {}),
        }
      return key ? { kind: 'sign', what: `signs what the caller sends with ${key}`, call: key } : undefined
    }
    case 'exec':
      // a command that is written in the code does what its author meant, whoever asks
      if (!e.args.some((a) => mentions(a, (v) => v.v !== 'const' && v.v !== 'text' && v.v !== 'array' && v.v !== 'object'))) return undefined
      return { kind: 'command', what: `runs a command (${e.name})`, call: e.name }
    default:
      return undefined
  }
}
