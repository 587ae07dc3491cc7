import * as v from 'valibot'
import type { DatabaseResult } from '../database.ts'
import type { Answer } from '../sandbox/protocol.ts'
import type { StatementOutcome, ToldResult } from './outcome.ts'

const MAX_ITEMS = 200_000
/** Names, types and identities of functions with all their arguments. */
const name = v.pipe(v.string(), v.maxLength(20_000))
/** Bodies, definitions, expressions and fixes. */
const text = v.pipe(v.string(), v.maxLength(20_000_000))
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(1_000_000_000))
const list = <S extends v.GenericSchema>(of: S) => v.pipe(v.array(of), v.maxLength(MAX_ITEMS))
const names = list(name)
const yes = v.optional(v.literal(true))

const place = v.strictObject({ path: name, line: count, endLine: v.optional(count) })
const command = v.picklist(['select', 'insert', 'update', 'delete'])

const grant = v.strictObject({
  role: name,
  privilege: v.picklist(['select', 'insert', 'update', 'delete', 'execute', 'truncate', 'references', 'trigger']),
  columns: v.optional(names),
  at: v.optional(place),
})

const column = v.strictObject({
  name,
  type: name,
  notNull: v.boolean(),
  default: v.optional(text),
  generated: yes,
  identity: v.optional(v.picklist(['always', 'by default'])),
  at: v.optional(place),
  stub: yes,
})

const table = v.strictObject({
  schema: name,
  name,
  calledInCode: v.optional(name),
  kind: v.picklist(['table', 'partitioned', 'partition', 'foreign']),
  owner: name,
  parent: v.optional(name),
  extension: v.optional(name),
  columns: list(column),
  primaryKey: names,
  uniques: list(v.strictObject({ columns: names, partial: yes })),
  alsoOpenAt: v.optional(list(place)),
  foreignKeys: list(v.strictObject({ columns: names, references: name, referencedColumns: names, cascades: yes })),
  checks: v.optional(list(text)),
  rls: v.strictObject({ enabled: v.boolean(), forced: v.boolean(), at: v.optional(place), assumed: yes }),
  grants: list(grant),
  at: place,
  stub: yes,
  outlined: yes,
  userData: v.optional(v.strictObject({ because: text, ownerColumns: names, tenantColumns: names, personalColumns: names, powerColumns: names })),
})

const policy = v.strictObject({
  schema: name,
  table: name,
  name,
  command: v.picklist(['select', 'insert', 'update', 'delete', 'all']),
  permissive: v.boolean(),
  roles: names,
  using: v.optional(text),
  check: v.optional(text),
  at: place,
  dependsOnStubs: v.optional(names),
})

const view = v.strictObject({
  schema: name,
  name,
  materialized: v.boolean(),
  securityInvoker: v.boolean(),
  definition: text,
  reads: names,
  owner: name,
  columns: list(v.strictObject({ name, type: name })),
  grants: list(grant),
  at: place,
})

const sqlFunction = v.strictObject({
  schema: name,
  name,
  identity: name,
  args: list(v.strictObject({ name: v.optional(name), type: name, hasDefault: v.optional(v.boolean()) })),
  outputs: v.optional(names),
  returns: name,
  language: name,
  securityDefiner: v.boolean(),
  volatility: v.picklist(['immutable', 'stable', 'volatile']),
  isTrigger: v.boolean(),
  body: text,
  setsSearchPath: v.boolean(),
  executableBy: names,
  owner: name,
  grants: v.optional(list(grant)),
  at: place,
  stub: yes,
  executes: v.optional(
    v.union([v.literal('not parsed'), v.strictObject({ parameter: name, how: v.picklist(['concatenation', 'format %s', 'whole statement']) })]),
  ),
})

const trigger = v.strictObject({
  table: name,
  name,
  function: name,
  when: text,
  timing: v.picklist(['before', 'after', 'instead of']),
  events: list(v.picklist(['insert', 'update', 'delete', 'truncate'])),
  perRow: v.boolean(),
  enabled: v.boolean(),
  at: v.optional(place),
})

const catalog = v.strictObject({
  tables: list(table),
  policies: list(policy),
  views: list(view),
  functions: list(sqlFunction),
  buckets: list(v.strictObject({ name, public: v.boolean(), at: v.optional(place) })),
  enums: list(v.strictObject({ schema: name, name, values: names })),
  triggers: list(trigger),
  speaksOfStorage: v.boolean(),
})

const value = v.union([text, v.number(), v.boolean()])
const state = v.strictObject({
  table: name,
  column: name,
  op: name,
  value: v.optional(value),
  oneOf: v.optional(list(value)),
  counted: v.optional(name),
  own: yes,
})

const hole = v.strictObject({
  kind: v.picklist([
    'no-rls',
    'policy',
    'owner-change',
    'rewrite',
    'escalation',
    'self-grant',
    'author-free',
    'parent-free',
    'view',
    'function-read',
    'function-write',
    'locked',
    'member',
  ]),
  object: name,
  command: v.picklist(['select', 'insert', 'update', 'delete', 'execute']),
  policy: v.optional(name),
  bucket: v.optional(name),
  who: v.picklist(['anon', 'authenticated']),
  cause: v.optional(
    v.picklist([
      'always',
      'signed-in',
      'tautology',
      'not-tied',
      'no-caller',
      'inverted',
      'null-slips-through',
      'secret-null',
      'user-metadata',
      'row-state',
      'handler',
      'captured-name',
    ]),
  ),
  because: v.optional(text),
  states: v.optional(list(state)),
  columns: v.optional(names),
  withheld: v.optional(names),
  author: v.optional(name),
  tables: v.optional(list(v.strictObject({ table: name, command, grants: v.optional(v.boolean()), mild: yes }))),
  helper: v.optional(v.strictObject({ object: name, at: place })),
  at: place,
  proof: v.picklist(['executed', 'inferred']),
  fix: v.optional(v.strictObject({ code: text, proved: v.boolean(), from: v.optional(v.picklist(['sibling', 'several'])) })),
  rootCause: v.optional(text),
  beside: v.optional(names),
})

const access = v.strictObject({
  objects: list(
    v.strictObject({
      kind: v.picklist(['table', 'view', 'bucket', 'function']),
      object: name,
      rls: v.optional(v.boolean()),
      definer: yes,
      cells: list(
        v.strictObject({
          role: v.picklist(['anon', 'A']),
          command: v.picklist(['select', 'insert', 'update', 'delete', 'execute']),
          row: v.picklist(['own', 'other', 'forged', 'tenant']),
          column: v.optional(name),
          result: v.picklist(['allowed', 'refused', 'error']),
          because: v.optional(text),
        }),
      ),
    }),
  ),
  holes: v.optional(list(hole)),
  exposedSchemas: v.optional(names),
  autoExpose: v.optional(v.boolean()),
  storage: v.optional(list(v.strictObject({ policy: name, command, bucket: v.optional(name), bound: v.boolean() }))),
  undecided: v.optional(list(v.strictObject({ object: name, policy: name, command, function: name, at: place }))),
})

const gap = v.strictObject({
  path: name,
  line: v.optional(count),
  because: text,
  touches: list(
    v.strictObject({
      topic: v.picklist(['table', 'rls', 'policy', 'grant', 'function', 'view', 'bucket', 'anything']),
      object: v.optional(name),
      command: v.optional(command),
    }),
  ),
  lost: yes,
})

const resultEntries = {
  catalog,
  access,
  gaps: list(gap),
  statements: v.strictObject({ total: count, applied: count, explained: count }),
  order: v.optional(names),
}

const outcome = v.strictObject({
  file: count,
  line: count,
  endLine: count,
  outcome: v.picklist(['applied', 'explained', 'doubtful', 'skipped', 'waiting']),
})

/** A `DatabaseResult`, with bounds. */
export const databaseResult = v.strictObject(resultEntries)

/** A result as the sandbox tells it. */
export const toldResult = v.strictObject({ ...resultEntries, outcomes: v.optional(list(outcome)) })

/** The one message that is no JSON. */
export const template = v.strictObject({ type: v.literal('template'), base64: v.pipe(v.string(), v.maxLength(96 * 2 ** 20)) })

/** Every message of the sandbox's process. */
export const answer = v.variant('type', [
  template,
  v.strictObject({ type: v.literal('at'), label: name }),
  v.strictObject({ type: v.literal('waiting') }),
  v.strictObject({ type: v.literal('replayed'), result: toldResult }),
  v.strictObject({ type: v.literal('result'), result: toldResult, halfApplied: yes }),
  v.strictObject({ type: v.literal('died'), because: text }),
])

/** Without readonly, and with every property spelled out. */
type Plain<T> = T extends Uint8Array
  ? Uint8Array
  : T extends readonly (infer I)[]
    ? Plain<I>[]
    : T extends object
      ? { -readonly [K in keyof T]: Plain<T[K]> }
      : T
/** Identity of types, optional properties included: a field that is added on one side alone does not compile. */
type Same<A, B> = (<T>() => T extends Plain<A> ? 1 : 2) extends <T>() => T extends Plain<B> ? 1 : 2 ? true : false
const tied: readonly [
  Same<v.InferOutput<typeof databaseResult>, DatabaseResult>,
  Same<v.InferOutput<typeof toldResult>, ToldResult>,
  Same<v.InferOutput<typeof outcome>, StatementOutcome>,
  Same<v.InferOutput<typeof answer>, Answer>,
] = [true, true, true, true]
void tied
