import type { GitHubServer } from '../../test/support/github/server.ts'
import type { Opened } from './traffic.ts'

/** What is missing or too much: each pull request has one concluded run on its head and one comment, and no run is in progress. */
export function brokenPromises(github: GitHubServer, opened: readonly Opened[]): string[] {
  const broken: string[] = []
  for (const { repo, number, headSha } of opened) {
    const runs = github.checkRuns.filter((r) => r.repo === repo && r.headSha === headSha)
    const comments = repo.comments.filter((c) => c.issue === number && c.login === github.botLogin)
    const states = runs.map((r) => r.conclusion ?? r.status)
    if (runs.length !== 1 || !['success', 'failure'].includes(states[0] ?? '') || runs[0]?.output.title?.includes('could not be completed'))
      broken.push(`${repo.name}#${number}: ${states.join(', ') || 'no run'}${runs[0]?.output.title ? ` (${runs[0].output.title})` : ''}`)
    if (comments.length !== 1) broken.push(`${repo.name}#${number}: ${comments.length} comments`)
  }
  const open = github.checkRuns.filter((r) => r.status !== 'completed').length
  if (open) broken.push(`${open} runs in progress`)
  return broken
}

/** Whether every pull request has its verdict. */
export function allConcluded(github: GitHubServer, opened: readonly Opened[]): boolean {
  const concluded = new Set(github.checkRuns.filter((r) => r.status === 'completed').map((r) => r.headSha))
  return opened.every((o) => concluded.has(o.headSha) && o.repo.comments.some((c) => c.issue === o.number && c.login === github.botLogin))
}

/** Seconds from the webhook to the verdict: half of all, and nineteen of twenty, were faster. */
export function secondsToVerdict(github: GitHubServer, opened: readonly Opened[]): { p50: number; p95: number } {
  const ends = new Map(github.checkRuns.filter((r) => r.completedAt).map((r) => [r.headSha, Date.parse(r.completedAt as string)]))
  const at = quantiles(opened.flatMap((o) => (ends.has(o.headSha) ? [((ends.get(o.headSha) as number) - o.at) / 1000] : [])))
  return { p50: at(0.5), p95: at(0.95) }
}

/** Seconds until a webhook was answered; GitHub gives up after ten. */
export function secondsToAnswer(deliveries: GitHubServer['webhooks']['deliveries']): { p50: number; p95: number; most: number } {
  const at = quantiles(deliveries.filter((d) => d.statusCode === 200).map((d) => d.duration))
  return { p50: at(0.5), p95: at(0.95), most: at(1) }
}

function quantiles(numbers: readonly number[]): (share: number) => number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return (share) => Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(3))
}
