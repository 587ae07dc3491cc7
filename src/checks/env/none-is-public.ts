import type { EnvModel } from '../../model/env/env.ts'
import { notApplicable, type Outcome, passed } from '../define-check.ts'

/** What a check of public variables answers where there is none: those of the server were looked at, and none reaches a bundle. */
export function noneIsPublic({ reads, definitions }: EnvModel): Outcome {
  const names = [...new Set([...reads, ...definitions].map((v) => v.name))].sort()
  if (!names.length) return notApplicable('no environment variable is read or defined, and no configuration file inlines one')
  const some = `${names.slice(0, 12).join(', ')}${names.length > 12 ? ', …' : ''}`
  return passed(
    `${names.length} environment variable${names.length === 1 ? '' : 's'} looked at, none with a public prefix or inlined by a configuration file: ${some}`,
  )
}
