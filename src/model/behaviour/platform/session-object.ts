import type { Place } from '../../../lib/place.ts'
import { constant, constantString, type HostVal, isNullish, object, UNDEFINED, UNKNOWN, type Val } from '../domain/abstract-value.ts'
import { ENTRY } from '../identity/caller-values.ts'
import type { Interpreter } from '../interpreter.ts'
import { native } from '../native.ts'
import { callValue, maybe, settle } from '../operations.ts'
import type { Trust } from '../types.ts'
import { host } from './host-value.ts'

/** What a session keeps of who is signed in; other entries (a theme, a flash message, a cart) say nothing about that. */
const IDENTITY_SESSION_KEY =
  /^(?:\w*user(?:_?(?:id|name))?|uid|sub|passport|session(?:_?(?:id|token|key))?|auth\w*|account(?:_?id)?|member(?:_?id)?|customer(?:_?id)?|profile(?:_?id)?|team_?id|org\w*_?id|admin(?:_?id)?|is_?(?:super_?)?admin|is_?staff|is_?auth\w*|(?:is_?)?(?:logged|signed)_?in|(?:user|account|member|admin)?_?roles?|(?:user|account|member)_?type|email|token|access_?token|viewer|principal)$/i

/** Whose application or part of it somebody signed in to: no session has that before. */
const TENANT_SESSION_KEY = /^(?:tenant|company|workspace|store|shop|business|merchant|vendor|seller|employee|staff|clinic|school|agency|restaurant|salon)_?id$/i

/**
 * A session that the server keeps, or seals or signs in a cookie: what it says about the caller was put there by the server.
 * With `claimed` the cookie is neither, and whoever sends it decides its content.
 */
export function sessionHost(how: string, trust: Trust, step?: number): HostVal {
  return host('session', undefined, { $how: constant(how), $trust: constant(trust), ...(step === undefined ? {} : { $step: constant(step) }) })
}

/** `session.userId`. */
export function sessionMember(of: HostVal, name: string, at: Place): Val {
  if (name === 'data') return of
  const own = (key: string): string | number | undefined => {
    const value = of.props.vars.get(key)
    return value?.v === 'const' ? (value.value as string | number) : undefined
  }
  const how = String(own('$how') ?? 'session')
  if (!IDENTITY_SESSION_KEY.test(name) && !TENANT_SESSION_KEY.test(name))
    return { v: 'call', name: `${own('$trust') === 'claimed' ? 'cookie' : ENTRY}.${name}`, args: [], at }
  const step = own('$step')
  return {
    v: 'caller',
    how: `${how}.${name}`,
    trust: (own('$trust') ?? 'verified') as Trust,
    ...(typeof step === 'number' ? { step } : {}),
    // the id of a session is not the one of whose session it is
    ...(/^session/i.test(name)
      ? {}
      : TENANT_SESSION_KEY.test(name)
        ? { field: name }
        : /(?:id|uid|sub)$/i.test(name)
          ? { field: 'id' }
          : /admin|staff|roles?$|type$/i.test(name)
            ? { field: name }
            : /mail$/i.test(name)
              ? { field: 'email' }
              : {}),
  }
}

/**
 * `if (session.tenantId !== user.tenantId) session.tenantId = user.tenantId`: where nothing is written, what the session has said before stays. To be called
 * before a member is written.
 */
export function keepBefore(of: HostVal, name: string, at: Place): void {
  if (!of.props.vars.has(name)) of.props.vars.set(name, sessionMember(of, name, at))
}

/** `session.userId = user.id`: who calls is that account from now on. */
export function keepInSession(it: Interpreter, name: string, value: Val, at: Place): void {
  if (IDENTITY_SESSION_KEY.test(name) && !isNullish(value)) it.emit({ kind: 'cookie', name: 'session.set', args: [constant(name), value] }, at)
}

/** `session.get('userId')`, and the methods that end or store a session. */
export function sessionCall(it: Interpreter, of: HostVal, name: string, args: readonly Val[], at: Place): Val | undefined {
  const key = constantString(args[0])
  switch (name) {
    case 'get':
    case 'has':
      return key === undefined ? UNKNOWN : it.narrow(of.props.vars.get(key) ?? sessionMember(of, key, at))
    case 'set':
    case 'flash':
      if (key !== undefined) {
        keepBefore(of, key, at)
        it.write(of.props, key, args[1] ?? UNDEFINED)
        if (args[1]) keepInSession(it, key, args[1], at)
      }
      return UNDEFINED
    case 'unset':
    case 'clear':
      if (key !== undefined) {
        keepBefore(of, key, at)
        it.write(of.props, key, UNDEFINED)
      }
      return UNDEFINED
    case 'save':
    case 'destroy':
    case 'regenerate':
    case 'reload':
    case 'touch':
    case 'update': {
      const done = args.find((a) => a.v === 'fn')
      if (done) maybe(it, () => settle(it, callValue(it, done, [], at), at))
      return UNDEFINED
    }
  }
  return undefined
}

/** `getSession`, `commitSession` and `destroySession` of a session storage. */
export function sessionStorage(how: string, trust: Trust): Val {
  return object({
    getSession: native('getSession', (it, _args, at) => sessionHost(how, trust, it.emit({ kind: 'identify', how, trust }, at))),
    commitSession: native('commitSession', () => UNKNOWN),
    destroySession: native('destroySession', () => UNKNOWN),
  })
}
