import { once } from 'node:events'
import { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import { closeInheritedDescriptors } from './close-inherited.ts'
import { FRAME, frameHeader } from './frames.ts'

// Unpacks one archive and ends: the packed bytes come in on descriptor 3, and the contents of its files go out there.

closeInheritedDescriptors()
const channel = new Socket({ fd: 3, readable: true, writable: true, allowHalfOpen: true })
const [maxFile = 0, maxUnpacked = 0, maxEntries = 0] = process.argv.slice(2).map(Number)

async function say(type: number, payload: Buffer): Promise<void> {
  channel.write(frameHeader(type, payload.length))
  if (!channel.write(payload)) await once(channel, 'drain')
}

async function unpack(): Promise<void> {
  let unpacked = 0
  const entries = extract()
  const bounded = async function* (source: AsyncIterable<Buffer>) {
    for await (const chunk of source) {
      unpacked += chunk.length
      if (unpacked > maxUnpacked) throw new Error('the archive unpacks to too much')
      yield chunk
    }
  }
  const kept = (async () => {
    let count = 0
    for await (const entry of entries) {
      if (++count > maxEntries) throw new Error('the archive holds too many files')
      const chunks: Buffer[] = []
      const wanted = entry.header.type === 'file' && (entry.header.size ?? 0) <= maxFile
      for await (const chunk of entry) if (wanted) chunks.push(chunk as Buffer)
      if (wanted) await say(FRAME.file, Buffer.concat(chunks))
    }
  })()
  await Promise.all([pipeline(channel, createGunzip(), bounded, entries), kept])
}

const [type, words] = await unpack().then(
  () => [FRAME.end, ''] as const,
  (error: unknown) => [FRAME.failed, error instanceof Error ? error.message : String(error)] as const,
)
await say(type, Buffer.from(words.slice(0, 200)))
channel.end(() => process.exit(0))
