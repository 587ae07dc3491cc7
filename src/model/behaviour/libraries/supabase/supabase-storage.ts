import { constant, constantString, type Link, object, UNKNOWN, type Val } from '../../domain/abstract-value.ts'
import type { Client } from '../../types.ts'
import type { LibraryCall } from '../library.ts'

const STORAGE_OPERATIONS: Readonly<Record<string, 'read' | 'write' | 'delete' | 'list' | 'sign'>> = {
  download: 'read',
  getPublicUrl: 'read',
  info: 'read',
  exists: 'read',
  upload: 'write',
  update: 'write',
  move: 'write',
  copy: 'write',
  uploadToSignedUrl: 'write',
  remove: 'delete',
  list: 'list',
  createSignedUrl: 'sign',
  createSignedUrls: 'sign',
  createSignedUploadUrl: 'write',
}

/** What is done to a bucket as a whole. */
const BUCKETS: Readonly<Record<string, 'manage' | 'delete'>> = { createBucket: 'manage', updateBucket: 'manage', emptyBucket: 'delete', deleteBucket: 'delete' }

/** A call of `client.storage`: what is done to the files of a bucket, or to a bucket. */
export function storageCall(c: LibraryCall, client: Client): Val | undefined {
  const last = c.links[c.links.length - 1] as Link
  const op = STORAGE_OPERATIONS[last.name]
  const bucket = c.links.find((l) => l.name === 'from')?.args?.[0]
  const ofBucket = BUCKETS[last.name]
  if (ofBucket && !bucket) {
    const step = c.it.emit({ kind: 'storage', client, bucket: constantString(c.args[0]) ?? '', op: ofBucket, object: UNKNOWN }, c.at)
    return object({ data: { v: 'result', step }, error: { v: 'error', of: step } })
  }
  if (!op || !bucket) return last.name === 'from' ? undefined : c.links.length === 2 ? object({ data: UNKNOWN, error: UNKNOWN }) : undefined
  if (last.name === 'getPublicUrl') return object({ data: object({ publicUrl: { v: 'call', name: 'getPublicUrl', args: [...c.args], at: c.at } }) })
  const target = c.args[0]
  const step = c.it.emit(
    {
      kind: 'storage',
      client,
      bucket: constantString(bucket) ?? '',
      op,
      object: target?.v === 'array' ? (target.items[0] ?? target.more ?? UNKNOWN) : (target ?? constant('')),
      ...(replaces(last.name, c.args) ? { replaces: true as const } : {}),
    },
    c.at,
  )
  return object({ data: { v: 'result', step }, error: { v: 'error', of: step } })
}

/** `update`, or `upload` with `upsert: true`: what stands under the name is gone. */
function replaces(method: string, args: readonly Val[]): boolean {
  if (method === 'update') return true
  const options = method === 'upload' ? args[2] : method === 'createSignedUploadUrl' ? args[1] : undefined
  const upsert = options?.v === 'object' ? options.props['upsert'] : undefined
  return upsert?.v === 'const' && upsert.value === true
}
