/** Longest pattern and path that are tried; longer ones are "unknown". */
const MAX_PATTERN = 600
const MAX_PATH = 160

/**
 * A regular expression of the repository, compiled only when it cannot backtrack without bound on short input: no
 * quantifier over a group that itself repeats or branches, few unbounded quantifiers.
 */
export function safeRegExp(source: string, flags = ''): RegExp | undefined {
  if (source.length > MAX_PATTERN) return undefined
  const groups: { repeats: boolean }[] = []
  let unbounded = 0
  let inClass = false
  for (let i = 0; i < source.length; i++) {
    const c = source[i]
    if (c === '\\') i++
    else if (inClass) inClass = c !== ']'
    else if (c === '[') inClass = true
    else if (c === '(') groups.push({ repeats: false })
    else if (c === ')') {
      const g = groups.pop()
      if (!g) return undefined
      const next = source[i + 1]
      if (g.repeats && (next === '*' || next === '+' || next === '{')) return undefined
      const outer = groups.at(-1)
      if (outer && g.repeats) outer.repeats = true
    } else if (c === '*' || c === '+' || c === '{') {
      unbounded++
      for (const g of groups) g.repeats = true
    } else if (c === '|') {
      const g = groups.at(-1)
      if (g) g.repeats = true
    }
  }
  // A path of 160 characters is divided among four repetitions in some 26 million ways at worst; one more would take minutes.
  if (unbounded > 4) return undefined
  try {
    return new RegExp(source, flags.replace(/[gy]/g, ''))
  } catch {
    return undefined
  }
}

/** What stands for a parameter in an imagined path. */
const SAMPLE_PARAMETER = 'x1'

/** What else may stand there: code that knows a path by a regular expression may ask for a number or an id. */
export const OTHER_PARAMETERS = ['1', '00000000-0000-4000-8000-000000000001']

/** What rests on an imagined path. */
export interface PathNotes {
  /** The form of a parameter of the path decided something: another one in its place may lead elsewhere. */
  restsOnForm: boolean
}

/** The answer to a question about an imagined path or a part of it; notes when another parameter in it would have been answered otherwise. */
export function askOf<T>(text: string, notes: PathNotes, question: (text: string) => T): T {
  const answer = question(text)
  notes.restsOnForm ||=
    text.includes(SAMPLE_PARAMETER) && OTHER_PARAMETERS.some((other) => !Object.is(question(text.replaceAll(SAMPLE_PARAMETER, other)), answer))
  return answer
}

/** A file- or router-style route (`/a/[id]/[...rest]`) as a path that a visitor could request. */
export function samplePath(route: string, parameter = SAMPLE_PARAMETER): string {
  const path = route
    .split('/')
    .map((s) => s.replace(/\[(?:\.\.\.)?([^[\]]+)\]/g, (_, name: string) => (/^(locale|lang|lng|language)$/i.test(name) ? 'en' : parameter)))
    .join('/')
  return path === '' ? '/' : path
}

/**
 * Whether a `matcher` source of Next.js (path-to-regexp, version 6) matches a path; undefined when it cannot be decided.
 */
export function matchesSource(source: string, path: string): boolean | undefined {
  if (source.length > MAX_PATTERN || path.length > MAX_PATH) return undefined
  const re = pathToRegExp(source)
  return re?.test(path)
}

const compiled = new Map<string, RegExp | undefined>()

function pathToRegExp(source: string): RegExp | undefined {
  if (compiled.has(source)) return compiled.get(source)
  const re = compile(source)
  if (compiled.size > 2_000) compiled.clear()
  compiled.set(source, re)
  return re
}

function compile(source: string): RegExp | undefined {
  let out = ''
  let custom = ''
  for (let i = 0; i < source.length; ) {
    const c = source[i] as string
    const prefix = (c === '/' || c === '.') && /[:(]/.test(source[i + 1] ?? '') ? c : ''
    const at = i + prefix.length
    if (source[at] === ':' || source[at] === '(') {
      const name = source[at] === ':' ? (/^:\w+/.exec(source.slice(at))?.[0] ?? '') : ''
      if (source[at] === ':' && name.length < 2) return undefined
      let end = at + name.length
      let inner = '[^/#?]+?'
      if (source[end] === '(') {
        const close = closing(source, end)
        if (close < 0) return undefined
        inner = source.slice(end + 1, close)
        custom += `(${inner})`
        end = close + 1
      }
      const modifier = /[*+?]/.test(source[end] ?? '') ? (source[end] as string) : ''
      if (modifier) end++
      const p = literal(prefix)
      if (modifier === '*' || modifier === '+')
        out += prefix ? `(?:${p}(?:${inner})(?:${p}(?:${inner}))*)${modifier === '*' ? '?' : ''}` : `(?:${inner})${modifier}`
      else out += `(?:${p}(?:${inner}))${modifier}`
      i = end
    } else if (c === '{' || c === '}') {
      out += c === '{' ? '(?:' : ')'
      i++
      if (c === '}' && /[*+?]/.test(source[i] ?? '')) out += source[i++]
    } else if (c === '\\') {
      out += `\\${source[i + 1] ?? '\\'}`
      i += 2
    } else {
      out += literal(c)
      i++
    }
  }
  // Only what the repository wrote itself can backtrack; what is built around it is ours.
  if (custom && !safeRegExp(custom)) return undefined
  try {
    return new RegExp(`^${out}(?:[/#?])?$`, 'i')
  } catch {
    return undefined
  }
}

function closing(s: string, open: number): number {
  let depth = 0
  for (let i = open; i < s.length; i++) {
    if (s[i] === '\\') i++
    else if (s[i] === '(') depth++
    else if (s[i] === ')' && --depth === 0) return i
  }
  return -1
}

function literal(s: string): string {
  return s.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** `/a/:id`, `/a/:id(\\d+)?`, `/a/*` of Express-like routers as `/a/[id]`, `/a/[...rest]`. */
export function routerPath(path: string): string {
  const p = path
    .replace(/:(\w+)(?:\([^)]*\))?(?:\{[^}]*\})?[?]?([*+]?)/g, (_, name: string, many: string) => (many ? `[...${name}]` : `[${name}]`))
    .replace(/\{\*(\w+)\}|\/\*(\w+)/g, (_, a: string, b: string) => (a ? `[...${a}]` : `/[...${b}]`))
    .replace(/\*+/g, '[...rest]')
    .replace(/\/{2,}/g, '/')
  return p.startsWith('/') ? p : `/${p}`
}

/** Joins a mount path and a route. */
export function joinPaths(...parts: readonly string[]): string {
  const joined = parts
    .filter((p) => p !== '' && p !== '/')
    .map((p) => `/${p.replace(/^\/+|(?<!\/)\/+$/g, '')}`)
    .join('')
  return joined === '' ? '/' : joined
}

/** True when a mount or `use` path of a router (Express, Hono) covers the route. */
export function covers(mount: string, route: string): boolean {
  const m = routerPath(mount)
    .replace(/\/?\[\.\.\.[^\]]+\]$/, '')
    .replace(/(?<!\/)\/+$/, '')
  if (m === '') return true
  const a = m.split('/')
  const b = route.split('/')
  return a.length <= b.length && a.every((s, i) => s === b[i] || /^\[[^\]]+\]$/.test(s) || /^\[\.\.\./.test(b[i] ?? ''))
}
