import type { Duplex } from 'node:stream'

/** How much one side takes from the other. */
export interface Limits {
  /** Bytes of one message. */
  readonly message: number
  /** Bytes of all messages until `renew`; without end when absent. */
  readonly total?: number
  /** Messages until `renew`: small ones cost the reader more than their bytes. */
  readonly count?: number
}

/** What becomes of what arrives. */
export interface Receiver {
  onMessage(message: unknown): void
  /** The other side broke a limit or sent something that is not JSON; nothing of it is read any more. */
  onBreach(because: string): void
}

const NEWLINE = 0x0a

/**
 * Messages as JSON, one a line, over a stream of bytes. JSON and not V8's serialisation, whose reader is no boundary against a hostile writer; and
 * not Node's own channel between processes, whose reader takes messages of any size.
 */
export class JsonLines {
  readonly #stream: Duplex
  readonly #limits: Limits
  readonly #receiver: Receiver
  #parts: Buffer[] = []
  #pending = 0
  #total = 0
  #count = 0
  #broken = false

  constructor(stream: Duplex, limits: Limits, receiver: Receiver) {
    this.#stream = stream
    this.#limits = limits
    this.#receiver = receiver
    stream.on('data', (chunk: Buffer) => this.#take(chunk))
    // The end of the stream is reported by whoever owns it.
    stream.on('error', () => undefined)
  }

  /** Sends a message that JSON can express; one that the other side no longer takes is dropped. */
  send(message: unknown): void {
    if (this.#stream.writable) this.#stream.write(`${JSON.stringify(message)}\n`)
  }

  /** Begins to count the total anew. */
  renew(): void {
    this.#total = 0
    this.#count = 0
  }

  #take(chunk: Buffer): void {
    if (this.#broken) return
    this.#total += chunk.length
    if (this.#total > (this.#limits.total ?? Number.POSITIVE_INFINITY)) this.#breach('it sent more than allowed')
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0 && !this.#broken; at = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, at))
      from = at + 1
      this.#deliver()
    }
    if (!this.#broken) this.#keep(chunk.subarray(from))
  }

  #keep(part: Buffer): void {
    if (!part.length) return
    this.#pending += part.length
    if (this.#pending > this.#limits.message) this.#breach('it sent a message that is larger than allowed')
    else this.#parts.push(part)
  }

  #deliver(): void {
    if (this.#broken) return
    if (++this.#count > (this.#limits.count ?? Number.POSITIVE_INFINITY)) {
      this.#breach('it sent more messages than allowed')
      return
    }
    const text = Buffer.concat(this.#parts, this.#pending).toString('utf8')
    this.#parts = []
    this.#pending = 0
    const message = parsed(text)
    if (message === undefined) this.#breach('it sent something that is not JSON')
    else this.#receiver.onMessage(message)
  }

  #breach(because: string): void {
    this.#broken = true
    this.#parts = []
    this.#pending = 0
    this.#receiver.onBreach(because)
  }
}

/** Undefined, which JSON cannot say, for what is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
