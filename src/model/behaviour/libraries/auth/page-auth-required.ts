import type { Val } from '../../domain/abstract-value.ts'
import { native } from '../../native.ts'
import { callValue } from '../../operations.ts'
import type { LibraryCall } from '../library.ts'
import { identify } from './identify.ts'

/**
 * `withPageAuthRequired(page)` of @auth0/nextjs-auth0, also around a layout, and `withApiAuthRequired(handler)`: strangers are sent away on the server before
 * what is wrapped runs. The function of the same name from `/client` hides a page in the browser alone.
 */
export function pageAuthRequired(c: LibraryCall): Val | undefined {
  const kind = /(?:^|\.)with([A-Z][a-z]+)AuthRequired$/.exec(c.name)?.[1]
  const pkg = c.root.v === 'lib' ? c.root.pkg : ''
  if (!kind || !pkg.startsWith('@auth0/nextjs-auth0') || pkg.endsWith('/client')) return undefined
  const [inner] = c.args
  return native(c.name, (it, args, at) => {
    const user = identify({ ...c, it, at }, `Auth0 ${c.name}()`)
    it.require(user, at, kind === 'Api' ? { ends: true, how: 'respond', status: 401 } : { ends: true, how: 'redirect', status: 307 })
    return inner ? callValue(it, inner, args, at) : user
  })
}
