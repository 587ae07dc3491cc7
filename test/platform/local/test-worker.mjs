// Speaks the protocol of the extraction worker; hangs and dies where the test wants it.
import { parentPort, workerData } from 'node:worker_threads'

const progress = new Int32Array(workerData.progress)
parentPort.on('message', (chunk) => {
  const results = chunk.jobs.map((job, i) => {
    Atomics.store(progress, 0, i)
    if (job.path === 'hang') for (;;) {}
    if (job.path === 'exit') process.exit(3)
    if (job.path === 'grow') for (const all = []; ; ) all.push(new Array(1e6).fill(job))
    const text = job.path === 'environment' ? Object.keys(process.env).join(' ') : job.path
    return JSON.stringify(job.kinds.map((kind) => ({ kind, facts: { text }, problems: [] })))
  })
  parentPort.postMessage(results)
})
