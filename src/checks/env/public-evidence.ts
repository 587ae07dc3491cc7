import type { EnvModel } from '../../model/env/env.ts'
import { notApplicable, type Outcome, passed } from '../define-check.ts'

/** What a check of public variables answers where there is none: those of the server were looked at, and none reaches a bundle. */
export function noneIsPublic({ reads, definitions }: EnvModel): Outcome {
  const names = [...new Set([...reads, ...definitions].map((v) => v.name))].sort()
  if (!names.length) return notApplicable('no environment variable is read or defined, and no configuration file inlines one')
  return passed(`${counted(names, 'environment')} looked at, none with a public prefix or inlined by a configuration file: ${some(names)}`)
}

/** Which public variables a check looked at. */
export function publicLookedAt({ publicVariables }: EnvModel): string {
  const names = publicVariables.map((v) => v.name)
  return `${counted(names, 'public')} looked at: ${some(names)}`
}

const counted = (names: readonly string[], what: string): string => `${names.length} ${what} variable${names.length === 1 ? '' : 's'}`

const some = (names: readonly string[]): string => `${names.slice(0, 12).join(', ')}${names.length > 12 ? ', …' : ''}`
