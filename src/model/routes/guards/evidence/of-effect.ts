/**
 * What it proves about who calls that a step succeeded or found a row: the caller's own row, a row under a credential that was sent, a signature, a session.
 * Who asks only whether there is a row relies on how it was looked up.
 */
import { lastPart } from '../../../../lib/last-part.ts'
import { mentions } from '../../../behaviour/domain/contains.ts'
import { isServicesWay } from '../../../behaviour/identity/service-path.ts'
import {
  findsSession,
  isCheckedClaim,
  isFromCredential,
  isKeptOfCaller,
  isKeptSession,
  isKeptUnderToken,
  isVouchedFor,
  keyRead,
} from '../../../behaviour/identity/signed-token.ts'
import type { Behaviour, Filter, Step, Value } from '../../../behaviour/types.ts'
import { isTainted } from '../../request/request-taint.ts'
import type { Proof } from '../guard-model.ts'
import { ADMINS_SESSIONS, APP_ADMIN_TABLE, isCredential, isRoleField } from '../identity-words.ts'
import { credentialLookedUp } from './credential-lookup-rest.ts'
import { keyForLookUp } from './credential-lookup-rpc.ts'
import { asksAnotherService } from './delegated-authentication.ts'
import { leastTrusted } from './evidence.ts'
import { DROPS_UNDEFINED } from './null-principal-filter.ts'
import { asksForRight, asksForRole, isGrant } from './permission-query.ts'
import { callerInEach } from './principal-in-postgrest-filter.ts'
import { fromProcessor, PROCESSORS_OBJECT } from './processor-object.ts'

/** The success of a step that checks somebody. */
export function resultProof(step: Step, behaviour: Behaviour): Proof | undefined {
  const e = step.effect
  if (e.kind === 'identify') return { who: 'user', trust: e.trust, how: e.how, at: step.at }
  if (e.kind === 'verify-signature' && isFromCredential(e.payload))
    return { who: 'user', trust: 'verified', how: `${e.library} signature of a token`, at: step.at }
  if (e.kind === 'verify-signature') return { who: 'signature', trust: 'verified', how: `${e.library} signature`, at: step.at }
  if (isKeptSession(e)) return { who: 'user', trust: 'verified', how: 'a session in a key-value store', at: step.at }
  if (isKeptUnderToken(e)) return { who: 'token', trust: 'verified', how: 'a token under which a key-value store keeps something', at: step.at }
  if (isKeptOfCaller(e)) return { who: 'user', trust: 'verified', how: 'what is kept under the id of the caller', at: step.at }
  if (e.kind === 'hash-compare') return { who: 'secret', trust: 'verified', how: e.name, at: step.at }
  if (e.kind === 'db') return rowProof(behaviour.steps.indexOf(step), undefined, behaviour, 0)
  if (e.kind === 'rpc') {
    // `is_admin(auth.uid())` asked through the caller's own client, or with the caller's id.
    if ((e.client.rights === 'caller' && !FETCHES.test(e.function)) || mentionsCaller(e.args))
      return { who: asksForRight(e) ? 'admin' : 'user', trust: 'verified', how: `rpc ${e.function}`, at: step.at }
    // `validate_api_key(key)`: the database looks the key up that the caller has to bring
    const key = keyForLookUp(e)
    if (key) return { who: 'token', trust: 'verified', how: `rpc ${e.function}, ${key}`, at: step.at }
  }
  const column = e.kind === 'http' ? credentialLookedUp(e) : undefined
  if (column) return { who: 'token', trust: 'verified', how: `a row of the data API by its ${column}`, at: step.at }
  if (e.kind === 'http' && asksAnotherService(e)) return { who: 'check', trust: 'verified', how: e.name, at: step.at }
  return undefined
}

/** A function of the database that is called for what it gives: that it gave something says nothing of who asked. */
const FETCHES =
  /^(?:\w+\.)?(?:get|list|fetch|find|search|load|process|calculate)_(?!.*(?:my|mine|current|own|role|user|account|profile|permission|access|auth))/i

/** A row that was found by the caller's id proves the caller; one found by a credential proves that it is known. */
export function rowProof(index: number, field: string | undefined, behaviour: Behaviour, depth: number, hops = 0): Proof | undefined {
  const step = behaviour.steps[index]
  if (step?.effect.kind !== 'db') return undefined
  for (const f of step.effect.filters) {
    const caller = f.op === 'eq' || asksForAddress(f) ? callerAmong(f.value, step) : f.op === 'other' ? callerInEach(f.value) : undefined
    const who = isRoleField(field) || isGrant(step.effect, field) || asksForRole(step.effect) || APP_ADMIN_TABLE.test(step.effect.table) ? 'admin' : 'user'
    if (caller && !mayBeLeftOut(caller, step)) return { who, trust: caller.trust, how: caller.how, ...(caller.at ? { at: caller.at } : {}) }
    if (f.op === 'eq' && isCheckedClaim(f.value, behaviour)) return { who, trust: 'verified', how: CHECKED_TOKEN }
    if (f.op === 'eq' && mentions(f.value, (x) => isVouchedFor(x, behaviour)))
      return { who: 'user', trust: 'verified', how: `${step.effect.table}.${f.column}, which a verified token names` }
    const kept = f.op === 'eq' ? keptUnder(f.value, behaviour) : undefined
    if (kept) return { who: isRoleField(field) ? 'admin' : 'user', trust: kept.trust, how: kept.how, ...(kept.at ? { at: kept.at } : {}) }
    if (f.op === 'eq' && fromProcessor(f.value, behaviour)) return { who: 'token', trust: 'verified', how: PROCESSORS_OBJECT }
    if (f.op === 'eq' && findsSession(step.effect.table, f.value))
      return { who: ADMINS_SESSIONS.test(step.effect.table) ? 'admin' : 'user', trust: 'verified', how: `${step.effect.table}.${f.column}`, at: step.at }
    if (f.op === 'eq' && isCredential(lastPart(f.column)) && isTainted(f.value))
      return { who: 'token', trust: 'verified', how: `${step.effect.table}.${f.column}` }
  }
  const before = depth < 6 && hops < 3 ? proofBehindLookUp(step, behaviour, hops + 1) : undefined
  return before?.who === 'user' && isRoleField(field) ? { ...before, who: 'admin' } : before
}

/** The caller's own address, however it is spelled: `.ilike('email', user.email)`. */
const asksForAddress = ({ op, column }: Filter): boolean => op === 'like' && /e_?mail$/i.test(column)

const CHECKED_TOKEN = 'a token whose signature is checked'

/** What a token says whose signature the application checks itself: who somebody is, or what they may do (`payload.permissions[module]`). */
export function claimProof(value: Value, behaviour: Behaviour): Proof | undefined {
  if (!isCheckedClaim(value, behaviour)) return undefined
  const role = mentions(value, (x) => x.v === 'call' && isRoleField(x.name))
  return { who: role ? 'admin' : 'user', trust: 'verified', how: CHECKED_TOKEN }
}

/** The caller that a value is, or is where somebody is signed in (`session?.user.id`), when the step asks for that. */
function callerAmong(value: Value, { under }: Step): Extract<Value, { v: 'caller' }> | undefined {
  if (value.v === 'caller') return value
  if (value.v !== 'any') return undefined
  const ways = value.of.filter((_, i) => !isServicesWay(value.under?.[i] ?? []))
  const callers = ways.filter((x) => x.v === 'caller')
  // `user.email ?? ''`: nobody's address is empty
  const nobody = ways.filter((x) => x.v === 'const' && (x.value === undefined || x.value === null || x.value === ''))
  if (!callers.length || callers.length + nobody.length < ways.length) return undefined
  return !nobody.length || under.some((c) => !c.negated && c.test.v === 'caller') ? leastTrusted(callers) : undefined
}

/**
 * Whether the query may have been made without this filter: Prisma leaves out what is undefined, and finds somebody's row where nobody is signed in.
 * A library that says so by null, and whoever asked before, leave nothing out.
 */
function mayBeLeftOut(caller: Extract<Value, { v: 'caller' }>, { effect: e, under }: Step): boolean {
  if (e.kind !== 'db' || e.byKey || !DROPS_UNDEFINED.has(e.client.library) || /^Clerk /.test(caller.how)) return false
  return !under.some((c) => mentions(c.test, (x) => x.v === 'caller' && x.how === caller.how))
}

/** The caller under whose key a store holds a value: `(await store.get(token.sessionId)).userId`. */
function keptUnder(value: Value, behaviour: Behaviour, depth = 0): Extract<Value, { v: 'caller' }> | undefined {
  if (depth > 4) return undefined
  const callerIn = (key: Value | undefined) => (key?.v === 'text' ? key.parts : key?.v === 'any' ? key.of : key ? [key] : []).find((x) => x.v === 'caller')
  if (value.v === 'result') {
    const effect = behaviour.steps[value.step]?.effect
    return effect && callerIn(keyRead(effect))
  }
  if (value.v !== 'call') return undefined
  // of a client that is not known by name
  if (/(?:^|\.)get$/.test(value.name)) return callerIn(value.args[1])
  return value.args[0] && keptUnder(value.args[0], behaviour, depth + 1)
}

/** A row looked up by a value that is always missing (a member that the session does not have): a role asked of it lets nobody in. */
export function findsNobody(step: Step | undefined): boolean {
  return step?.effect.kind === 'db' && step.effect.filters.some((f) => f.op === 'eq' && f.value.v === 'const' && f.value.value === undefined)
}

/** What stood before a step holds for its result as well. Whose user is found among the administrators, or among those with a role, is one of them. */
function proofBehindLookUp(step: Step, behaviour: Behaviour, hops: number): Proof | undefined {
  if (step.effect.kind !== 'db') return undefined
  for (const f of step.effect.filters)
    if (f.value.v === 'row' && f.value.step >= 0 && behaviour.steps[f.value.step] !== step) {
      const p = rowProof(f.value.step, f.value.field, behaviour, 0, hops)
      if (p) return p.who === 'user' && f.op === 'eq' && (APP_ADMIN_TABLE.test(step.effect.table) || asksForRole(step.effect)) ? { ...p, who: 'admin' } : p
    }
  return undefined
}

/** Whether a verified caller is among what a function of the database is given. */
function mentionsCaller(v: Value, depth = 0): boolean {
  if (depth > 6) return false
  if (v.v === 'caller') return v.trust === 'verified'
  if (v.v === 'object') return Object.values(v.props).some((x) => mentionsCaller(x, depth + 1))
  if (v.v === 'array') return v.items.some((x) => mentionsCaller(x, depth + 1))
  if (v.v === 'any') return v.of.length > 0 && v.of.every((x) => mentionsCaller(x, depth + 1))
  return false
}
