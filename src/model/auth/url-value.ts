/**
 * What a URL is as far as the source shows it: its parts in order, in each of the ways in which it can come out. Checks ask whose host it has, and that
 * follows from the first parts.
 */
import type { Place } from '../../lib/place.ts'
import type { Site } from './declarations.ts'

/** A piece of a URL as far as the source shows it. */
export type UrlPart =
  | { readonly k: 'text'; readonly text: string; readonly at: Place }
  | { readonly k: 'env'; readonly name: string }
  /** The origin or host of the running page or of the incoming request. */
  | { readonly k: 'origin' /** Taken from a request header, which the caller writes. */; readonly header?: true }
  /** A value that the caller chose: a query parameter, a field of the body or of an unsigned `state`; `tested`: a helper asked how it begins. */
  | { readonly k: 'param'; readonly name: string; readonly at: Place; readonly tested?: true }
  /** `new URL(a, base)`: `a` may bring its own host. */
  | { readonly k: 'resolved' }
  | { readonly k: 'other' }

/** One way in which a URL can come out. */
export interface UrlValue {
  readonly parts: readonly UrlPart[]
  /** Taken only when something else is missing: the right side of `||`, the last branch of a condition on the environment. */
  readonly fallback: boolean
}

/** Ways to come out that are kept of one URL: what is put together of several multiplies. */
const MAX_VALUES = 24

/** Nothing is known. */
export const UNKNOWN_URL: readonly UrlValue[] = [{ parts: [{ k: 'other' }], fallback: false }]

/** The page's or the server's own origin, as it knows it. */
export const ORIGIN: readonly UrlValue[] = [{ parts: [{ k: 'origin' }], fallback: false }]

/** The origin as a header of the request says it. */
export const HEADER_ORIGIN: readonly UrlValue[] = [{ parts: [{ k: 'origin', header: true }], fallback: false }]

/** The variable's own earlier value: already counted. */
export const SELF: readonly UrlValue[] = [{ parts: [], fallback: false }]

/** A piece that stands in the code; an empty one is none. */
export function urlText(t: string, site: Site, line: number): UrlValue {
  return { parts: t === '' ? [] : [{ k: 'text', text: t, at: { path: site.path, line } }], fallback: false }
}

/** A value of the request by its name. */
export function param(name: string, site: Site, line: number): UrlValue {
  return { parts: [{ k: 'param', name, at: { path: site.path, line } }], fallback: false }
}

/** Each way of the one followed by each way of the other. */
export function concat(a: readonly UrlValue[], b: readonly UrlValue[]): readonly UrlValue[] {
  const out: UrlValue[] = []
  for (const x of a) for (const y of b) if (out.length < MAX_VALUES) out.push({ parts: [...x.parts, ...y.parts], fallback: x.fallback || y.fallback })
  return out
}

/** The ways of both. */
export function union(a: readonly UrlValue[], b: readonly UrlValue[]): readonly UrlValue[] {
  return [...a, ...b].slice(0, MAX_VALUES)
}

/** Values without any part are dropped when others have some. */
export function dropEmptyValues(values: readonly UrlValue[]): readonly UrlValue[] {
  const useful = values.filter((v) => v.parts.length > 0)
  return useful.length ? useful : values
}

/** `new URL(a, base)`: the first argument may bring its own host. */
export function resolveAgainst(values: readonly UrlValue[]): readonly UrlValue[] {
  return values.map((v) => ({ ...v, parts: [{ k: 'resolved' }, ...v.parts] }))
}

/** Of what a variable is given in several places (`if (HOST) url = … else url = 'http://localhost'`), written text counts where the environment says nothing. */
export const besideVariables = (values: readonly UrlValue[]): readonly UrlValue[] =>
  values.some((v) => v.parts.some((p) => p.k === 'env')) ? values.map((v) => (v.parts.every((p) => p.k === 'text') ? { ...v, fallback: true } : v)) : values
