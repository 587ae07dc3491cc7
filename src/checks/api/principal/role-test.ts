/**
 * Whether a test lets in only somebody of a role, who may act on rows of others. Asked beside a comparison with the owner, where the role is the other way
 * in.
 */

import { ACCEPTED, isCallers, isCallersRow, mentions, REJECTED } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Value } from '../../../model/behaviour/types.ts'
import { rightsAmong } from '../../../model/routes/guards/evidence/permission-bitmask.ts'
import { isPersons } from './human-caller.ts'

/** Somebody with a role may act on rows of others: `isAdmin || row.user_id === user.id`. */
export function provesRole(test: Value, truthy: boolean, behaviour: Behaviour, depth = 0): boolean {
  if (depth > 12) return false
  if (test.v === 'op') {
    const [a, b] = test.of
    if (test.op === '!') return a ? provesRole(a, !truthy, behaviour, depth + 1) : false
    if (test.op === '&&' || test.op === '||')
      return (test.op === '&&') === truthy
        ? test.of.some((x) => provesRole(x, truthy, behaviour, depth + 1))
        : test.of.every((x) => provesRole(x, truthy, behaviour, depth + 1))
    if (test.op === '&') return truthy && asksRights(test, behaviour)
    if (/^[!=]==?$/.test(test.op) && a?.v === 'op' && a.op === '&' && b)
      return asksRights(a, behaviour) && (test.op.startsWith('!') === truthy) === (b.v === 'const' && b.value === 0)
    if (test.op === '===' && truthy && a && b)
      return [a, b].some((x) => isCallers(x, behaviour)) && [a, b].some((x) => x.v === 'const' || x.v === 'env' || x.v === 'array' || isEnumMember(x))
    return false
  }
  if (!truthy) return false
  if (test.v === 'result') {
    const e = behaviour.steps[test.step]?.effect
    return e?.kind === 'rpc' && (e.client.rights === 'caller' || mentions(e.args, (x) => isCallers(x, behaviour)))
  }
  if (test.v === 'row') return test.step >= 0 && isCallersRow(test.step, behaviour)
  if (test.v === 'caller') return /role|admin/i.test(test.field ?? '') && test.trust === 'verified'
  if (test.v === 'call') return test.name !== ACCEPTED && test.name !== REJECTED && test.args.some((x) => mentions(x, (y) => isCallers(y, behaviour)))
  if (test.v === 'any') {
    const possible = test.of.filter((x) => !(x.v === 'const' && Boolean(x.value) !== truthy))
    return possible.length > 0 && possible.every((x) => provesRole(x, truthy, behaviour, depth + 1))
  }
  return false
}

/** `user.permissions & MANAGE_ORDERS`: rights of the caller's that are kept as bits. */
function asksRights({ of }: Extract<Value, { v: 'op' }>, behaviour: Behaviour): boolean {
  const rights = rightsAmong(of)
  return rights !== undefined && isPersons(rights, behaviour)
}

/** `UserRole.ADMIN` of an enum that comes from a package, such as the client that Prisma makes of the schema. */
const isEnumMember = (value: Value): boolean => value.v === 'call' && !value.args.length && /^(?:[A-Z]\w*\.[A-Z]\w*|[A-Z][A-Z0-9_]*)$/.test(value.name)
