import type { Catalog, Table } from '../../database.ts'
import { hasPrivilege, nameOf, type Reading } from '../policies/read-policies.ts'

/** A row per user that a trigger creates at sign-up cannot be inserted a second time, unless its owner may delete it before. */
export function createdAtSignUp(table: Table, catalog: Catalog, readings: readonly Reading[]): boolean {
  const removable = readings.some((r) => r.command === 'delete' && r.ways.some((w) => w.outcome === 'owner' && !w.needsRole))
  if (removable && hasPrivilege(table.grants, 'authenticated', 'delete')) return false
  const owners = table.userData?.ownerColumns ?? []
  const single = owners.some(
    (o) =>
      (table.primaryKey.length === 1 && table.primaryKey[0] === o) || table.uniques.some((u) => !u.partial && u.columns.length === 1 && u.columns[0] === o),
  )
  if (!single) return false
  const puts = new RegExp(`insert\\s+into\\s+(?:"?${table.schema}"?\\.)?"?${table.name.replace(/[^\w]/g, '.')}"?[\\s(]`, 'gi')
  return catalog.functions.some((f) => {
    const [at, again] = f.isTrigger ? [...f.body.matchAll(puts)].map((m) => m.index) : []
    // of two places that put it in, each may be for those for whom the other is not
    return at !== undefined && (again !== undefined || !isForSomeOnly(f.body, at)) && runsAtSignUp(f, catalog)
  })
}

/** A question about what the new user said of himself, or about a variable that holds it: `if wanted_role = 'provider' then`. */
const USER_METADATA_CONDITION = /raw_(?:user|app)_meta_data|(?:=|\bin\b)[\s(]*'/i
const ASKS_WHAT_RUNS = /\bnew\.(?:aud|role)\b|\btg_op\b|\bnot\s+exists\b/i

/** Whether a trigger function gets to a statement only on a condition that not everybody fulfils who signs up. */
function isForSomeOnly(body: string, at: number): boolean {
  const open: string[] = []
  for (const [, ends, begins, asked] of body.slice(0, at).matchAll(/\bend\s+(if)\b|\b(if|else?if)\b([^;]{0,600}?)\bthen\b/gi)) {
    if (ends || !/^if$/i.test(begins ?? '')) open.pop()
    if (!ends) open.push(asked ?? '')
  }
  return open.some((asked) => USER_METADATA_CONDITION.test(asked) && !ASKS_WHAT_RUNS.test(asked))
}

const FOR_NEW_USERS = /new_?(user|account|member|profile)|sign_?up|regist|user_created|on_auth|create_\w{0,30}(user|profile|wallet|settings|account|credits)/i

/** It stands at the accounts or at a table of people; one that stands nowhere in the repository says by its name, or by the id it takes, that the dashboard put it there. */
function runsAtSignUp(f: Catalog['functions'][number], { triggers, tables }: Catalog): boolean {
  const at = triggers.filter((t) => t.function.replace(/\(.*/, '') === `${f.schema}.${f.name}`).map((t) => t.table)
  const ofPeople = (name: string) =>
    name.startsWith('auth.') ||
    /each row is a user/.test(tables.find((t) => nameOf(t) === name)?.userData?.because ?? '') ||
    /(users?|profiles?|accounts?|members?|customers?|perfis|usuarios)$/i.test(name)
  return at.length ? at.some(ofPeople) : FOR_NEW_USERS.test(f.name) || /raw_user_meta_data|values\s*\(\s*new\.id\b/i.test(f.body)
}
