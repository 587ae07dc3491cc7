import type { Expr, JavaScriptFacts, Stmt } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { decodeJwt } from '../../facts/secrets/jwt.ts'
import { isPlaceholder } from '../../facts/secrets/placeholder.ts'
import { blocksOf, calleeText, childrenOf, exprsOf, propOf, stringOf } from '../frameworks/walk.ts'
import { envNameOf } from './code-reads.ts'
import type { HardcodedProject } from './env.ts'

/** Names that say which environment this is. */
const STAGE_TEST_NAME = /(^|\.)is_?(prod|preview|staging|dev|test|local)/i
/** The address alone, or that of one of its functions and tables. */
const PROJECT_URL = /^https:\/\/([a-z0-9]{20})\.(?:functions\.)?supabase\.(?:co|in|red)(?:\/?$|\/(?:functions|rest|auth|graphql)\/)/

/** A project's address as a literal of a file that no variable overrides, and its key beside it. */
export const hardcodedProjects = collectByCodeFile((path, js: JavaScriptFacts): HardcodedProject | undefined => {
  if (/(^|\/)scripts?\//i.test(path)) return undefined
  let url: { project: string; line: number } | undefined
  let key: { line: number } | undefined
  let firebase: { project: string; line: number } | undefined
  const projects = new Set<string>()
  const visit = (e: Expr, fallback: boolean): void => {
    const text = stringOf(e)
    const project = PROJECT_URL.exec(text ?? (e.k === 'tpl' ? (e.quasis[0] ?? '') : ''))?.[1]
    if (project) projects.add(project)
    // an address that no variable overrides stays the same whatever becomes of the key
    if (!fallback && project && !isPlaceholder(project)) url ??= { project, line: e.l }
    if ((text !== undefined && isProjectKey(text)) || (e.k === 'lit' && e.secret === 'supabase-service-role-jwt')) key ??= { line: e.l }
    if (e.k === 'obj') {
      const id = stringOf(propOf(e, 'projectId'))
      if (id && stringOf(propOf(e, 'apiKey'))?.startsWith('AIza') && !isPlaceholder(id)) firebase ??= { project: id, line: e.l }
    }
    const overridable = (e.k === 'logic' && e.op !== '&&' && readsEnv(e.a)) || (e.k === 'cond' && readsEnv(e.test)) || asksForVariable(e)
    for (const child of childrenOf(e)) visit(child, fallback || overridable)
  }
  const walk = (body: readonly Stmt[], fallback: boolean): void => {
    for (const s of body) {
      for (const e of exprsOf(s)) visit(e, fallback)
      const chosen = s.k === 'if' && (readsEnv(s.test) || STAGE_TEST_NAME.test(calleeText(s.test)))
      for (const block of blocksOf(s)) walk(block, fallback || chosen)
    }
  }
  for (const fn of js.functions) walk(fn.body, false)
  for (const x of js.exports) if (x.value) visit(x.value, false)
  // Two projects in one file are two environments.
  if (url && key && projects.size < 2) return { path, line: url.line, what: 'supabase', project: url.project, keyLine: key.line, also: [] }
  return firebase ? { path, line: firebase.line, what: 'firebase', project: firebase.project, keyLine: firebase.line, also: [] } : undefined
})

const SQL_ADDRESS = /https:\/\/([a-z0-9]{20})\.(?:functions\.)?supabase\.(?:co|in|red)\b/
const SQL_KEY = /eyJ[A-Za-z0-9_-]{10,400}\.[A-Za-z0-9_-]{10,800}\.[A-Za-z0-9_-]{10,400}|sb_publishable_[A-Za-z0-9_-]{10,80}/g

/** A migration that calls one project by its address and key: every environment that runs it calls that one. */
export function hardcodedProjectInSql(path: string, text: string): HardcodedProject | undefined {
  if (!/(^|\/)(?:migrations|schemas)\//.test(path)) return undefined
  let url: { project: string; line: number } | undefined
  let key: { line: number } | undefined
  text.split('\n').forEach((line, i) => {
    if (/^\s*--/.test(line)) return
    const project = SQL_ADDRESS.exec(line)?.[1]
    if (project && !isPlaceholder(project)) url ??= { project, line: i + 1 }
    if (!key && [...line.matchAll(SQL_KEY)].some((m) => isProjectKey(m[0]))) key = { line: i + 1 }
  })
  return url && key ? { path, line: url.line, what: 'supabase', project: url.project, keyLine: key.line, also: [] } : undefined
}

/** How far a file is from the application: a script at the root or a test calls the project, its source is built with it, static assets are copies. */
function distance(path: string): number {
  if (/(^|\/)public\//.test(path)) return 2
  return !path.includes('/') || /(^|\/)(tests?|__tests__|e2e|examples?|docs?|tools)\//i.test(path) ? 1 : 0
}

/**
 * One project is one cause: the first file of the application itself, the others beside it. A script beside an application that reads its address
 * from the environment (`reads`: where) calls the one project that its author works with, and nothing else does.
 */
export function oneOfEachProject(all: readonly HardcodedProject[], reads: readonly { readonly name: string; readonly path: string }[]): HardcodedProject[] {
  const merged = new Map<string, HardcodedProject>()
  const bySettings = reads.some((r) => /SUPABASE_(?:PROJECT_)?URL$/.test(r.name) && distance(r.path) === 0)
  const ofApplication = bySettings ? all.filter((p) => p.what !== 'supabase' || distance(p.path) === 0) : all
  for (const p of [...ofApplication].sort((a, b) => distance(a.path) - distance(b.path))) {
    const known = merged.get(p.project)
    merged.set(p.project, known ? { ...known, also: [...known.also, { path: p.path, line: p.line }] } : p)
  }
  return [...merged.values()]
}

function isProjectKey(value: string): boolean {
  const text = value.replace(/^Bearer /, '')
  if (text.startsWith('sb_publishable_')) return !isPlaceholder(text, text.slice(15))
  if (!text.startsWith('eyJ')) return false
  const claims = decodeJwt(text)
  return claims?.role === 'anon' && claims.iss !== 'supabase-demo'
}

/** `fromEnv('VITE_API_URL', 'https://…')`: what a helper is given beside the name of a variable stands in for it. */
function asksForVariable(e: Expr): boolean {
  return e.k === 'call' && e.args.some((a) => VARIABLE.test(stringOf(a) ?? ''))
}

const VARIABLE = /^[A-Z][A-Z0-9]{0,40}_[A-Z0-9_]{1,60}$/

function readsEnv(e: Expr): boolean {
  return envNameOf(e) !== undefined || childrenOf(e).some(readsEnv)
}
