import { mentions } from '../../behaviour/domain/contains.ts'
import type { Behaviour, Effect, Value } from '../../behaviour/types.ts'
import { isTainted } from '../request/request-taint.ts'

/** Whether the caller chooses who gets a message. */
export function choosesRecipient(args: readonly Value[]): boolean {
  return args.some((a) => recipient(a, 0))
}

function recipient(v: Value, depth: number): boolean {
  if (depth > 3) return false
  if (v.v === 'object') {
    for (const key of ['to', 'To', 'cc', 'bcc', 'recipient', 'recipients', 'email', 'phone', 'phones', 'number', 'phoneNumber', 'phone_number']) {
      const x = v.props[key]
      if (x && isTainted(x)) return true
    }
    return Object.entries(v.props).some(([name, x]) => x.v === 'object' && !TEMPLATE_VARIABLES_FIELD.test(name) && recipient(x, depth + 1))
  }
  return v.v === 'array' ? v.items.some((x) => recipient(x, depth + 1)) : false
}

/** What a template of the application is filled in with: the address in there is told to whoever gets the message. */
const TEMPLATE_VARIABLES_FIELD =
  /^(?:\w{0,20}context|variables|locals|(?:dynamic_?)?template_?(?:data|variables|params)|substitutions|merge_?vars|global_?merge_?vars)$/i

const MESSAGE_CONTENT_FIELDS = ['subject', 'Subject', 'html', 'text', 'body', 'message', 'content', 'HtmlBody', 'TextBody']

/** Whether the caller writes the subject or the text of a message himself, instead of filling in what the code words. */
export function choosesWords(e: Effect): boolean {
  return 'args' in e && Array.isArray(e.args) && (e.args as readonly Value[]).some((a) => words(a, 0))
}

function words(v: Value, depth: number): boolean {
  if (depth > 5) return false
  if (v.v === 'object') return MESSAGE_CONTENT_FIELDS.some((key) => isSentAlong(v.props[key])) || Object.values(v.props).some((x) => words(x, depth + 1))
  return (v.v === 'call' && v.args.some((x) => words(x, depth + 1))) || (v.v === 'array' && v.items.some((x) => words(x, depth + 1)))
}

/** A value of the request as it came, or another one where it is missing. */
function isSentAlong(v: Value | undefined): boolean {
  if (v?.v === 'any') return v.of.some(isSentAlong)
  return v?.v === 'request' && !v.as && (v.part === 'body' || v.part === 'query' || v.part === 'form') && v.name !== undefined
}

/** The caller's own words go to somebody whose row the request names. */
export function speaksToWhomItNames(e: Effect, { steps }: Pick<Behaviour, 'steps'>): boolean {
  if (!('args' in e) || !Array.isArray(e.args)) return false
  const args: readonly Value[] = e.args
  const isNamed = (x: Value) => {
    const found = x.v === 'row' ? steps[x.step]?.effect : undefined
    return found?.kind === 'db' && found.filters.some((f) => (f.op === 'eq' || f.op === 'in') && isTainted(f.value))
  }
  const isText = (x: Value) => x.v === 'request' && !x.as && !ROW_SELECTING_FIELD.test(x.name ?? '')
  return args.some((a) => mentions(a, isNamed)) && args.some((a) => mentions(a, isText))
}

/** What of a request tells which row is meant, or is one of a few words: nobody writes a message with it. */
const ROW_SELECTING_FIELD = /(?:ids?|uuid|token|key|code|number|type|status|e?mail)$/i

/** Whether the caller chooses who gets a message, wherever in what is sent to another server that stands. */
export function recipientInBody(v: Value, depth: number): boolean {
  if (depth > 5) return false
  if (recipient(v, 0)) return true
  if (v.v === 'object') return Object.values(v.props).some((x) => recipientInBody(x, depth + 1))
  if (v.v === 'call') return v.args.some((x) => recipientInBody(x, depth + 1))
  return false
}
