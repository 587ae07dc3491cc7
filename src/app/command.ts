import { CONFIG_PATH } from '../config/config.ts'
import { codeSpan, fence, prose } from '../lib/escape-markdown.ts'
import type { GitHubApi } from '../platform/github/client.ts'
import type { RepositoryRef } from '../platform/github/repository-ref.ts'
import type { Store } from '../store/store.ts'
import type { AcceptableFinding } from '../store/target-store.ts'

interface CommandContext {
  readonly api: GitHubApi
  readonly ref: RepositoryRef
  readonly number: number
  readonly login: string
  readonly store: Store
}

const USAGE = `Commands:\n- ${codeSpan('/prelaunch accept ID REASON')}: the configuration entry that accepts a finding (its id stands under each finding)`

/** Answers a comment command of somebody with write access. Commits nothing: acceptance is a reviewed change of the configuration. */
export async function answerCommand(text: string, context: CommandContext): Promise<string> {
  const match = /^\/prelaunch\s+accept\s+([0-9a-f]{6,16})\s+(\S[^\n]*)/.exec(text)
  if (!match) return /^\/prelaunch\s+accept/.test(text) ? `An accepted finding needs its id and a reason.\n\n${USAGE}` : USAGE
  const [, id = '', reason = ''] = match
  const all = await context.store.targets.findings(`${context.ref.id}/pull/${context.number}`)
  const found = all.filter((f) => f.fingerprint.startsWith(id))
  if (found.length !== 1) return `${found.length ? 'Several findings have' : 'No finding of the last audit has'} the id ${codeSpan(id)}.\n\n${USAGE}`
  const finding = found[0] as AcceptableFinding
  const expires = new Date(Date.now() + 180 * 86_400_000).toISOString().slice(0, 10)
  // what is shown as one is accepted as one: an entry for each check that the same cause fails
  const accepted = all.filter((f) => f === finding || (finding.cause !== undefined && f.cause === finding.cause))
  const entry = [
    'suppress:',
    ...[...new Map(accepted.map((f) => [`${f.check} ${f.subject}`, f])).values()].flatMap((f) => [
      `  - check: ${f.check}`,
      `    subject: ${JSON.stringify(f.subject)}`,
      `    reason: ${JSON.stringify(`${reason.trim().slice(0, 300)} (accepted by @${context.login})`)}`,
      `    expires: ${expires}`,
    ]),
  ].join('\n')
  return [
    `To accept ${codeSpan(finding.subject)} (${prose(finding.severity)}), commit this entry to ${codeSpan(CONFIG_PATH)} **on the base branch**, then press *Re-run* in the check:`,
    fence(entry, 'yaml'),
    'It is a change like any other, so somebody reviews it. In this pull request itself it would have no effect: a pull request cannot accept what it introduces.',
  ].join('\n\n')
}
