import type { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

export interface JsonLinesReader {
  /** Bytes that one line may have; a longer one ends the reading. */
  readonly maxBytes: number
  /** Takes each message, of which nothing is known but that it is JSON. */
  readonly onMessage: (message: unknown) => void
  /** Told once, when the stream brings what is no JSON or a line that is too long. Nothing is read after that. */
  readonly onProblem: (because: string) => void
}

/** Reads one JSON document a line from a byte stream of another process. Never holds more than one line that is not yet complete. */
export function readJsonLines(stream: Readable, { maxBytes, onMessage, onProblem }: JsonLinesReader): void {
  const decoder = new StringDecoder('utf8')
  let parts: string[] = []
  let held = 0
  const onData = (chunk: Buffer) => {
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf(NEWLINE, from)
      const part = chunk.subarray(from, end < 0 ? chunk.length : end)
      held += part.length
      if (held > maxBytes) return refuse(`a message has more than ${maxBytes} bytes`)
      parts.push(decoder.write(part))
      from += part.length + 1
      if (end < 0) return
      const line = parts.join('')
      parts = []
      held = 0
      let message: unknown
      try {
        message = JSON.parse(line)
      } catch {
        return refuse('a message is no JSON')
      }
      onMessage(message)
    }
  }
  const refuse = (because: string) => {
    stream.off('data', onData)
    stream.resume()
    parts = []
    onProblem(because)
  }
  stream.on('data', onData)
}

const NEWLINE = 0x0a

/** Writes one message as a line. False when the stream's buffer is full: wait for `drain` before writing much more. */
export function writeJsonLine(stream: Writable, message: unknown): boolean {
  return stream.write(`${JSON.stringify(message)}\n`)
}
