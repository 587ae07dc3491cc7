import { parentPort, workerData } from 'node:worker_threads'
import { type ExtractionJob, extractJob } from '../../facts/extract.ts'

/** What a worker is told: some jobs of a batch. It answers with one JSON text, which crosses threads faster than objects. */
export interface Chunk {
  readonly id: number
  readonly jobs: readonly ExtractionJob[]
}

const progress = new Int32Array((workerData as { progress: SharedArrayBuffer }).progress)

parentPort?.on('message', (chunk: Chunk) => {
  const results = chunk.jobs.map((job, i) => {
    // Read from outside: which job is being worked on.
    Atomics.store(progress, 0, i)
    return extractJob(job)
  })
  parentPort?.postMessage({ id: chunk.id, json: JSON.stringify(results) })
})
