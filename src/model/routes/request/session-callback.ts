import type { Runnable, Value } from '../../behaviour/types.ts'
import type { TokenCallback } from '../../frameworks/next/token-callbacks.ts'

const AUTH_JS_CALLER: Value = { v: 'caller', how: 'Auth.js token', trust: 'verified' }
const of = (field: string): Value => ({ ...AUTH_JS_CALLER, field })
const UNDEFINED_VALUE: Value = { v: 'const', value: undefined }

/** What the token says that the browser holds: the server sealed it. */
const AUTH_JS_TOKEN: Value = { v: 'object', props: { sub: of('id'), id: of('id'), email: of('email') }, rest: AUTH_JS_CALLER }

/** What Auth.js calls the callback with when the browser posts to `/api/auth/session`: `session` is the body as it was sent. */
const UPDATE_ARGUMENT: Value = {
  v: 'object',
  props: {
    token: AUTH_JS_TOKEN,
    trigger: { v: 'const', value: 'update' },
    session: { v: 'request', part: 'body' },
    user: UNDEFINED_VALUE,
    account: UNDEFINED_VALUE,
    profile: UNDEFINED_VALUE,
  },
}

/** The callback for somebody who is signed in and has the own session updated. */
export const sessionUpdate = ({ code }: TokenCallback): Runnable => ({
  ...(code.k === 'fn' ? { path: code.path, functionId: code.fn } : { path: code.path, expression: code.expr, scope: code.scope }),
  seeds: [UPDATE_ARGUMENT],
})
