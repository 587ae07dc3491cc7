import { says } from '../../../lib/snake-case.ts'
import { mentions, partsOf } from '../../behaviour/domain/contains.ts'
import type { Behaviour, Step, Value } from '../../behaviour/types.ts'
import type { SchemaModel } from '../../schema/schema-model.ts'
import { guardOfStep } from '../guards/guard.ts'
import type { Work } from '../operations/operation-model.ts'
import { figuresOf } from './aggregate-columns.ts'
import { isDrawn } from './secret-disclosure.ts'

/** True when an answer with content can be had without passing any guard. */
export function disclosure(behaviour: Behaviour): boolean {
  const answers = behaviour.steps.filter(
    (s) =>
      s.effect.kind === 'respond' && s.effect.how !== 'redirect' && s.effect.how !== 'not-found' && s.effect.how !== 'next' && (s.effect.status ?? 200) < 400,
  )
  return answers.length === 0 || answers.some((s) => !guardOfStep(s, behaviour) || guardOfStep(s, behaviour)?.trust === 'claimed')
}

/** True when an answer that anybody can have may carry what this step read; markup that a page renders is no answer that can be looked into. */
export function isDisclosed(behaviour: Behaviour, index: number, schema: Pick<SchemaModel, 'tables'>): boolean {
  const answers = behaviour.steps.filter((s) => s.effect.kind === 'respond' && (s.effect.status ?? 200) < 400 && s.effect.how !== 'redirect')
  if (!answers.length) return true
  const e = behaviour.steps[index]?.effect
  const isFigure = e?.kind === 'db' ? figuresOf(e, schema) : undefined
  const named = isAuthor(e, behaviour)
  const read: Read = {
    step: index,
    tellsNothing: (field) => isFigure?.(field) === true || (named && says(FULL_NAME_COLUMN, field)),
    figures: isFigure !== undefined,
  }
  return answers.some((s) => {
    if (s.effect.kind !== 'respond') return false
    const guard = guardOfStep(s, behaviour)
    return (!guard || guard.trust === 'claimed') && s.effect.body !== undefined && carries(s.effect.body, read, 0)
  })
}

/** Whether the processor answers is asked for the answer's own sake: by health checks, and by what runs before every request. */
export const isAside = ({ kind, ofTheHouse }: Pick<Work, 'kind' | 'ofTheHouse'>, { everywhere }: Step): boolean =>
  kind === 'payment-read' && (ofTheHouse === true || everywhere === true)

/** True when what this step read stands in an answer that anybody can have, as far as it can be seen. */
export const isRepeated = ({ steps }: Behaviour, index: number): boolean =>
  steps.some(({ effect }) => effect.kind === 'respond' && effect.body !== undefined && mentions(effect.body, (v) => v.v === 'result' && v.step === index))

/** How people appear to others: the author under a post, the names of a ranking. */
const DISPLAY_NAME_COLUMN =
  /^(?:id|user_?name|display_?name|nick_?name|handle|(?:avatar|image|photo|picture|profile_?(?:image|photo|picture)|avatar_?image)(?:_?url)?)$/i
const PUBLIC_PERSON_TABLE = /(^|[._])(?:users?|profiles?|authors?|members|accounts?)$/i
/** How a business appears to others. */
const SIGNBOARD =
  /^(?:id|name|slug|title|(?:business|company|store|shop|brand|display|trading)_?name|(?:logo|avatar|image|cover|banner|photo)(?:_?(?:url|image))?)$/i
const OF_BUSINESSES =
  /(^|[._])(?:business(?:es)?(?:_?accounts?)?|compan(?:y|ies)|organi[sz]ations?|stores?|shops?|vendors?|sellers?|agenc(?:y|ies)|brands?|clinics?|restaurants?|salons?|schools?|hotels?|venues?)$/i

/** When something was done says nothing of who did it. */
const EVENT_TIMESTAMP_COLUMN = /^(?:\w{1,20}_)?(?:created|updated|published|viewed|visited|seen)_?at$/i

const isDisplayed = (field: string, table: string): boolean =>
  EVENT_TIMESTAMP_COLUMN.test(field) ||
  (DISPLAY_NAME_COLUMN.test(field) && PUBLIC_PERSON_TABLE.test(table)) ||
  (SIGNBOARD.test(field) && OF_BUSINESSES.test(table))

/** What was read, and the columns of it that say nothing of anybody. */
interface Read {
  readonly step: number
  readonly tellsNothing: (field: string) => boolean
  /** The rows have figures that say nothing of anybody. */
  readonly figures: boolean
}

/** Whoever has written something puts the name under it. */
function isAuthor(e: Step['effect'] | undefined, { steps }: Behaviour): boolean {
  if (e?.kind !== 'db' || !PUBLIC_PERSON_TABLE.test(e.table)) return false
  return e.filters.some(({ op, value }) => {
    const of = op === 'eq' && value.v === 'row' && says(BYLINE_COLUMN, value.field ?? '') ? steps[value.step]?.effect : undefined
    return of?.kind === 'db' && says(EDITORIAL_TABLE, of.table)
  })
}

const FULL_NAME_COLUMN = /^(?:first|last|full)_name$/
const BYLINE_COLUMN = /^(?:author|written_by|posted_by)(?:_?(?:id|uid))?$/
const EDITORIAL_TABLE = /(?:^|[._])(?:posts?|articles?|news|stor(?:y|ies)|guides?|tutorials?|recipes?)$/

function carries(v: Value, read: Read, depth: number, inNumber = false): boolean {
  if (depth > 12) return true
  const next = (x: Value) => carries(x, read, depth + 1, inNumber)
  const { step } = read
  switch (v.v) {
    case 'const':
    case 'env':
    case 'request':
    case 'error':
      return false
    case 'row':
      return v.step === step && !(v.field !== undefined && (isDisplayed(v.field, v.table) || read.tellsNothing(v.field)))
    case 'result':
      return v.step === step
    case 'object':
    case 'array':
    case 'text':
    case 'any':
      return partsOf(v).some(next)
    case 'op':
      // whether somebody is there, and how many there are, shows nobody's row
      return !BOOLEAN_OR_COUNT_OPERATORS.has(v.op) && !countsOn(v) && v.of.some((x) => carries(x, read, depth + 1, inNumber || RECKONS.has(v.op)))
    case 'call':
      if (v.name === 'length') return false
      // a figure of what is kept for each key (`books.get(id).bestBid`)
      if (v.args.length === 1 && read.tellsNothing(v.name)) return false
      // what is put into a collection later is not seen
      if (!v.args.length && FILLED_LATER.test(v.name)) return true
      return v.name === 'jsx' || v.args.some((x) => carries(x, read, depth + 1, inNumber || MAKES_NUMBER.test(v.name))) || (depth === 0 && isDrawn(v))
    case 'unknown':
      // what is reckoned out of columns that say nothing of anybody says no more than they
      return !(inNumber && read.figures)
    default:
      return true
  }
}

/** `Number(last.invoiceNumber.split('-')[1]) + 1`: the next number tells how many there are. */
const countsOn = ({ op, of: [last, step] }: Extract<Value, { v: 'op' }>): boolean =>
  op === '+' && step?.v === 'const' && step.value === 1 && last?.v === 'call' && /^(?:Number\.)?(?:Number|parseInt)$/.test(last.name)

const RECKONS: ReadonlySet<string> = new Set(['-', '*', '/', '%', '**'])
const MAKES_NUMBER = /^(?:(?:Number\.)?(?:Number|parseInt|parseFloat)|toFixed|Math\.\w{3,6})$/

/** Collections that are empty when they are made. */
const FILLED_LATER = /^(?:Map|Set)$/

/** Operators whose result says yes or no, or how many. */
const BOOLEAN_OR_COUNT_OPERATORS: ReadonlySet<string> = new Set(['!', '===', '!==', '==', '!=', '<', '>', '<=', '>=', 'in', 'instanceof', 'typeof', 'length'])
