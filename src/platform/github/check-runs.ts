import type { CheckRunOutput } from '../../annotations/check-run.ts'
import type { GitHubApi } from './client.ts'
import { isAmbiguous } from './errors.ts'
import type { RepositoryRef } from './repository-ref.ts'

/** The name that branch rules require. Never changed: a required check of another name would wait for ever. */
export const CHECK_NAME = 'Prelaunch audit'

/** Annotations that GitHub takes in one request; later requests append. */
const BATCH = 50

/** Identifiers of the buttons, as `check_run.requested_action` brings them back. */
export const ACTIONS = [
  { label: 'Re-run', description: 'Audit this commit again', identifier: 'rerun' },
  { label: 'Explain', description: 'Full findings as a comment', identifier: 'explain' },
] as const

/** Shows at once that an audit runs: continues the run that is already open on this commit, or creates one. */
export async function openCheckRun(
  api: GitHubApi,
  ref: RepositoryRef,
  headSha: string,
  options: { externalId: string; existing?: number; title?: string },
): Promise<number> {
  const state = {
    status: 'in_progress' as const,
    started_at: new Date().toISOString(),
    external_id: options.externalId,
    output: { title: options.title ?? 'Audit in progress', summary: 'Reading the repository, replaying its SQL and running the 25 checks.' },
  }
  if (options.existing !== undefined) {
    await api.request('PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', { owner: ref.owner, repo: ref.name, check_run_id: options.existing, ...state })
    return options.existing
  }
  const create = async () =>
    Number(
      (await api.request('POST /repos/{owner}/{repo}/check-runs', { owner: ref.owner, repo: ref.name, name: CHECK_NAME, head_sha: headSha, ...state })).data.id,
    )
  try {
    return await create()
  } catch (error) {
    if (!isAmbiguous(error)) throw error
    // The answer was lost, not necessarily the run: look before creating a second one.
    return (await findOpenRun(api, ref, headSha, options.externalId)) ?? (await create())
  }
}

/** Our run on a commit that is still in progress, for the target that its external id begins with: a commit can have runs of several. */
export async function findOpenRun(api: GitHubApi, ref: RepositoryRef, headSha: string, externalId: string): Promise<number | undefined> {
  const { data } = await api.request('GET /repos/{owner}/{repo}/commits/{ref}/check-runs', {
    owner: ref.owner,
    repo: ref.name,
    ref: headSha,
    check_name: CHECK_NAME,
    filter: 'all',
    per_page: 100,
  })
  const open = data.check_runs.find((r) => r.status !== 'completed' && r.external_id?.startsWith(externalId))
  return open && Number(open.id)
}

/** Writes the result: annotations in batches, most important first; the conclusion comes with the last batch, so nobody sees half a verdict. */
export async function concludeCheckRun(
  api: GitHubApi,
  ref: RepositoryRef,
  id: number,
  output: CheckRunOutput,
  options: { detailsUrl?: string; sent?: number } = {},
): Promise<void> {
  const body = { title: output.title, summary: output.summary, ...(output.text ? { text: output.text } : {}) }
  const rest = output.annotations.slice(options.sent ?? 0)
  for (let i = 0; ; i += BATCH) {
    const last = i + BATCH >= rest.length
    await api.request('PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', {
      owner: ref.owner,
      repo: ref.name,
      check_run_id: id,
      ...(options.detailsUrl ? { details_url: options.detailsUrl } : {}),
      ...(last
        ? { status: 'completed' as const, conclusion: output.conclusion, completed_at: new Date().toISOString(), actions: [...ACTIONS] }
        : { status: 'in_progress' as const }),
      output: { ...body, annotations: rest.slice(i, i + BATCH) as never },
    })
    if (last) return
  }
}

/** Gives a concluded run another verdict and text; its annotations stay. */
export async function rewriteCheckRun(
  api: GitHubApi,
  ref: RepositoryRef,
  id: number,
  { conclusion, title, summary, text }: Omit<CheckRunOutput, 'annotations'>,
): Promise<void> {
  await api.request('PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', {
    owner: ref.owner,
    repo: ref.name,
    check_run_id: id,
    status: 'completed',
    conclusion,
    completed_at: new Date().toISOString(),
    actions: [...ACTIONS],
    output: { title, summary, ...(text ? { text } : {}) },
  })
}

/** How many annotations a run has already: after a crash in the middle only the rest is sent. */
export async function annotationCount(api: GitHubApi, ref: RepositoryRef, id: number): Promise<number> {
  const { data } = await api.request('GET /repos/{owner}/{repo}/check-runs/{check_run_id}', { owner: ref.owner, repo: ref.name, check_run_id: id })
  return data.output.annotations_count
}

/** Ends a run without a verdict: a newer commit replaced it, or the audit could not be carried out. */
export async function endCheckRun(
  api: GitHubApi,
  ref: RepositoryRef,
  id: number,
  conclusion: 'cancelled' | 'failure',
  title: string,
  summary: string,
): Promise<void> {
  await api.request('PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}', {
    owner: ref.owner,
    repo: ref.name,
    check_run_id: id,
    status: 'completed',
    conclusion,
    completed_at: new Date().toISOString(),
    ...(conclusion === 'failure' ? { actions: [ACTIONS[0]] } : {}),
    output: { title, summary },
  })
}
