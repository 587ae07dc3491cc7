import { byproductRole } from '../../facts/byproducts.ts'
import type { FactsIndex } from '../../facts/facts.ts'
import type { Expr, JavaScriptFacts } from '../../facts/javascript.ts'
import type { SecretFact } from '../../facts/kinds.ts'
import type { FilesModel } from '../files/files.ts'
import { dirname } from './paths.ts'
import { walkExpressions } from './walk.ts'

/** A place that holds or reads Supabase's service-role key, and whether a browser gets it. */
export interface ServiceRoleUse {
  readonly path: string
  readonly line: number
  /** `variable`: reads it from the environment; `literal`: the key itself; `output`: the key itself in committed build output. */
  readonly how: 'variable' | 'literal' | 'output'
  /** The variable's name, or what may be shown of the key. */
  readonly what: string
  /** Keyed hash of a literal. */
  readonly hash?: string
  /** Set when an env file gives the variable a service-role key although its name says otherwise. */
  readonly valueAt?: { readonly path: string; readonly line: number }
  readonly inBrowser: boolean
}

const KEY_KINDS: ReadonlySet<string> = new Set(['supabase-service-role-jwt', 'supabase-secret-key'])
const SERVICE_ROLE_KEY_NAME =
  /service_?role|^(?:[a-z]+_)*?supabase_(?:service|admin|secret)(?:_api)?_?key$|^(?:[a-z]+_)*?supabase_secret$|^supabase(?:Service|Secret|Admin)Key$/i
/** `TABLE_SERVICE_ROLES` and the like are no keys. */
const NOT_A_KEY = /service_?roles|_(?:id|name|url|enabled|arn)$/i
const ENVIRONMENT_NAMES = /^(?:env|ENV|environment|config|serverEnv|serverConfig|runtimeConfig)$/
/** Folders of build output that browsers load, and pages. */
const SERVED_OUTPUT = /(^|\/)(_next\/static|\.next\/static|_app\/immutable|_astro|_nuxt|assets|static|chunks|client|public)\/|\.html?$/
const SERVER_OUTPUT =
  /(^|\/)(\.next\/server|\.next\/standalone|\.output\/server|\.netlify\/functions|\.vercel\/output\/functions|output\/server|build\/server|dist\/server|server)\//

/** True for names of variables that hold the service-role key. */
export function namesServiceRole(name: string): boolean {
  return SERVICE_ROLE_KEY_NAME.test(name) && !NOT_A_KEY.test(name)
}

/** Every use of the key in the repository's code, pages and build output, in order of path and line. */
export function findServiceRoleUses(
  facts: FactsIndex,
  files: FilesModel,
  paths: ReadonlySet<string>,
  graph: { inBrowser(path: string, line: number): boolean },
): ServiceRoleUse[] {
  const found: ServiceRoleUse[] = []
  const mistaken = mistakenVariables(facts)
  for (const [path, js] of facts.of('javascript')) {
    const role = files.role(path)
    if (role === 'test' || role === 'vendored') continue
    for (const read of keyReads(js, mistaken)) {
      const valueAt = namesServiceRole(read.name) ? undefined : mistaken.get(read.name)
      found.push({ path, line: read.line, how: 'variable', what: read.name, ...(valueAt ? { valueAt } : {}), inBrowser: graph.inBrowser(path, read.line) })
    }
  }
  for (const [path, { secrets }] of facts.of('secrets')) {
    for (const secret of secrets) {
      // The local stack's published key opens nothing.
      if (!KEY_KINDS.has(secret.kind) || secret.live === 'local-demo') continue
      const use = literalUse(path, secret)
      if (use) found.push(use)
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line))

  function literalUse(path: string, secret: SecretFact): ServiceRoleUse | undefined {
    const shared = { path, line: secret.line, what: secret.redacted, hash: secret.hash }
    const byproduct = byproductRole(path)
    if (byproduct === 'generated') return { ...shared, how: 'output', inBrowser: isServedOutput(path, paths) }
    if (byproduct === 'vendored') return undefined
    if (facts.of('javascript').has(path))
      return files.role(path) === 'test' ? undefined : { ...shared, how: 'literal', inBrowser: graph.inBrowser(path, secret.line) || isPublicFile(path) }
    if (isPublicFile(path)) return { ...shared, how: 'output', inBrowser: true }
    if (/\.html?$/i.test(path) && files.role(path) === 'source' && !/(^|\/)(e?mails?|templates?|docs?)\//i.test(path))
      return { ...shared, how: 'literal', inBrowser: true }
    return undefined
  }
}

function isPublicFile(path: string): boolean {
  return /^([^/]+\/){0,3}(public|static)\/.*\.(m?js|json|html?|txt|xml|webmanifest)$/i.test(path) && !/(^|\/)(src|server|supabase|node_modules)\//.test(path)
}

/** Build output is served when it lies where bundlers put what browsers load, or beside the page that loads it. */
function isServedOutput(path: string, paths: ReadonlySet<string>): boolean {
  if (SERVER_OUTPUT.test(path) || /\.map$/.test(path)) return false
  if (SERVED_OUTPUT.test(path)) return true
  const root = /^(.*?(?:^|\/)(?:dist|build|out|storybook-static))\//.exec(path)?.[1]
  return root !== undefined && (paths.has(`${root}/index.html`) || paths.has(`${dirname(path)}/index.html`))
}

/** Variables whose value in some env file is a service-role key, whatever they are called. */
function mistakenVariables(facts: FactsIndex): ReadonlyMap<string, { path: string; line: number }> {
  const found = new Map<string, { path: string; line: number }>()
  for (const [path, { variables }] of facts.of('env-file')) {
    for (const v of variables) if (KEY_KINDS.has(v.kind) && !found.has(v.name)) found.set(v.name, { path, line: v.line })
  }
  return found
}

/** What a file reads depends on the file, and on which names env files give a key by mistake. */
const known = new WeakMap<JavaScriptFacts, { readonly mistaken: string; readonly reads: ReturnType<typeof environmentReads> }>()

function keyReads(js: JavaScriptFacts, mistaken: ReadonlyMap<string, unknown>): ReturnType<typeof environmentReads> {
  const names = [...mistaken.keys()].join(' ')
  const before = known.get(js)
  if (before?.mistaken === names) return before.reads
  const reads = environmentReads(js, (name) => namesServiceRole(name) || mistaken.has(name))
  known.set(js, { mistaken: names, reads })
  return reads
}

/** Names for what a validator made of the whole environment (`const env = schema.parse(process.env)`, `parsed.data`): bundles have nothing to put in there. */
function validatorsAnswers(js: JavaScriptFacts): ReadonlySet<string> {
  const found = new Set<string>()
  walkExpressions(js, js.functions[0]?.body ?? [], (e) => {
    const { k, to, init } = e as unknown as { k: string; to?: { k: string; name?: string }; init?: Expr }
    if (k !== 'let' || to?.k !== 'name' || to.name === undefined || !init) return
    if ((init.k === 'mem' && init.name === 'data') || (init.k === 'call' && init.fn.k === 'mem' && /^(?:parse|validateSync)$/.test(init.fn.name)))
      found.add(to.name)
  })
  return found
}

/** Reads of environment variables whose name is wanted. */
function environmentReads(js: JavaScriptFacts, wanted: (name: string) => boolean): { name: string; line: number }[] {
  const found = new Map<string, { name: string; line: number }>()
  const add = (name: string, line: number) => {
    if (wanted(name) && !found.has(`${name}:${line}`)) found.set(`${name}:${line}`, { name, line })
  }
  // Validators such as T3 env hand server variables to the server only and throw in the browser.
  const validated = new Set<Expr>()
  for (const i of js.imports) if (/^\$env\//.test(i.from)) for (const b of i.bindings) add(b.imported, i.l)
  const candidates: { name: string; line: number; object: string | undefined }[] = []
  const runtimeConfigs = new Set<string>()
  const selective = selectiveReaders(js)
  const checked = validatorsAnswers(js)
  walkExpressions(js, js.functions[0]?.body ?? [], (e) => {
    if (e.k === 'call') {
      if (e.fn.k === 'id' && e.fn.name === 'createEnv') for (const a of e.args) walkExpressions(js, a, (x) => void validated.add(x))
      if (e.fn.k === 'id' && selective.has(e.fn.name)) return
      const first = e.args[0]
      const name = e.fn.k === 'mem' ? e.fn.name : e.fn.k === 'id' ? e.fn.name : ''
      const onEnvironment = e.fn.k === 'mem' && e.fn.name === 'get' && isEnvironment(e.fn.of)
      if (first?.k === 'lit' && typeof first.v === 'string' && (onEnvironment || /env|config/i.test(name))) add(first.v, first.l)
      return
    }
    if (e.k === 'mem' && !validated.has(e)) {
      // `config.serviceRoleKey` may be a field of a form; `env.SERVICE_ROLE_KEY` is what it looks like.
      const root = e.of.k === 'mem' && e.of.name === 'public' ? e.of.of : e.of
      if (root.k === 'id') {
        if (/^[A-Z][A-Z0-9_]+$/.test(e.name) ? isEnvironment(root) && !checked.has(root.name) : wanted(e.name))
          candidates.push({ name: e.name, line: e.l, object: /^[A-Z][A-Z0-9_]+$/.test(e.name) ? undefined : root.name })
      } else if (isEnvironment(e.of)) add(e.name, e.l)
    }
    const statement = e as unknown as { k: string; to?: { k: string; name?: string; props?: readonly { key: string }[] }; init?: Expr; l: number }
    if (
      statement.k === 'let' &&
      statement.to?.name &&
      statement.init?.k === 'call' &&
      statement.init.fn.k === 'id' &&
      statement.init.fn.name === 'useRuntimeConfig'
    )
      runtimeConfigs.add(statement.to.name)
    if (statement.k === 'let' && statement.to?.k === 'object' && statement.init && isEnvironment(statement.init))
      for (const p of statement.to.props ?? []) add(p.key, statement.l)
  })
  for (const c of candidates) if (c.object === undefined || runtimeConfigs.has(c.object)) add(c.name, c.line)
  return [...found.values()]
}

/**
 * Functions of the file that read a variable by a computed name, which no bundler fills in, and ask first where they
 * run: `if (isBrowser && isSecret) return ''`.
 */
function selectiveReaders(js: JavaScriptFacts): ReadonlySet<string> {
  const found = new Set<string>()
  for (const fn of js.functions) {
    if (!fn.name) continue
    let asks = false
    let written = false
    walkExpressions(js, fn.body, (e) => {
      if (e.k === 'id' && /^(isBrowser|isClient|isServer|window|document)$/.test(e.name)) asks = true
      if (e.k === 'mem' && isEnvironment(e.of)) written = true
    })
    if (asks && !written) found.add(fn.name)
  }
  return found
}

/** `process.env`, `import.meta.env`, `Deno.env`, `Bun.env`, `useRuntimeConfig()`, and objects that are called so. */
function isEnvironment(e: Expr): boolean {
  if (e.k === 'id') return ENVIRONMENT_NAMES.test(e.name)
  if (e.k === 'call') return e.fn.k === 'id' && e.fn.name === 'useRuntimeConfig'
  if (e.k !== 'mem') return false
  if (e.name === 'env')
    return (
      (e.of.k === 'id' && /^(process|Deno|Bun|globalThis)$/.test(e.of.name)) ||
      (e.of.k === 'mem' && e.of.name === 'meta') ||
      (e.of.k === 'id' && /^(context|ctx|c|platform|event)$/.test(e.of.name))
    )
  return e.name === 'public' && isEnvironment(e.of)
}
