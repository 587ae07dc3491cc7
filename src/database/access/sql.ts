/** The commands of SQL that read or change rows; a policy for all of them is one for each. */
export const ROW_COMMANDS = ['select', 'insert', 'update', 'delete'] as const

/** Quotes an identifier. */
export function ident(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Quotes `schema.name`; a name without a schema alone. */
export function identOf(qualified: string): string {
  const dot = qualified.indexOf('.')
  return dot < 0 ? ident(qualified) : `${ident(qualified.slice(0, dot))}.${ident(qualified.slice(dot + 1))}`
}

/** Quotes a string. */
export function literal(value: string): string {
  return value.includes('\\') ? ` E'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'` : `'${value.replaceAll("'", "''")}'`
}

/** An identifier as people write it: bare when it needs no quotes. */
export function readable(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !RESERVED.has(name) ? name : ident(name)
}

/** `schema.name` as people write it. */
export function readableName(qualified: string): string {
  const dot = qualified.indexOf('.')
  return `${readable(qualified.slice(0, dot))}.${readable(qualified.slice(dot + 1))}`
}

const RESERVED = new Set([
  'user',
  'order',
  'group',
  'table',
  'column',
  'check',
  'default',
  'end',
  'select',
  'where',
  'from',
  'to',
  'limit',
  'offset',
  'references',
  'primary',
  'all',
  'and',
  'or',
  'not',
  'null',
  'desc',
  'asc',
  'in',
  'is',
  'on',
  'as',
  'with',
  'case',
  'when',
  'then',
  'else',
  'grant',
  'authorization',
  'analyse',
  'analyze',
  'both',
  'cast',
  'collate',
  'constraint',
  'create',
  'current_user',
  'distinct',
  'do',
  'except',
  'fetch',
  'for',
  'foreign',
  'having',
  'into',
  'lateral',
  'leading',
  'only',
  'placing',
  'returning',
  'session_user',
  'some',
  'symmetric',
  'trailing',
  'union',
  'unique',
  'using',
  'variadic',
  'window',
])

/** The name of what takes the place of `name`: PostgreSQL keeps 63 bytes, and two repairs must not get the same name. */
export function successorOf(name: string, suffix: string): string {
  const kept = [...name]
  while (Buffer.byteLength(`${kept.join('')} ${suffix}`) > 63) kept.pop()
  return `${kept.join('')} ${suffix}`
}
