import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Database, DatabaseResult, ReplayInput } from '../../src/database/database.ts'
import { replayDigest } from '../../src/database/sandbox-database.ts'

/** What a result is found by: `version` is the digest of the product (input and replay version), `input` is the input alone. */
export type ReplayKey = 'version' | 'input'

/**
 * A database whose results stay in a folder, one compressed JSON file for each replay.
 *
 * Every result is stored under both keys. By `input`, the first result that was recorded is given whatever the sandbox is today: so
 * everything behind the database can be compared while the sandbox itself changes. A result that ended for lack of time is stored as
 * well: a comparison asks whether the same facts give the same report, not whether the machine is fast.
 */
export class RecordedDatabase implements Database {
  /** Replays that were run because no result was stored. */
  replayed = 0
  private readonly dir: string
  private readonly key: ReplayKey
  private readonly behind: Database

  constructor(dir: string, key: ReplayKey, behind: Database) {
    this.dir = dir
    this.key = key
    this.behind = behind
  }

  async replay(input: ReplayInput): Promise<DatabaseResult> {
    const files = { version: this.file('version', replayDigest(input)), input: this.file('input', inputDigest(input)) }
    const known = files[this.key]
    if (existsSync(known)) return JSON.parse(gunzipSync(readFileSync(known)).toString()) as DatabaseResult
    this.replayed++
    // what is given now and what is read back later must not differ in properties that are undefined
    const text = JSON.stringify(await this.behind.replay(input))
    write(files.version, text)
    if (!existsSync(files.input)) write(files.input, text)
    return JSON.parse(text) as DatabaseResult
  }

  async close(): Promise<void> {
    await this.behind.close?.()
  }

  private file(key: ReplayKey, digest: string): string {
    return join(this.dir, `by-${key}`, `${digest}.json.gz`)
  }
}

/** SHA-256 of everything that the sandbox is given, without its version. */
export function inputDigest(input: ReplayInput): string {
  return createHash('sha256').update(JSON.stringify(input)).digest('hex')
}

/** In one step, so that a process beside this one never reads half a file. */
function write(file: string, text: string): void {
  mkdirSync(join(file, '..'), { recursive: true })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, gzipSync(text))
  renameSync(draft, file)
}
