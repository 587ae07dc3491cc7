import type { GitHubApi } from './client.ts'
import { isAmbiguous, isStatus } from './errors.ts'
import type { RepositoryRef } from './repository-ref.ts'

/** Updates our comment in place, or writes the first one. Gives the comment's id. `find` looks for it on GitHub. */
export async function upsertComment(
  api: GitHubApi,
  ref: RepositoryRef,
  pull: number,
  body: string,
  own: number | undefined,
  find: () => Promise<number | undefined>,
): Promise<number> {
  if (own !== undefined && (await updateComment(api, ref, own, body))) return own
  try {
    return await addComment(api, ref, pull, body)
  } catch (error) {
    if (!isAmbiguous(error)) throw error
    // The answer was lost, not necessarily the comment: look before writing a second one.
    const found = await find()
    return found !== undefined && (await updateComment(api, ref, found, body)) ? found : addComment(api, ref, pull, body)
  }
}

/** False when somebody deleted it. */
async function updateComment(api: GitHubApi, ref: RepositoryRef, id: number, body: string): Promise<boolean> {
  try {
    await api.request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', { owner: ref.owner, repo: ref.name, comment_id: id, body })
    return true
  } catch (error) {
    if (isStatus(error, 404, 410)) return false
    throw error
  }
}

/** Writes a comment of its own, as the answer to a command. */
export async function addComment(api: GitHubApi, ref: RepositoryRef, pull: number, body: string): Promise<number> {
  const { data } = await api.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
    owner: ref.owner,
    repo: ref.name,
    issue_number: pull,
    body,
  })
  return Number(data.id)
}

/** Whether a person may accept risks for the repository: write access or more. */
export async function mayMaintain(api: GitHubApi, ref: RepositoryRef, login: string): Promise<boolean> {
  try {
    const { data } = await api.request('GET /repos/{owner}/{repo}/collaborators/{username}/permission', { owner: ref.owner, repo: ref.name, username: login })
    return data.permission === 'admin' || data.permission === 'write'
  } catch (error) {
    if (isStatus(error, 403, 404)) return false
    throw error
  }
}
