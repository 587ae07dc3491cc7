import type { Layers } from './layers.ts'

/** The layers that the sandbox's process puts up itself. */
export type InProcessLayers = Pick<Layers, 'wasmGate' | 'builtins'>

/** What the sandbox's process is started with, as JSON in its first argument; its environment is empty. */
export interface ProcessSettings {
  readonly layers: InProcessLayers
  /** File of the template that it may read. */
  readonly template?: string
}

/** Descriptor of the stream on which the process is spoken to; standard input and output lead nowhere. */
export const CHANNEL = 3
