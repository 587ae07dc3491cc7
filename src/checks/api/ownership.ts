import type { RelatedPlace } from '../../lib/place.ts'
import { plural } from '../../lib/plural.ts'
import type { Route } from '../../model/routes/routes.ts'
import { defineCheck, failed, type Issue, notApplicable, passed } from '../define-check.ts'
import { accountFieldIssues, sessionUpdateIssues } from './broken-authentication/client-controlled-session.ts'
import { hasOneOperator } from './exceptions/single-operator-app.ts'
import { missingGuard, missingTie } from './handler-cause.ts'
import { isOfSeveral } from './messages/object-level.ts'
import { ofArguments, ownershipWords } from './messages/object-level-index.ts'
import { besideMetadata } from './messages/user-metadata-role.ts'
import { publicByNature } from './missing-authentication/public-endpoint.ts'
import { breachesOf, type Judged } from './object-level/analyze-handler.ts'
import { customerColumn } from './payment-integrity/customer-id-column.ts'
import { isForAdministrators, manners, roleCode } from './remediation/code-conventions.ts'
import { namedColumns } from './remediation/column-allowlist.ts'
import type { Known } from './remediation/fix-context.ts'
import { roleFix } from './remediation/guard-fix.ts'
import { byParent } from './remediation/owner-via-parent.ts'
import { callerInScope, throughOwnClient } from './remediation/rebind-identifiers.ts'
import { refusal } from './remediation/refusal-response.ts'
import { oncePerHandler } from './shared/one-finding-per-handler.ts'
import { OWN_METADATA, type OwnershipBreach } from './shared/violation.ts'

export default defineCheck({
  number: 17,
  id: 'api/ownership',
  category: 'API endpoints',
  rule: 'Resource endpoints verify that the resource belongs to the authenticated user.',
  needs: ['routes', 'files', 'schema', 'access', 'declared', 'env'],
  doubtedBy: ['code', 'pages'],
  covers: 'handlers',
  run({ routes, files, schema, access, declared, env }) {
    const open = new Set(declared.public.routes.map((d) => d.name.trim()))
    const all = routes.routes.filter(
      (r) => r.behaviour && files.role(r.path) === 'source' && !open.has(r.subject) && !open.has(`${r.method ?? ''} ${r.route}`.trim()),
    )
    if (!routes.routes.some((r) => r.behaviour)) return notApplicable('the repository has no route, server action or function whose code runs on a server')
    if (hasOneOperator(routes, schema, env))
      return notApplicable('one person signs in, with a password of the environment, and no table says whose a row is: there is nobody to keep rows from')
    const judged = all.map((route): readonly [Route, Judged] => [route, breachesOf(route, schema, access, routes.routes)])
    const known = { all: routes.routes, around: routes.surroundings, schema }
    const { own, shared } = withSharedApart(judged)
    const issues = [...Map.groupBy(own, ([route, j]) => causeOf(route, j.breaches) ?? route).values()].flatMap((alike) => {
      const [first, ...others] = alike.filter(([, j]) => j.breaches.length)
      return first
        ? [
            issueOf(
              first[0],
              first[1].breaches,
              others.map(([route]) => route),
              known,
            ),
          ]
        : []
    })
    issues.push(...shared.map((s) => sharedIssue(s, known)))
    const inSource = ({ path }: { readonly path: string }) => files.role(path) === 'source'
    issues.push(...sessionUpdateIssues(routes.updates.filter(inSource), routes.routes))
    issues.push(...accountFieldIssues(routes.accountFields.filter(inSource), routes.routes))
    // sign-in looks people up before it knows who calls: check 16 has nothing to say of that either
    const elsewhere = judged
      .filter(([route, j]) => !j.breaches.length && j.unguarded && !publicByNature(route))
      .map(([route]): readonly [number, string] => [16, route.subject])
    const resources = judged.filter(([, j]) => j.resources > 0)
    const tied = resources.filter(([, j]) => !j.breaches.length && !j.unguarded)
    const evidence = [
      !resources.length && elsewhere.length
        ? `no handler that asks who calls takes an id and loads, changes or deletes by it; ${elsewhere.length} ${elsewhere.length === 1 ? 'reaches rows and asks' : 'reach rows and ask'} nobody (check 16)`
        : `${plural(resources.length, 'handler takes an id and loads, changes or deletes by it', 'handlers take an id and load, change or delete by it')}: ${tied.length} ${tied.length === 1 ? 'ties' : 'tie'} the row to the caller`,
      ...tied.slice(0, 20).map(([route, j]) => `${route.subject}: ${j.because}`),
    ]
    if (issues.length || elsewhere.length) return failed(oncePerHandler(issues, routes.surroundings), evidence, elsewhere)
    if (!resources.length && !judged.some(([, j]) => j.looked)) return notApplicable('no handler takes the id of a resource', evidence)
    return passed(...evidence)
  },
})

/** The line of a helper that is to blame by itself, whichever handlers call it; the missing question for a role, asked in no handler of a file. */
function causeOf(route: Route, breaches: readonly OwnershipBreach[]): string | undefined {
  const [only] = breaches
  if (only && breaches.every((b) => b.area)) return `area ${route.path}`
  return only && breaches.every((b) => b.kind === 'email-lookup') ? `${only.at.path}:${only.at.line}` : undefined
}

/** What a helper does for whoever comes, whichever handler calls it. */
interface SharedCause {
  readonly breaches: readonly OwnershipBreach[]
  readonly routes: readonly Route[]
}

/** What rests on nothing that a handler was sent, in a helper that several of them call, is one cause and none of theirs. */
function withSharedApart(judged: readonly (readonly [Route, Judged])[]): {
  readonly own: readonly (readonly [Route, Judged])[]
  readonly shared: readonly SharedCause[]
} {
  const ofNoRequest = (b: OwnershipBreach) => b.by === OWN_METADATA || b.kind === 'editable'
  const placeOf = (route: Route, b: OwnershipBreach) => (ofNoRequest(b) && b.at.path !== route.path ? `${b.at.path}:${b.at.line}` : undefined)
  const met = judged.flatMap(([route, j]) => j.breaches.flatMap((breach) => ({ route, breach, place: placeOf(route, breach) })))
  const shared = new Map([...Map.groupBy(met, (m) => m.place)].filter(([place, all]) => place !== undefined && new Set(all.map((m) => m.route)).size > 1))
  return {
    own: judged.map(([route, j]) => [route, { ...j, breaches: j.breaches.filter((b) => !shared.has(placeOf(route, b))) }]),
    shared: [...shared.values()].map((all) => ({
      breaches: [...new Map(all.map(({ breach }) => [`${breach.kind} ${breach.what}`, breach])).values()],
      routes: [...new Set(all.map((m) => m.route))],
    })),
  }
}

function sharedIssue({ breaches, routes }: SharedCause, known: Known): Issue {
  const { at } = breaches[0] as OwnershipBreach
  const { cause: _, ...issue } = issueOf(routes[0] as Route, breaches, [], known)
  return {
    ...issue,
    subject: `file ${at.path}`,
    message: `${routes.length} handlers and pages run it. ${issue.message}`,
    at,
    related: routes.slice(0, 20).map((r) => ({ path: r.path, line: r.line, subject: r.subject, what: 'runs it' })),
  }
}

const onlyReads = (b: OwnershipBreach): boolean => /^loads$|listUsers$/.test(b.verb ?? '')

/** The row in which the tables of this application keep the customer of a user, where the general words would name another. */
function ofOwnTables(main: OwnershipBreach, fix: Issue['fix'], { all, around, schema }: Known, route: Route): Issue['fix'] {
  const library = manners(route, all).library
  if ((main.kind !== 'email-lookup' && main.kind !== 'payment') || (library !== undefined && library !== 'supabase')) return fix
  const caller = main.callerAs ?? 'user.id'
  if (!/stripe/i.test(`${main.verb} ${main.what}`) || ['@prisma/client', 'drizzle-orm', 'mongoose'].some((name) => around.uses(name, route.path)))
    return {
      ...fix,
      code: `const own = await customerOf(${caller}) // stands for the look-up of the id at the processor in the row of the caller\nif (!own) ${refusal(route, 404)}`,
    }
  const kept = customerColumn(schema)
  if (kept)
    return { ...fix, code: `const { data: own } = await supabase.from('${kept.table}').select('${kept.column}').eq('${kept.user}', ${caller}).maybeSingle()` }
  return { ...fix, code: `// alter table profiles add column stripe_customer_id text; a column that only the server writes\n${fix.code ?? ''}` }
}

/** Where the fix asks for a role: the way in which this application asks for it. */
function inOwnManner(route: Route, main: OwnershipBreach, fix: Issue['fix'], known: Known): Issue['fix'] {
  if (fix.code !== roleCode(route, main.callerAs)) return fix
  const { note, ...own } = roleFix(route, known, main.callerAs ?? 'user.id')
  const { code, language, ...rest } = fix
  // a role is one of several ways, and a check for it locks out whoever comes by another
  if (isOfSeveral(fix) && !isForAdministrators(route)) return { ...rest, text: `${fix.text}${note && !fix.text.includes(note.trim()) ? note : ''}` }
  const said = note && fix.text.includes(note.trim()) ? '' : note
  // what nothing of the application shows is a pattern: a role in the metadata that only the server writes
  return own.code || note ? { ...rest, text: `${fix.text}${said}`, ...own } : fix
}

/** What one change repairs: who calls, where the request says it without proof, or whose row it is, where every method of the address forgets the same. */
function repairedBy(route: Route, breaches: readonly OwnershipBreach[], others: readonly Route[]): { readonly cause?: string } {
  const [first] = breaches
  if (!first || others.length) return {}
  if (breaches.every((b) => b.kind === 'state')) return { cause: missingGuard(route) }
  return breaches.every((b) => b.kind === 'row' && b.table === first.table) ? { cause: missingTie(route, first.kind, first.table) } : {}
}

/** One finding per handler, or per helper that several share: the worst breach speaks, the others are further places. */
function issueOf(route: Route, found: readonly OwnershipBreach[], others: readonly Route[], known: Known): Issue {
  const breaches = route.kind === 'action' && route.framework === 'Next.js' ? found.map(ofArguments) : found
  const rank = { Critical: 0, High: 1, Medium: 2 } as const
  // among equals what changes rows says more than what only reads them
  const sorted = [...breaches].sort((a, b) => rank[a.severity] - rank[b.severity] || Number(onlyReads(a)) - Number(onlyReads(b)))
  const main = sorted[0] as OwnershipBreach
  const words = besideMetadata(main, route, known, ownershipWords(route, main, manners(route, known.all)))
  const related: RelatedPlace[] = []
  for (const b of sorted) {
    if (related.some((r) => r.path === b.at.path && r.line === b.at.line)) continue
    related.push({ ...b.at, what: b.what })
  }
  for (const other of others)
    related.push({
      path: other.path,
      line: other.line,
      subject: other.subject,
      what: main.area ? 'the same in another handler' : 'another handler that calls it',
    })
  return {
    subject: route.subject,
    severity: main.severity,
    title: words.title,
    message: others.length ? `${others.length + 1} handlers ${main.area ? 'of this file do so' : 'share this look-up'}. ${words.message}` : words.message,
    attack: words.attack,
    fix: callerInScope(
      route,
      known.around,
      throughOwnClient(
        route,
        known.around,
        ofOwnTables(main, namedColumns(main, byParent(main, inOwnManner(route, main, words.fix, known), known, route), known, route), known, route),
      ),
    ),
    at: { path: route.path, line: route.line, ...(route.endLine ? { endLine: route.endLine } : {}) },
    related: related.slice(0, main.area ? 20 : 10),
    proof: 'inferred',
    aliases: ['CWE-639'],
    ...repairedBy(route, breaches, others),
    ...(route.workspace ? { workspace: route.workspace } : {}),
  }
}
