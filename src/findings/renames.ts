import type { Snapshot } from '../source/source.ts'
import type { Finding } from './finding.ts'
import { fingerprint } from './fingerprint.ts'
import { causeId } from './root-cause.ts'

/**
 * Subjects such as `file PATH` and `action FILE#NAME` hold a path. When the file moved between two snapshots without
 * changing, the finding of the base is given the new path, so that moving a file neither fixes nor introduces anything.
 */
export function followRenames(base: Snapshot, head: Snapshot): (findings: readonly Finding[]) => Finding[] {
  const moved = movedFiles(base, head)
  if (!moved.size) return (findings) => [...findings]
  return (findings) => findings.map((f) => follow(f, moved))
}

function movedFiles(base: Snapshot, head: Snapshot): Map<string, string> {
  const headPaths = new Set(head.blobs.map((b) => b.path))
  const basePaths = new Set(base.blobs.map((b) => b.path))
  const arrived = new Map<string, string[]>()
  for (const b of head.blobs) if (!basePaths.has(b.path)) arrived.set(b.sha, [...(arrived.get(b.sha) ?? []), b.path])
  const moved = new Map<string, string>()
  for (const b of base.blobs) {
    const candidates = headPaths.has(b.path) ? undefined : arrived.get(b.sha)
    if (candidates?.length === 1) moved.set(b.path, candidates[0] as string)
  }
  return moved
}

function follow(f: Finding, moved: ReadonlyMap<string, string>): Finding {
  const m = /^(file|action) ([^#\s]+)((?:[#\s].*)?)$/.exec(f.subject)
  const to = m ? moved.get(m[2] as string) : undefined
  const at = moved.get(f.at.path)
  if (!to && !at) return f
  const subject = m && to ? `${m[1]} ${to}${m[3]}` : f.subject
  const next = { ...f, subject, at: at ? { ...f.at, path: at } : f.at }
  const own = { ...f, cause: undefined }
  const cause = f.cause === causeId(f.check, own) ? causeId(f.check, { ...next, cause: undefined }) : f.cause
  return { ...next, fingerprint: fingerprint(f.check, next), cause }
}
