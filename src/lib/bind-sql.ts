import type { Rewrite } from './rewrite.ts'

/** A call that is given a template: what stands before the template, the template, and what follows the closing bracket. */
interface Call {
  readonly before: string
  readonly method: string
  readonly generic: string
  readonly template: string
  readonly after: string
  /** Lines after the call. */
  readonly rest: readonly string[]
}

/** SQL with its values taken out: one more text than values. */
interface Bound {
  readonly texts: readonly string[]
  readonly values: readonly string[]
}

const MAX_LINES = 20

/** ``db.$queryRawUnsafe(`… ${x}`)`` becomes ``db.$queryRaw`… ${x}` `` and ``sql.unsafe(`…`)`` becomes ``sql`…` ``, which bind their values. */
export function bindTemplate(lines: readonly string[]): readonly string[] | undefined {
  const call = callIn(lines, '\\$(?:query|execute)RawUnsafe|unsafe')
  const bound = call && valuesOf(call.template)
  if (!bound) return undefined
  const tag = call.method === 'unsafe' ? '' : `.${call.method.replace('Unsafe', '')}${call.generic}`
  const sql = bound.texts.map((t, i) => (i ? `\${${bound.values[i - 1]}}${t}` : t)).join('')
  return [...`${call.before}${tag}\`${sql}\`${call.after}`.split('\n'), ...call.rest]
}

/** ``db.query(`… ${x}`)`` becomes ``db.query(`… $1`, [x])``, with the placeholders of the driver. */
export function bindParameters(placeholder: (index: number) => string): Rewrite {
  return (lines) => {
    const call = callIn(lines, 'query|execute')
    const bound = call && valuesOf(call.template)
    if (!bound) return undefined
    const sql = bound.texts.map((t, i) => (i ? `${placeholder(i)}${t}` : t)).join('')
    return [...`${call.before}.${call.method}${call.generic}(\`${sql}\`, [${bound.values.join(', ')}])${call.after}`.split('\n'), ...call.rest]
  }
}

/** The one call of a method whose only argument is a template that begins on the first line. */
function callIn(lines: readonly string[], methods: string): Call | undefined {
  const end = lines.findIndex((line) => /`\s*\)/.test(line))
  if (end < 0 || end > MAX_LINES) return undefined
  const text = lines.slice(0, end + 1).join('\n')
  const head = new RegExp(`\\.(${methods})(<[\\w.[\\]{}:;, ]{1,100}>)?\\(\\s*\``).exec(text)
  const close = text.lastIndexOf('`')
  if (!head || (text.indexOf('\n') < head.index && text.includes('\n'))) return undefined
  const from = head.index + head[0].length
  if (close < from || !/^\s*\)/.test(text.slice(close + 1)) || text.slice(from, close).includes('`')) return undefined
  const after = text.slice(close + 1).replace(/^\s*\)/, '')
  return {
    before: text.slice(0, head.index),
    method: head[1] as string,
    generic: head[2] ?? '',
    template: text.slice(from, close),
    after,
    rest: lines.slice(end + 1),
  }
}

/** Where a value may stand in SQL: after an operator, a word that takes a value, or in VALUES; never where a name stands. */
const VALUE_FOLLOWS = /(?:[=<>]|\b(?:like|ilike|limit|offset|between|and))\s*$|\bvalues\s*\((?:[^()]*,)?\s*$/i

/** Takes the values out of a template; undefined when one stands where SQL takes no parameter, or when the text cannot be followed safely. */
function valuesOf(template: string): Bound | undefined {
  if (/--|\/\*|\\|''/.test(template)) return undefined
  const texts = ['']
  const values: string[] = []
  let literal: { text: string; parts: string[] } | undefined
  const take = (value: string): boolean => {
    if (!VALUE_FOLLOWS.test(texts.join('?'))) return false
    values.push(value)
    return texts.push('') > 0
  }
  for (const part of template.split(/(\$\{[^{}`]{1,120}\})/)) {
    if (/^\$\{[^{}`]{1,120}\}$/.test(part)) {
      if (literal) {
        literal.text += part
        literal.parts.push(part.slice(2, -1))
      } else if (!take(part.slice(2, -1))) return undefined
      continue
    }
    if (part.includes('${')) return undefined
    for (const c of part) {
      if (literal && c === "'") {
        const [only] = literal.parts
        if (only === undefined) texts[texts.length - 1] += `'${literal.text}'`
        else if (!take(literal.text === `\${${only}}` ? only : `\`${literal.text}\``)) return undefined
        literal = undefined
      } else if (literal) literal.text += c
      else if (c === "'") literal = { text: '', parts: [] }
      else texts[texts.length - 1] += c
    }
  }
  return literal || !values.length ? undefined : { texts, values }
}
