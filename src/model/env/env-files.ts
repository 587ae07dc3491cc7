import type { EnvVariableFact, SecretFact } from '../../facts/kinds.ts'
import { isEnvFile, isEnvTemplate } from '../../lib/env-file-name.ts'
import type { ModelInput } from '../model-input.ts'
import type { EnvFileState, Environment, EnvSecret, EnvVersion } from './env.ts'

/** Env files of the tree and of the history. */
export function envFileStates(input: ModelInput): EnvFileState[] {
  const states = new Map<string, { tracked?: EnvVersion; past: (EnvVersion & { commit: string })[] }>()
  const facts = input.facts.of('env-file')
  const secrets = input.facts.of('secrets')
  for (const file of input.files) {
    if (!isEnvFile(file.path) || file.mode === 'submodule' || file.mode === 'symlink') continue
    const found = facts.get(file.path)
    states.set(file.path, {
      tracked: found ? version(found.variables, secrets.get(file.path)?.secrets ?? []) : { readable: false, secrets: [], variables: 0 },
      past: [],
    })
  }
  const current = new Map((input.files as readonly { path: string; sha?: string }[]).map((f) => [f.path, f.sha]))
  for (const old of input.history?.files ?? []) {
    if (!isEnvFile(old.path) || current.get(old.path) === old.sha) continue
    const found = input.historySecrets?.get(old.sha)
    const state = states.get(old.path) ?? { past: [] }
    state.past.push({ ...(found ? version(found.variables, []) : { readable: false, secrets: [], variables: 0 }), commit: old.commit })
    states.set(old.path, state)
  }
  return [...states]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, state]) => ({ path, template: isEnvTemplate(path) || onlyReferences(path, facts), test: environmentOf(path) === 'test', ...state }))
}

/** A file of references into a vault (`op://…`) is made to be committed. */
function onlyReferences(path: string, facts: ReadonlyMap<string, { readonly variables: readonly EnvVariableFact[] }>): boolean {
  const filled = facts.get(path)?.variables.filter((v) => v.kind !== 'empty') ?? []
  return (
    filled.length > 0 &&
    filled.every((v) => v.kind === 'reference' || /^(?:true|false|\d+|(?:https?:\/\/)?localhost(?::\d+)?)$/.test(v.value)) &&
    filled.some((v) => v.kind === 'reference')
  )
}

function version(variables: readonly EnvVariableFact[], others: readonly SecretFact[]): EnvVersion {
  const secrets: EnvSecret[] = variables.flatMap((v) =>
    v.live ? [{ name: v.name, line: v.line, kind: v.kind, redacted: v.value.length < 80 ? v.value : '…', live: v.live }] : [],
  )
  const lines = new Set(secrets.map((s) => s.line))
  // assignments that are commented out are committed as well
  for (const s of others)
    if (!lines.has(s.line)) secrets.push({ ...(s.name ? { name: s.name } : {}), line: s.line, kind: s.kind, redacted: s.redacted, live: s.live })
  return { readable: true, secrets: secrets.sort((a, b) => a.line - b.line), variables: variables.length }
}

/** The environment that an env file's name stands for. */
export function environmentOf(path: string): Environment {
  if (isEnvTemplate(path)) return 'template'
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  if (/(^|[._-])(test|testing|ci|e2e|spec|playwright|cypress)([._-]|$)/.test(name) || /(^|\/)(tests?|e2e|__tests__|fixtures?)\//i.test(path)) return 'test'
  if (/(^|[._-])(prod|production|live)([._-]|$)/.test(name)) return 'production'
  if (/(^|[._-])(dev|development|local|develop)([._-]|$)/.test(name)) return 'development'
  if (/(^|[._-])(staging|stage|preview|preprod|qa|uat)([._-]|$)/.test(name)) return 'preview'
  return 'shared'
}
