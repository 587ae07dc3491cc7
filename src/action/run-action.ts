import { randomUUID } from 'node:crypto'
import { toAnnotations } from '../annotations/annotations.ts'
import { renderCheckRun } from '../annotations/check-run.ts'
import { renderSarif } from '../annotations/sarif.ts'
import { type Audience, shown } from '../annotations/visible-findings.ts'
import { UsageError } from '../cli/usage-error.ts'
import { cleanLine } from '../lib/clean-text.ts'
import { plural } from '../lib/plural.ts'
import { countBySeverity } from '../report/items.ts'
import { auditChange, type ChangeAudit } from './audit-change.ts'
import { type AuditedChange, readEvent } from './event.ts'
import { readInputs } from './inputs.ts'
import { replaceFile, writeOutputs, writeSummary } from './runner-files.ts'
import { annotationCommand, commandData, keptAnnotations, logLine } from './workflow-commands.ts'

/**
 * Audits the change that the workflow runs for, and writes annotations, summary, SARIF and outputs. Gives the exit status: 0 when the change may be
 * merged, 1 when it may not, 2 when the workflow has to be changed, 3 when the audit could not be completed.
 */
export async function runAction(env: NodeJS.ProcessEnv, write: (line: string) => void): Promise<number> {
  try {
    const inputs = readInputs(env)
    const change = readEvent(inputs.eventName, inputs.eventPath)
    const done = await withoutCommands(write, () => auditChange(change, inputs))
    const audience = audienceOf(change, done)
    const { conclusion, title, summary, text } = renderCheckRun(done.report, audience)
    const view = shown(done.report, audience)
    const { annotations, left: unplaced } = toAnnotations(view.introduced)
    const { kept, left } = keptAnnotations(annotations)
    write(conclusion === 'failure' ? `::error title=Prelaunch::${commandData(title)}` : logLine(`Prelaunch: ${title}`))
    for (const note of done.notes) write(logLine(note))
    for (const annotation of kept) write(annotationCommand(annotation))
    if (left + unplaced) write(logLine(`${plural(left + unplaced, 'more place')} did not fit into the annotations of a step. The summary lists all.`))
    replaceFile(inputs.sarif, JSON.stringify(renderSarif(done.report)))
    writeSummary(inputs.summaryFile, [`# ${title}`, summary, ...(text ? [text] : [])].join('\n\n'))
    const { Critical, High, Medium } = countBySeverity(view.introduced)
    writeOutputs(inputs.outputFile, {
      verdict: conclusion,
      introduced: view.introduced.length,
      'introduced-critical': Critical,
      'introduced-high': High,
      'introduced-medium': Medium,
      existing: view.existing.length,
      fixed: view.fixed.length,
      unverified: done.report.summary.unverified,
      sarif: inputs.sarif,
    })
    if (!done.report.audit.complete) return 3
    return conclusion === 'failure' ? 1 : 0
  } catch (error) {
    const usage = error instanceof UsageError
    const said = cleanLine(error instanceof Error ? error.message : String(error))
    write(`::error title=Prelaunch::${commandData(usage ? said : `The audit could not be completed: ${said}`)}`)
    return usage ? 2 : 3
  }
}

function audienceOf(change: AuditedChange, { config, changedPaths }: ChangeAudit): Audience {
  return {
    kind: change.kind,
    private: change.private,
    config,
    repositoryUrl: change.repositoryUrl,
    ...(change.baseBranch ? { baseBranch: change.baseBranch } : {}),
    ...(changedPaths ? { changedPaths } : {}),
  }
}

/** While a repository is read the runner takes nothing for a command, whatever a library may print. */
async function withoutCommands<T>(write: (line: string) => void, work: () => Promise<T>): Promise<T> {
  const token = randomUUID()
  write(`::stop-commands::${token}`)
  try {
    return await work()
  } finally {
    write(`::${token}::`)
  }
}
