import { describe, expect, test } from 'vitest'
import { readPolicies } from '../../../src/database/access/policies/read-policies.ts'
import type { Policy } from '../../../src/database/database.ts'
import { catalog, fn, table, world } from './world.ts'

const TABLES = [
  table('docs', ['id', 'user_id', 'org_id', 'is_public', 'status', 'deleted_at', 'name']),
  table('profiles', ['id', 'role=user', 'org_id', 'is_admin=false']),
  table('members', ['user_id', 'org_id', 'role', 'status']),
  table('scans', ['id', 'user_id', 'sharing']),
  table('admin_users', ['user_id', 'is_active=true']),
  table('sellers', ['id', 'user_id']),
].map((t) => (t.name === 'docs' ? t : { ...t, rls: { enabled: false, forced: false } }))
const FUNCTIONS = [
  fn('is_admin', [], 'boolean', 'sql', "select exists (select 1 from profiles where id = auth.uid() and role = 'admin')"),
  fn(
    'has_role',
    ['_uid', '_role'],
    'boolean',
    'plpgsql',
    'declare r text; begin select role into r from profiles where id = _uid; if r is null then return false; end if; return r = _role; end',
  ),
  fn('my_org', [], 'uuid', 'sql', 'select org_id from members where user_id = auth.uid() limit 1'),
  fn('my_orgs', [], 'setof uuid', 'sql', 'select org_id from members where user_id = auth.uid()'),
  fn('is_member', ['p_org'], 'boolean', 'plpgsql', 'begin return exists (select 1 from members m where m.org_id = p_org and m.user_id = auth.uid()); end'),
  fn('requesting_user_id', [], 'text', 'sql', "select nullif(current_setting('request.jwt.claims', true)::json ->> 'sub', '')::text"),
  fn('check_limit', ['x'], 'void', 'plpgsql', "begin if x is null then raise exception 'x'; end if; end"),
  fn('loop', [], 'boolean', 'sql', 'select loop()'),
]

/** `anon: …; authenticated: …` for a SELECT policy on docs. */
function read(using: string, more: readonly Partial<Policy>[] = [], tables = TABLES): string {
  const policy = {
    schema: 'public',
    table: 'docs',
    name: 'p',
    command: 'select' as const,
    permissive: true,
    roles: ['public'],
    using,
    at: { path: '1.sql', line: 1 },
  }
  const all = catalog({ tables, functions: FUNCTIONS, policies: [policy, ...more.map((m) => ({ ...policy, ...m }))] })
  const say = (r: ReturnType<typeof readPolicies>[number]) =>
    r.ways.map((w) => `${w.outcome}${w.cause ? ` ${w.cause}` : ''}${w.ownerColumns.length ? ` ${w.ownerColumns}` : ''}`).join(' | ') || 'never'
  return readPolicies(TABLES[0] as never, all, world(all))
    .map((r) => `${r.role === 'anon' ? 'anon' : 'user'}: ${say(r)}`)
    .join('; ')
}

test('what is counted in a column is said with the count', () => {
  const policy = { schema: 'public', table: 'docs', name: 'p', command: 'select' as const, permissive: true, roles: ['public'], at: { path: '1.sql', line: 1 } }
  const all = catalog({ tables: TABLES, functions: FUNCTIONS, policies: [{ ...policy, using: "length(name) >= 5 and status <> 'x'" }] })
  expect(readPolicies(TABLES[0] as never, all, world(all)).find((r) => r.role === 'anon')?.ways[0]?.states).toEqual([
    { table: '', column: 'name', op: '>=', value: 5, counted: 'length' },
    { table: '', column: 'status', op: '<>', value: 'x' },
  ])
})

describe('who a policy lets in', () => {
  test.each([
    ['true', 'anon: open always; user: open always'],
    ['auth.uid() = user_id', 'anon: never; user: owner user_id'],
    ['( SELECT auth.uid() AS uid) = user_id', 'anon: never; user: owner user_id'],
    ["((auth.jwt() ->> 'sub'::text))::uuid = user_id", 'anon: never; user: owner user_id'],
    ['user_id = requesting_user_id()', 'anon: never; user: owner user_id'],
    ['auth.uid() = user_id AND auth.uid() IS NOT NULL', 'anon: never; user: owner user_id'],
    ['NOT (auth.uid() <> user_id)', 'anon: never; user: owner user_id'],
    ['user_id = user_id', 'anon: open tautology; user: open tautology'],
    ["coalesce(name, '0') = (select s.id from sellers s where s.user_id = auth.uid())", 'anon: never; user: via | role'],
    ['auth.uid() = auth.uid()', 'anon: never; user: open tautology'],
    ["auth.role() = 'authenticated'", 'anon: never; user: open signed-in'],
    ['auth.uid() IS NOT NULL', 'anon: never; user: open signed-in'],
    ["auth.role() = 'service_role'", 'anon: never; user: never'],
    ["(auth.jwt() ->> 'role') = 'service_role'", 'anon: never; user: never'],
    ["current_user = 'postgres'", 'anon: never; user: never'],
    ['auth.uid() <> user_id', 'anon: never; user: open inverted'],
    ['auth.uid() IS NULL OR auth.uid() = user_id', 'anon: open null-slips-through; user: owner user_id'],
    ['EXISTS (SELECT auth.uid())', 'anon: open always; user: open always'],
    ['CASE WHEN auth.uid() = user_id THEN (SELECT true FROM check_limit(auth.uid())) ELSE true END', 'anon: open always; user: open always'],
    ["(auth.jwt() -> 'user_metadata' ->> 'role') = 'admin'", 'anon: never; user: open user-metadata'],
    ["EXISTS (SELECT 1 FROM auth.users WHERE id = auth.uid() AND raw_user_meta_data ->> 'role' = 'admin')", 'anon: never; user: open user-metadata'],
    ["(auth.jwt() -> 'app_metadata' ->> 'role') = 'admin'", 'anon: never; user: role'],
    ["auth.email() = 'owner@example.com'", 'anon: never; user: role'],
    ['is_public', 'anon: open row-state; user: open row-state'],
  ])('%s', (using, expected) => expect(read(using)).toBe(expected))

  test.each([
    ['EXISTS (SELECT 1 FROM members m WHERE m.org_id = docs.org_id AND m.user_id = auth.uid())', 'via'],
    ['EXISTS (SELECT 1 FROM members m WHERE m.org_id = m.org_id AND m.user_id = auth.uid())', 'open not-tied'],
    ['EXISTS (SELECT 1 FROM members WHERE org_id = org_id AND user_id = auth.uid())', 'open not-tied'],
    ['org_id IN (SELECT members.org_id FROM members WHERE members.user_id = auth.uid())', 'via'],
    ['auth.uid() IN (SELECT members.user_id FROM members WHERE members.org_id = docs.org_id)', 'via'],
    ['auth.uid() IN (SELECT members.user_id FROM members)', 'open not-tied'],
    ['(SELECT scans.user_id FROM scans WHERE scans.id = docs.id) = auth.uid()', 'via'],
    ['(SELECT count(*) FROM members WHERE user_id = auth.uid() AND org_id = docs.org_id) > 0', 'via'],
    ['org_id = my_org()', 'via'],
    ['org_id IN (SELECT my_orgs())', 'via'],
    ['is_member(org_id)', 'via'],
    ["EXISTS (SELECT 1 FROM profiles p WHERE p.id = auth.uid() AND p.role = 'admin')", 'role'],
    ["EXISTS (SELECT 1 FROM profiles p WHERE p.id = auth.uid() AND p.role = 'user')", 'open not-tied'],
    ["(SELECT role FROM profiles WHERE id = auth.uid()) = 'admin'", 'role'],
    ['EXISTS (SELECT 1 FROM admin_users WHERE user_id = auth.uid() AND is_active = true)', 'role'],
    ['is_admin()', 'role'],
    ["has_role(auth.uid(), 'admin')", 'role'],
    ["EXISTS (SELECT 1 FROM scans s WHERE s.id = docs.id AND s.sharing <> 'private')", 'open no-caller'],
    ['loop()', 'unknown'],
    ['not_in_the_repository()', 'unknown'],
  ])('signed in: %s', (using, expected) => expect(read(using).split('user: ')[1]).toBe(expected))

  test("somebody's admin role is not the caller's", () => {
    expect(read("EXISTS (SELECT 1 FROM profiles WHERE role = 'admin')")).toBe('anon: open not-tied; user: open not-tied')
  })

  test('a restrictive policy narrows every permissive one', () => {
    expect(read('true', [{ name: 'r', permissive: false, using: 'auth.uid() = user_id' }])).toBe('anon: never; user: owner user_id')
  })

  test('a sub-query sees what the policies of its own table show', () => {
    const tables = TABLES.map((t) => (t.name === 'scans' ? { ...t, rls: { enabled: true, forced: false } } : t))
    const own = { table: 'scans', using: 'auth.uid() = user_id' }
    const parent = 'EXISTS (SELECT 1 FROM scans s WHERE s.id = docs.id)'
    expect(read(parent, [own], tables)).toBe('anon: never; user: via')
    expect(read(parent, [{ ...own, using: 'true' }], tables)).toBe('anon: open no-caller; user: open no-caller')
    expect(read(parent, [], tables)).toBe('anon: never; user: never')
  })

  test('too many alternatives are unknown, not slow', () => {
    const many = Array.from({ length: 12 }, (_, i) => `(status = 'a${i}' OR status = 'b${i}')`).join(' AND ')
    expect(read(many)).toContain('unknown')
  })
})
