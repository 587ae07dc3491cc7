import { expect, test } from 'vitest'
import { FRAME, frameHeader, readFrames } from '../../../src/platform/isolated/frames.ts'

const frame = (type: number, text: string) => Buffer.concat([frameHeader(type, Buffer.byteLength(text)), Buffer.from(text)])
const read = async (chunks: readonly Buffer[], most = 100) => {
  async function* stream() {
    yield* chunks
  }
  const frames: (readonly [number, string])[] = []
  for await (const { type, payload } of readFrames(stream(), most)) frames.push([type, payload.toString()])
  return frames
}
const all = Buffer.concat([frame(FRAME.file, 'one'), frame(FRAME.file, ''), frame(FRAME.end, 'x'.repeat(50))])
const wanted = [
  [FRAME.file, 'one'],
  [FRAME.file, ''],
  [FRAME.end, 'x'.repeat(50)],
]

test('frames come whole, however the stream divides them', async () => {
  expect(await read([all])).toEqual(wanted)
  expect(await read([...all].map((byte) => Buffer.from([byte])))).toEqual(wanted)
})

test('a frame that is longer than allowed is refused by its header', async () => {
  await expect(read([frameHeader(FRAME.file, 101)])).rejects.toThrow('longer than allowed')
})

test('a frame that is cut off is an error', async () => {
  await expect(read([all.subarray(0, all.length - 1)])).rejects.toThrow('cut off')
  await expect(read([all.subarray(0, 3)])).rejects.toThrow('cut off')
})
