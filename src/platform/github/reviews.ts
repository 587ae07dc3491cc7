import type { Suggestion } from '../../annotations/suggestions.ts'
import type { GitHubApi } from './client.ts'
import type { RepositoryRef } from './repository-ref.ts'

/** Pages of 100 files that are looked at for suggestions. */
const MAX_PAGES = 3

/** Lines of the new side that the diff of a pull request shows: GitHub takes review comments there only. */
export async function changedLines(api: GitHubApi, ref: RepositoryRef, pull: number): Promise<Map<string, Set<number>>> {
  const lines = new Map<string, Set<number>>()
  for (let page = 1; page <= MAX_PAGES; page++) {
    const { data } = await api.request('GET /repos/{owner}/{repo}/pulls/{pull_number}/files', {
      owner: ref.owner,
      repo: ref.name,
      pull_number: pull,
      per_page: 100,
      page,
    })
    for (const file of data) if (file.patch) lines.set(file.filename, linesOf(file.patch))
    if (data.length < 100) break
  }
  return lines
}

/** Line numbers of the new side in a patch. */
export function linesOf(patch: string): Set<number> {
  const lines = new Set<number>()
  let at = 0
  for (const row of patch.split('\n')) {
    const header = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(row)
    if (header) at = Number(header[1])
    else if (row.startsWith('+') || row.startsWith(' ')) lines.add(at++)
  }
  return lines
}

/** One review with all suggestions: one notification instead of many. */
export async function postReview(api: GitHubApi, ref: RepositoryRef, pull: number, commit: string, suggestions: readonly Suggestion[]): Promise<void> {
  await api.request('POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews', {
    owner: ref.owner,
    repo: ref.name,
    pull_number: pull,
    commit_id: commit,
    event: 'COMMENT',
    body: 'Fixes that can be applied with one click. The summary comment explains each finding.',
    comments: suggestions.map((s) => ({
      path: s.path,
      line: s.line,
      side: 'RIGHT',
      ...(s.startLine === undefined ? {} : { start_line: s.startLine, start_side: 'RIGHT' }),
      body: s.body,
    })),
  })
}
