import type { ChildProcess } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { JsonLines, type Limits } from '../../lib/json-lines.ts'
import type { Request } from '../sandbox/protocol.ts'
import { CHANNEL } from './process-settings.ts'
import { residentBytes } from './resident-memory.ts'

/** What a sandbox may answer until the next replay: the bytes of one message and of all, and how many (it names the step under way 20 times a second). */
const ANSWER_LIMITS: Limits = { message: 64 * 2 ** 20, total: 128 * 2 ** 20, count: 20_000 }

/** What whoever asks hears: answers as they came, believed by nobody yet, and the end. */
export interface Listener {
  onAnswer(answer: unknown): void
  onEnd(because: string): void
}

/** A sandbox that runs: a process of this machine, or one that the service keeps at the other end of a socket. */
export class SandboxProcess {
  readonly #channel: Socket
  readonly #child: ChildProcess | undefined
  readonly #lines: JsonLines
  #listener: Listener | undefined
  #ended: string | undefined

  private constructor(channel: Socket, child?: ChildProcess) {
    this.#channel = channel
    this.#child = child
    this.#lines = new JsonLines(channel, ANSWER_LIMITS, {
      onMessage: (answer) => this.#listener?.onAnswer(answer),
      onBreach: (because) => {
        this.#finish(because)
        this.end()
      },
    })
    const owner = child ?? channel
    owner.on('error', (error: Error) => this.#finish(`the sandbox could not be reached (${error.message})`))
    // Not before everything that it sent has been read.
    owner.on('close', () => this.#finish('the sandbox ended by itself'))
  }

  /** A process that `launch` started. */
  static of(child: ChildProcess): SandboxProcess {
    return new SandboxProcess(child.stdio[CHANNEL] as unknown as Socket, child)
  }

  /** A process that the service starts for this connection and ends with it. */
  static at(path: string): SandboxProcess {
    return new SandboxProcess(connect(path))
  }

  /** One at a time; undefined for nobody. */
  listen(listener: Listener | undefined): void {
    this.#listener = listener
    if (listener) this.#lines.renew()
  }

  send(request: Request): void {
    this.#lines.send(request)
  }

  get ended(): boolean {
    return this.#ended !== undefined
  }

  /** Of the whole tree of processes; undefined where it is not known here. */
  get residentBytes(): number | undefined {
    return this.#child && residentBytes(this.#child.pid)
  }

  /** Resolves when nothing of it is left. */
  gone(): Promise<void> {
    return new Promise((resolve) => {
      if (this.ended) resolve()
      else (this.#child ?? this.#channel).once('close', () => resolve())
    })
  }

  /** It must not keep the program alive while it waits for work. */
  unref(): void {
    this.#child?.unref()
    this.#channel.unref()
  }

  ref(): void {
    this.#child?.ref()
    this.#channel.ref()
  }

  end(): void {
    this.#child?.kill('SIGKILL')
    this.#channel.destroy()
  }

  #finish(because: string): void {
    if (this.ended) return
    this.#ended = because
    this.#listener?.onEnd(because)
  }
}
