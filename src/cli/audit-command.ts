import { writeFileSync } from 'node:fs'
import { type AuditPorts, audit } from '../audit.ts'
import { CONFIG_PATH, type Config, type ConfigProblem, DEFAULT_CONFIG } from '../config/config.ts'
import { parseConfig } from '../config/parse-config.ts'
import { extractInProcess } from '../facts/extract.ts'
import { cleanLine } from '../lib/clean-text.ts'
import { githubAdvisories } from '../platform/github/advisories.ts'
import { GitSource, isGit, WORKING_TREE } from '../platform/local/git-source.ts'
import { localPorts } from '../platform/local/ports.ts'
import { hostedSettings } from '../platform/supabase/management-api.ts'
import { answerOf, hasNothingToAudit, NOTHING_TO_AUDIT } from '../report/answer.ts'
import type { Report } from '../report/report.ts'
import { type Source, SourceError } from '../source/source.ts'
import { applyBaseline } from './baseline-file.ts'
import { requireFolder, requireWritable } from './folder.ts'
import { type Progress, progressLine } from './progress.ts'
import { projectsSentence, selectProject } from './project.ts'
import { requireUsage, UsageError } from './usage-error.ts'

export interface AuditOptions {
  readonly dir: string
  readonly commit?: string | undefined
  readonly base?: string | undefined
  readonly format: string
  readonly output?: string | undefined
  readonly 'fail-on'?: string | undefined
  readonly offline: boolean
  /** Path of a baseline file; with a base it is read from there. */
  readonly baseline?: string | undefined
  /** Folder of the project to audit. */
  readonly project?: string | undefined
  /** Everything instead of one screen, in the format `terminal`. */
  readonly details: boolean
}

const FORMATS = ['terminal', 'json', 'markdown', 'html', 'sarif']
const FAIL_ON_CHOICES = ['critical', 'high', 'medium', 'never'] as const

/** `prelaunch audit`: audits a folder and prints or writes the report. Gives the exit status. */
export async function auditCommand(options: AuditOptions): Promise<number> {
  const dir = await requireUsable(options)
  const progress = progressLine(process.stderr, options.format === 'terminal' || options.output !== undefined)
  const local = await localPorts(dir, { offline: options.offline, onPhase: progress.say })
  try {
    const ports = { ...local, source: await selectProject(local.source, options.commit ?? WORKING_TREE, options.project) }
    const { config, problems, commit } = await readConfig(ports.source, options.base ?? options.commit ?? WORKING_TREE)
    const result = await audit(
      {
        commit: options.commit ?? WORKING_TREE,
        ...(options.base ? { base: options.base } : {}),
        config,
        ...(commit ? { configCommit: commit } : {}),
        configProblems: problems,
        today: new Date().toISOString().slice(0, 10),
      },
      { ...ports, ...counted(ports, progress), ...onlinePorts(options.offline) },
    )
    progress.clear()
    for (const crash of result.crashes)
      process.stderr.write(`prelaunch: check ${crash.check} failed inside Prelaunch: ${cleanLine(crash.error.split('\n').slice(0, 3).join(' '))}\n`)
    if (hasNothingToAudit(result.report)) {
      process.stderr.write(`prelaunch: nothing to audit in ${cleanLine(options.dir)}: ${NOTHING_TO_AUDIT}.\n`)
      return 2
    }
    const report = await judged(result.report, local.source, { ...options, dir })
    await write(report, ports.source, options)
    if (!report.audit.complete) return 3
    return exitStatus(report, (options['fail-on'] as Config['failOn'] | undefined) ?? config.failOn)
  } finally {
    progress.clear()
    await local.close()
  }
}

/** The report without what a baseline accepts. Says on stderr what is to be known about the baseline and the projects. */
async function judged(report: Report, source: Source, { baseline, base, dir, format, project, commit }: AuditOptions): Promise<Report> {
  const sentence = format === 'terminal' && project === undefined ? await projectsSentence(source, commit ?? WORKING_TREE) : undefined
  const applied = baseline === undefined ? { report, notes: [] } : await applyBaseline(report, source, { file: baseline, dir, base })
  for (const note of [...(sentence ? [sentence] : []), ...applied.notes]) process.stderr.write(`prelaunch: ${note}\n`)
  return applied.report
}

/** Extraction that tells how many files it has read. */
function counted({ extractAll = extractInProcess }: Pick<AuditPorts, 'extractAll'>, progress: Progress): Pick<AuditPorts, 'extractAll'> {
  return {
    extractAll: async (jobs) => {
      const results = await extractAll(jobs)
      progress.read(jobs.length)
      return results
    },
  }
}

/** What only the network knows; each answers `unverified` when it is out of reach. */
function onlinePorts(offline: boolean): Pick<AuditPorts, 'advisories' | 'hosted'> {
  if (offline) return {}
  const { GITHUB_TOKEN, GITHUB_API_URL, SUPABASE_ACCESS_TOKEN } = process.env
  return {
    advisories: githubAdvisories({ token: async () => GITHUB_TOKEN, ...(GITHUB_API_URL ? { baseUrl: GITHUB_API_URL } : {}) }),
    ...(SUPABASE_ACCESS_TOKEN ? { hosted: hostedSettings({ token: SUPABASE_ACCESS_TOKEN }) } : {}),
  }
}

/** Looks at everything that the caller could have mistyped before anything is read. Gives the absolute path of the folder. */
async function requireUsable(options: AuditOptions): Promise<string> {
  const { format, output, 'fail-on': failOn } = options
  requireUsage(FORMATS.includes(format), `--format is one of ${FORMATS.join(', ')}, not "${format}"`)
  requireUsage(failOn === undefined || FAIL_ON_CHOICES.includes(failOn as never), `--fail-on is one of ${FAIL_ON_CHOICES.join(', ')}, not "${failOn}"`)
  const dir = requireFolder(options.dir)
  if (output !== undefined) requireWritable(output)
  for (const name of ['commit', 'base'] as const) {
    const revision = options[name]
    if (revision === undefined) continue
    requireUsage(revision !== '', `--${name} needs a branch, tag or commit`)
    requireUsage(isGit(dir), `--${name} needs a git repository, and ${options.dir} is none`)
    await new GitSource(dir).resolve(revision).catch((error) => {
      throw error instanceof SourceError ? new UsageError(`--${name}: ${error.message}`) : error
    })
  }
  if (options.base !== undefined)
    requireUsage(
      (await new GitSource(dir).mergeBase(options.base, options.commit ?? WORKING_TREE)) !== undefined,
      `--base: ${options.base} has no commit in common with what is audited (a shallow clone needs "git fetch --unshallow" first)`,
    )
  return dir
}

/** The configuration at a revision, the defaults where there is none, and the commit that it was read from. */
export async function readConfig(source: Source, revision: string): Promise<{ config: Config; problems: readonly ConfigProblem[]; commit?: string }> {
  const snapshot = await source.snapshot(revision)
  const blob = snapshot.blobs.find((b) => b.path === CONFIG_PATH && b.mode !== 'symlink')
  if (!blob) return { config: DEFAULT_CONFIG, problems: [] }
  const bytes = (await source.read([blob.sha])).get(blob.sha)
  return { ...parseConfig(bytes ? new TextDecoder().decode(bytes) : ''), commit: snapshot.commit }
}

/** 1 when a finding (introduced, when there is a base) is at or above the level, or when the database can no longer be judged. */
function exitStatus(report: Report, failOn: Config['failOn']): number {
  if (failOn === 'never') return 0
  if (report.comparison?.lost) return 1
  const introduced = report.comparison ? new Set(report.comparison.introduced) : undefined
  const threshold = FAIL_ON_CHOICES.indexOf(failOn)
  const hit = report.checks.some((c) =>
    c.findings.some((f) => (!introduced || introduced.has(f.fingerprint)) && FAIL_ON_CHOICES.indexOf(f.severity.toLowerCase() as never) <= threshold),
  )
  return hit ? 1 : 0
}

async function write(report: Report, source: Source, options: AuditOptions): Promise<void> {
  const text = await render(report, source, options)
  if (options.output !== undefined) {
    writeFileSync(options.output, text)
    process.stderr.write(`prelaunch: wrote the ${options.format} report to ${cleanLine(options.output)}. ${answerOf(report).headline}.\n`)
  } else await new Promise<void>((done) => process.stdout.write(text, () => done()))
}

async function render(report: Report, source: Source, options: AuditOptions): Promise<string> {
  switch (options.format) {
    case 'json':
      return `${JSON.stringify(report, null, 2)}\n`
    case 'markdown':
      return (await import('../report/render-markdown.ts')).renderMarkdown(report)
    case 'html':
      return (await import('../report/render-html.ts')).renderHtml(
        report,
        await (await import('./excerpts.ts')).readExcerpts(report, source, options.commit ?? WORKING_TREE),
        new Date().toISOString().slice(0, 10),
      )
    case 'sarif':
      return `${JSON.stringify((await import('../annotations/sarif.ts')).renderSarif(report), null, 2)}\n`
    default: {
      const color = options.output === undefined && process.stdout.isTTY === true && !process.env.NO_COLOR
      return (await import('../report/render-terminal.ts')).renderTerminal(report, {
        color,
        width: process.stdout.columns ?? 100,
        details: options.details,
      })
    }
  }
}
