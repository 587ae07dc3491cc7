import { type Rewrite, swap } from './rewrite.ts'

/** How code reads a variable of the environment: `process.env.NAME`, `process.env['NAME']`, `Deno.env.get('NAME')`, `import.meta.env.NAME`. */
const readOf = (name: string): string =>
  `(?:process\\.env\\.${name}\\b|process\\.env\\[['"]${name}['"]\\]|Deno\\.env\\.get\\(['"]${name}['"]\\)|import\\.meta\\.env\\.${name}\\b)`

const isName = (name: string): boolean => /^\w{1,100}$/.test(name)

/** `read || 'word'` becomes `read || (() => { throw … })()`: the same expression and type, but no default. */
export function requireVariable(name: string): Rewrite {
  if (!isName(name)) return () => undefined
  return swap(
    new RegExp(`(${readOf(name)}!?\\s*(?:\\|\\||\\?\\?)\\s*)(?:'[^'\\\\]*'|"[^"\\\\]*"|\`[^\`\\\\$]*\`)(?=\\s*(?:[,;)}\\]]|$))`),
    `$1(() => { throw new Error('${name} is not set') })()`,
  )
}

/** `if (process.env.X && a !== b)` becomes `if (!process.env.X || a !== b)`: what is not configured stays shut. */
export function refuseWhenUnset(name: string): Rewrite {
  if (!isName(name)) return () => undefined
  return swap(new RegExp(`\\bif \\((${readOf(name)})\\s*&&\\s*([^&|()]{1,200}?!==?[^&|()]{1,200})\\)`), 'if (!$1 || $2)')
}

/** A read of `process.env.NAME` under another name. */
export function renameVariable(name: string, to: string): Rewrite {
  return isName(name) && isName(to) ? swap(new RegExp(`\\bprocess\\.env\\.${name}\\b`), `process.env.${to}`) : () => undefined
}

/** `x.constructEvent(…)` becomes `await x.constructEventAsync(…)`, when the lines show that an asynchronous function holds it on their last line. */
export function awaitConstructEvent(lines: readonly string[]): readonly string[] | undefined {
  const last = lines.at(-1) ?? ''
  const m = /(?<![\w.])(?!await\b)((?:\w+\.)+)constructEvent\(/.exec(last)
  if (!m || /\bawait\s+$/.test(last.slice(0, m.index)) || last.split('constructEvent(').length > 2) return undefined
  const before = [...lines.slice(0, -1), last.slice(0, m.index)].join('\n')
  const arrow = before.lastIndexOf('=>')
  const plain = before.lastIndexOf('function')
  const opener = arrow > plain ? before.slice(0, arrow) : before.slice(0, Math.max(0, plain))
  const isAsync =
    arrow > plain ? /\basync\s*(?:\([^()]*\)\s*(?::\s*[\w<>.\s]{1,100})?|\w+\s*)$/.test(opener.slice(-400)) : plain >= 0 && /\basync\s+$/.test(opener)
  if (!isAsync) return undefined
  return [...lines.slice(0, -1), `${last.slice(0, m.index)}await ${m[1]}constructEventAsync(${last.slice(m.index + m[0].length)}`]
}

/** Brackets that a line opens less those that it closes, texts and comments left out. */
function depthOf(line: string): number[] {
  const bare = line.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|\/\/[\s\S]*/g, '')
  return [...bare].flatMap((c) => (c === '{' ? [1] : c === '}' ? [-1] : []))
}

/** How many of the lines still belong to the block in which the first stands. */
function blockLength(lines: readonly string[]): number {
  let depth = 0
  for (const [i, line] of lines.entries())
    for (const step of depthOf(line)) {
      depth += step
      if (depth < 0) return i + 1
    }
  return 0
}

/** The two common ways to read the session: what is read into, what it is called in the rest of the block, and what the user is called then. */
const SESSION_READS = [
  {
    read: /^(\s*(?:const|let) \{ data: \{ )session( \}(?:, error)? \} = await [\w.]{1,60}\.auth\.)getSession\(\)(;?\s*)$/,
    into: 'user',
    session: 'session',
    user: 'user',
  },
  {
    read: /^(\s*(?:const|let) \{ )data((?:, error)? \} = await [\w.]{1,60}\.auth\.)getSession\(\)(;?\s*)$/,
    into: 'data',
    session: 'data\\.session',
    user: 'data.user',
  },
] as const

/**
 * `const { data: { session } } = await c.auth.getSession()` becomes the same with `user` and `getUser()`, and `session.user` in the rest of its
 * block becomes `user`; the same for `data.session`. Any other use of the session (its access token, for example) makes it undefined.
 */
export function askForVerifiedUser(lines: readonly string[]): readonly string[] | undefined {
  const end = blockLength(lines)
  for (const { read, into, session, user } of SESSION_READS) {
    const first = read.exec(lines[0] ?? '')
    if (!first || !end) continue
    const rest = lines.slice(1, end)
    const ofUser = new RegExp(`(?<![\\w.])${session}[?!]?\\.user\\b`, 'g')
    const asked = new RegExp(`(!|\\bif \\()${session}(?=\\s*(?:\\)|&&|\\|\\|))`, 'g')
    if (into === 'user' && rest.some((line) => /\buser\b/.test(line.replace(ofUser, '')))) return undefined
    const next = rest.map((line) => line.replace(ofUser, user).replace(asked, `$1${user}`))
    // What is left of the session, or of `data` as a whole, is a use that the user does not answer.
    const other = into === 'user' ? /\bsession\b/ : /\bsession\b|\bdata\b(?!\.user\b)/
    return next.some((line) => other.test(line)) ? undefined : [`${first[1]}${into}${first[2]}getUser()${first[3]}`, ...next, ...lines.slice(end)]
  }
  return undefined
}

/**
 * Adds `.eq('column', value)` after the one `.eq(…)` of the query that begins after `above` lines; those lines must declare the first name of
 * `value`, or it might not be in scope.
 */
export function alsoEqual(column: string, value: string, above: number): Rewrite {
  const name = /^\w+/.exec(value)?.[0] ?? ''
  return (all) => {
    const [scope, lines] = [all.slice(0, above), all.slice(above)]
    const declares = new RegExp(`^[^=]*\\b(?:const|let)\\b[^=]*\\b${name}\\b[^=]*=`)
    if (!/^\w{1,63}$/.test(column) || !scope.some((line) => declares.test(line))) return undefined
    const end = lines.findIndex((line, i) => i > 0 && !/^\s*\./.test(line))
    const chain = end < 0 ? lines : lines.slice(0, end)
    if (chain.some((line) => line.includes(column))) return undefined
    const added = swap(/(\.eq\((?:'\w+'|"\w+"), [\w.!?]{1,80}\))/, `$1.eq('${column}', ${value})`)(chain)
    return added && [...scope, ...added, ...lines.slice(chain.length)]
  }
}

/** Adds entries to the `matcher` of a middleware, which is a text or a list of texts. */
export function addMatchers(paths: readonly string[]): Rewrite {
  const added = paths.map((p) => `'${p}'`)
  return (lines) => {
    if (!paths.length || paths.some((p) => !/^\/[\w/:*.-]{0,200}$/.test(p))) return undefined
    const start = lines.findIndex((line) => /\bmatcher\s*:/.test(line))
    if (start < 0) return undefined
    const line = lines[start] as string
    const one = /^(.{0,500}\bmatcher\s{0,50}:\s{0,50})('[^']*'|"[^"]*")(.*)$/.exec(line)
    if (one) return replaceAt(lines, start, [`${one[1]}[${one[2]}, ${added.join(', ')}]${one[3]}`])
    const list = /^(.*\bmatcher\s*:\s*\[)((?:\s*(?:'[^']*'|"[^"]*"),?)+)\s*(\].*)$/.exec(line)
    if (list) return replaceAt(lines, start, [`${list[1]}${(list[2] as string).replace(/,\s*$/, '')}, ${added.join(', ')}${list[3]}`])
    if (!/\bmatcher\s*:\s*\[\s*$/.test(line)) return undefined
    const close = lines.findIndex((l, i) => i > start && /^\s*\]/.test(l))
    const entries = lines.slice(start + 1, close)
    const last = entries.findLastIndex((l) => /^\s*(?:'[^']*'|"[^"]*")\s*(?:,\s*)?$/.test(l))
    if (close < 0 || last < 0 || entries.some((l) => !/^\s*(?:(?:'[^']*'|"[^"]*")\s*(?:,\s*)?|\/\/.*|\*.*|\/\*.*)?$/.test(l))) return undefined
    const indent = /^\s*/.exec(entries[last] as string)?.[0] ?? ''
    return replaceAt(lines, start + 1 + last, [`${(entries[last] as string).trimEnd().replace(/,$/, '')},`, ...added.map((a) => `${indent}${a},`)])
  }
}

function replaceAt(lines: readonly string[], index: number, by: readonly string[]): string[] {
  return [...lines.slice(0, index), ...by, ...lines.slice(index + 1)]
}
