import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Store } from '../store/store.ts'
import { storeProblem } from '../store/store-problem.ts'
import type { Metrics } from './metrics.ts'

/** `/healthz` (the process lives), `/readyz` (it can store webhooks) and `/metrics`. */
export function operationHandler(store: Store, metrics: Metrics, isStopping: () => boolean) {
  const ready = readiness(store)
  return async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const path = request.url?.split('?')[0]
    if (request.method !== 'GET') return false
    if (path === '/healthz') return answer(response, 200, 'ok')
    if (path === '/readyz') {
      if (isStopping()) return answer(response, 503, 'stopping')
      const problem = await ready()
      return problem === undefined ? answer(response, 200, 'ready') : answer(response, 503, problem)
    }
    if (path === '/metrics') {
      response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(await metrics.registry.metrics())
      return true
    }
    return false
  }
}

/** Milliseconds for which an answer stands: whoever asks more often makes nothing be written. */
const STANDS_MS = 2000

/** Asks the store whether it takes something new, by writing; gives what is wrong in sentences. */
function readiness({ sql, targets }: Store): () => Promise<string | undefined> {
  let at = 0
  let last: Promise<string | undefined> = Promise.resolve(undefined)
  const look = async () => {
    try {
      await sql.probe?.()
      await targets.setMark('ready', new Date().toISOString())
      return undefined
    } catch (error) {
      return storeProblem(error)
    }
  }
  return () => {
    if (Date.now() - at > STANDS_MS) {
      at = Date.now()
      last = look()
    }
    return last
  }
}

function answer(response: ServerResponse, status: number, text: string): true {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`)
  return true
}
