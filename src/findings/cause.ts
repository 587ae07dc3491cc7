import type { FactsIndex } from '../facts/facts.ts'
import type { Place, RelatedPlace } from '../lib/place.ts'
import type { AppModel } from '../model/app-model.ts'
import type { Snapshot } from '../source/source.ts'
import type { Finding } from './finding.ts'

/** What is known of one side of a comparison. */
export interface Side {
  readonly snapshot: Snapshot
  readonly facts: FactsIndex
  readonly model: Pick<AppModel, 'routes' | 'schema'>
}

type Cause = Place & { readonly what: string }

/**
 * An introduced finding may stand at code that nobody touched: a policy is dropped, a matcher shrinks, another file imports the admin client.
 * Such a finding is shown at the changed line that caused it, and what it affects becomes its first related place.
 */
export function atTheirCause(base: Side, head: Side): (finding: Finding) => Finding {
  const changed = changedPaths(base.snapshot, head.snapshot)
  return (f) => {
    if (changed.has(f.at.path)) return f
    const cause = relatedCause(f, changed) ?? guardCause(f, base, head, changed) ?? sqlCause(f, head, changed)
    if (!cause) return withLostGuard(f, base, head)
    const affected: RelatedPlace = { ...f.at, subject: f.subject, what: 'is affected' }
    const rest = (f.related ?? []).filter((r) => r.path !== cause.path || r.line !== cause.line)
    return { ...f, at: { path: cause.path, line: cause.line }, message: `${f.message} This change causes it: ${cause.what}.`, related: [affected, ...rest] }
  }
}

/** Files with content that the base does not have anywhere; a file that only moved did not change. */
function changedPaths(base: Snapshot, head: Snapshot): Set<string> {
  const known = new Set(base.blobs.map((b) => b.sha))
  return new Set(head.blobs.filter((b) => !known.has(b.sha)).map((b) => b.path))
}

/** The finding itself names the place: the importer of an admin client, the lock file of a dependency. */
function relatedCause(f: Finding, changed: ReadonlySet<string>): Cause | undefined {
  return f.related?.find((r) => changed.has(r.path))
}

/** What let people in only on conditions at the base, and stands in a file that changed. */
function guardCause(f: Finding, base: Side, head: Side, changed: ReadonlySet<string>): Cause | undefined {
  for (const at of guardsAt(f, base)) {
    if (!changed.has(at.path)) continue
    const middleware = head.model.routes.middleware.find((m) => m.at.path === at.path)
    if (middleware?.matcher) return { ...middleware.matcher.at, what: `until now the middleware of ${at.path} ran before it` }
    return { path: at.path, line: middleware?.at.line ?? 1, what: `until now ${at.path} guarded it` }
  }
  return undefined
}

/** A guard whose file is gone leaves no line to show: the finding stays where it is and says so. */
function withLostGuard(f: Finding, base: Side, head: Side): Finding {
  const paths = new Set(head.snapshot.blobs.map((b) => b.path))
  const lost = guardsAt(f, base).find((at) => !paths.has(at.path))
  return lost ? { ...f, message: `${f.message} This change causes it: ${lost.path}, which guarded it, is removed.` } : f
}

function guardsAt(f: Finding, base: Side): Place[] {
  const route = base.model.routes.routes.find((r) => r.subject === f.subject && (r.workspace ?? '') === (f.workspace ?? ''))
  return route ? [...route.before.map((b) => b.at), ...(route.guard ? [route.guard.identifiedAt ?? route.guard.at, route.guard.at] : [])] : []
}

const CHANGES_ACCESS =
  /^\s*(?:drop\s+(?:policy|function|view|trigger)|alter\s+(?:table|policy|view|function|default)|grant|revoke|create\s+(?:or\s+replace\s+)?(?:function|view|policy|trigger)|insert\s+into|update)\b/i
/** Lines of a statement that are looked at for the names of what it concerns. */
const STATEMENT_LINES = 4

/** The last statement of changed SQL that drops, alters or grants something by the finding's table, its policies or the functions in them. */
function sqlCause(f: Finding, head: Side, changed: ReadonlySet<string>): Cause | undefined {
  const names = namesOf(f, head)
  if (!names.length) return undefined
  const mentions = new RegExp(`(?<![\\w$])(?:${names.map((n) => n.replace(/[^\w$ -]/g, '.')).join('|')})(?![\\w$])`, 'i')
  for (const path of [...changed].sort().reverse()) {
    const text = head.facts.of('sql').get(path)?.text
    if (!text) continue
    const lines = text.split('\n')
    for (let i = lines.length - 1; i >= 0; i--) {
      const line = lines[i] as string
      if (!CHANGES_ACCESS.test(line)) continue
      const statement = lines
        .slice(i, i + STATEMENT_LINES)
        .join(' ')
        .split(';')[0] as string
      if (mentions.test(statement))
        return { path, line: i + 1, what: `this statement changes who gets through (${statement.trim().split(/\s+/).slice(0, 2).join(' ').toLowerCase()})` }
    }
  }
  return undefined
}

/** Bare names of the table, view, function or bucket of a subject, of the table's policies and of the functions that these call. */
function namesOf(f: Finding, head: Side): string[] {
  const m = /^(?:table|view|policy|function|column|bucket) (?:\w+\.)?("[^"]{1,63}"|[\w$]{1,63})/.exec(f.subject)
  if (!m) return []
  const object = (m[1] as string).replaceAll('"', '')
  const policies = head.model.schema.policies.filter((p) => p.table === object)
  const called = policies.flatMap((p) => [...`${p.using ?? ''} ${p.check ?? ''}`.matchAll(/([a-z_][\w$]{2,62})\(/gi)].map((c) => c[1] as string))
  return [...new Set([object, ...called])].filter((n) => !/^(?:uid|jwt|role|email|auth|coalesce|exists|any|current_setting)$/i.test(n)).slice(0, 50)
}
