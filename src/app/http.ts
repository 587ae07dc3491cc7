import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Store } from '../store/store.ts'
import type { Metrics } from './metrics.ts'

/** `/healthz` (the process lives), `/readyz` (it can store webhooks) and `/metrics`. */
export function operationHandler(store: Store, metrics: Metrics, isStopping: () => boolean) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<boolean> => {
    const path = request.url?.split('?')[0]
    if (request.method !== 'GET') return false
    if (path === '/healthz') return answer(response, 200, 'ok')
    if (path === '/readyz') {
      if (isStopping()) return answer(response, 503, 'stopping')
      const stored = await store.sql.query('select 1').then(
        () => true,
        () => false,
      )
      return stored ? answer(response, 200, 'ready') : answer(response, 503, 'the store does not answer')
    }
    if (path === '/metrics') {
      response.writeHead(200, { 'content-type': metrics.registry.contentType }).end(await metrics.registry.metrics())
      return true
    }
    return false
  }
}

function answer(response: ServerResponse, status: number, text: string): true {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${text}\n`)
  return true
}
