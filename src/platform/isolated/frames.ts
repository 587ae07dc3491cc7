/** What a frame between an unpacker and its parent carries: one file, the end of the archive, or why it could not be read. */
export const FRAME = { file: 0, end: 1, failed: 2 } as const

export interface Frame {
  readonly type: number
  readonly payload: Buffer
}

const HEADER = 5

/** A frame's header: one byte of type and four of length, before the payload. */
export function frameHeader(type: number, length: number): Buffer {
  const header = Buffer.alloc(HEADER)
  header.writeUInt8(type, 0)
  header.writeUInt32BE(length, 1)
  return header
}

/** The frames of a byte stream. Throws at a frame that is longer than allowed, before any of it is kept, and at one that is cut off. */
export async function* readFrames(stream: AsyncIterable<Buffer>, maxPayload: number): AsyncGenerator<Frame> {
  let held: Buffer[] = []
  let size = 0
  let wanted = HEADER
  for await (const chunk of stream) {
    held.push(chunk)
    size += chunk.length
    while (size >= wanted) {
      const all = held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held)
      const length = all.readUInt32BE(1)
      if (length > maxPayload) throw new Error('a frame is longer than allowed')
      held = [all]
      wanted = HEADER + length
      if (size < wanted) break
      yield { type: all.readUInt8(0), payload: all.subarray(HEADER, wanted) }
      held = [all.subarray(wanted)]
      size -= wanted
      wanted = HEADER
    }
  }
  if (size > 0) throw new Error('a frame is cut off')
}
