import { isNullish, object } from '../../domain/abstract-value.ts'
import { keyOf } from '../../domain/structural-hash.ts'
import { identityIn } from '../../identity/token-claims.ts'
import type { Library } from '../library.ts'
import { vouchFor } from './auth.ts'
import { identify } from './identify.ts'

/**
 * Telegram's Mini Apps: the messenger signs what its client says of the user with a key made from the bot's token. Validating throws when the
 * signature is wrong, parsing believes anything.
 */
export const telegram: Library = {
  packages: ['@telegram-apps/init-data-node/', '@tma.js/init-data-node/'],
  call(c) {
    const [data] = c.args
    if (!data || isNullish(data)) return undefined
    switch (c.name) {
      case 'validate':
      case 'validate3rd':
      case 'isValid':
      case 'isValid3rd': {
        const user = identify(c, `${c.name}() of what Telegram's client sends`)
        vouchFor(c)
        c.it.decoded.set(keyOf(data), user.step ?? -1)
        if (c.name.startsWith('validate')) c.it.require(user, c.at)
        return user
      }
      case 'parse':
      case 'parseInitData': {
        const known = identityIn(c.it, data)
        if (known) return object({ user: known }, known)
        const user = identify(c, `${c.name}() of what Telegram's client sends, without validation`, 'claimed')
        c.it.decoded.set(keyOf(data), user.step ?? -1)
        return object({ user }, user)
      }
    }
    return undefined
  },
}
