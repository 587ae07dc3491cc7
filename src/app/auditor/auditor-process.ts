import { Socket } from 'node:net'
import { isEnvFile } from '../../lib/env-file-name.ts'
import { JsonLines } from '../../lib/json-lines.ts'
import type { HostedSettings } from '../../model/auth/hosted-settings.ts'
import type { AdvisoryData } from '../../model/dependencies/advisory.ts'
import { closeInheritedDescriptors } from '../../platform/isolated/close-inherited.ts'
import { localDatabase, sandboxLayers } from '../../platform/local/database.ts'
import { ExtractionPool } from '../../platform/local/extraction-pool.ts'
import { type History, type Snapshot, SourceError } from '../../source/source.ts'
import { AuditThreads, type ThreadPorts } from '../audit-thread/audit-threads.ts'
import { type BrokerPort, type BrokerPorts, type FromAuditor, inParts, MAX_TO_AUDITOR, type ToAuditor } from './protocol.ts'

// The auditor: it reads what repositories hold, in threads of its own, and is the parent of the database sandboxes. It has no environment, no
// key and no token; whatever it needs it asks of the broker through descriptor 3.

closeInheritedDescriptors()
const [cacheDir, socket] = process.argv.slice(2)
const channel = new Socket({ fd: 3, readable: true, writable: true })
const pool = new ExtractionPool()
const threads = new AuditThreads()
const database = localDatabase({ ...(cacheDir ? { cacheDir } : {}), ...(socket ? { socket } : {}) })
const say = (message: FromAuditor) => lines.send(message)

/** An error whose original waits in the broker, under the number of its question. */
class BrokerError extends Error {
  readonly asked: number

  constructor(asked: number, message: string) {
    super(message)
    this.asked = asked
  }
}

interface Question {
  readonly entries: (readonly [string, string])[]
  readonly resolve: (answer: { readonly value: unknown; readonly entries: readonly (readonly [string, string])[] }) => void
  readonly reject: (error: Error) => void
}

/** One running audit and what it has asked. */
class Conversation {
  readonly stop = new AbortController()
  readonly #audit: number
  readonly #open = new Map<number, Question>()
  #asked = 0

  constructor(audit: number) {
    this.#audit = audit
  }

  ask<P extends BrokerPort>(port: P, argument: BrokerPorts[P]): Promise<Parameters<Question['resolve']>[0]> {
    const id = ++this.#asked
    return new Promise((resolve, reject) => {
      this.#open.set(id, { entries: [], resolve, reject })
      say({ type: 'ask', audit: this.#audit, id, port, argument })
    })
  }

  hear(message: Extract<ToAuditor, { id: number }>): void {
    const question = this.#open.get(message.id)
    if (message.type === 'part') {
      question?.entries.push(...message.entries)
      return
    }
    this.#open.delete(message.id)
    if (message.type === 'answer') question?.resolve({ value: message.value, entries: question.entries })
    else question?.reject(new BrokerError(message.id, message.message))
  }
}

/** Keys and contents that one question asks for. */
const KEYS = 5000
const CONTENTS = 1000
/** Characters of a package with its version that the broker takes. */
const MAX_PACKAGE = 500

function portsOf(talk: Conversation, hasAdvisories: boolean, hasHosted: boolean): ThreadPorts {
  const value = async <T>(port: BrokerPort, argument: never) => (await talk.ask(port, argument)).value as T
  return {
    source: {
      snapshot: (commit) => value<Snapshot>('snapshot', commit as never),
      mergeBase: (base, head) => value<string | undefined>('mergeBase', [base, head] as never),
      history: (commit, wanted) => {
        if (wanted !== isEnvFile) throw new Error('only the history of environment files can be asked for')
        return value<History>('envFileHistory', commit as never)
      },
      read: async (shas) => {
        const found = await inSlices(shas, CONTENTS, (part) => talk.ask('read', part))
        return new Map(found.map(([sha, bytes]) => [sha, Buffer.from(bytes, 'base64')]))
      },
    },
    facts: {
      get: async (keys) => new Map(await inSlices(keys, KEYS, (part) => talk.ask('getFacts', part))),
      put: async (entries) => {
        for (const part of inParts(entries)) await talk.ask('putFacts', part)
      },
    },
    database,
    extractText: pool.extractText,
    ...(hasAdvisories ? { advisories: (packages) => value<AdvisoryData>('advisories', packages.filter(isPackage) as never) } : {}),
    ...(hasHosted ? { hosted: (projects) => value<HostedSettings | undefined>('hosted', projects as never) } : {}),
  }
}

/** A lock file may name anything; no package of the registry is called that, so there are no advisories for it. */
const isPackage = (key: string) => key.length > 0 && key.length <= MAX_PACKAGE

async function inSlices<T>(items: readonly T[], size: number, ask: (part: readonly T[]) => ReturnType<Conversation['ask']>) {
  const found: (readonly [string, string])[] = []
  for (let i = 0; i < items.length; i += size) for (const entry of (await ask(items.slice(i, i + size))).entries) found.push(entry)
  return found
}

const running = new Map<number, Conversation>()

function begin({ audit, request, hasAdvisories, hasHosted }: Extract<ToAuditor, { type: 'audit' }>): void {
  const talk = new Conversation(audit)
  running.set(audit, talk)
  threads
    .run(request, portsOf(talk, hasAdvisories, hasHosted), talk.stop.signal)
    .then(
      (result) => say({ type: 'done', audit, result }),
      (error: unknown) =>
        say({
          type: 'failed',
          audit,
          message: (error instanceof Error ? error.message : String(error)).slice(0, 10_000),
          ...(error instanceof BrokerError ? { asked: error.asked } : {}),
          ...(error instanceof SourceError ? { forUsers: true } : {}),
          ...(error instanceof Error && error.stack ? { stack: error.stack.slice(0, 100_000) } : {}),
        }),
    )
    .finally(() => running.delete(audit))
}

const lines = new JsonLines(
  channel,
  { message: MAX_TO_AUDITOR },
  {
    onMessage: (said) => {
      const message = said as ToAuditor
      if (message.type === 'ping') say({ type: 'pong' })
      else if (message.type === 'audit') begin(message)
      else if (message.type === 'stop') running.get(message.audit)?.stop.abort(new Error('the broker stopped the audit'))
      else running.get(message.audit)?.hear(message)
    },
    onBreach: () => process.exit(1),
  },
)
void sandboxLayers(socket).then((report) => say({ type: 'layers', report }))
// Without a broker there is nobody to work for.
channel.on('close', () => process.exit(0)).on('error', () => process.exit(0))
