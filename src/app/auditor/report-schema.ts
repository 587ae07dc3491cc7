import * as v from 'valibot'
import type { ReportFinding } from '../../report/report.ts'
import type { AuditedForApp } from '../audit-thread/protocol.ts'

// What a process that reads repositories may say it found. Unknown members are refused, so that nothing reaches the renderers unseen.

const text = v.pipe(v.string(), v.maxLength(1 << 20))
const short = v.pipe(v.string(), v.maxLength(10_000))
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))
const line = count
const sha16 = v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/))
const list = <T extends v.GenericSchema>(item: T, most = 500_000) => v.pipe(v.array(item), v.maxLength(most))
const command = v.picklist(['select', 'insert', 'update', 'delete'])

const finding = v.strictObject({
  fingerprint: sha16,
  cause: v.exactOptional(sha16),
  check: short,
  severity: v.picklist(['Critical', 'High', 'Medium']),
  subject: text,
  title: text,
  message: text,
  attack: text,
  fix: v.strictObject({
    text,
    language: v.exactOptional(short),
    code: v.exactOptional(text),
    replaces: v.exactOptional(v.strictObject({ path: short, line, endLine: line })),
    proved: v.exactOptional(v.literal(true)),
    byHand: v.exactOptional(v.strictObject({ what: text, where: text })),
  }),
  path: short,
  line,
  endLine: line,
  related: list(v.strictObject({ path: short, line, subject: v.exactOptional(text), what: text })),
  alsoFails: list(v.pipe(count, v.maxValue(25)), 100),
  aliases: list(short, 100),
  help: short,
  proof: v.picklist(['executed', 'inferred']),
  assumes: v.exactOptional(text),
  workspace: v.exactOptional(short),
  state: v.exactOptional(v.picklist(['introduced', 'existing', 'unreadable'])),
})

const check = v.strictObject({
  number: v.pipe(count, v.minValue(1), v.maxValue(25)),
  id: v.pipe(v.string(), v.regex(/^[a-z]+\/[a-z-]+$/)),
  category: short,
  rule: text,
  status: v.picklist(['failed', 'passed', 'not-applicable', 'unverified']),
  because: v.exactOptional(text),
  howToVerify: v.exactOptional(v.strictObject({ where: text, attest: text })),
  attested: v.exactOptional(v.strictObject({ by: short, date: short, expires: v.exactOptional(short) })),
  reportedUnder: v.exactOptional(list(sha16)),
  evidence: list(text),
  coverage: v.exactOptional(v.strictObject({ judged: count, followed: count, not: list(v.strictObject({ subject: text, path: short, line, because: text })) })),
  findings: list(finding),
})

const route = v.strictObject({
  method: v.exactOptional(short),
  route: text,
  subject: text,
  kind: short,
  framework: short,
  guard: v.nullable(v.strictObject({ who: text, path: short, line })),
  client: v.exactOptional(short),
  tables: list(short),
  limit: v.exactOptional(v.strictObject({ path: short, line })),
  path: short,
  line,
  workspace: v.exactOptional(short),
})

const access = v.strictObject({
  kind: v.picklist(['table', 'view', 'bucket', 'function']),
  object: text,
  rls: v.exactOptional(v.boolean()),
  definer: v.exactOptional(v.literal(true)),
  cells: list(
    v.strictObject({
      role: v.picklist(['anon', 'A']),
      command: v.picklist(['select', 'insert', 'update', 'delete', 'execute']),
      row: v.picklist(['own', 'other', 'forged', 'tenant']),
      column: v.exactOptional(short),
      result: v.picklist(['allowed', 'refused', 'error']),
      because: v.exactOptional(text),
    }),
  ),
})

const gap = v.strictObject({
  path: short,
  line: v.exactOptional(line),
  because: text,
  unread: v.exactOptional(v.literal(true)),
  touches: list(
    v.strictObject({
      topic: v.picklist([
        'table',
        'rls',
        'policy',
        'grant',
        'function',
        'view',
        'bucket',
        'code',
        'pages',
        'source-text',
        'env-file',
        'config',
        'lockfile',
        'history',
        'tree',
        'anything',
      ]),
      object: v.exactOptional(text),
      command: v.exactOptional(command),
    }),
  ),
  lost: v.exactOptional(v.literal(true)),
})

const audited = v.strictObject({
  repository: v.exactOptional(short),
  commit: short,
  base: v.exactOptional(short),
  mergeBase: v.exactOptional(short),
  pullRequest: v.exactOptional(line),
  complete: v.boolean(),
  files: count,
  auditable: v.exactOptional(count),
  history: v.strictObject({ commits: count, complete: v.boolean() }),
  advisories: v.strictObject({ source: v.picklist(['github', 'snapshot', 'none']), asOf: v.exactOptional(short) }),
  config: v.strictObject({ commit: v.exactOptional(short), problems: list(v.strictObject({ path: short, line, message: text })) }),
})

const report = v.strictObject({
  version: v.literal(1),
  tool: v.strictObject({ name: v.literal('prelaunch'), version: short }),
  audit: audited,
  checks: v.pipe(v.array(check), v.length(25)),
  routes: list(route),
  access: list(access),
  startWith: v.exactOptional(v.pipe(v.array(sha16), v.maxLength(3))),
  doYourself: v.exactOptional(list(v.strictObject({ what: text, where: text }))),
  summary: v.strictObject({ critical: count, high: count, medium: count, failed: count, passed: count, notApplicable: count, unverified: count }),
  comparison: v.exactOptional(
    v.strictObject({
      introduced: list(sha16),
      existing: list(sha16),
      fixed: list(finding),
      unreadable: list(finding),
      touched: v.exactOptional(list(text)),
      lost: v.exactOptional(text),
    }),
  ),
  suppressed: list(v.strictObject({ finding, reason: text, where: text })),
  gaps: list(gap),
})

const declared = list(v.strictObject({ name: text, reason: text, line }))

const config = v.strictObject({
  failOn: v.picklist(['critical', 'high', 'medium', 'never']),
  comment: v.picklist(['always', 'findings', 'never']),
  publish: v.exactOptional(v.picklist(['introduced', 'all'])),
  paths: v.strictObject({ ignore: list(text) }),
  public: v.strictObject({ tables: declared, routes: declared, buckets: declared }),
  production: v.strictObject({ domains: list(text) }),
  attest: list(v.strictObject({ check: text, statement: text, by: text, date: short, expires: v.exactOptional(short), line })),
  suppress: list(v.strictObject({ check: text, subject: text, reason: text, expires: v.exactOptional(short), line })),
})

/** The result of an audit as another process may state it: the report, the configuration that it was made with, and what it cost. */
export const auditedSchema = v.strictObject({
  report,
  config,
  run: v.strictObject({
    durationMs: v.number(),
    cacheHits: count,
    cacheMisses: count,
    bytesRead: count,
    apiRequests: v.exactOptional(count),
    phases: v.record(short, v.number()),
  }),
  crashes: list(v.strictObject({ check: short, error: text }), 100),
}) satisfies v.GenericSchema<unknown, AuditedForApp>

/** A field that the report gains and this does not know would end every audit: it does not compile. */
const known: [
  keyof AuditedForApp['report'],
  keyof AuditedForApp['report']['audit'],
  keyof AuditedForApp['report']['checks'][number],
  keyof ReportFinding,
  keyof ReportFinding['fix'],
] extends [
  keyof v.InferOutput<typeof report>,
  keyof v.InferOutput<typeof audited>,
  keyof v.InferOutput<typeof check>,
  keyof v.InferOutput<typeof finding>,
  keyof v.InferOutput<typeof finding>['fix'],
]
  ? true
  : false = true
void known
