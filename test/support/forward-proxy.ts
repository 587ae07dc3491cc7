import { createServer, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'

/** A forward proxy that knows one host: what is asked of `host`, request by request or through a tunnel, goes to `origin`; anything else is refused. */
export class ForwardProxy {
  /** Paths of requests that went through it. */
  readonly paths: string[] = []
  /** Tunnels that were asked for. */
  tunnels = 0
  readonly #server
  readonly #host: string
  readonly #open = new Set<Duplex>()

  constructor(host: string, origin: string) {
    this.#host = host
    this.#server = createServer((incoming, outgoing) => {
      const url = URL.parse(incoming.url ?? '')
      if (url?.hostname !== this.#host) {
        outgoing.writeHead(502).end()
        return
      }
      this.paths.push(url.pathname)
      const forwarded = request(`${origin}${url.pathname}${url.search}`, { method: incoming.method, headers: incoming.headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      })
      forwarded.on('error', () => outgoing.destroy())
      incoming.pipe(forwarded)
    })
    this.#server.on('connect', (incoming, socket, head) => {
      if (incoming.url?.split(':')[0] !== this.#host) {
        socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
        return
      }
      this.tunnels++
      const through = connect(Number(new URL(origin).port), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
        through.write(head)
        through.pipe(socket).pipe(through)
      })
      for (const end of [through, socket]) end.on('error', () => [through, socket].forEach((s) => void s.destroy()))
      this.#open.add(socket)
    })
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  stop(): void {
    for (const socket of this.#open) socket.destroy()
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
