import { Socket } from 'node:net'
import { SandboxDatabase } from '../../database/sandbox-database.ts'
import { JsonLines } from '../../lib/json-lines.ts'
import { closeInheritedDescriptors } from './close-inherited.ts'
import { type FromDatabase, MAX_MESSAGE, type ToDatabase } from './database-protocol.ts'

// The parent of the database sandboxes of the command line. The command line's own environment is the user's, with tokens in it; a sandbox
// whose parent is this process has nobody above it to read from.

closeInheritedDescriptors()
const [cacheDir] = process.argv.slice(2)
const database = new SandboxDatabase(cacheDir ? { cacheDir } : {})
const channel = new Socket({ fd: 3, readable: true, writable: true })
const say = (message: FromDatabase) => lines.send(message)

const lines = new JsonLines(
  channel,
  { message: MAX_MESSAGE },
  {
    onMessage: (said) => {
      const message = said as ToDatabase
      if (message.type === 'warm') database.warm()
      else if (message.type === 'rest') database.rest()
      else if (message.type === 'begin') database.begin(message.input)
      else
        database.replay(message.input).then(
          (result) => say({ type: 'result', id: message.id, result }),
          (error: unknown) => say({ type: 'failed', id: message.id, message: error instanceof Error ? error.message : String(error) }),
        )
    },
    onBreach: () => process.exit(1),
  },
)
channel.on('close', () => process.exit(0)).on('error', () => process.exit(0))
