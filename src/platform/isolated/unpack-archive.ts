import { extname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { FRAME, readFrames } from './frames.ts'
import { type Isolated, launchIsolated } from './launch.ts'

/** What is taken from an archive. */
export interface ArchiveLimits {
  /** Files larger than this are not kept: no extractor takes them. */
  readonly file: number
  /** Unpacked bytes after which an archive is given up: a bomb, or not worth it. */
  readonly unpacked: number
  /** Entries after which it is given up: GitHub's own listing ends at a fifth of this. */
  readonly entries: number
}

const ENTRY = new URL(`./unpacker${extname(import.meta.url)}`, import.meta.url)

/** Unpacking and download together; the largest archive that was measured took a tenth. */
const MAX_MS = 5 * 60_000
const MAX_RESIDENT_BYTES = 512 << 20
const WATCH_MS = 200

/**
 * The contents of the files of a `.tar.gz`, in its order, unpacked by a process of its own that has nothing else. What comes back is bounded
 * here once more; whether it is what the archive should hold is for the caller to see by its SHA. Throws a sentence when it cannot be unpacked.
 */
export async function* unpackArchive(archive: AsyncIterable<Uint8Array>, limits: ArchiveLimits): AsyncGenerator<Uint8Array> {
  const process = launchIsolated({ entry: ENTRY, args: [limits.file, limits.unpacked, limits.entries].map(String), heapMiB: 128 })
  const watch = watchOver(process)
  // An unpacker that gives up closes the channel while the download still comes; why it did so is said by its last frame.
  const download = pipeline(Readable.from(archive), process.channel, { end: true }).catch((error: unknown) => error)
  try {
    yield* contents(process, limits)
    const failure = await download
    if (failure) throw failure
  } catch (error) {
    throw watch.because() ? new Error(watch.because()) : error
  } finally {
    watch.end()
    process.end()
  }
}

async function* contents({ channel }: Isolated, limits: ArchiveLimits): AsyncGenerator<Uint8Array> {
  let bytes = 0
  let count = 0
  for await (const { type, payload } of readFrames(channel as AsyncIterable<Buffer>, Math.max(limits.file, 1000))) {
    if (type === FRAME.end) return
    if (type !== FRAME.file) throw new Error(payload.toString().slice(0, 200) || 'the archive could not be unpacked')
    bytes += payload.length
    if (bytes > limits.unpacked) throw new Error('the archive unpacks to too much')
    if (++count > limits.entries) throw new Error('the archive holds too many files')
    yield payload
  }
  throw new Error('the archive could not be unpacked: its process ended')
}

/** Ends a process that takes too long or too much memory. */
function watchOver(process: Isolated): { because(): string | undefined; end(): void } {
  let because: string | undefined
  const stop = (why: string) => {
    because = why
    process.end()
  }
  const deadline = setTimeout(() => stop('the archive took too long to unpack'), MAX_MS)
  const look = setInterval(() => {
    if ((process.residentBytes() ?? 0) > MAX_RESIDENT_BYTES) stop('the archive took too much memory to unpack')
  }, WATCH_MS)
  return {
    because: () => because,
    end: () => {
      clearTimeout(deadline)
      clearInterval(look)
    },
  }
}
