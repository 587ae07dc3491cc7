import { workerData } from 'node:worker_threads'
import type { InProcessLayers } from './process-settings.ts'

// The program of the sandbox's thread: what holds in it holds before the engine's first module is imported.
const { wasmGate, builtins } = (workerData as { readonly layers: InProcessLayers }).layers
if (wasmGate) {
  const { installWasmGate } = await import('./wasm-gate.ts')
  const { knownModules } = await import('./known-modules.ts')
  installWasmGate(knownModules())
}
if (builtins) (await import('./builtins.ts')).removeBuiltins()
await import('../sandbox/worker.ts')
