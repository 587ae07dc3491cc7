import { mentions } from '../../model/behaviour/domain/contains.ts'
import { guardOfStep } from '../../model/routes/guards/guard.ts'
import type { Route } from '../../model/routes/routes.ts'

const SEGMENT =
  /^(dashboard|account|my-account|settings|admin|administration|backoffice|billing|portal|workspace|workspaces|console|panel|mi-cuenta|cuenta|konto|mon-compte|profile|inbox|protected)$/i
const ADMIN_LIKE = /^admin-(?!set-?up|invit|activat)[\w-]+$/i
/** Names of groups that say so in any part; the short ones have to be words of their own: `(apply)` is no application. */
const PROTECTED_ROUTE_GROUP =
  /^\((?:.*(?:protected|authenticated|authed|private|dashboard|secure|logged-?in|user-area|members|admin).*|(?:.*[-_])?(?:app|console|accounts?)(?:[-_].*)?)\)$/i
const PUBLIC_LEAF =
  /^(log-?in|sign-?in|sign-?up|register|registration|forgot-?password|reset-?password|verify.*|confirm.*|callback|auth|logout|signout|welcome|pricing|terms|privacy|error|unauthorized|access-denied|success|cancel(led)?|invite|join|onboarding-public)$/i
/** What somebody is told who may not go on; below other pages it may be a list of them (`/settings/blocked`). */
const NOTICE = /^\/(?:[a-z]{2}\/)?(?:blocked|banned|suspended|forbidden|no-access|not-authori[sz]ed)$/i
/** Sign-in and recovery as part of a name: `admin-login`, `login_logout`, `reset_password`. */
const SIGN_IN_NAME_PART = /(^|[-_])(log-?in|sign-?in|sign-?up|register|(forgot|reset|recover)[-_]?password)([-_]|$)/i
const MARKETING = /^\/($|(buy|pricing|plans|about|contact|blog|docs|faq|terms|privacy|features|home|landing)(\/|$|-))/i

/** Why the application itself treats a page as protected; undefined when it does not. */
export function protectedBecause(route: Route, all: readonly Route[], usesAuth: boolean): string | undefined {
  const segments = route.route.split('/').filter((s) => s !== '')
  if (segments.some((s) => PUBLIC_LEAF.test(s) || SIGN_IN_NAME_PART.test(s)) || NOTICE.test(route.route) || !usesAuth) return undefined
  if (route.clientLayout) return `the layout above it sends visitors without a session to sign-in (${route.clientLayout.path}:${route.clientLayout.line})`
  // the entrance that leads everybody on, to the own pages or to sign-in, holds nothing itself
  const entrance = route.route === '/' && !route.work.length && (route.signs?.leadsOn === true || asksNobody(route))
  if (route.signs?.redirects && !entrance) return `it sends visitors without a session to sign-in (${route.signs.redirects.path}:${route.signs.redirects.line})`
  if (
    route.guard &&
    route.guard.who !== 'token' &&
    route.guard.refusal.how !== 'next' &&
    // a front page that only looks at what was sent welcomes everybody
    !(route.guard.trust === 'claimed' && MARKETING.test(route.route)) &&
    (route.guard.who === 'user' || route.guard.who === 'admin' || route.guard.who === 'check')
  )
    return `it is guarded at ${route.guard.at.path}:${route.guard.at.line}`
  const after = openedByAfterAuth(route)
  if (after) return `it is not among the public routes of the middleware (${after.at.path}:${after.at.line})`
  if (route.listedOpen) return undefined
  if (route.idleGuard?.because === 'request')
    return `the middleware sends visitors without a session away from it (${route.idleGuard.at.path}:${route.idleGuard.at.line})`
  const segment =
    isForReaders(route, segments) || isForGuests(route) || isDemonstration(route, segments)
      ? undefined
      : segments.find((s) => SEGMENT.test(s) || ADMIN_LIKE.test(s))
  // A public profile or workspace is addressed by its name: `/profile/[username]`.
  const addressed = segment !== undefined && /^(profile|account|workspace|portal)$/i.test(segment) && /^\[/.test(segments[segments.indexOf(segment) + 1] ?? '')
  if (segment && !addressed) return `it is under /${segment}`
  const group = (route.page?.path ?? route.path).split('/').find((s) => PROTECTED_ROUTE_GROUP.test(s))
  const told = group !== undefined && !/marketing|public|landing/i.test(group) && !holdsFrontPage(group, all)
  if (told && (route.signs?.readsUser || route.work.some((w) => w.userData || w.guard))) return `it is in the group ${group}`
  if (MARKETING.test(route.route)) return undefined
  const named = namedByCookie(route)
  if (named) return `the server reads ${named.table} of whoever the cookie ${named.cookie} names`
  const asks = (route.signs?.asks ?? []).map((a) =>
    all.find((r) => r.kind === 'api' && (r.method === undefined || r.method === 'GET') && samePath(r.route, a.url)),
  )
  const forUsers = asks.filter((r) => r?.guard && (r.guard.who === 'user' || r.guard.who === 'admin') && r.tables.length > 0)
  if (asks.length && forUsers.length === asks.length && !segments.some((s) => SHOPPING.test(s)))
    return `all it shows comes from ${asks[0]?.route}, which answers signed-in users only`
  // a group of folders that is called public may hold somebody's own pages as well
  const own = forUsers.length ? segments.find((s) => SEGMENT.test(s) || ADMIN_LIKE.test(s)) : undefined
  if (own && !addressed && !isDemonstration(route, segments)) return `it is under /${own} and shows what ${forUsers[0]?.route} answers signed-in users only`
  const personal = route.work.find((w) => w.kind === 'read' && w.userData && w.guard?.who === 'user')
  // with the caller's own client a made-up session reads nothing, and the page shows without one as well
  const asked = personal?.guard?.trust === 'verified' || personal?.rights === 'service'
  if (personal && asked && route.work.every((w) => w.guard)) return `the server ${personal.what} for the signed-in user`
  return undefined
}

/** Guests buy as well: what the page asks for whoever is signed in, it does without for others. */
const SHOPPING = /^(?:checkout|cart|basket|kasse|panier|carrito)$/i

/** It looks at nothing that would tell one visitor from another. */
const asksNobody = ({ signs }: Route): boolean => !signs?.readsUser && !signs?.readsKept && !signs?.asks.length

/** Clerk's middleware with public routes and an `afterAuth` of its own, which takes the place of the refusal and lets everybody through. */
export const openedByAfterAuth = (route: Route) => (route.guard ? undefined : route.before.find((b) => b.name === 'afterAuth'))

/** A group that holds the terms, the prices or the front page itself is the layout of the whole site, whatever it is called. */
function holdsFrontPage(group: string, all: readonly Route[]): boolean {
  return all.some((r) => r.kind === 'page' && (r.page?.path ?? r.path).split('/').includes(group) && isForEverybody(r))
}

const isForEverybody = ({ route, guard, signs, work }: Route): boolean =>
  MARKETING.test(route) && !guard && !signs?.redirects && (route !== '/' || !(signs?.readsUser || work.some((w) => w.userData)))

/** Cookies that say who somebody is; that of a basket says only which one. */
const IDENTITY_COOKIE =
  /(^|[-_.])(user|usuario|usuário|account|customer|cliente|member|profile|owner)([-_.]?(id|uid|uuid|e?mail))?$|^(uid|userid|e?mail)$|(session|auth|login|token)\.(id|sub|uid|user_?id|e?mail)$/i

/** Rows that the server looks up with all rights by what a cookie says of who asks. */
export function namedByCookie(route: Route): { readonly table: string; readonly cookie: string } | undefined {
  for (const { effect: e } of route.behaviour?.steps ?? []) {
    if (e.kind !== 'db' || e.op !== 'select' || e.client.rights !== 'service' || !e.table) continue
    let cookie: string | undefined
    for (const f of e.filters)
      mentions(f.value, (x) => {
        if (x.v === 'request' && x.part === 'cookie' && IDENTITY_COOKIE.test(x.name ?? '')) cookie = x.name
        return false
      })
    if (cookie) return { table: e.table, cookie }
  }
  return undefined
}

/** A page that leads whoever is signed in elsewhere is for those who are not: sign-in under another name. */
function isForGuests({ behaviour, guard, work, page, path }: Route): boolean {
  if (!behaviour || guard || work.some((w) => w.userData)) return false
  const own = page?.path ?? path
  return behaviour.steps.some(
    (s) => s.at.path === own && s.effect.kind === 'respond' && s.effect.how === 'redirect' && guardOfStep(s, behaviour)?.who === 'user',
  )
}

/** What is only written about: `/docs/settings`, `/legal/billing`, and what the application keeps among its marketing pages. */
function isForReaders(route: Route, segments: readonly string[]): boolean {
  if (/\/\((?:.*[-_])?(?:marketing|landing|public)(?:[-_].*)?\)\//i.test(route.page?.path ?? route.path)) return true
  const section = segments.findIndex((s) => READING.test(s))
  return section >= 0 && segments.slice(section + 1).some((s) => SEGMENT.test(s)) && !segments.slice(0, section).some((s) => SEGMENT.test(s))
}

/** `/demo/settings`: what the application looks like, shown with made-up figures. A page there that asks for anything real is none. */
function isDemonstration({ work, signs }: Route, segments: readonly string[]): boolean {
  const section = segments.findIndex((s) => DEMO.test(s))
  return section >= 0 && segments.slice(section + 1).some((s) => SEGMENT.test(s)) && !work.length && !signs?.readsUser && !signs?.asks?.length
}

const DEMO = /^(?:(?:live|product|interactive)-)?(?:demos?|examples?|samples?|tour|playground)$/i

const READING = /^(legal|policies|docs?|documentation|help|help-?cent(?:er|re)|guides?|tutorials?|blog|articles|news|changelog|faq|glossary|learn|kb)$/i

function samePath(route: string, url: string): boolean {
  const a = route.split('/')
  const b = url.replace(/\/$/, '').split('/')
  return a.length === b.length && a.every((s, i) => s === b[i] || (s.startsWith('[') && (b[i] ?? '') !== ''))
}
