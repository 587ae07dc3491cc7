import type { Expr } from '../../facts/javascript.ts'
import { calleeText, expressions, propOf, stringOf, subExpressions } from '../frameworks/walk.ts'
import type { Site } from './declarations.ts'
import { numberOf } from './flows.ts'
import type { UrlReader } from './url-reader.ts'

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, y: 31_557_600 }

/** Seconds of `15m`, `2 hours`, `7d`; undefined for other text. */
export function durationOf(text: string): number | undefined {
  const [, n, unit] = /^\s*(\d{1,9}(?:\.\d{1,3})?)\s*(s|sec|secs|seconds?|m|min|mins|minutes?|h|hrs?|hours?|d|days?|w|weeks?|y|years?)\s*$/i.exec(text) ?? []
  return n && unit ? Number(n) * (UNITS[unit[0]?.toLowerCase() ?? ''] as number) : undefined
}

/** Seconds from now until the moment that an expression means: `new Date(Date.now() + 10 * 60 * 1000)`, `addMinutes(now, 10)`, a date that is set forward. */
export function fromNow(e: Expr | undefined, site: Site, reader: UrlReader, depth = 0): number | undefined {
  if (!e || depth > 8) return undefined
  const next = (x: Expr | undefined) => fromNow(x, site, reader, depth + 1)
  switch (e.k) {
    case 'await':
      return next(e.of)
    case 'bin': {
      if (e.op !== '+') return undefined
      const [now, rest] = isNow(e.a, site, reader) ? [e.a, e.b] : isNow(e.b, site, reader) ? [e.b, e.a] : []
      const amount = rest && constantOf(rest, site, reader)
      if (!now || amount === undefined) return undefined
      return countsSeconds(now) ? amount : amount / 1000
    }
    case 'new':
      return calleeText(e.fn) === 'Date' ? next(e.args[0]) : undefined
    case 'call':
      return ofCall(e, site, reader, depth)
    case 'tag':
      return ofInterval(e.tpl.k === 'tpl' ? e.tpl.quasis.join(' ') : '')
    case 'id': {
      const init = reader.names.initOf(e.name, site)
      return setForward(e.name, init, site, reader) ?? next(init)
    }
    default:
      return undefined
  }
}

/** Seconds of an SQL interval: `now() + interval '24 hours'`, `'01:00:00'::interval`. */
export function ofInterval(sql: string): number | undefined {
  const text = /interval\s*'([^']{1,40})'|'([^']{1,40})'::interval/i.exec(sql)
  const value = text?.[1] ?? text?.[2]
  if (!value) return undefined
  const clock = /^(?:(\d{1,4}) days? ?)?(\d{1,3}):(\d{2}):(\d{2})$/.exec(value)
  return clock ? Number(clock[1] ?? 0) * 86_400 + Number(clock[2]) * 3600 + Number(clock[3]) * 60 + Number(clock[4]) : durationOf(value)
}

function ofCall(e: Extract<Expr, { k: 'call' }>, site: Site, reader: UrlReader, depth: number): number | undefined {
  const name = e.fn.k === 'mem' ? e.fn.name : e.fn.k === 'id' ? e.fn.name : ''
  const unit = /^add(Second|Minute|Hour|Day|Week)s?$/.exec(name)?.[1]?.[0]?.toLowerCase()
  if (unit) {
    const amount = constantOf(e.args[e.args.length - 1], site, reader)
    return amount === undefined ? undefined : amount * (UNITS[unit] as number)
  }
  if (e.fn.k !== 'mem') return name === 'Number' || name === 'String' ? fromNow(e.args[0], site, reader, depth + 1) : undefined
  // dayjs().add(10, 'minutes'), DateTime.now().plus({ minutes: 10 })
  if (name === 'add' || name === 'plus') {
    const amount = constantOf(e.args[0], site, reader)
    const text = stringOf(e.args[1])
    if (amount !== undefined && text) return durationOf(`${amount} ${text}`)
    for (const word of ['seconds', 'minutes', 'hours', 'days', 'weeks']) {
      const n = constantOf(propOf(e.args[0], word), site, reader)
      if (n !== undefined) return n * (UNITS[word[0] as string] as number)
    }
    return undefined
  }
  if (/^Math\.(floor|round|ceil|trunc)$/.test(calleeText(e.fn))) return fromNow(e.args[0], site, reader, depth + 1)
  return /^(toISOString|toJSON|toString|toDate|toJSDate|toISO|format|getTime|valueOf|unix)$/.test(name) ? fromNow(e.fn.of, site, reader, depth + 1) : undefined
}

/** `const expires = new Date(); expires.setMinutes(expires.getMinutes() + 10)`. */
function setForward(name: string, init: Expr | undefined, site: Site, reader: UrlReader): number | undefined {
  if (init?.k !== 'new' || calleeText(init.fn) !== 'Date' || init.args.length > 0) return undefined
  for (const x of expressions(reader.names.functionAt(site))) {
    const unit = x.k === 'call' && x.fn.k === 'mem' && x.fn.of.k === 'id' && x.fn.of.name === name ? SETTERS[x.fn.name] : undefined
    const to = x.k === 'call' ? x.args[0] : undefined
    if (!unit || to?.k !== 'bin' || to.op !== '+') continue
    const amount = constantOf(to.b, site, reader) ?? constantOf(to.a, site, reader)
    if (amount !== undefined) return amount * unit
  }
  return undefined
}

const SETTERS: Readonly<Record<string, number>> = {
  setTime: 0.001,
  setMilliseconds: 0.001,
  setSeconds: 1,
  setUTCSeconds: 1,
  setMinutes: 60,
  setUTCMinutes: 60,
  setHours: 3600,
  setUTCHours: 3600,
  setDate: 86_400,
  setUTCDate: 86_400,
}

/** A number written out, through a constant of the module. */
export function constantOf(e: Expr | undefined, site: Site, reader: UrlReader): number | undefined {
  if (!e) return undefined
  const known = numberOf(e)
  if (known !== undefined) return known
  if (e.k === 'id') {
    const init = reader.names.initOf(e.name, site)
    return init && init.k !== 'id' ? constantOf(init, site, reader) : undefined
  }
  if (e.k !== 'bin' || e.op !== '*') return undefined
  const [a, b] = [constantOf(e.a, site, reader), constantOf(e.b, site, reader)]
  return a === undefined || b === undefined ? undefined : a * b
}

function isNow(e: Expr, site: Site, reader: UrlReader): boolean {
  if (e.k === 'id') {
    const init = reader.names.initOf(e.name, site)
    return init !== undefined && init.k !== 'id' && isNow(init, site, reader)
  }
  for (const x of subExpressions(e)) {
    if (x.k === 'call' && /^(Date|performance)\.now$/.test(calleeText(x.fn))) return true
    if (x.k === 'new' && calleeText(x.fn) === 'Date' && x.args.length === 0) return true
    if (x.k === 'call' && x.fn.k === 'mem' && x.fn.name === 'getTime' && x.fn.of.k === 'id' && isNow(x.fn.of, site, reader)) return true
  }
  return false
}

/** `Math.floor(Date.now() / 1000)`. */
function countsSeconds(now: Expr): boolean {
  return [...subExpressions(now)].some((x) => x.k === 'bin' && x.op === '/')
}
