import { parentPort, workerData } from 'node:worker_threads'
import { type ExtractionJob, extractJob } from '../../facts/extract.ts'

/**
 * What a worker is told: some jobs of a batch, their bytes one after the other in one buffer of their own (a view of a larger buffer
 * would take all of that with it). It answers with a JSON text for each, which crosses threads faster than objects.
 */
export interface Chunk {
  readonly bytes: ArrayBuffer
  readonly jobs: readonly { readonly path: string; readonly kinds: ExtractionJob['kinds']; readonly start: number; readonly length: number }[]
}

const progress = new Int32Array((workerData as { progress: SharedArrayBuffer }).progress)

parentPort?.on('message', (chunk: Chunk) => {
  const results = chunk.jobs.map(({ path, kinds, start, length }, i) => {
    // Read from outside: which job is being worked on.
    Atomics.store(progress, 0, i)
    return JSON.stringify(extractJob({ path, kinds, bytes: new Uint8Array(chunk.bytes, start, length) }))
  })
  parentPort?.postMessage(results)
})
