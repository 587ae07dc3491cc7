import { parentPort, workerData } from 'node:worker_threads'
import type { ts } from 'ts-morph'
import { typescript } from '../src/facts/extractors/javascript/typescript.ts'
import type { Chunk } from '../src/platform/local/extraction-worker.ts'

const decoder = new TextDecoder()

/** The least that any analysis must do: parse and look at every node. */
export function parseAndWalk(bytes: Uint8Array, path: string): void {
  const ts = typescript()
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : /\.[cm]?ts$/.test(path) ? ts.ScriptKind.TS : ts.ScriptKind.JSX
  const options = { languageVersion: ts.ScriptTarget.ESNext, jsDocParsingMode: ts.JSDocParsingMode.ParseNone }
  const visit = (node: ts.Node): void => ts.forEachChild(node, visit)
  visit(ts.createSourceFile(path, decoder.decode(bytes), options, false, kind))
}

parentPort?.on('message', (chunk: Chunk) => {
  const progress = new Int32Array((workerData as { progress: SharedArrayBuffer }).progress)
  chunk.jobs.forEach((job, i) => {
    Atomics.store(progress, 0, i)
    parseAndWalk(new Uint8Array(chunk.bytes, job.start, job.length), job.path)
  })
  parentPort?.postMessage(chunk.jobs.map(() => '[]'))
})
