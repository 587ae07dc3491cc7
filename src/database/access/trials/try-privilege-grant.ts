import type { Catalog, SqlFunction, Table } from '../../database.ts'
import { ABOVE_TENANTS } from '../column-authority/global-role-value.ts'
import { fixFor } from '../fixes/fix-for-hole.ts'
import { functionObject } from '../functions/security-definer.ts'
import type { Hole } from '../hole.ts'
import { nameOf, type Reading } from '../policies/read-policies.ts'
import { ident, identOf, literal, readableName } from '../sql.ts'
import type { AccessSession } from './access-session.ts'
import type { Seeded } from './seed-rows.ts'
import { allowedValues, checkLiterals, enumLabels, USERS } from './seed-values.ts'
import { NEWCOMER, otherFields, readersOfSignUp, readerThatWrites, type SignUpReader, simulateSignUp } from './simulate-sign-up.ts'
import { Trier } from './trial.ts'
import type { FunctionTrials } from './try-functions.ts'

/** Below this many milliseconds no more trials begin. */
const RESERVE_MS = 900
const MAX_VALUES = 6

/** Columns that say as what somebody acts, also in the other languages that builders' users write in. */
const GRANTABLE_ROLE_COLUMN =
  /(^|_)(roles?|rol|papel|ruolo|rolle|cargo|funcao|perfil|user_?type|account_?type|tipo_(usuario|conta|utente)|access_level|nivel_acesso)$|(^|_)(is_?)?(super_?)?(admin|administrator|administrador|staff|superuser)$/i
/** What administrators are called. */
const ADMINISTRATOR = /^(is_?)?(super|sys(tem)?|app|platform|global|site)?_?(adm[io]n\w*|amministra\w*)$|^(root|super_?user|staff|moderat\w*|moderador\w*)$/i
/** Fields of the metadata that may hold it. */
const STANDING_FIELD = /rol|papel|cargo|fun[cç]|perfil|type|tipo|admin|staff|super|level|nivel|access|permission|kind/i

/** A column that makes somebody an administrator, with the values that do. */
interface Post {
  readonly table: Table
  readonly column: string
  readonly owner: string
  readonly values: readonly string[]
  /** Whether the value is true instead of a name. */
  readonly flag: boolean
}

/**
 * Lets a newcomer sign up as an administrator, and an ordinary user call the functions that appoint one. What a visitor sends at sign-up
 * (`raw_user_meta_data`) is his own word; a function that appoints whoever calls it leaves the choice to everybody.
 */
export async function tryAppointments(
  session: AccessSession,
  catalog: Catalog,
  seeded: Seeded,
  functions: FunctionTrials,
  readings: ReadonlyMap<string, readonly Reading[]>,
  known: readonly Hole[],
): Promise<readonly Hole[]> {
  const posts = postsOf(catalog)
  if (!posts.length || session.remainingMs() < RESERVE_MS) return []
  const signedUp = await session.attempt('appointment at sign-up', () => trySignUp(session, catalog, posts, taken(posts, seeded)))
  const holes: Hole[] = [...(signedUp ?? [])]
  const trier = new Trier(session)
  for (const fn of catalog.functions.filter((f) => f.securityDefiner && !f.isTrigger && appoints(f, posts))) {
    const object = functionObject(fn)
    if (known.some((h) => h.kind === 'function-write' && h.object === object) || session.remainingMs() < RESERVE_MS) continue
    const hole = await session.attempt(`appointment ${object}`, () => tryCall(trier, catalog, seeded, functions, readings, fn, posts))
    if (hole) holes.push(hole)
  }
  return holes
}

/** Where people stand as administrators. Rows of a tenant say who rules that tenant only, which may be of the user's own making, or stands above all of them. */
function postsOf(catalog: Catalog): Post[] {
  return catalog.tables.flatMap((table) => {
    const owners = [...new Set([...(table.userData?.ownerColumns ?? []), ...ownKey(table)])]
    const [owner] = owners
    if (!owner || table.extension || table.stub || /^(auth|storage)$/.test(table.schema)) return []
    const ofTenant = (table.userData?.tenantColumns.length ?? 0) > 0
    return table.columns
      .filter((c) => GRANTABLE_ROLE_COLUMN.test(c.name) && !c.generated && !owners.includes(c.name))
      .flatMap((c) => {
        const flag = c.type === 'boolean'
        const labels = enumLabels(c.type, catalog)
        const allowed = labels ?? (checkLiterals(table, c.name).length ? checkLiterals(table, c.name) : undefined)
        if (!flag && !labels && !/^(text|citext|character varying|varchar)/.test(c.type)) return []
        const named = flag ? ['true'] : (allowed ?? [...new Set(['admin', 'super_admin', ...namedIn(catalog, c.name)])]).filter((v) => ADMINISTRATOR.test(v))
        const values = ofTenant ? (flag ? [] : named.filter((v) => ABOVE_TENANTS.test(v))) : named
        return values.length ? [{ table, column: c.name, owner, values, flag }] : []
      })
  })
}

/** Names above all tenants with which policies compare a column: `(role = 'superadmin'::text)`. */
function namedIn({ policies, functions }: Catalog, column: string): readonly string[] {
  const texts = [...policies.flatMap((p) => [p.using ?? '', p.check ?? '']), ...functions.map((f) => f.body)]
  const compared = new RegExp(`${column.replace(/\W/g, '.')}\\b[^'\\n;]{0,40}'([\\w -]{1,40})'`, 'gi')
  return texts.flatMap((text) => [...text.matchAll(compared)].flatMap((m) => (ABOVE_TENANTS.test(m[1] as string) ? [m[1] as string] : [])))
}

/** The key of a table whose rows are users. */
function ownKey(table: Table): readonly string[] {
  return table.foreignKeys
    .filter((f) => f.references === 'auth.users' && f.columns.length === 1 && table.primaryKey.includes(f.columns[0] as string))
    .flatMap((f) => f.columns)
}

/** SQL that names the posts that a user holds. */
function heldBy(posts: readonly Post[], user: string): string {
  return posts
    .map(
      ({ table, column, owner, values }, i) =>
        `select ${i} as post, ${ident(column)}::text as value from ${identOf(nameOf(table))} where ${ident(owner)}::text = ${literal(user)} and ${ident(column)}::text in (${values.map(literal).join(', ')})`,
    )
    .join(' union all ')
}

interface Held {
  readonly post: Post
  readonly value: string
}

/** Statements that make B an administrator everywhere: who comes first is often made one, and somebody was. */
function taken(posts: readonly Post[], seeded: Seeded): string {
  const statements = posts.flatMap(({ table, column, owner, values }) =>
    seeded.rows.get(nameOf(table))?.B
      ? [`update ${identOf(nameOf(table))} set ${ident(column)} = ${literal(values[0] as string)} where ${ident(owner)}::text = ${literal(USERS.B.id)}`]
      : [],
  )
  return statements.join('; ') || 'select 1'
}

async function trySignUp(session: AccessSession, catalog: Catalog, posts: readonly Post[], before: string): Promise<Hole[]> {
  const readers = readersOfSignUp(catalog)
  const fields = [...new Set(readers.flatMap((r) => r.fields))]
  const standing = fields.filter((f) => STANDING_FIELD.test(f))
  if (!standing.length) return []
  const values = [...new Set(posts.flatMap((p) => p.values))].slice(0, MAX_VALUES)
  const found = new Map<SignUpReader, Held>()
  for (const others of otherFields(fields, standing)) {
    const usual = await newcomer(session, posts, before, others)
    if (!usual) continue
    for (const value of values) {
      const claimed = { ...others, ...Object.fromEntries(standing.map((f) => [f, value === 'true' ? true : value])) }
      for (const held of (await newcomer(session, posts, before, claimed)) ?? []) {
        if (held.value !== value || usual.some((u) => u.post === held.post && u.value === held.value)) continue
        const reader = readerThatWrites(readers, held.post.table.name, held.post.column)
        if (reader && !found.has(reader)) found.set(reader, held)
      }
    }
    break
  }
  return [...found].map(([{ fn, at }, { post, value }]) => ({
    kind: 'function-write',
    object: functionObject(fn),
    command: 'execute',
    who: 'authenticated',
    cause: 'user-metadata',
    because: 'sign-up',
    columns: [post.column],
    states: [{ table: nameOf(post.table), column: post.column, op: '=', value: post.flag ? true : value }],
    tables: [{ table: nameOf(post.table), command: at, grants: true }],
    at: fn.at,
    proof: 'executed',
    fix: { code: fixAtSignUp(fn, post, catalog), proved: false },
  }))
}

/** The posts of somebody who signs up with this metadata; undefined when signing up fails. */
async function newcomer(session: AccessSession, posts: readonly Post[], before: string, metadata: object): Promise<readonly Held[] | undefined> {
  const rows = await simulateSignUp(session, before, metadata, heldBy(posts, NEWCOMER.id))
  return rows?.flatMap((r) => {
    const post = posts[Number(r['post'])]
    return post ? [{ post, value: String(r['value']) }] : []
  })
}

/** The function with a closed list in place of the visitor's word. */
function fixAtSignUp(fn: SqlFunction, post: Post, catalog: Catalog): string {
  const field = [...fn.body.matchAll(/((?:new\s*\.\s*)?raw_user_meta_data)\s*->>?\s*'([\w-]{1,40})'/gi)].find((m) => STANDING_FIELD.test(m[2] as string))
  const sent = field ? `${field[1]} ->> '${field[2]}'` : `new.raw_user_meta_data ->> '${post.column}'`
  const labels = allowedValues(post.table, post.column, catalog)
  const harmless = labels.filter((v) => !ADMINISTRATOR.test(v) && !/owner|support|suporte|soporte|manager|gerente|employee|internal/i.test(v))
  // what the function itself offers; a label that it never names may be a post that somebody else gives
  const offered = harmless.filter((v) => fn.body.includes(`'${v}'`))
  const usual =
    offered.find((v) => new RegExp(`(?:else|,)\\s*'${v.replace(/\W/g, '.')}'`, 'i').test(fn.body)) ??
    offered[0] ??
    /^'([^']+)'/.exec(post.table.columns.find((c) => c.name === post.column)?.default ?? '')?.[1]
  const where = `-- in ${readableName(`${fn.schema}.${fn.name}`)}(), instead of ${sent}: what a visitor may choose, and nothing else`
  if (post.flag || !usual) return `${where}\n${post.flag ? 'false' : 'null'} -- administrators are appointed by the server, with the service role`
  if (offered.length < 2) return `${where}\n${literal(usual)}`
  return `${where}\ncase when ${sent} in (${offered.map(literal).join(', ')}) then ${sent} else ${literal(usual)} end`
}

/** Whether a function writes where administrators stand, and names one. */
function appoints(fn: SqlFunction, posts: readonly Post[]): boolean {
  if (!/\b(insert|update)\b/i.test(fn.body)) return false
  return posts.some(
    (p) =>
      new RegExp(`\\b${p.table.name.replace(/\W/g, '.')}\\b`, 'i').test(fn.body) &&
      p.values.some((v) => (p.flag ? /\btrue\b/i.test(fn.body) : fn.body.includes(`'${v}'`))),
  )
}

/** An ordinary user's call; somebody else holds the post already, so that a function which appoints the first administrator only refuses. */
async function tryCall(
  trier: Trier,
  catalog: Catalog,
  seeded: Seeded,
  functions: FunctionTrials,
  readings: ReadonlyMap<string, readonly Reading[]>,
  fn: SqlFunction,
  posts: readonly Post[],
): Promise<Hole | undefined> {
  const call = () =>
    trier.attempt('A', `select 1 as called from ${functions.callOf(fn)} as answer`, {
      prepare: taken(posts, seeded),
      inspect: heldBy(posts, USERS.A.id),
    })
  const before = await call()
  const post = posts[Number(before.rows?.[0]?.['post'] ?? -1)]
  if (before.result !== 'allowed' || !post) return undefined
  const hole: Hole = {
    kind: 'function-write',
    object: functionObject(fn),
    command: 'execute',
    who: 'authenticated',
    because: 'appointment',
    columns: [post.column],
    states: [{ table: nameOf(post.table), column: post.column, op: '=', value: post.flag ? true : String(before.rows?.[0]?.['value']) }],
    tables: [{ table: nameOf(post.table), command: 'update', grants: true }],
    at: fn.at,
    proof: 'executed',
  }
  const code = fixFor(hole, catalog, readings)
  const after = code ? await trier.withFix(code, call) : undefined
  return code && after?.result === 'refused' ? { ...hole, fix: { code, proved: true } } : hole
}
