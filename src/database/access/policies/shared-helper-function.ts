import { withoutSqlComments } from '../../../lib/sql-comments.ts'
import type { Catalog, Policy, SqlFunction } from '../../database.ts'
import { functionObject, functionOf } from '../functions/security-definer.ts'
import type { Hole, OpenCause } from '../hole.ts'

/** What lets others in, as it stands in a policy or in the body of a function that the policy asks. */
const FAULT: Partial<Record<OpenCause, RegExp>> = {
  'null-slips-through': /\bis\s+null\b/i,
  'user-metadata': /\b(?:raw_)?user_meta_?data\b/i,
}

/** A condition that is nothing but a question to a function: nothing that the policy hands over can be what is wrong. */
const ONLY_ASKS = /^\(?\s*(?:select\s+)?(?:"?\w+"?\.)?"?(\w+)"?\(\)(?:\s+as\s+"?\w+"?)?\s*\)?$/i
/** Functions whose name says that they tell some callers from others; `is_signed_in()` does what it says. */
const TELLS_APART = /admin|staff|owner|member|manager|moderator|super|role|(?:^|_)(?:can|may|has)_|allowed|access|perm/i

/** How far functions that functions ask are followed. */
const MAX_STEPS = 2

/** Marks the policies that are open because of a function which several of them ask: mended once, it closes them all. */
export function withSharedHelpers(holes: readonly Hole[], catalog: Catalog): Hole[] {
  const policies = new Map(catalog.policies.map((p) => [`${p.schema}.${p.table} ${p.name}`, p]))
  const helpers = holes.map((hole) => {
    const policy = hole.kind === 'policy' && !hole.object.startsWith('storage.') ? policies.get(`${hole.object} ${hole.policy}`) : undefined
    return policy && hole.cause && faultyHelper(policy, hole.cause, catalog)
  })
  const askers = new Map<SqlFunction, Set<string>>()
  for (const [i, helper] of helpers.entries()) {
    const { object, policy } = holes[i] as Hole
    if (helper) askers.set(helper, (askers.get(helper) ?? new Set()).add(`${object} ${policy}`))
  }
  return holes.map((hole, i) => {
    const helper = helpers[i]
    return helper && (askers.get(helper)?.size ?? 0) > 1 ? { ...hole, helper: { object: functionObject(helper), at: helper.at } } : hole
  })
}

/** The one function of those that a policy asks in which the fault lies, where the policy itself is in order. */
function faultyHelper(policy: Policy, cause: OpenCause, catalog: Catalog): SqlFunction | undefined {
  const conditions = [policy.using, policy.check].filter((c) => c !== undefined)
  const fault = FAULT[cause]
  if (!fault) {
    const asked = conditions.map((c) => ONLY_ASKS.exec(c.trim())?.[1])
    const [name] = asked
    if (!name || !TELLS_APART.test(name) || asked.some((a) => a !== name)) return undefined
    return only(catalog.functions.filter((f) => f.name === name && !f.args.length && !f.stub))
  }
  if (conditions.some((c) => fault.test(c))) return undefined
  return only(functionsAskedBy(conditions.join(' '), catalog).filter((f) => fault.test(withoutSqlComments(f.body))))
}

const only = <T>(found: readonly T[]): T | undefined => (found.length === 1 ? found[0] : undefined)

function functionsAskedBy(text: string, catalog: Catalog): readonly SqlFunction[] {
  const found = new Set<SqlFunction>()
  let texts = [text]
  for (let step = 0; step <= MAX_STEPS && texts.length; step++) {
    const called = new Set(texts.flatMap((t) => [...t.matchAll(/\b(\w{1,63})"?\s*\(/g)].map(([, name]) => (name as string).toLowerCase())))
    const next = catalog.functions.filter((f) => !f.stub && !f.isTrigger && called.has(f.name.toLowerCase()) && !found.has(f))
    for (const f of next) found.add(f)
    texts = next.map((f) => withoutSqlComments(f.body))
  }
  return [...found]
}

/** The function as it should be, where that can be said without knowing what it is for. Not proved yet. */
export function mendedHelper(hole: Hole, catalog: Catalog): string | undefined {
  const fn = functionOf(catalog, hole.helper?.object)
  // the text of a default is not at hand, and a function cannot be replaced without it
  if (!fn || fn.args.some((a) => a.hasDefault)) return undefined
  const body = hole.cause === 'user-metadata' ? bySetOnServer(fn.body) : hole.cause === 'null-slips-through' ? refusingNobody(fn) : undefined
  const quote = ['$$', '$function$'].find((q) => !fn.body.includes(q))
  if (body === undefined || !quote) return undefined
  const args = fn.args.map((a) => (a.name ? `${a.name} ${a.type}` : a.type)).join(', ')
  const kept = [
    `language ${fn.language}`,
    fn.volatility,
    ...(fn.securityDefiner ? ['security definer'] : []),
    ...(fn.setsSearchPath ? ['set search_path = public'] : []),
  ]
  return `create or replace function ${fn.schema}.${fn.name}(${args})\n  returns ${fn.returns} ${kept.join(' ')}\nas ${quote}\n${body.trim()}\n${quote};`
}

/** What only the server writes, where the function reads what the user edits. */
const bySetOnServer = (body: string): string => body.replace(/\b(raw_)?user(_meta_?data)\b/gi, '$1app$2')

/** The same answer for whoever is signed in, and no for everybody else. */
function refusingNobody({ language, returns, body }: SqlFunction): string | undefined {
  if (!/^bool/i.test(returns)) return undefined
  if (language === 'plpgsql') return body.replace(/\bbegin\b/i, (begin) => `${begin}\n  if auth.uid() is null then\n    return false;\n  end if;`)
  const query = body.trim().replace(/;$/, '')
  return language !== 'sql' || query.includes(';') ? undefined : `select auth.uid() is not null and coalesce((\n${query}\n), false);`
}
