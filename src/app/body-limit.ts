import type { IncomingMessage, RequestListener, Server } from 'node:http'

/** GitHub caps payloads at 25 MB (docs.github.com/webhooks, "Payload cap"); whoever sends more is somebody else. */
export const MAX_WEBHOOK_BYTES = 25 * 2 ** 20

/**
 * Reads the body of each POST itself, up to a limit, before the server's own listeners see the request: they read whatever comes, and
 * only then look at the signature. A larger body is answered with 413 and never held in memory.
 */
export function limitBodies(server: Server, maxBytes = MAX_WEBHOOK_BYTES): void {
  const listeners = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  server.on('request', async (request, response) => {
    if (request.method === 'POST') {
      const body = await readBody(request, maxBytes).catch(() => undefined)
      if (body === undefined) {
        // What still comes is read and dropped: a connection closed under a sender loses the answer.
        request.resume()
        response.writeHead(413, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`A payload has at most ${maxBytes} bytes.\n`)
        return
      }
      // @octokit/webhooks takes a body that was read before from here.
      Object.assign(request, { body: new TextDecoder().decode(body) })
    }
    for (const listener of listeners) listener.call(server, request, response)
  })
}

/** Rejects as soon as the body is known to be larger, and when the sender goes away. */
function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const tooLarge = () => reject(new Error('too large'))
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return tooLarge()
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) {
        chunks.length = 0
        tooLarge()
      } else chunks.push(chunk)
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('error', reject)
    request.on('aborted', () => reject(new Error('aborted')))
  })
}
