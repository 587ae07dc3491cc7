import { posix } from 'node:path'
import { cleanLine } from '../lib/clean-text.ts'
import { plural } from '../lib/plural.ts'
import { projectSource, projectsOf } from '../source/project-source.ts'
import type { Source } from '../source/source.ts'
import { UsageError } from './usage-error.ts'

/** Projects that one sentence names. */
const MAX_NAMED = 8

/** The source that `--project` asks for. Throws a `UsageError` that names the projects when the folder is none. */
export async function selectProject(source: Source, revision: string, wanted: string | undefined): Promise<Source> {
  if (wanted === undefined) return source
  const project = posix.normalize(wanted.replaceAll('\\', '/')).replace(/\/$/, '')
  const projects = projectsOf(await source.snapshot(revision))
  if (!projects.includes(project))
    throw new UsageError(
      `--project: ${cleanLine(wanted, 200)} has no package.json. ${projects.length ? `Projects are ${named(projects)}.` : 'The repository has no project below its root.'}`,
    )
  return projectSource(source, project)
}

/** A sentence that names the projects of a repository with several; undefined otherwise. */
export async function projectsSentence(source: Source, revision: string): Promise<string | undefined> {
  const projects = projectsOf(await source.snapshot(revision))
  if (projects.length < 2) return undefined
  return `${plural(projects.length, 'project')} in this repository: ${named(projects)}. --project PATH audits one with what it depends on.`
}

function named(projects: readonly string[]): string {
  const more = projects.length - MAX_NAMED
  return `${projects
    .slice(0, MAX_NAMED)
    .map((p) => cleanLine(p, 100))
    .join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
