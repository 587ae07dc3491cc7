import type { CheckResult } from '../checks/run-checks.ts'
import { CONFIG_PATH, type Config, type Declared } from '../config/config.ts'
import type { AppModel } from '../model/app-model.ts'
import type { SuppressionProblem } from './suppress.ts'

/** Entries of the configuration that do nothing (any more): an expired or needless attestation, something declared public that is not there, an attestation of a check that does not exist. */
export function staleEntries(config: Config, results: readonly CheckResult[], model: Pick<AppModel, 'schema' | 'routes'>, today: string): SuppressionProblem[] {
  const status = new Map(results.map((r) => [r.check.id, r.outcome.status]))
  const problem = (line: number, message: string): SuppressionProblem => ({ path: CONFIG_PATH, line, message })
  const attestations = config.attest.flatMap((a) => {
    const now = status.get(a.check)
    if (!now) return [problem(a.line, `there is no check ${a.check}; this attestation does nothing`)]
    if (a.expires !== undefined && a.expires < today) return [problem(a.line, `this attestation expired on ${a.expires}; the check has to be looked at again`)]
    return now === 'unverified' ? [] : [problem(a.line, `this attestation does nothing: ${a.check} is decided without it (${now.replace('-', ' ')})`)]
  })
  const { schema, routes } = model
  const tables = new Set([...schema.tables, ...schema.views].flatMap((t) => [t.name, `${t.schema}.${t.name}`]))
  const known = {
    tables: (d: Declared) => tables.has(d.name),
    routes: (d: Declared) => routes.routes.some((r) => [r.subject, r.route, `${r.method ?? ''} ${r.route}`.trim(), `GET ${r.route}`].includes(d.name.trim())),
    buckets: (d: Declared) => [...schema.buckets, ...(schema.bucketsInCode ?? [])].some((b) => b.name === d.name),
  }
  const declared = (['tables', 'routes', 'buckets'] as const).flatMap((kind) =>
    config.public[kind]
      .filter((d) => !known[kind](d))
      .map((d) => problem(d.line, `nothing in the repository is the public ${kind.slice(0, -1)} ${d.name}; this entry does nothing`)),
  )
  return [...attestations, ...declared]
}
