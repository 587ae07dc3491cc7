// Speaks the protocol of the audit's thread; hangs and dies where the test wants it.
import { parentPort } from 'node:worker_threads'

parentPort.on('message', ({ request }) => {
  if (request.commit === 'hang') for (;;) {}
  if (request.commit === 'exit') process.exit(3)
  if (request.commit === 'grow') for (const all = []; ; ) all.push(new Array(1e6).fill(Math.random()))
  parentPort.postMessage({ type: 'done', result: { report: request.commit } })
})
