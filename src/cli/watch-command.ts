import { watch } from 'node:fs'
import { parseArgs } from 'node:util'
import { byproductRole } from '../facts/byproducts.ts'
import { cleanLine } from '../lib/clean-text.ts'
import { plural } from '../lib/plural.ts'
import { answerOf } from '../report/answer.ts'
import { whyNotFixed } from '../report/gone.ts'
import { type Item, reportItems } from '../report/items.ts'
import type { Report } from '../report/report.ts'
import { AuditSession } from './audit-session.ts'
import { requireFolder } from './folder.ts'
import { asUsageError, UsageError } from './usage-error.ts'

/** How long nothing has to change before an audit begins: editors and installers write many files at once. */
const QUIET_MS = 300
/** Items that one run names of each kind. */
const MAX_SHOWN = 20
/** Git writes its own files with every command. */
const GIT_FOLDER = /(?:^|[\\/])\.git[\\/]/

/** `prelaunch watch [DIR]`: audits whenever files change and prints what that introduced and fixed, until SIGINT or SIGTERM. */
export async function watchCommand(args: readonly string[]): Promise<number> {
  const { dir, offline } = read(args)
  const session = new AuditSession(dir, { offline })
  const ended = Promise.withResolvers<void>()
  const end = () => ended.resolve()
  process.once('SIGINT', end).once('SIGTERM', end)
  const changes = new Changes()
  const watcher = watch(dir, { recursive: true }, (_event, path) => {
    if (path === null || !isOfNoInterest(path)) changes.tell()
  })
  watcher.on('error', (error) => process.stderr.write(`prelaunch: changes can no longer be watched: ${cleanLine(error.message, 200)}\n`))
  try {
    process.stdout.write(`Auditing ${cleanLine(dir)} …\n`)
    let last: Report | undefined
    const stopped = ended.promise.then(() => 'stop' as const)
    for (;;) {
      const audited = await Promise.race([session.audit().catch((error: Error) => error), stopped])
      if (audited === 'stop') break
      if (audited instanceof Error) process.stderr.write(`prelaunch: ${cleanLine(audited.message)}\n`)
      else {
        process.stdout.write(last ? whatChanged(last, audited.report) : `${firstLook(audited.report)}\n`)
        last = audited.report
      }
      if ((await Promise.race([changes.next(), stopped])) === 'stop') break
    }
    return 0
  } finally {
    watcher.close()
    changes.close()
    process.off('SIGINT', end).off('SIGTERM', end)
    await session.close()
  }
}

/** What is installed or built changes by the thousand, and what it is made of changes as well. */
const isOfNoInterest = (path: string): boolean => GIT_FOLDER.test(path) || byproductRole(path.replaceAll('\\', '/')) !== undefined

/** Tells once when changes have come to rest. What changes during an audit is kept for the next one. */
class Changes {
  #timer: NodeJS.Timeout | undefined
  #pending = false
  #waiting: (() => void) | undefined

  tell(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#pending = true
      this.#deliver()
    }, QUIET_MS)
  }

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = resolve
      this.#deliver()
    })
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #deliver(): void {
    if (!this.#pending || !this.#waiting) return
    this.#pending = false
    this.#waiting()
    this.#waiting = undefined
  }
}

function firstLook(report: Report): string {
  const { headline } = answerOf(report)
  return `${cleanLine(headline)}. Watching for changes; Ctrl+C ends it.`
}

/** What the last change introduced and fixed, a line each. What can no longer be read is not called fixed. */
export function whatChanged(before: Report, after: Report): string {
  const [old, now] = [printsOf(before), printsOf(after)]
  const added = reportItems(after).filter((i) => i.members.some((m) => !old.has(m.fingerprint)))
  const gone = reportItems(before).filter((i) => i.members.every((m) => !now.has(m.fingerprint)))
  const isUnclear = (i: Item) => whyNotFixed(i, before, after) !== undefined
  const [unclear, fixed] = [gone.filter(isUnclear), gone.filter((i) => !isUnclear(i))]
  const lines = [...listed('new', added), ...listed('fixed', fixed), ...listed('cannot be checked now', unclear)]
  const open = reportItems(after).length
  return `${[...(lines.length ? lines : ['nothing new, nothing fixed']), `${plural(open, 'problem')} open.`].join('\n')}\n`
}

const printsOf = (report: Report): Set<string> => new Set(report.checks.flatMap((c) => c.findings.map((f) => f.fingerprint)))

function listed(word: string, items: readonly Item[]): string[] {
  const more = items.length - MAX_SHOWN
  return [
    ...items.slice(0, MAX_SHOWN).map((i) => `${word}: ${i.severity} ${cleanLine(i.title, 160)} (${cleanLine(`${i.path}:${i.line}`, 160)})`),
    ...(more > 0 ? [`${word}: ${more} more`] : []),
  ]
}

function read(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: { offline: { type: 'boolean', default: false } } })
    if (positionals.length > 1) throw new UsageError(`watch takes one folder, but got ${positionals.length}`)
    return { dir: requireFolder(positionals[0] ?? '.'), offline: values.offline }
  } catch (error) {
    throw asUsageError(error)
  }
}
