import type { FactsIndex } from '../../../facts/facts.ts'
import type { Place } from '../../../lib/place.ts'

/** Handlers that the clock starts, as SQL and configuration say. */
export interface Timetable {
  /** Edge functions by name, and where the request is made when a function of the database makes it for all of them. */
  readonly functions: ReadonlyMap<string, Place | undefined>
  /** Paths of the application. */
  readonly paths: ReadonlySet<string>
  /** Edge functions that triggers and functions of the database call (`net.http_post`), and where. */
  readonly byDatabase: ReadonlyMap<string, DatabaseCall>
}

/** A statement of SQL, or of another function's code, that calls an edge function. */
export interface DatabaseCall extends Place {
  /** The function of the database that makes the request, where the statement only hands it the name. */
  readonly through?: Place
  /** The call of another edge function brings the key that every browser has. */
  readonly anonKey?: true
}

/** A job of pg_cron is at most this long. */
const JOB = 1500

/** `cron.schedule(…)` with an address in it, rows that name a function beside a schedule, and `crons` of vercel.json. */
export function timetableOf(facts: FactsIndex): Timetable {
  const functions = new Map<string, Place | undefined>()
  const paths = new Set<string>()
  const byDatabase = new Map<string, DatabaseCall>()
  const files = [...facts.of('sql')].map(([path, { text }]) => ({ path, text, ...partsOf(text) }))
  const latest = new Map<string, string>()
  const helpers = new Map<string, Place>()
  for (const file of files)
    for (const b of file.bodies) {
      latest.set(`${folderOf(file.path)} ${b.name}`, placeOf(file, b.from))
      const named = EDGE_FUNCTION_URL_CONCAT.exec(file.text.slice(b.from, b.to))
      if (named) helpers.set(b.name, { path: file.path, line: lineAt(file.text, b.from + named.index) })
    }
  const handsName = helpers.size
    ? new RegExp(`\\b(${[...helpers.keys()].join('|')})\\s*\\(\\s*(?:\\w{1,40}\\s*(?::=|=>)\\s*)?'([\\w-]{1,80})'`, 'gi')
    : undefined
  for (const file of files) {
    const { path, text, jobs, bodies } = file
    const bodyAt = (index: number) => bodies.find((b) => b.from < index && index < b.to)
    /** What stands behind a job in the same migration, in the body of a trigger, is none of it. */
    const isJob = (index: number) => jobs.some((job) => job < index && index < job + JOB && bodyAt(job) === bodyAt(index))
    /** What a later migration defines anew does no longer happen. */
    const isReplaced = (index: number) => {
      const body = bodyAt(index)
      return body !== undefined && latest.get(`${folderOf(path)} ${body.name}`) !== placeOf(file, body.from)
    }
    for (const index of jobs) {
      const job = text.slice(index, index + JOB)
      for (const [, path] of job.matchAll(/(?:\.\w{2,12})(\/api\/[\w/-]{1,120})/g)) paths.add(path as string)
    }
    for (const { index, 1: name } of text.matchAll(EDGE_FUNCTION_URL)) {
      if (isJob(index)) functions.set(name as string, undefined)
      else if (!isReplaced(index) && (SQL_HTTP_CALL.test(text.slice(Math.max(0, index - JOB), index)) || isKeptFor(text, index, bodyAt(index))))
        byDatabase.set(name as string, { path, line: lineAt(text, index) })
    }
    if (handsName)
      for (const { index, 1: helper, 2: name } of text.matchAll(handsName)) {
        const through = helpers.get((helper as string).toLowerCase())
        if (isJob(index)) functions.set(name as string, through)
        else if (!isReplaced(index)) byDatabase.set(name as string, { path, line: lineAt(text, index), ...(through ? { through } : {}) })
      }
    for (const name of namedInRows(text, isJob)) if (!functions.has(name)) functions.set(name, helpers.size === 1 ? [...helpers.values()][0] : undefined)
  }
  for (const [path, { data }] of facts.of('config-file'))
    if (/(?:^|\/)vercel\.json$/.test(path) && isObject(data) && Array.isArray(data.crons))
      for (const cron of data.crons) if (isObject(cron) && typeof cron.path === 'string') paths.add(cron.path.split('?', 1)[0] ?? cron.path)
  return { functions, paths, byDatabase }
}

const SQL_HTTP_CALL = /http_post|http_get|http_request|\bhttp\s*\(/i
/** `v_url text := 'https://…/functions/v1/name'`: the address stands in a variable of the function that makes the request further down. */
const isKeptFor = (text: string, index: number, body: Body | undefined): boolean =>
  body !== undefined &&
  /:=\s{0,20}(?:[^;]{0,200})$/.test(text.slice(Math.max(body.from, index - 300), index)) &&
  SQL_HTTP_CALL.test(text.slice(index, Math.min(body.to, index + JOB * 4)))

const EDGE_FUNCTION_URL = /\/functions\/v1\/([\w-]{1,80})/g
/** `… || '/functions/v1/' || fn` */
const EDGE_FUNCTION_URL_CONCAT = /\/functions\/v1\/'\s{0,20}\|\|/

interface Body {
  readonly name: string
  readonly from: number
  readonly to: number
}

/** Where jobs are made, and the bodies of the functions that are defined: most files have neither. */
function partsOf(text: string): { readonly jobs: readonly number[]; readonly bodies: readonly Body[] } {
  const jobs = [...text.matchAll(/\bcron\s*\.\s*schedule(?:_in_database)?\s*\(/gi)].map((m) => m.index)
  const bodies = [...text.matchAll(/\bcreate\s+(?:or\s+replace\s+)?function\s+(?:"?\w{1,63}"?\.)?"?(\w{1,63})"?\s*\(/gi)].flatMap((m) => {
    const quote = /\bas\s+(\$\w{0,30}\$)/i.exec(text.slice(m.index, m.index + 4000))
    const from = quote ? m.index + quote.index + quote[0].length : -1
    const to = quote ? text.indexOf(quote[1] as string, from) : -1
    return to < 0 ? [] : [{ name: (m[1] as string).toLowerCase(), from, to }]
  })
  return { jobs, bodies }
}

/** `('nightly', '0 3 * * *', 'clean-up', …)`: a row that another statement makes a job of. */
function namedInRows(text: string, isJob: (index: number) => boolean): readonly string[] {
  if (!/\binsert\s+into\b/i.test(text)) return []
  return [...text.matchAll(/'[\d*/,-]{1,40}(?: {1,3}[\w*/,-]{1,40}){4}'/g)].flatMap(({ index, 0: schedule }) => {
    if (isJob(index)) return []
    const before = text.slice(Math.max(0, index - 300), index)
    const after = text.slice(index + schedule.length, index + 300)
    const row = before.slice(before.lastIndexOf('(') + 1) + after.split(')', 1)[0]
    return [...row.matchAll(/'([a-z][\w-]{2,80})'/g)].map((m) => m[1] as string)
  })
}

const placeOf = ({ path }: { readonly path: string }, index: number): string => `${path}:${index}`

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length

const isObject = (x: unknown): x is Record<string, unknown> => typeof x === 'object' && x !== null
