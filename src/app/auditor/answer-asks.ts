import { isEnvFile } from '../../lib/env-file-name.ts'
import type { History, Snapshot } from '../../source/source.ts'
import type { AuditRequestOfApp } from '../audit-thread/protocol.ts'
import { readArgument, Violation } from './message-schema.ts'
import type { AuditPortsOfBroker } from './ports-of-broker.ts'
import { type BrokerPort, inParts } from './protocol.ts'

/** Questions that one audit may ask; one of a hundred thousand files asks about five hundred. */
const MAX_ASKS = 10_000
/** Questions without an answer yet. */
const MAX_OPEN = 64

export interface Answer {
  /** Entries of a map, in parts that fit into a message. */
  readonly parts?: Iterable<readonly (readonly [key: string, value: string])[]>
  readonly value?: unknown
}

/**
 * Answers what one audit asks, and only about what it audits: its commits, the contents that their trees and histories name, and facts of
 * these contents, of its own repository. Anything else is a `Violation`.
 */
export class Answers {
  readonly #ports: AuditPortsOfBroker
  readonly #request: AuditRequestOfApp
  readonly #commits: Set<string>
  readonly #contents = new Set<string>()
  #asked = 0
  #open = 0

  constructor(request: AuditRequestOfApp, ports: AuditPortsOfBroker) {
    this.#request = request
    this.#ports = ports
    this.#commits = new Set([request.commit, ...(request.mergeBase ? [request.mergeBase] : [])])
  }

  /** Throws `Violation` at once; an error of a port comes by the promise. */
  ask(port: BrokerPort, argument: unknown): Promise<Answer> {
    if (++this.#asked > MAX_ASKS || this.#open >= MAX_OPEN) throw new Violation('it asks more than an audit can need')
    const answer = this.#answer(port, argument)
    this.#open++
    return answer.finally(() => this.#open--)
  }

  #answer(port: BrokerPort, argument: unknown): Promise<Answer> {
    switch (port) {
      case 'snapshot':
        return this.#snapshot(this.#known(readArgument(port, argument)))
      case 'envFileHistory':
        return this.#history(this.#known(readArgument(port, argument)))
      case 'mergeBase':
        return this.#mergeBase(...readArgument(port, argument))
      case 'read':
        return this.#read(this.#named(readArgument(port, argument), (sha) => sha))
      case 'getFacts':
        return this.#ports.facts.get(this.#named(readArgument(port, argument), shaOfKey)).then((found) => ({ parts: inParts(found) }))
      case 'putFacts':
        return this.#ports.facts.put(new Map(this.#named(readArgument(port, argument), ([key]) => shaOfKey(key)))).then(() => ({}))
      case 'advisories':
        if (!this.#ports.advisories) throw new Violation('it asks for advisories, of which there is no source')
        return this.#ports.advisories(readArgument(port, argument)).then((value) => ({ value }))
      case 'hosted':
        if (!this.#ports.hosted) throw new Violation('it asks for hosted projects, which nobody may read')
        return this.#ports.hosted(readArgument(port, argument)).then((value) => ({ value }))
    }
  }

  #known(commit: string): string {
    if (!this.#commits.has(commit)) throw new Violation('it asks for a commit that it does not audit')
    return commit
  }

  #named<T>(items: readonly T[], shaOf: (item: T) => string | undefined): readonly T[] {
    for (const item of items) {
      const sha = shaOf(item)
      if (sha !== undefined && !this.#contents.has(sha)) throw new Violation('it asks for a content that no tree of its audit names')
    }
    return items
  }

  async #snapshot(commit: string): Promise<{ value: Snapshot }> {
    const value = await this.#ports.source.snapshot(commit)
    this.#commits.add(value.commit)
    for (const { sha } of value.blobs) this.#contents.add(sha)
    return { value }
  }

  async #history(commit: string): Promise<{ value: History }> {
    const value = await this.#ports.source.history(commit, isEnvFile)
    for (const { sha } of value.files) this.#contents.add(sha)
    return { value }
  }

  #mergeBase(base: string, head: string): Promise<Answer> {
    if (base !== this.#request.base || head !== this.#request.commit) throw new Violation('it asks for the merge base of other commits')
    return this.#ports.source.mergeBase(base, head).then((value) => {
      if (value !== undefined) this.#commits.add(value)
      return { value }
    })
  }

  async #read(shas: readonly string[]): Promise<Answer> {
    const found = await this.#ports.source.read(shas)
    return { parts: inParts(encoded(found)) }
  }
}

function* encoded(contents: ReadonlyMap<string, Uint8Array>): Generator<readonly [string, string]> {
  for (const [sha, bytes] of contents) yield [sha, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')]
}

/** Replays have keys of their own, which name no content. */
function shaOfKey(key: string): string | undefined {
  return key.startsWith('replay:') ? undefined : key.slice(0, key.indexOf(':'))
}
