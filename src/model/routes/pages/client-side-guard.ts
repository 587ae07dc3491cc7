import type { Place } from '../../../lib/place.ts'
import type { Behaviour, Step } from '../../behaviour/types.ts'
import type { Entry } from '../../frameworks/entry.ts'
import { type Imagined, imagineConditions } from '../request/partial-evaluation.ts'
import { isLogin } from './client-side-signals.ts'

/** What stands before a page and leads visitors to sign-in where it runs in the browser. */
export function browserGuard(entry: Entry, inBrowser: Behaviour | undefined, imagined: Imagined): Place | undefined {
  const sent = inBrowser?.steps.find((s) => leadsToSignIn(s) && imagineConditions(s.under, imagined) && entry.before.some((b) => b.at.path === s.at.path))
  return sent && entry.before.find((b) => b.at.path === sent.at.path)?.at
}

function leadsToSignIn({ effect: e }: Step): boolean {
  if (e.kind !== 'respond' || e.how !== 'redirect') return false
  // `redirect({ to: '/login' })`, `navigateTo({ path: '/login' })`
  const to = e.body?.v === 'object' ? (e.body.props['to'] ?? e.body.props['path']) : e.body
  return to?.v === 'const' && typeof to.value === 'string' && isLogin(to.value)
}
