import { type Blob, type Snapshot, SourceError } from '../../source/source.ts'
import type { GitHubApi } from './client.ts'
import { isStatus } from './errors.ts'
import type { RepositoryRef } from './repository-ref.ts'

interface Entry {
  readonly path: string
  readonly mode: string
  readonly type: string
  readonly sha: string
  readonly size?: number
}

/** Requests that the walk of a truncated tree may make before the listing is declared incomplete. */
const MAX_SUBTREES = 150

/** The tree of a commit: one recursive listing, or sub-tree by sub-tree when GitHub cuts it (100,000 entries or 7 MB). */
export async function listTree(api: GitHubApi, ref: RepositoryRef, commit: string): Promise<Snapshot> {
  const whole = await listOne(api, ref, commit, true)
  if (!whole.truncated) return { commit, blobs: toBlobs(whole.entries, ''), complete: true }
  const walk: Walk = { api, ref, blobs: [], requests: 0 }
  await walkTree(walk, commit, '')
  if (!walk.cutAt) return { commit, blobs: walk.blobs, complete: true }
  return {
    commit,
    blobs: walk.blobs,
    complete: false,
    incompleteBecause: `GitHub does not list this many files at once; ${walk.cutAt || 'the top folder'} and what follows it was not listed`,
  }
}

interface Walk {
  readonly api: GitHubApi
  readonly ref: RepositoryRef
  readonly blobs: Blob[]
  requests: number
  cutAt?: string
}

async function walkTree(walk: Walk, sha: string, prefix: string): Promise<void> {
  if (++walk.requests > MAX_SUBTREES) {
    walk.cutAt ??= prefix
    return
  }
  const flat = await listOne(walk.api, walk.ref, sha, false)
  if (flat.truncated) walk.cutAt ??= prefix
  walk.blobs.push(...toBlobs(flat.entries, prefix))
  for (const folder of flat.entries.filter((e) => e.type === 'tree')) {
    const path = `${prefix}${folder.path}/`
    if (++walk.requests > MAX_SUBTREES) {
      walk.cutAt ??= path
      return
    }
    const deep = await listOne(walk.api, walk.ref, folder.sha, true)
    if (deep.truncated) await walkTree(walk, folder.sha, path)
    else walk.blobs.push(...toBlobs(deep.entries, path))
  }
}

async function listOne(api: GitHubApi, ref: RepositoryRef, sha: string, recursive: boolean): Promise<{ entries: readonly Entry[]; truncated: boolean }> {
  try {
    const { data } = await api.request('GET /repos/{owner}/{repo}/git/trees/{tree_sha}', {
      owner: ref.owner,
      repo: ref.name,
      tree_sha: sha,
      ...(recursive ? { recursive: '1' } : {}),
    })
    return { entries: data.tree as readonly Entry[], truncated: data.truncated }
  } catch (error) {
    if (isStatus(error, 409)) throw new SourceError('The repository is empty: there is nothing to audit yet.')
    if (isStatus(error, 404, 422))
      throw new SourceError(`GitHub does not have the commit ${sha.slice(0, 12)} any more (a deleted branch, a force push or a renamed repository).`)
    throw error
  }
}

function toBlobs(entries: readonly Entry[], prefix: string): Blob[] {
  return entries
    .filter((e) => e.type !== 'tree')
    .map((e) => ({
      path: prefix + e.path,
      sha: e.sha,
      size: e.size ?? -1,
      mode: e.mode === '120000' ? 'symlink' : e.mode === '160000' ? 'submodule' : e.mode === '100755' ? 'executable' : 'file',
    }))
}
