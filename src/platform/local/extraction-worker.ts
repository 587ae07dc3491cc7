import { parentPort, workerData } from 'node:worker_threads'
import { type ExtractionJob, extractJob } from '../../facts/extract.ts'

/** What a worker is told: some jobs of a batch. It answers with a JSON text for each, which crosses threads faster than objects. */
export type Chunk = readonly ExtractionJob[]

const progress = new Int32Array((workerData as { progress: SharedArrayBuffer }).progress)

parentPort?.on('message', (chunk: Chunk) => {
  const results = chunk.map((job, i) => {
    // Read from outside: which job is being worked on.
    Atomics.store(progress, 0, i)
    return JSON.stringify(extractJob(job))
  })
  parentPort?.postMessage(results)
})
