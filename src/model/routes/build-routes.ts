import type { FunctionId } from '../../facts/javascript.ts'
import type { Place } from '../../lib/place.ts'
import type { ModelBase } from '../app-model.ts'
import { analyse } from '../behaviour/analyze.ts'
import { createProgram } from '../behaviour/modules/program.ts'
import type { Behaviour, Entry as Runnables, Step } from '../behaviour/types.ts'
import { accountFields } from '../frameworks/account-fields.ts'
import type { Before, Entry } from '../frameworks/entry.ts'
import { FRAMEWORKS } from '../frameworks/index.ts'
import { lostHandler } from '../frameworks/lost-handler.ts'
import { tokenCallbacks } from '../frameworks/next/token-callbacks.ts'
import { OTHER_PARAMETERS, samplePath } from '../frameworks/path-pattern.ts'
import { Program } from '../frameworks/program.ts'
import type { ModelInput } from '../model-input.ts'
import { surroundingsOf } from './code-context/code-context.ts'
import { writtenHandler, writtenMiddleware } from './code-context/handler-source.ts'
import { withDecidedPages, withIdleGuards } from './guards/ineffective-middleware.ts'
import { libraryGuard, libraryLimit, libraryOf } from './guards/library-guard.ts'
import { gateGuard, handlerGuard } from './guards/route-guard.ts'
import { Recollection } from './incremental/route-cache.ts'
import { withLimitsOfPages } from './limits/limiter-of-pages.ts'
import { limitOf } from './limits/rate-limiter.ts'
import { openUploads, uploadOf } from './operations/open-upload.ts'
import type { Work } from './operations/operation-model.ts'
import { workOf } from './operations/sensitive-operations.ts'
import { withActionsBehind } from './pages/actions-behind-middleware.ts'
import { browserGuard } from './pages/client-side-guard.ts'
import { type PageSigns, pageSigns } from './pages/client-side-signals.ts'
import { besideLayouts } from './pages/data-outside-layout.ts'
import { withUnlinkedActions } from './pages/unreferenced-actions.ts'
import { gateOf, middlewareAlone, routePath, runnablesOf, SENTINEL_FACTS, SENTINEL_PATH } from './request/entry-runner.ts'
import { type Imagined, imagineConditions, restsOnForm } from './request/partial-evaluation.ts'
import { type Bypass, spellingsOf, takesSpellings, withDot } from './request/path-variants.ts'
import { inProduction, UNREACHABLE } from './request/production-view.ts'
import { sessionUpdate } from './request/session-callback.ts'
import type { MiddlewareModel, Route, RoutesModel, SessionUpdate } from './routes.ts'
import { buildSessions } from './sessions/session-storage.ts'

/** The routes slice: every HTTP entry, its guard and what it does. */
export function buildRoutes(input: ModelInput, slices: ModelBase): RoutesModel {
  const { memory } = input
  const javascript = input.facts.of('javascript')
  const { resolve, autoImport, throughStars } = slices.modules
  const before = memory?.routes
  // an audit that fails half way leaves nothing behind
  if (memory) delete memory.routes
  const known = new Recollection(
    { javascript, tables: slices.schema.tables, access: slices.access, resolve, autoImport, throughStars, meanings: memory?.resolver?.found },
    before,
  )
  const program = new Program(input.facts, slices, known.reads)
  const facts = new Map(javascript)
  facts.set(SENTINEL_PATH, SENTINEL_FACTS)
  const runner = createProgram(facts, resolve, autoImport, known.reads)
  const middleware = FRAMEWORKS.flatMap((f) => f.middleware?.(program) ?? []).map((m, i) =>
    known.answer(
      `\0middleware ${i}`,
      m,
      runner,
      (follow): MiddlewareModel => ({
        framework: m.framework,
        workspace: m.workspace,
        at: m.at,
        ...(m.matcher ? { matcher: m.matcher } : {}),
        ...(m.belongsIn === undefined ? {} : { belongsIn: m.belongsIn }),
        ...(m.tooEarly ? { tooEarly: true as const } : {}),
        ...(m.external ? { external: m.external } : {}),
        behaviour: follow(() => analyse(middlewareAlone(m), runner)),
      }),
    ),
  )
  const layouts = new Map<string, PageSigns>()
  /** A layout stands above many pages: its signs are found once, and who asks for them rests on what they rest on. */
  const signsOfLayout: SignsOf = (path, fn) => {
    const name = `\0layout ${path} ${fn}`
    known.reads.part(name)
    const signs = layouts.get(name) ?? known.answer(name, undefined, runner, () => pageSigns(program, path, fn))
    layouts.set(name, signs)
    return signs
  }
  const routes = dedupe(FRAMEWORKS.flatMap((f) => f.entries(program))).map((found) => {
    const name = `\0signs ${nameOf(found)}`
    const e = known.asBefore(name, found)
    // what is read from the text of whole files stands apart from what following the code takes
    const signs = known.answer(name, e, runner, () => writtenSigns(program, e, signsOfLayout))
    const workspace = program.workspace(e.path).dir
    const requested = e.before.length
      ? requestedFor(
          e,
          middleware.filter((m) => m.workspace === workspace),
        )
      : undefined
    return known.answer(`\0route ${nameOf(e)}`, [e, workspace, signs, requested], runner, (follow) =>
      routeOf(program, e, signs, requested, slices, (r) => (r ? follow(() => analyse(r, runner)) : undefined)),
    )
  })
  const updates = tokenCallbacks(program).map((c) =>
    known.answer(
      `\0token ${c.path} ${c.line}`,
      c,
      runner,
      (follow): SessionUpdate => ({
        path: c.path,
        line: c.line,
        ...(c.workspace === '' ? {} : { workspace: c.workspace }),
        behaviour: follow(() => analyse(sessionUpdate(c), runner)),
      }),
    ),
  )
  if (memory) memory.routes = known.memory()
  const sessions = buildSessions(program)
  const told = withActionsBehind(
    withIdleGuards(
      withDecidedPages(withUnlinkedActions(withLimitsOfPages(routes, slices.modules, javascript), slices.modules, javascript), middleware),
      middleware,
    ),
    slices.modules,
    javascript,
    middleware,
  )
  return {
    routes: told,
    middleware,
    unfollowed: FRAMEWORKS.flatMap((f) => f.unfollowed?.(program) ?? []),
    sessions,
    updates,
    accountFields: accountFields(program),
    surroundings: surroundingsOf(program, sessions, told),
  }
}

/** The signs of a component by its file and function. */
type SignsOf = (path: string, fn: FunctionId) => PageSigns

const nameOf = (e: Entry): string => `${e.subject} ${e.path} ${e.line} ${e.kind}`

/** One route may be found by two frameworks that share folders; the first one keeps it. */
function dedupe(entries: readonly Entry[]): readonly Entry[] {
  const seen = new Set<string>()
  return entries.filter((e) => {
    const name = nameOf(e)
    return seen.has(name) ? false : seen.add(name)
  })
}

/** What the text of an entry's files says, without its code being followed. */
interface WrittenSigns {
  readonly library?: string
  /** Where the function that answers is written, apart from where it is registered. */
  readonly handler?: Place
  /** Where the files that it takes come from anybody. */
  readonly uploads?: Place
  readonly signs?: PageSigns
  readonly clientLayout?: Place
  /** Whether other spellings of its path have to be tried. */
  readonly spellings: boolean
}

function writtenSigns(program: Program, entry: Entry, signsOfLayout: SignsOf): WrittenSigns {
  const uploads = openUploads(program, entry)
  return {
    ...(uploads ? { uploads } : optional('library', libraryOf(program, entry))),
    ...(entry.kind === 'api' ? optional('handler', writtenHandler(program, entry)) : {}),
    ...(entry.kind === 'page'
      ? { ...optional('signs', signsOf(program, entry)), ...optional('clientLayout', clientLayout(program, entry, signsOfLayout)) }
      : {}),
    spellings: takesSpellings(program, entry),
  }
}

/** The route of an entry, for visitors who request its path or, where middleware rewrites paths, one that becomes it. */
function routeOf(
  program: Program,
  entry: Entry,
  written: WrittenSigns,
  requested: Entry['requested'],
  slices: ModelBase,
  run: (r: Runnables | undefined) => Behaviour | undefined,
): Route {
  const rewritten = requested && routeFor(program, { ...entry, requested }, written, slices, run)
  return rewritten && arrives(rewritten) ? rewritten : routeFor(program, entry, written, slices, run)
}

/** The path that becomes that of the entry when middleware puts something in front of it (`/settings` for `/app/settings`). */
function requestedFor(entry: Entry, middleware: readonly MiddlewareModel[]): Entry['requested'] {
  const path = routePath(entry)
  const found = middleware.flatMap((m) => m.behaviour?.rewrites ?? []).find(({ front }) => path === front || path.startsWith(`${front}/`))
  return found && { path: path.slice(found.front.length) || '/', answering: found.answering }
}

/** Whether some request gets as far as the page or handler. */
const arrives = (route: Route): boolean =>
  route.kind === 'page' ? route.reachable === true : route.behaviour?.steps.some((s) => !s.before && s.effect !== UNREACHABLE) === true

function routeFor(program: Program, entry: Entry, written: WrittenSigns, slices: ModelBase, run: (r: Runnables | undefined) => Behaviour | undefined): Route {
  const raw = run(runnablesOf(entry))
  const { imagined, gate, before: passed } = gated(entry, raw, run)
  const behaviour = raw && forRequest(raw, entry, imagined)
  const fromLibrary = libraryGuard(entry.before)
  const deployed = behaviour && inProduction(behaviour, entry.framework)
  const done = deployed ? workOf(deployed, slices.schema, slices.access).map((w): Work => (fromLibrary && !w.guard ? { ...w, guard: fromLibrary } : w)) : []
  const before = written.uploads && (fromLibrary ?? gateGuard(run(gateOf(entry)), imagined, entry.framework)?.guard)
  const work = written.uploads ? [...done, uploadOf(written.uploads, before)] : done
  const guard = entry.kind === 'page' ? (gate?.guard ?? fromLibrary) : (fromLibrary ?? handlerGuard(work, deployed))
  const around = guard && ((written.spellings ? bypassOf(entry, imagined, slices, run) : undefined) ?? pastMatcher(entry, imagined, slices, run))
  // a library's middleware stands in front of every spelling; only an administrator is more than it asks for
  const bypass = around && fromLibrary ? (guard !== fromLibrary && guard?.who === 'admin' ? { ...around, signedIn: true as const } : undefined) : around
  const limiter = libraryLimit(entry.before, behaviour !== undefined)
  const limit = limiter ? limiter.at : behaviour ? limitOf(behaviour) : undefined
  const workspace = program.workspace(entry.path)
  const clients = new Set(behaviour?.steps.flatMap((s) => ('client' in s.effect ? [s.effect.client.rights] : [])) ?? [])
  const client = (['service', 'caller', 'anon', 'unknown'] as const).find((r) => clients.has(r))
  const tables = [...new Set(behaviour?.steps.flatMap((s) => (s.effect.kind === 'db' && s.effect.table ? [s.effect.table] : [])) ?? [])].sort()
  return {
    ...(entry.method ? { method: entry.method } : {}),
    route: entry.route,
    kind: entry.kind,
    subject: entry.subject,
    ...(entry.calling === 'next-api' ? { answers: 'res' as const } : entry.calling === 'lambda' ? { answers: 'status-object' as const } : {}),
    path: entry.path,
    line: entry.line,
    ...(entry.endLine ? { endLine: entry.endLine } : {}),
    ...optional('handler', written.handler),
    framework: entry.framework,
    ...(entry.uncaught ? { uncaught: true as const } : {}),
    ...(workspace.dir !== '' ? { workspace: workspace.dir } : {}),
    ...optional('lost', written.library || written.uploads ? undefined : lostHandler(program, entry)),
    ...optional('behaviour', behaviour),
    ...optional('guard', guard),
    ...optional('bypass', bypass),
    ...optional('limit', limit),
    ...optional('client', client),
    tables,
    work,
    before: entry.before.map((b: Before) => ({
      at: b.at,
      what: b.what,
      blocks: b.blocks,
      ...optional('name', b.name),
      ...optional('external', b.external),
      ...(b.name && b.blocks ? optional('written', writtenMiddleware(program, b)) : {}),
    })),
    ...optional('library', written.library),
    ...optional('page', entry.page),
    ...optional('platformJwt', entry.platformJwt),
    ...optional('onlySignIn', entry.onlySignIn),
    ...optional('declared', entry.declared),
    ...(entry.kind === 'page'
      ? {
          ...optional('beside', besideLayouts(entry, guard, work, slices, run)),
          ...optional('reachable', gate?.reachable),
          ...optional('signs', written.signs),
          ...optional('clientLayout', written.clientLayout),
          ...(!guard && passed?.restsOnSide ? optional('browserGuard', browserGuard(entry, run(gateOf(entry, undefined, 'browser')), imagined)) : {}),
        }
      : {}),
  }
}

/** The request that is imagined for a route, and what stands before its page: with the first parameter for which something does. */
function gated(
  entry: Entry,
  raw: Behaviour | undefined,
  run: (r: Runnables | undefined) => Behaviour | undefined,
): { imagined: Imagined; gate?: ReturnType<typeof gateGuard>; before?: Behaviour | undefined } {
  const request = (parameter?: string): Imagined => ({
    path: parameter === undefined && entry.requested ? entry.requested.path : samplePath(entry.route, parameter),
    ...(entry.method && !entry.otherMethods ? { method: entry.method } : {}),
    ...(entry.routeId === undefined ? {} : { routeId: entry.routeId }),
  })
  const imagined = request()
  if (entry.kind !== 'page') return { imagined }
  const before = raw?.through ? { ...raw, steps: [...raw.steps, ...raw.through] } : run(gateOf(entry))
  const gate = gateGuard(before, imagined, entry.framework)
  if (gate?.guard || !(before?.restsOnForm || restsOnForm(imagined))) return { imagined, gate, before }
  for (const parameter of OTHER_PARAMETERS) {
    const other = request(parameter)
    const found = gateGuard(run(gateOf(entry, other.path)), other, entry.framework)
    if (found?.guard) return { imagined: other, gate: found }
  }
  return { imagined, gate, before }
}

/** A spelling of the path that reaches the handler without the guard that stands before it. */
function bypassOf(entry: Entry, imagined: Imagined, slices: ModelBase, run: (r: Runnables | undefined) => Behaviour | undefined): Bypass | undefined {
  const spelling = spellingsOf(imagined.path).find((path) => reachesUnguarded(entry, { ...imagined, path }, slices, run))
  return spelling === undefined ? undefined : { spelling }
}

/** A path with a dot in it for which the matcher leaves out the middleware that is the only guard. */
function pastMatcher(entry: Entry, imagined: Imagined, slices: ModelBase, run: (r: Runnables | undefined) => Behaviour | undefined): Bypass | undefined {
  const dotted = withDot(entry)
  if (!dotted) return undefined
  const { spelling, before } = dotted
  return reachesUnguarded({ ...entry, before }, { ...imagined, path: spelling }, slices, run) ? { spelling, because: 'matcher' } : undefined
}

/** Whether a request for a path gets to the page, or to work of the handler, and nobody asked who sends it. */
function reachesUnguarded(entry: Entry, request: Imagined, slices: ModelBase, run: (r: Runnables | undefined) => Behaviour | undefined): boolean {
  if (entry.kind === 'page') {
    const gate = gateGuard(run(gateOf(entry, request.path)), request, entry.framework)
    return gate?.reachable === true && !gate.guard
  }
  const raw = run(runnablesOf(entry, request.path))
  const behaviour = raw?.complete ? forRequest(raw, entry, request) : undefined
  return behaviour !== undefined && workOf(inProduction(behaviour, entry.framework), slices.schema, slices.access).some((w) => !w.guard && !w.hidden)
}

function signsOf(program: Program, entry: Entry): PageSigns | undefined {
  if (!entry.page || entry.page.static) return undefined
  const { path, component } = entry.page
  if (component) return pageSigns(program, component.path, component.fn)
  if (/\.(vue|svelte|astro)$/.test(path)) return pageSigns(program, path, 0)
  const m = program.exported(path, 'default')
  return m?.k === 'fn' ? pageSigns(program, m.path, m.fn) : undefined
}

/** A layout above the page that sends visitors to sign-in, but only in the browser. */
function clientLayout(program: Program, entry: Entry, signsOfLayout: SignsOf): Place | undefined {
  if (!entry.page || entry.page.static) return undefined
  for (const { path, fn } of entry.page.layouts?.toReversed() ?? []) {
    const { redirects } = signsOfLayout(path, fn)
    if (redirects) return redirects
  }
  const parts = entry.page.path.split('/').slice(0, -1)
  for (let n = parts.length; n > 0; n--) {
    const dir = parts.slice(0, n).join('/')
    for (const file of ['layout.tsx', 'layout.jsx', 'layout.js', '+layout.svelte']) {
      const path = `${dir}/${file}`
      const js = program.js(path)
      if (!js) continue
      const m = path.endsWith('.svelte') ? ({ k: 'fn', path, fn: 0 } as const) : program.exported(path, 'default')
      const signs = m?.k === 'fn' ? signsOfLayout(m.path, m.fn) : undefined
      if (signs?.redirects) return signs.redirects
    }
  }
  return undefined
}

/** The behaviour for requests of this route: path and method tests of shared middleware are decided. */
function forRequest(behaviour: Behaviour, entry: Entry, imagined: Imagined): Behaviour {
  const request: Imagined = entry.anyPage ? { ...imagined, path: '\0' } : entry.anyPath === undefined ? imagined : { ...imagined, anyPath: entry.anyPath }
  // Step numbers are how values refer to steps, so an impossible step stays in its place as a note without conditions.
  const steps = behaviour.steps.map((s): Step => {
    const under = imagineConditions(s.under, request)
    return under ? { ...s, under } : { ...s, under: [], effect: UNREACHABLE }
  })
  const { complete, gaps, sinks, unsent, headersRead } = behaviour
  const through = behaviour.through?.flatMap((s): Step[] => {
    const under = imagineConditions(s.under, request)
    return under && s.at.path === SENTINEL_PATH && s.effect.kind === 'log' ? [{ ...s, under }] : []
  })
  return {
    steps,
    complete,
    ...(gaps ? { gaps } : {}),
    ...(sinks ? { sinks } : {}),
    ...(unsent ? { unsent } : {}),
    ...(headersRead ? { headersRead } : {}),
    ...(through?.length ? { through } : {}),
  }
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V })
}
