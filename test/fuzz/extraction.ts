import { extractJob, extractorsFor } from '../../src/facts/extract.ts'

/** Milliseconds of computing that any file of this size may take; what takes longer grows faster than the file. */
const SLOW_MS = 4000

/** Extracts a file with every extractor that reads it. Gives what is wrong: an exception, facts that are no JSON, too much time. */
export function whatIsWrong(path: string, text: string): string | undefined {
  const kinds = extractorsFor(path).map((e) => e.kind)
  const begin = process.cpuUsage()
  for (const { kind, facts, problems } of extractJob({ path, bytes: Buffer.from(text), kinds })) {
    // An exception is caught for the audit's sake; here it is a fault.
    const thrown = problems.find((p) => p.message.startsWith('could not be analysed ('))
    if (thrown) return `${kind}: ${thrown.message}`
    if (facts === undefined && problems.length === 0 && kind !== 'secrets' && kind !== 'text') return `${kind}: neither facts nor a problem`
    if (facts !== undefined && !isJson(facts)) return `${kind}: facts are no JSON`
  }
  const { user, system } = process.cpuUsage(begin)
  const ms = (user + system) / 1000
  return ms > SLOW_MS ? `took ${Math.round(ms)} ms` : undefined
}

function isJson(facts: unknown): boolean {
  try {
    return typeof JSON.stringify(facts) === 'string'
  } catch {
    return false
  }
}
