import { ROW_CHANGES } from '../../../model/routes/operations/sensitive-operations.ts'
import type { Route, Work } from '../../../model/routes/routes.ts'
import type { Fix } from '../../define-check.ts'
import { isSteered } from '../binding/request-influence.ts'
import { limiterFor } from './existing-limiter.ts'
import type { Known } from './fix-context.ts'
import type { Audience } from './intended-caller.ts'
import { refusal } from './refusal-response.ts'

type Visitors = Extract<Audience, { readonly who: 'visitors' }>['as']

/** What visitors without an account are for: who they are cannot be asked, but how often they call and what they may say can. */
const REASON_BY_FORM_KIND: Readonly<Record<Exclude<Visitors, 'claim' | 'page'>, string>> = {
  captcha: 'By its name this asks whether a visitor is a person, before anybody signs in or up.',
  form: 'By its name visitors fill this in, and nobody signs in for that.',
  reset: 'Whoever calls this cannot sign in.',
  checkout: 'By its name guests buy here as well: where only customers with an account do, ask who is signed in.',
  chat: 'By its name visitors write here, and nobody signs in for that; where only customers with an account do, ask who is signed in.',
  counter: 'Visitors are counted here, and nobody signs in for that.',
}

/** The fix of a handler that has to stay open for visitors. */
export function visitorsFix(
  route: Route,
  known: Pick<Known, 'all' | 'around'>,
  { as, pages = [], welcomed }: Extract<Audience, { readonly who: 'visitors' }>,
): Fix {
  if (as === 'claim')
    return {
      text: 'By its name whoever has paid calls this, with an account or without: what the request says of them is no proof, and a session alone is none either. Ask the processor for the payment itself, let it say what was bought and by whom, and give each payment out once. Where only people with an account buy, compare the buyer with whoever is signed in.',
      language: 'ts',
      code: "const payment = await paymentOf(paymentId) // stands for asking the processor, with the key of the server\nif (payment?.status !== 'paid' || payment.productId !== productId) ".concat(
        refusal(route, 403),
      ),
    }
  const [first] = pages
  const words =
    as === 'page'
      ? `The page${first ? ` ${first.route}` : ''} uses this and ${welcomed ? 'sends nobody away who is not signed in' : 'does not ask who is signed in'}.`
      : REASON_BY_FORM_KIND[as]
  // what the code decides by itself is about nobody who calls
  const byItself = !isSteered(route) && route.work.some((w) => !w.hidden && !w.guard && ROW_CHANGES.has(w.kind))
  if (as === 'page' && touchesRows(route) && !byItself) return byWhatOnlyTheOwnerHas(route, words)
  if (route.limit)
    return { text: `${words} How often is limited already (${route.limit.path}:${route.limit.line}).${taken(route, as) || WHAT_ONLY_THE_SERVER_SAYS}` }
  const { note, ...limit } = limiterFor(route, known)
  return {
    text: `${words} Count what comes from each address and refuse with 429 before anything is written, sent or paid for.${note}${byItself ? STARTED_BY_ITSELF : taken(route, as)}${welcomed ? ' Where only people with an account use it there, ask who is signed in instead.' : ''}`,
    ...limit,
  }
}

const STARTED_BY_ITSELF =
  ' Nothing of the request enters into it, so no page has to start it: better still, let the database do so where the row is made (a trigger, or a job that looks for new ones), with a secret that pages do not have.'

const WHAT_ONLY_THE_SERVER_SAYS =
  ' Whatever grants something (a role, a plan, a price, whose account it is) the server decides by itself, and answers with nothing that was there before.'

/** What a visitor sends in is new; whatever was there before belongs to somebody. */
const touchesRows = ({ work }: Route): boolean => work.some((w) => !w.hidden && !w.guard && OF_ROWS.has(w.kind) && (w.kind !== 'read' || w.userData))

const OF_ROWS: ReadonlySet<Work['kind']> = new Set(['read', 'update', 'delete', 'file-read', 'file-delete'])

/** Nobody can be asked who they are: what they hold can. */
function byWhatOnlyTheOwnerHas(route: Route, words: string): Fix {
  const open = route.work.filter((w) => !w.hidden && !w.guard && OF_ROWS.has(w.kind))
  if (!isSteered(route) && open.every((w) => w.kind === 'read'))
    return { text: `${words} Answer with the columns that the page shows and with no others: name them in the query instead of taking whole rows.` }
  return {
    text: `${words} Who is concerned has no session to show, so ask for what only that person has: a long random token that is kept with the row and stands in the link that was mailed, or a code sent to the address or number of the row. An id, an address or a phone number is none: others know it or try it. Where only people with an account are meant, ask who is signed in.`,
    language: 'ts',
    code: `const row = await rowOf(id) // stands for the look-up that is there\nif (!row || !token || row.accessToken !== token) ${refusal(route, 404)}`,
  }
}

/** What the server has to say itself, because whoever calls may say anything. */
function taken(route: Route, as: Exclude<Visitors, 'claim'>): string {
  if (as === 'captcha')
    return ' Answer yes or no and nothing else: what it looks up beside that (an address, an account) belongs into the sign-up itself, behind the answer of the captcha.'
  const open = route.work.filter((w) => !w.hidden && !w.guard)
  const out: string[] = []
  if (as === 'reset') out.push('Make the link on the server (generateLink), never from the request, and send it to the address of the account alone')
  else if (open.some((w) => w.chosen === 'recipient'))
    out.push(
      as === 'form'
        ? 'Send nothing but fixed words to an address that somebody has typed in, and let its owner confirm it before more goes there'
        : 'Take the recipient and the words of a message from rows that the server looks up, never from the request',
    )
  if (open.some((w) => w.chosen === 'amount') || as === 'checkout')
    out.push('Take the price from the row of what is bought, and change no order but the one that this request has made')
  if (open.some((w) => w.kind === 'admin'))
    out.push('Make new accounts alone, by the sign-up that has their address confirmed, and let the server say which role and which plan they begin with')
  if (open.some((w) => w.chosen === 'paid')) out.push('Mark as paid only what the processor says is paid')
  if (as !== 'checkout' && open.some((w) => w.kind === 'read' || w.kind === 'update'))
    out.push('Answer with nothing of a row that was there before, and change none unless the caller brings something that only its owner has')
  return out.length ? ` ${out.join('. ')}.` : ''
}
