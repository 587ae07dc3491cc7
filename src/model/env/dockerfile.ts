import { describeValue } from '../../facts/secrets/describe-value.ts'
import type { EnvDefinition } from './env.ts'

const INSTRUCTION = /^[ \t]*(?:ENV|ARG)[ \t]+([A-Za-z_]\w{0,100})(?:=|[ \t]+|$)("[^"\n]{0,500}"|'[^'\n]{0,500}'|\S{0,500})/gim

/** ENV and ARG of a Dockerfile; secrets are blanked out already. */
export function dockerfileDefinitions(path: string, text: string): EnvDefinition[] {
  const out: EnvDefinition[] = []
  for (const m of text.matchAll(INSTRUCTION)) {
    const line = text.slice(0, m.index + m[0].length - m[0].trimStart().length).split('\n').length
    const value = (m[2] ?? '').replace(/^["']|["']$/g, '')
    const fact = /\*{6}/.test(value)
      ? { value: `${value.replace(/\*[\s\S]*/, '')}…`, kind: 'generic-secret', hash: '', live: 'live' as const }
      : describeValue(m[1] as string, value)
    out.push({ name: m[1] as string, path, line, ...fact, source: 'dockerfile', environment: 'shared' })
  }
  return out
}
