import { memo } from '../../../lib/memo/memo.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { limiterAsWritten } from '../../../model/routes/code-context/guard-source.ts'
import type { Route } from '../../../model/routes/routes.ts'
import type { Fix } from '../../define-check.ts'
import { type Known, refusalAt } from './fix-context.ts'
import { limiterCode } from './limiter-code.ts'

type Limits = Pick<Fix, 'language' | 'code'> & { readonly note: string }

/** A limit in front of the handler, as the application limits others already, and as its framework has it otherwise. */
export function limiterFor(route: Route, known: Pick<Known, 'all' | 'around'>): Limits {
  const own = ownLimiter(route, known)
  if (own) return own
  const { around } = known
  const behindProxy = route.framework === 'Express' && !around.trustsProxy
  return {
    note: behindProxy
      ? " Hosts put a proxy in front: tell Express how many there are (app.set('trust proxy', 1)), or all users together are counted as the one address of the proxy."
      : '',
    language: 'ts',
    code: limiterCode(route, around),
  }
}

/** The limiter of another handler, that of the next folder first. */
function ownLimiter(route: Route, { all, around }: Pick<Known, 'all' | 'around'>): Limits | undefined {
  const folders = route.path.split('/')
  const shared = memo((path) => path.split('/').findIndex((part, i) => part !== folders[i]))
  const examples = limited(all)
    .filter(
      (r) =>
        r !== route &&
        r.kind === route.kind &&
        r.framework === route.framework &&
        r.workspace === route.workspace &&
        (r.answers ?? '') === (route.answers ?? ''),
    )
    .sort((a, b) => Number(IS_FOR_SIGN_IN.test(b.route)) - Number(IS_FOR_SIGN_IN.test(a.route)) || shared(b.path) - shared(a.path))
  for (const example of examples.slice(0, 25)) {
    const code = limiterAsWritten(example, route, around, (status) => refusalAt(route, around, status))
    if (code !== undefined)
      return {
        note: ` ${example.method ? `${example.method} ` : ''}${example.route} counts already (${example.limit?.path}:${example.limit?.line}).`,
        language: 'ts',
        code,
      }
  }
  // what counts strangers by a helper of the application does so here
  const [other] = examples.filter((r) => !r.guard && r.limit && r.limit.path !== r.path && !MIDDLEWARE_FILE.test(r.limit.path))
  return other
    ? {
        note: ` ${other.method ? `${other.method} ` : ''}${other.route} counts already (${other.limit?.path}:${other.limit?.line}): count by the same helper, with a name and a number of its own.`,
      }
    : undefined
}

const limited = rememberFor((all: readonly Route[]): readonly Route[] => all.filter((r) => r.limit))

/** What is limited there is tried by strangers, as what is written about here. */
const IS_FOR_SIGN_IN = /log-?in|sign-?(?:in|up)|password|otp|register|auth/i

/** What stands there is asked by path, and is no helper. */
const MIDDLEWARE_FILE = /(?:^|\/)(?:middleware|proxy)\.[cm]?[jt]sx?$/
