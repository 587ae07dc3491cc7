import type { FactsIndex } from '../../facts/facts.ts'
import type { Place } from '../../lib/place.ts'

/** Handlers that the clock starts, as SQL and configuration say. */
export interface Timetable {
  /** Edge functions by name. */
  readonly functions: ReadonlySet<string>
  /** Paths of the application. */
  readonly paths: ReadonlySet<string>
  /** Edge functions that triggers and functions of the database call (`net.http_post`), and where. */
  readonly byDatabase: ReadonlyMap<string, Place>
}

/** A job of pg_cron is at most this long. */
const JOB = 1500

/** `cron.schedule(…)` with an address in it, and `crons` of vercel.json. */
export function timetableOf(facts: FactsIndex): Timetable {
  const functions = new Set<string>()
  const paths = new Set<string>()
  const byDatabase = new Map<string, Place>()
  for (const [path, { text }] of facts.of('sql')) {
    const jobs: number[] = []
    for (const { index } of text.matchAll(/\bcron\s*\.\s*schedule(?:_in_database)?\s*\(/gi)) {
      const job = text.slice(index, index + JOB)
      jobs.push(index)
      for (const [, name] of job.matchAll(/\/functions\/v1\/([\w-]{1,80})/g)) functions.add(name as string)
      for (const [, path] of job.matchAll(/(?:\.\w{2,12})(\/api\/[\w/-]{1,120})/g)) paths.add(path as string)
    }
    for (const { index, 1: name } of text.matchAll(/\/functions\/v1\/([\w-]{1,80})/g))
      if (
        /http_post|http_get|http_request|\bhttp\s*\(/i.test(text.slice(Math.max(0, index - JOB), index)) &&
        !jobs.some((job) => job < index && index < job + JOB)
      )
        byDatabase.set(name as string, { path, line: text.slice(0, index).split('\n').length })
  }
  for (const [path, { data }] of facts.of('config-file'))
    if (/(?:^|\/)vercel\.json$/.test(path) && isObject(data) && Array.isArray(data.crons))
      for (const cron of data.crons) if (isObject(cron) && typeof cron.path === 'string') paths.add(cron.path.split('?', 1)[0] ?? cron.path)
  return { functions, paths, byDatabase }
}

const isObject = (x: unknown): x is Record<string, unknown> => typeof x === 'object' && x !== null
