import type { Runnable, Value } from '../../behaviour/types.ts'
import type { TokenCallback } from '../../frameworks/next/token-callbacks.ts'

const SIGNED_IN: Value = { v: 'caller', how: 'Auth.js token', trust: 'verified' }
const of = (field: string): Value => ({ ...SIGNED_IN, field })
const NOTHING: Value = { v: 'const', value: undefined }

/** What the token says that the browser holds: the server sealed it. */
const TOKEN: Value = { v: 'object', props: { sub: of('id'), id: of('id'), email: of('email') }, rest: SIGNED_IN }

/** What Auth.js calls the callback with when the browser posts to `/api/auth/session`: `session` is the body as it was sent. */
const UPDATED: Value = {
  v: 'object',
  props: { token: TOKEN, trigger: { v: 'const', value: 'update' }, session: { v: 'request', part: 'body' }, user: NOTHING, account: NOTHING, profile: NOTHING },
}

/** The callback for somebody who is signed in and has the own session updated. */
export const sessionUpdate = ({ code }: TokenCallback): Runnable => ({
  ...(code.k === 'fn' ? { path: code.path, functionId: code.fn } : { path: code.path, expression: code.expr, scope: code.scope }),
  seeds: [UPDATED],
})
