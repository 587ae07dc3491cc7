import { parentPort } from 'node:worker_threads'
import { type AuditPorts, audit } from '../../audit.ts'
import { type AuditMemory, emptyMemory } from '../../audit-memory.ts'
import { DEFAULT_CONFIG } from '../../config/config.ts'
import { parseConfig } from '../../config/parse-config.ts'
import type { Extraction, FactsIndex } from '../../facts/facts.ts'
import { isEnvFile } from '../../lib/env-file-name.ts'
import { projectRefs } from '../../model/auth/project-refs.ts'
import { packFacts, unpackFacts } from '../../store/facts-store.ts'
import type { AuditedForApp, AuditRequestOfApp, FromThread, PortName, RemotePorts, ToThread } from './protocol.ts'

/** An error whose original waits on the other side under the number of its question. */
class RemoteError extends Error {
  readonly asked: number

  constructor(asked: number, message: string) {
    super(message)
    this.asked = asked
  }
}

const open = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()
let asked = 0

const say = (message: FromThread) => parentPort?.postMessage(message)

/** Asks the main thread for something that only it has. */
function ask<P extends PortName>(port: P, argument: Parameters<RemotePorts[P]>[0]): ReturnType<RemotePorts[P]> {
  const id = ++asked
  const answer = new Promise((resolve, reject) => open.set(id, { resolve, reject }))
  say({ type: 'ask', id, port, argument })
  return answer as ReturnType<RemotePorts[P]>
}

const remote: AuditPorts = {
  source: {
    snapshot: (commit) => ask('snapshot', commit),
    read: (shas) => ask('read', shas),
    mergeBase: (base, head) => ask('mergeBase', [base, head]),
    history: (commit, wanted) => {
      if (wanted !== isEnvFile) throw new Error('only the history of environment files can be asked for across threads')
      return ask('envFileHistory', commit)
    },
  },
  database: { replay: (input) => ask('replay', input) },
  extractAll: async (jobs) => (await ask('extract', jobs)).map((text) => JSON.parse(text) as Extraction[]),
  cache: {
    get: async (keys) => unpackFacts(await ask('getFacts', keys)),
    put: (entries) => ask('putFacts', packFacts(entries)),
  },
}

/** What the last audit left, for the next one of the same repository; another repository must not see it, and has the room. */
let last: { readonly repository: string | undefined; readonly memory: AuditMemory } | undefined

function memoryFor(repository: string | undefined): AuditMemory {
  if (!last || repository === undefined || last.repository !== repository) last = { repository, memory: emptyMemory() }
  return last.memory
}

async function auditConfigured({ configText, ...request }: AuditRequestOfApp, ports: AuditPorts): Promise<AuditedForApp> {
  const { config, problems } = configText === undefined ? { config: DEFAULT_CONFIG, problems: [] } : parseConfig(configText)
  return { ...(await audit({ ...request, config, configProblems: problems }, ports)), config }
}

parentPort?.on('message', (message: ToThread) => {
  if (message.type === 'audit') {
    const memory = memoryFor(message.request.repository)
    const ports = {
      ...remote,
      memory,
      ...(message.hasAdvisories ? { advisories: (packages: readonly string[]) => ask('advisories', packages) } : {}),
      ...(message.hasHosted ? { hosted: (facts: FactsIndex) => ask('hosted', projectRefs(facts)) } : {}),
    }
    auditConfigured(message.request, ports).then(
      (result) => say({ type: 'done', result }),
      (error: unknown) =>
        say({
          type: 'failed',
          ...(error instanceof RemoteError ? { asked: error.asked } : {}),
          message: error instanceof Error ? error.message : String(error),
          ...(error instanceof Error && error.stack ? { stack: error.stack } : {}),
        }),
    )
    return
  }
  const question = open.get(message.id)
  open.delete(message.id)
  if (message.type === 'answer') question?.resolve(message.value)
  else question?.reject(new RemoteError(message.id, message.message))
})
