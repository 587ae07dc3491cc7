import { javascript } from '../../../src/facts/extractors/javascript/javascript.ts'
import type { JavaScriptFacts } from '../../../src/facts/javascript.ts'
import { analyse } from '../../../src/model/behaviour/analyze.ts'
import { createProgram, relativeResolver } from '../../../src/model/behaviour/modules/program.ts'
import type { Behaviour, Condition, Entry, Step, Value } from '../../../src/model/behaviour/types.ts'

/** The behaviour of an entry of a small program. */
export const behaviourOf = (files: Readonly<Record<string, string>>, entry: Entry): Behaviour => behavioursOf(files, [entry])[0] as Behaviour

/** The behaviours of several entries, in this order. */
export function behavioursOf(files: Readonly<Record<string, string>>, entries: readonly Entry[]): Behaviour[] {
  const facts = new Map<string, JavaScriptFacts>()
  for (const [path, text] of Object.entries(files)) facts.set(path, javascript.extract(text, path).facts)
  const program = createProgram(facts, relativeResolver(facts))
  return entries.map((entry) => analyse(entry, program))
}

/** One line per step: what happens, and after `if` what must hold for it. Logs are left out. */
export function describeSteps(behaviour: Behaviour): string[] {
  return behaviour.steps.filter((s) => s.effect.kind !== 'log').map(describeStep)
}

function describeStep(step: Step): string {
  const under = step.under.map(describeCondition).join(' and ')
  return `${describeEffect(step.effect)}${under ? ` if ${under}` : ''}`
}

export function describeCondition(c: Condition): string {
  const o = c.otherwise
  const end = o.ends ? ` (else ${o.how}${o.status === undefined ? '' : ` ${o.status}`})` : ''
  return `${c.negated ? 'not ' : ''}${value(c.test)}${end}`
}

function describeEffect(e: Step['effect']): string {
  switch (e.kind) {
    case 'db': {
      const filters = e.filters.map((f) => `${f.column} ${f.op} ${value(f.value)}`).join(', ')
      return `${e.op} ${e.table} as ${e.client.rights}${filters ? ` where ${filters}` : ''}${e.payload ? ` with ${value(e.payload)}` : ''}${e.onConflict ? ` on ${e.onConflict.join(',')}` : ''}`
    }
    case 'rpc':
      return `rpc ${e.function} as ${e.client.rights} ${value(e.args)}`
    case 'query-text':
      return `${e.language} ${e.sink} ${value(e.text)}`
    case 'storage':
      return `${e.op} ${e.bucket} ${value(e.object)} as ${e.client.rights}`
    case 'identify':
      return `identify ${e.how} ${e.trust}`
    case 'verify-signature':
      return `verify ${e.library} ${value(e.payload)} with ${value(e.secret)}${e.sync ? ' sync' : ''}`
    case 'respond':
      return `respond ${e.how}${e.status === undefined ? '' : ` ${e.status}`}`
    case 'throw':
      return `throw${e.caught ? ' caught' : ''}`
    case 'auth-call':
      return `auth ${e.op} ${e.args.map(value).join(', ')}`
    default:
      return `${e.kind} ${e.name}`
  }
}

export function value(v: Value): string {
  switch (v.v) {
    case 'const':
      return JSON.stringify(v.value) ?? 'undefined'
    case 'request':
      return `${v.part}${v.name ? `.${v.name}` : ''}${v.as ? `:${v.as}` : ''}`
    case 'caller':
      return `caller${v.field ? `.${v.field}` : ''}${v.trust === 'verified' ? '' : ` [${v.trust}]`}`
    case 'env':
      return `env.${v.name}`
    case 'row':
      return `${v.table}${v.many ? '[]' : ''}${v.field ? `.${v.field}` : ''}`
    case 'error':
      return v.of < 0 ? 'caught' : 'error'
    case 'result':
      return `result${v.field ? `.${v.field}` : ''}`
    case 'object':
      return `{${Object.entries(v.props)
        .map(([k, x]) => `${k}: ${value(x)}`)
        .join(', ')}${v.rest ? `, ...${value(v.rest)}` : ''}}`
    case 'array':
      return `[${v.items.map(value).join(', ')}]`
    case 'text':
      return `\`${v.parts.map((p) => (p.v === 'const' ? p.value : `\${${value(p)}}`)).join('')}\``
    case 'op':
      return v.of.length === 1 ? `${v.op}(${v.of.map(value)})` : `(${v.of.map(value).join(` ${v.op} `)})`
    case 'any':
      return `any(${v.of.map(value).join(' | ')})`
    case 'call':
      return `${v.name}(${v.args.map(value).join(', ')})`
    case 'event':
      return `${v.verified ? 'verified' : 'unverified'} event${v.field ? `.${v.field}` : ''}`
    case 'response':
      return `response ${v.status ?? ''}`
    default:
      return v.v
  }
}
