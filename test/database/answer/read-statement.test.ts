import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readStatement } from '../../../src/database/answer/read-statement.ts'
import { identifier, tokensOf } from '../../../src/database/answer/tokens.ts'

describe('statements are read by their tokens:', () => {
  test.each([
    [
      '-- a\ncreate /* b /* c */ */ unlogged table if not exists "My App"."T""x" (id int)',
      { does: 'create relation', what: 'table', name: { schema: 'My App', name: 'T"x' }, isPart: false, ifNotExists: true },
    ],
    ['CREATE TEMP TABLE x (id int)', { does: 'nothing' }],
    ['create materialized view Daily as select 1', { does: 'create relation', what: 'view', name: { name: 'daily' }, isPart: false, ifNotExists: false }],
    ['alter table only a.b force row level security, enable row level security', { does: 'alter table', name: { schema: 'a', name: 'b' }, rls: 'enable' }],
    ['alter table a rename to b', { does: 'rename', from: 'a', to: 'b' }],
    ['alter table a rename column c to b', { does: 'alter table', name: { name: 'a' } }],
    ['alter function f(text) rename to g', { does: 'rename', from: 'f', to: 'g' }],
    ['drop table if exists a, b.c cascade', { does: 'drop', what: 'table', names: [{ name: 'a' }, { schema: 'b', name: 'c' }], cascade: true }],
    ['drop policy "p q" on t', { does: 'drop', what: 'policy', names: [{ name: 'p q' }], on: { name: 't' }, cascade: false }],
    ['drop function f(int, text)', { does: 'drop', what: 'function', names: [{ name: 'f' }], cascade: false }],
    [
      'grant all privileges on table a, b to anon, "My Role"',
      { does: 'grant', grant: { privileges: ['all'], tables: [{ name: 'a' }, { name: 'b' }], roles: ['anon', 'My Role'] } },
    ],
    ['grant select (id) on a to anon', { does: 'grant' }],
    ['grant execute on function f() to anon', { does: 'grant' }],
    ['grant admin to bob', { does: 'grant' }],
    [
      "create function f() returns text security definer language sql as $a$ select '$$' $a$",
      { does: 'create function', name: { name: 'f' }, definer: true, inert: false, body: " select '$$' " },
    ],
    [
      "create function f() returns text language sql as '-- security definer\nselect ''x'''",
      { does: 'create function', name: { name: 'f' }, definer: false, inert: false, body: "-- security definer\nselect 'x'" },
    ],
    ['set local search_path to app, "$user"', { does: 'set', searchPath: ['app', '$user'], actsAsOther: false }],
    ['set role anon', { does: 'set', actsAsOther: true }],
    ['do $$ begin end $$', { does: 'anything' }],
    ['', { does: 'anything' }],
  ])('%s', (sql, read) => {
    expect(readStatement(sql)).toEqual(read)
  })

  test('a policy, with conditions that hold its words', () => {
    const read = readStatement(`create policy p on t as restrictive for update to a, public using (x in (select 'to' from "using")) with check ((true))`)
    expect(read).toMatchObject({
      does: 'create policy',
      policy: { name: 'p', table: { name: 't' }, permissive: false, command: 'update', roles: ['a', 'public'] },
    })
    const { using, check } = (read as Extract<typeof read, { does: 'create policy' }>).policy
    expect(using?.map((t) => t.text).join(' ')).toBe('x in ( select to from using )')
    expect(check?.map((t) => t.text).join(' ')).toBe('( true )')
  })

  test('names are cut at 63 bytes, between characters, as the database cuts them', () => {
    expect(identifier('a'.repeat(70))).toBe('a'.repeat(63))
    expect(identifier(`${'a'.repeat(62)}é`)).toBe('a'.repeat(62))
    expect(identifier('é'.repeat(31))).toBe('é'.repeat(31))
  })

  test('whatever the text, every token is taken once and nothing throws', () => {
    const piece = fc.constantFrom(
      'create',
      'policy',
      'on',
      '"',
      "'",
      '$$',
      '$a$',
      '/*',
      '*/',
      '--',
      '\n',
      '(',
      ')',
      ',',
      '.',
      ' ',
      'drop',
      'table',
      'grant',
      'to',
      'x',
      'E',
      '\\',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const sql = pieces.join('')
        readStatement(sql)
        expect(tokensOf(sql).reduce((sum, t) => sum + t.text.length, 0)).toBeLessThanOrEqual(sql.length)
      }),
    )
  })
})
