import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { type Attestation, CONFIG_PATH, type Config, type ConfigProblem, DEFAULT_CONFIG, type Declared, type Suppression } from './config.ts'

const MAX_BYTES = 256 << 10

/** Reads `.github/prelaunch.yml`. Unknown keys and wrong values are problems at their line; the default applies instead. */
export function parseConfig(text: string): { config: Config; problems: readonly ConfigProblem[] } {
  if (text.length > MAX_BYTES)
    return { config: DEFAULT_CONFIG, problems: [{ path: CONFIG_PATH, line: 1, message: `is larger than ${MAX_BYTES / 1024} KiB; the defaults apply` }] }
  const lines = new LineCounter()
  const doc = parseDocument(text, { lineCounter: lines, maxAliasCount: 0, uniqueKeys: true } as never)
  const reader = new Reader(lines)
  for (const e of doc.errors)
    reader.problems.push({
      path: CONFIG_PATH,
      line: lines.linePos(e.pos[0]).line,
      message: `is not valid YAML: ${(e.message.split('\n')[0] ?? '').replace(/ at line \d[\s\S]*/, '')}; the defaults apply`,
    })
  if (doc.errors.length || doc.contents === null) return { config: DEFAULT_CONFIG, problems: reader.problems }
  return { config: reader.config(doc.contents as Node), problems: reader.problems }
}

type Fields = ReadonlyMap<string, Node>

class Reader {
  readonly problems: ConfigProblem[] = []
  private readonly lines: LineCounter

  constructor(lines: LineCounter) {
    this.lines = lines
  }

  config(root: Node): Config {
    const top = this.map(root, 'the configuration', ['fail_on', 'comment', 'publish', 'paths', 'public', 'production', 'attest', 'suppress'])
    const publish = this.oneOf(top.get('publish'), 'publish', ['introduced', 'all'] as const)
    const open = this.map(top.get('public'), 'public', ['tables', 'routes', 'buckets'])
    const paths = this.map(top.get('paths'), 'paths', ['ignore'])
    const production = this.map(top.get('production'), 'production', ['domains'])
    return {
      failOn: this.oneOf(top.get('fail_on'), 'fail_on', ['critical', 'high', 'medium', 'never'] as const) ?? DEFAULT_CONFIG.failOn,
      comment: this.oneOf(top.get('comment'), 'comment', ['always', 'findings', 'never'] as const) ?? DEFAULT_CONFIG.comment,
      ...(publish ? { publish } : {}),
      paths: { ignore: this.strings(paths.get('ignore'), 'paths.ignore') },
      public: {
        tables: this.declared(open.get('tables'), 'public.tables'),
        routes: this.declared(open.get('routes'), 'public.routes'),
        buckets: this.declared(open.get('buckets'), 'public.buckets'),
      },
      production: { domains: this.strings(production.get('domains'), 'production.domains') },
      attest: this.list(top.get('attest'), 'attest', (n) => this.attestation(n)),
      suppress: this.list(top.get('suppress'), 'suppress', (n) => this.suppression(n)),
    }
  }

  private declared(node: Node | undefined, what: string): Declared[] {
    return this.list(node, what, (n) => {
      const f = this.record(n, what, ['name', 'reason'], [])
      return f && { name: f.name as string, reason: f.reason as string, line: this.lineOf(n) }
    })
  }

  private attestation(n: Node): Attestation | undefined {
    const f = this.record(n, 'attest', ['check', 'statement', 'by', 'date'], ['expires'])
    if (!f || !this.dates(n, f, ['date', 'expires'])) return undefined
    return {
      check: f.check as string,
      statement: f.statement as string,
      by: f.by as string,
      date: f.date as string,
      ...(f.expires ? { expires: f.expires } : {}),
      line: this.lineOf(n),
    }
  }

  private suppression(n: Node): Suppression | undefined {
    const f = this.record(n, 'suppress', ['check', 'subject', 'reason'], ['expires'])
    if (!f || !this.dates(n, f, ['expires'])) return undefined
    return {
      check: f.check as string,
      subject: f.subject as string,
      reason: f.reason as string,
      ...(f.expires ? { expires: f.expires } : {}),
      line: this.lineOf(n),
    }
  }

  private dates(n: Node, fields: Readonly<Record<string, string>>, names: readonly string[]): boolean {
    const bad = names.filter((k) => fields[k] !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(fields[k] as string))
    for (const k of bad) this.say(n, `${k} is not a date (YYYY-MM-DD); the entry is left out`)
    return bad.length === 0
  }

  private record(n: Node, what: string, required: readonly string[], optional: readonly string[]): Record<string, string> | undefined {
    const fields = this.map(n, `an entry of ${what}`, [...required, ...optional])
    const out: Record<string, string> = {}
    for (const [key, value] of fields) {
      const text = this.text(value)
      if (text === undefined) this.say(value, `${what}: ${key} is not a text; the entry is left out`)
      else out[key] = text
    }
    const missing = required.filter((k) => !out[k]?.trim())
    if (missing.length) this.say(n, `an entry of ${what} needs ${missing.join(' and ')}; it is left out`)
    return missing.length ? undefined : out
  }

  private list<T>(node: Node | undefined, what: string, read: (n: Node) => T | undefined): T[] {
    if (!node || (isScalar(node) && node.value === null)) return []
    if (!isSeq(node)) {
      this.say(node, `${what} is not a list; it is left out`)
      return []
    }
    return node.items.flatMap((n) => read(n as Node) ?? [])
  }

  private strings(node: Node | undefined, what: string): string[] {
    return this.list(node, what, (n) => {
      const text = this.text(n)
      if (text === undefined) this.say(n, `an entry of ${what} is not a text; it is left out`)
      return text
    })
  }

  private oneOf<const T extends string>(node: Node | undefined, what: string, values: readonly T[]): T | undefined {
    if (!node) return undefined
    const value = this.text(node)
    if (values.includes(value as T)) return value as T
    this.say(node, `${what} is one of ${values.join(', ')}; the default applies`)
    return undefined
  }

  private map(node: Node | undefined, what: string, known: readonly string[]): Fields {
    const fields = new Map<string, Node>()
    if (!node || (isScalar(node) && node.value === null)) return fields
    if (!isMap(node)) {
      this.say(node, `${what} is not a mapping; it is left out`)
      return fields
    }
    for (const pair of node.items) {
      const key = String((pair.key as { value?: unknown })?.value ?? pair.key)
      if (!known.includes(key)) this.say(pair.key as Node, `unknown key "${key.slice(0, 60)}" in ${what}; known are ${known.join(', ')}`)
      else if (pair.value) fields.set(key, pair.value as Node)
    }
    return fields
  }

  private text(node: Node): string | undefined {
    if (!isScalar(node)) return undefined
    return typeof node.value === 'string'
      ? node.value
      : typeof node.value === 'number' || typeof node.value === 'boolean'
        ? String(node.source ?? node.value)
        : undefined
  }

  private lineOf(node: Node): number {
    return this.lines.linePos(node.range?.[0] ?? 0).line
  }

  private say(node: Node, message: string): void {
    this.problems.push({ path: CONFIG_PATH, line: this.lineOf(node), message })
  }
}
