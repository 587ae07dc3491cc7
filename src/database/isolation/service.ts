import type { ChildProcess } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { launchSandbox } from './launch.ts'
import type { Layers } from './layers.ts'
import { CHANNEL } from './process-settings.ts'
import { residentBytes } from './resident-memory.ts'
import { templateIn } from './template-file.ts'

/** What the service is started with. */
export interface ServiceOptions {
  /** Path of the Unix socket; a file that is left of an earlier run is replaced. */
  readonly socket: string
  /** Where the template is kept; must be writable. */
  readonly cacheDir: string
  readonly layers: Layers
  /** Resident memory of one sandbox, in bytes; it is ended beyond that. */
  readonly memoryBytes: number
  /** Sandboxes at once; a connection beyond that is closed. */
  readonly most: number
}

/** How often the memory of sandboxes is looked at. */
const LOOK_MS = 100

/**
 * Starts one sandbox for each connection and passes bytes between the two. It reads none of them: a sandbox that is taken over gains nothing by what it
 * writes. The sandbox ends with the connection, the connection with the sandbox.
 */
export async function startService(options: ServiceOptions): Promise<Server> {
  const template = await templateIn(options.cacheDir, options.layers)
  if (typeof template !== 'string') throw new Error(`the template of the database cannot be written to ${options.cacheDir}`)
  const running = new Map<ChildProcess, Socket>()
  const watch = setInterval(() => {
    for (const child of running.keys()) if ((residentBytes(child.pid) ?? 0) > options.memoryBytes) child.kill('SIGKILL')
  }, LOOK_MS)
  let open = 0
  const server = createServer({ allowHalfOpen: false }, async (socket) => {
    socket.on('error', () => socket.destroy())
    if (open >= options.most) {
      socket.destroy()
      return
    }
    open++
    socket.once('close', () => open--)
    const child = await launchSandbox({ layers: options.layers, template }).catch(() => undefined)
    if (child) join(child, socket, running)
    else socket.destroy()
  })
  server.on('close', () => {
    clearInterval(watch)
    for (const child of running.keys()) child.kill('SIGKILL')
  })
  rmSync(options.socket, { force: true })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.socket, () => resolve(server))
  })
}

function join(child: ChildProcess, socket: Socket, running: Map<ChildProcess, Socket>): void {
  const channel = child.stdio[CHANNEL] as unknown as Socket
  running.set(child, socket)
  const end = () => {
    running.delete(child)
    child.kill('SIGKILL')
    channel.destroy()
    socket.destroy()
  }
  child.on('error', end)
  channel.on('error', end)
  // What a sandbox wrote before its end is still passed on.
  channel.on('close', () => socket.end())
  child.on('close', () => {
    running.delete(child)
    socket.end()
  })
  socket.on('close', end)
  socket.pipe(channel)
  channel.pipe(socket)
  // It may have been closed while the sandbox was started.
  if (socket.destroyed) end()
}
