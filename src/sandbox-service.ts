import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serviceOfThisMachine } from './platform/local/sandbox-service.ts'

// As in main.ts: no inspector by signal.
process.on('SIGUSR1', () => undefined)

// The program of the `sandbox` service in compose.yaml: SANDBOX_SOCKET says where it listens.
const socket = process.env['SANDBOX_SOCKET']
if (!socket) {
  console.error('SANDBOX_SOCKET is missing: the path of the Unix socket on which sandboxes are asked for.')
  process.exit(1)
}
const { server, layers } = await serviceOfThisMachine(socket, join(tmpdir(), 'prelaunch'))
console.log(JSON.stringify({ msg: 'sandboxes can be asked for', socket, sandbox: layers }))
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => server.close(() => process.exit(0)))
