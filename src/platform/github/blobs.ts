import { createHash } from 'node:crypto'
import type { BlobSha } from '../../source/source.ts'
import type { GitHubApi } from './client.ts'
import { isStatus } from './errors.ts'
import type { RepositoryRef } from './repository-ref.ts'

/** Blobs in one GraphQL request; GitHub's limits are by nodes and time, and 100 answer well within both. */
const BATCH = 100
/** Bytes of text in one GraphQL request. */
const BATCH_BYTES = 4 << 20
/** GraphQL cuts texts longer than this; they are read raw at once. */
const MAX_GRAPHQL_BLOB = 500_000
const RAW_AT_ONCE = 4

interface BlobNode {
  readonly text: string | null
  readonly isBinary: boolean | null
  readonly isTruncated: boolean
}

/** Reads blobs in batches over GraphQL, holds each against its SHA, and reads raw what is binary, cut or not UTF-8. Missing blobs are absent. */
export async function readBlobs(
  api: GitHubApi,
  ref: RepositoryRef,
  shas: readonly BlobSha[],
  sizeOf: (sha: BlobSha) => number,
): Promise<Map<BlobSha, Uint8Array>> {
  const found = new Map<BlobSha, Uint8Array>()
  const raw = shas.filter((sha) => sizeOf(sha) > MAX_GRAPHQL_BLOB)
  for (const batch of batches(
    shas.filter((sha) => sizeOf(sha) <= MAX_GRAPHQL_BLOB),
    sizeOf,
  )) {
    for (const [sha, bytes] of await readBatch(api, ref, batch)) {
      if (bytes === 'raw') raw.push(sha)
      else if (bytes) found.set(sha, bytes)
    }
  }
  for (let i = 0; i < raw.length; i += RAW_AT_ONCE) {
    const part = raw.slice(i, i + RAW_AT_ONCE)
    const read = await Promise.all(part.map((sha) => readRaw(api, ref, sha)))
    part.forEach((sha, j) => {
      const bytes = read[j]
      if (bytes) found.set(sha, bytes)
    })
  }
  return found
}

/** The SHA that git gives these bytes as a blob. */
export function blobSha(bytes: Uint8Array): BlobSha {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

function* batches(shas: readonly BlobSha[], sizeOf: (sha: BlobSha) => number): Generator<BlobSha[]> {
  let batch: BlobSha[] = []
  let bytes = 0
  for (const sha of shas) {
    const size = Math.max(0, sizeOf(sha))
    if (batch.length && (batch.length >= BATCH || bytes + size > BATCH_BYTES)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(sha)
    bytes += size
  }
  if (batch.length) yield batch
}

async function readBatch(api: GitHubApi, ref: RepositoryRef, shas: readonly BlobSha[]): Promise<[BlobSha, Uint8Array | 'raw' | undefined][]> {
  const fields = shas.map((sha, i) => `b${i}: object(oid: "${sha}") { ... on Blob { text isBinary isTruncated } }`).join('\n')
  const query = `query Blobs($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { ${fields} } }`
  const { repository } = await api.graphql<{ repository: Record<string, BlobNode | null> }>(query, { owner: ref.owner, name: ref.name })
  return shas.map((sha, i) => {
    const node = repository[`b${i}`]
    if (!node) return [sha, undefined]
    if (node.isBinary || node.isTruncated || typeof node.text !== 'string') return [sha, 'raw']
    const bytes = Buffer.from(node.text)
    return [sha, blobSha(bytes) === sha ? bytes : 'raw']
  })
}

async function readRaw(api: GitHubApi, ref: RepositoryRef, sha: BlobSha): Promise<Uint8Array | undefined> {
  try {
    // Octokit would decode the answer as text, since GitHub labels it charset=utf-8, and spoil other bytes: the stream is read here instead.
    const { data } = await api.request('GET /repos/{owner}/{repo}/git/blobs/{file_sha}', {
      owner: ref.owner,
      repo: ref.name,
      file_sha: sha,
      headers: { accept: 'application/vnd.github.raw+json' },
      request: { parseSuccessResponseBody: false },
    })
    const bytes = await readAll(data as unknown as ReadableStream<Uint8Array>)
    return bytes && blobSha(bytes) === sha ? bytes : undefined
  } catch (error) {
    if (isStatus(error, 403, 404, 422)) return undefined
    throw error
  }
}

/** Bytes of one raw answer; more are not taken. */
const MAX_RAW = 64 << 20

async function readAll(stream: ReadableStream<Uint8Array>): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > MAX_RAW) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
