import { randomUUID } from 'node:crypto'
import { Webhooks } from '@octokit/webhooks'
import type { Delivery } from './state.ts'

/** Signs webhooks as GitHub does, posts them, and keeps the list of deliveries that the deliveries API shows. */
export class WebhookSender {
  readonly deliveries: Delivery[] = []
  /** While true, deliveries are recorded as failed without being sent: the App was down. */
  down = false
  readonly #webhooks: Webhooks
  readonly #pending = new Set<Promise<unknown>>()
  #urls: readonly string[] = []
  #turn = 0
  #nextId = 9_000_000

  constructor(secret: string) {
    this.#webhooks = new Webhooks({ secret })
  }

  get url(): string | undefined {
    return this.#urls[0]
  }

  set url(url: string | undefined) {
    this.balance(url === undefined ? [] : [url])
  }

  /** Deliveries go to these addresses in turn; one that takes no connection is passed over, as a load balancer does. */
  balance(urls: readonly string[]): void {
    this.#urls = urls
  }

  send(event: string, payload: Record<string, unknown>): Delivery {
    return this.#deliver(event, JSON.stringify(payload), payload, randomUUID(), false)
  }

  /** Sends a delivery again under the same GUID, as the redeliver button does. */
  redeliver(id: number): Delivery | undefined {
    const old = this.deliveries.find((d) => d.id === id)
    return old && this.#deliver(old.event, old.body, JSON.parse(old.body) as Record<string, unknown>, old.guid, true)
  }

  /** Resolves when every delivery so far was answered. */
  async settled(): Promise<void> {
    while (this.#pending.size) await Promise.all(this.#pending)
  }

  #deliver(event: string, body: string, payload: Record<string, unknown>, guid: string, redelivery: boolean): Delivery {
    const delivery: Delivery = {
      id: this.#nextId++,
      guid,
      event,
      action: typeof payload['action'] === 'string' ? payload['action'] : null,
      installationId: (payload['installation'] as { id?: number } | undefined)?.id ?? 0,
      repositoryId: (payload['repository'] as { id?: number } | undefined)?.id ?? null,
      deliveredAt: new Date().toISOString(),
      redelivery,
      body,
      statusCode: 0,
      status: 'pending',
      duration: 0,
    }
    this.deliveries.unshift(delivery)
    const begin = performance.now()
    const sent = this.#post(delivery).finally(() => {
      delivery.duration = (performance.now() - begin) / 1000
      this.#pending.delete(sent)
    })
    this.#pending.add(sent)
    return delivery
  }

  async #post(delivery: Delivery): Promise<void> {
    const urls = this.down ? [] : this.#urls
    if (!urls.length) delivery.status = 'failed to connect to host'
    for (let tries = urls.length; tries > 0; tries--) {
      const url = urls[this.#turn++ % urls.length] as string
      try {
        const response = await fetch(url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'user-agent': 'GitHub-Hookshot/local',
            'x-github-delivery': delivery.guid,
            'x-github-event': delivery.event,
            'x-github-hook-id': '1',
            'x-hub-signature-256': await this.#webhooks.sign(delivery.body),
          },
          body: delivery.body,
          signal: AbortSignal.timeout(10_000),
        })
        await response.arrayBuffer()
        delivery.statusCode = response.status
        delivery.status = response.ok ? 'OK' : `Invalid HTTP Response: ${response.status}`
        return
      } catch (error) {
        if (tries > 1 && refusesConnections(error)) continue
        delivery.status = error instanceof Error && error.name === 'TimeoutError' ? 'timed out' : 'failed to connect to host'
        return
      }
    }
  }
}

function refusesConnections(error: unknown): boolean {
  return ((error as Error).cause as { code?: string } | undefined)?.code === 'ECONNREFUSED'
}
