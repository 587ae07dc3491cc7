import type { JavaScriptFacts } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { isEnvTemplate } from '../../lib/env-file-name.ts'
import { together } from '../../lib/memo/collect-by-file.ts'
import type { AppModel } from '../app-model.ts'
import { fileRole, sourceFiles } from '../files/files.ts'
import type { ModelInput } from '../model-input.ts'
import { envReads } from './code-reads.ts'
import { configDefinitions } from './config-definitions.ts'
import { demandedVariables } from './demanded.ts'
import { dockerfileDefinitions } from './dockerfile.ts'
import type { EnvDefinition, EnvModel, EnvRead, HardcodedProject } from './env.ts'
import { envFileStates, environmentOf } from './env-files.ts'
import { compareEnvironments } from './environments.ts'
import { hardcodedProjectInSql, hardcodedProjects, oneOfEachProject } from './hardcoded-projects.ts'
import { ignoreGaps } from './ignored-variants.ts'
import { envPrefixes, inlinedDefinitions } from './inlined.ts'
import { PUBLIC_PREFIXES, publicVariables } from './public-name.ts'

type Slices = Pick<AppModel, 'files' | 'workspaces' | 'declared' | 'schema' | 'access' | 'modules' | 'routes'>

const ours = (path: string) => !['test', 'vendored', 'generated', 'example'].includes(fileRole(path))
const ourFiles = collectByCodeFile((path, js: JavaScriptFacts) => (ours(path) ? js : undefined))

/** The env slice. */
export function buildEnv(input: ModelInput, slices: Slices): EnvModel {
  const definitions: EnvDefinition[] = []
  for (const [path, facts] of input.facts.of('env-file')) {
    const environment = environmentOf(path)
    for (const v of facts.variables) definitions.push({ ...v, path, source: isEnvTemplate(path) ? 'template' : 'env-file', environment })
  }
  for (const [path, facts] of input.facts.of('config-file')) if (ours(path)) definitions.push(...configDefinitions(path, facts))
  for (const [path, facts] of input.facts.of('text')) if (/dockerfile/i.test(path) && ours(path)) definitions.push(...dockerfileDefinitions(path, facts.text))
  const code = ourFiles(input.facts.of('javascript'))
  const reads: readonly EnvRead[] = together(envReads(code))
  definitions.push(...together(inlinedDefinitions(code)))
  const prefixes = new Set([...PUBLIC_PREFIXES, ...together(envPrefixes(code))])
  const projects: HardcodedProject[] = [...hardcodedProjects(sourceFiles(input.facts.of('javascript'))).values()]
  for (const [path, { text }] of input.facts.of('sql')) {
    const project = slices.files.role(path) === 'source' ? hardcodedProjectInSql(path, text) : undefined
    if (project) projects.push(project)
  }
  const ignoreFiles = [...input.facts.of('gitignore').keys()]
  return {
    definitions,
    reads,
    demanded: demandedVariables(code),
    files: envFileStates(input),
    ignoreGaps: ignoreGaps(
      input.facts.of('gitignore'),
      slices.workspaces.all
        .filter((w) => w.manifest)
        .map((w) => w.dir)
        .filter((d) => ['source', 'docs'].includes(slices.files.role(`${d}/package.json`))),
    ),
    ignoreFiles,
    history: input.history
      ? { commits: input.history.commits, complete: input.history.complete, ...(input.history.because ? { because: input.history.because } : {}) }
      : { commits: 0, complete: false, because: 'no history was given' },
    publicPrefixes: [...prefixes],
    publicVariables: publicVariables(definitions, reads, [...prefixes]),
    separation: compareEnvironments(definitions, (path) => slices.workspaces.of(path).dir),
    hardcodedProjects: oneOfEachProject(projects, reads),
  }
}
