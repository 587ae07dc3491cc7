import { chainName, type Val } from '../abstract-value.ts'
import { identify } from './auth.ts'
import type { Library } from './library.ts'

/** The function of the application that tells who is signed in: `api.auth.getCurrentUser`, `api.users.viewer`. */
const TELLS_WHO = /(?:^|\.)(?:(?:get_?)?(?:current|logged_?in|signed_?in|auth(?:enticated)?)_?user|viewer|me|get_?me|who_?am_?i|current)$/i
const ASKS = /(?:^|\.)(?:query|fetchQuery|fetchAuthQuery)$/
const ESTABLISHED = /(?:^|\.)(?:isAuthenticated(?:Nextjs)?|getToken)$/

/**
 * Convex behind the handlers of another framework: its functions run elsewhere, and what the one that is asked for the caller answers is there only
 * for whoever is signed in.
 */
export const convex: Library = {
  packages: ['convex/browser', 'convex/nextjs', '@convex-dev/auth/nextjs/', '@convex-dev/better-auth/', 'convex-helpers/'],
  call(c) {
    const [asked] = c.args
    if (ASKS.test(c.name) && asked && TELLS_WHO.test(nameOf(asked))) return identify(c, `Convex ${nameOf(asked)}`)
    return ESTABLISHED.test(c.name) ? identify(c, `Convex ${c.name.replace(/^.*\./, '')}()`) : undefined
  },
}

const nameOf = (v: Val): string => (v.v === 'chain' ? chainName(v) : '')
