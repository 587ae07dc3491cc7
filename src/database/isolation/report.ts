import { connect } from 'node:net'
import { confinementOf } from './confinement.ts'
import type { Layers } from './layers.ts'

/** Which layers hold around the sandboxes, for the log. */
export interface LayersReport {
  /** WebAssembly modules of the installed packages alone. */
  readonly wasmGate: boolean
  /** Named reads, no code from strings, no addons, no inspector. */
  readonly flags: boolean
  readonly builtins: boolean
  /** Own user, process, network, mount, IPC and UTS namespaces and a private root; or why not. Not known here when a service runs the sandboxes. */
  readonly namespaces: boolean | 'see the log of the service'
  readonly otherUser: boolean | 'see the log of the service'
  /** Whether a service runs the sandboxes, and whether it answers. */
  readonly service: 'not used' | 'answers' | 'does not answer'
  readonly because?: string
}

/** Finds out which layers hold: with a `socket` those of the service's own process are not seen from here. */
export async function reportLayers({ wasmGate, flags, builtins, ...system }: Layers, socket?: string): Promise<LayersReport> {
  const inProcess = { wasmGate, flags, builtins }
  if (socket) {
    const elsewhere = 'see the log of the service' as const
    return { ...inProcess, namespaces: elsewhere, otherUser: elsewhere, service: (await answers(socket)) ? 'answers' : 'does not answer' }
  }
  const { by, because } = await confinementOf({ ...inProcess, ...system })
  return { ...inProcess, namespaces: by === 'namespaces', otherUser: by === 'otherUser', service: 'not used', ...(because ? { because } : {}) }
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
    const answer = (value: boolean) => () => {
      socket.destroy()
      resolve(value)
    }
    socket.once('connect', answer(true)).once('error', answer(false))
  })
}
