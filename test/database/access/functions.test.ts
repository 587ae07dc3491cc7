import { expect, test } from 'vitest'
import { readFunctions } from '../../../src/database/access/functions/security-definer.ts'
import type { SqlFunction } from '../../../src/database/database.ts'
import { catalog, fn, table, world } from './world.ts'

const owned = (ownerColumns: readonly string[], powerColumns: readonly string[] = []) => ({
  userData: { because: 'test', ownerColumns, tenantColumns: [], personalColumns: ['email'], powerColumns },
})
const TABLES = [
  table('profiles', ['id', 'email', 'is_admin', 'credits'], owned(['id'], ['credits', 'is_admin'])),
  table('orders', ['id', 'user_id', 'email', 'total', 'token'], owned(['user_id'])),
  table('votes', ['id', 'user_id', 'post_id'], owned(['user_id'])),
  table('posts', ['id', 'author_id', 'likes'], owned(['author_id'])),
]

/** `kind who tables because` of each hole of one function. */
function holes(language: string, body: string, extra: Partial<SqlFunction> = {}, returns = 'void', args: readonly string[] = ['p']): string[] {
  const all = catalog({ tables: TABLES, functions: [fn('f', args, returns, language, body, extra)] })
  return readFunctions(
    all,
    new Set(['public']),
    world(all),
    () => false,
    () => true,
  ).map((h) => [h.kind, h.who, ...(h.tables ?? []).map((t) => `${t.command} ${t.table}`), ...(h.because ? [h.because] : [])].join(' '))
}

test.each([
  ['writes for anyone', 'sql', 'delete from orders where id = p', ['function-write anon delete public.orders']],
  ['tied to the caller', 'sql', 'delete from orders where id = p and user_id = auth.uid()', []],
  ['the id of the caller as an argument', 'sql', 'update orders set total = 0 where user_id = p', ['function-write anon update public.orders']],
  [
    'a guard that NULL slips through',
    'plpgsql',
    "begin if p <> auth.uid() then raise exception 'no'; end if; delete from orders where user_id = p; end",
    ['function-write anon delete public.orders'],
  ],
  [
    'a guard that holds',
    'plpgsql',
    "begin if p is distinct from auth.uid() then raise exception 'no'; end if; if auth.uid() is null then raise exception 'no'; end if; delete from orders where user_id = p; end",
    [],
  ],
  ['a guard in the else branch', 'plpgsql', "begin if auth.uid() = p then delete from orders where user_id = p; else raise exception 'no'; end if; end", []],
  [
    'an owner looked up first',
    'plpgsql',
    "declare o record; begin select * into o from orders where id = p and user_id = auth.uid(); if not found then raise exception 'no'; end if; update orders set total = 0 where id = p; end",
    [],
  ],
  [
    'an owner compared afterwards',
    'plpgsql',
    'declare o uuid; begin select user_id into o from orders where id = p; if o = auth.uid() then update orders set total = 0 where id = p; end if; end',
    [],
  ],
  [
    'an admin check of the caller',
    'plpgsql',
    "begin if not exists (select 1 from profiles where id = auth.uid() and is_admin) then raise exception 'no'; end if; delete from orders where id = p; end",
    [],
  ],
  [
    'a guard whose refusal is caught',
    'plpgsql',
    "begin begin if auth.uid() is null then raise exception 'no'; end if; exception when others then null; end; delete from orders where id = p; end",
    ['function-write anon delete public.orders'],
  ],
  [
    'grants to the caller what he asks for',
    'sql',
    'update profiles set credits = credits + p where id = auth.uid()',
    ['function-write authenticated update public.profiles self'],
  ],
  [
    'a counter beside the own row',
    'plpgsql',
    'begin insert into votes (user_id, post_id) values (auth.uid(), p); update posts set likes = likes + 1 where id = p; end',
    [],
  ],
  ['a counter alone', 'sql', 'update posts set likes = likes + 1 where id = p', ['function-write anon update public.posts counter']],
  [
    'text that is put together',
    'plpgsql',
    "begin execute format('delete from public.orders where id = %L', p); end",
    ['function-write anon delete public.orders'],
  ],
  [
    'text in a variable',
    'plpgsql',
    "declare q text; begin q := 'delete from public.orders where id = ' || quote_literal(p); execute q; end",
    ['function-write anon delete public.orders'],
  ],
  ['text bound to the caller', 'plpgsql', "begin execute 'delete from public.orders where id = $1 and user_id = $2' using p, auth.uid(); end", []],
  ['SQL that the caller writes', 'plpgsql', 'begin execute p; end', ['function-write anon update any table that the caller names']],
  [
    'a table that the caller names',
    'plpgsql',
    "begin execute format('delete from %I', p); end",
    ['function-write anon delete any table that the caller names'],
  ],
  [
    'a table out of a query',
    'plpgsql',
    "declare r record; begin for r in select tablename from pg_tables loop execute format('truncate %I', r.tablename); end loop; end",
    [],
  ],
  ['a token that nobody guesses', 'sql', 'update orders set total = 0 where token = p', []],
])('%s', (_name, language, body, expected) => expect(holes(language, body)).toEqual(expected))

test('what may not be executed is no hole', () => {
  expect(holes('sql', 'delete from orders', { executableBy: ['service_role'] })).toEqual([])
  expect(holes('sql', 'delete from orders', { securityDefiner: false })).toEqual([])
  expect(holes('plpgsql', 'begin delete from orders; return new; end', { isTrigger: true })).toEqual([])
})

test('rows that a function returns', () => {
  expect(holes('sql', 'select * from orders', {}, 'setof orders')).toEqual(['function-read anon select public.orders'])
  expect(holes('sql', 'select * from orders where user_id = auth.uid()', {}, 'setof orders')).toEqual([])
  expect(holes('sql', 'select count(*) from orders', {}, 'bigint')).toEqual([])
  expect(holes('plpgsql', 'declare r jsonb; begin select jsonb_agg(o) into r from orders o; return r; end', {}, 'jsonb')).toEqual([
    'function-read anon select public.orders',
  ])
  expect(
    holes(
      'plpgsql',
      "begin if auth.uid() is null then raise exception 'no'; end if; return query select * from orders where user_id = p; end",
      {},
      'setof orders',
    ),
  ).toEqual(['function-read authenticated select public.orders'])
})

test('what a function calls is part of it, guards included', () => {
  const guard = fn(
    'assert_admin',
    [],
    'void',
    'plpgsql',
    "begin if not exists (select 1 from profiles where id = auth.uid() and is_admin) then raise exception 'no'; end if; end",
  )
  const work = fn('remove_order', ['p'], 'void', 'sql', 'delete from orders where id = p', { securityDefiner: false })
  const open = fn('f', ['p'], 'void', 'plpgsql', 'begin perform remove_order(p); end')
  const guarded = fn('g', ['p'], 'void', 'plpgsql', 'begin perform assert_admin(); perform remove_order(p); end')
  const all = catalog({ tables: TABLES, functions: [guard, work, open, guarded] })
  const found = readFunctions(
    all,
    new Set(['public']),
    world(all),
    () => false,
    () => true,
  )
  expect(found.map((h) => `${h.kind} ${h.object}`)).toEqual(['function-write public.f(uuid)'])
})

test('a function that must not be read is left out, and asked about by its name', () => {
  const all = catalog({ tables: TABLES, functions: [fn('f', ['p'], 'void', 'sql', 'delete from orders where id = p')] })
  const asked: string[] = []
  const mayRead = (topic: string, object: string) => asked.push(`${topic} ${object}`) === 0
  expect(readFunctions(all, new Set(['public']), world(all), () => false, mayRead)).toEqual([])
  expect(asked).toEqual(['function public.f(uuid)'])
})

test('what a loop goes over decides whose rows its body changes', () => {
  const paid = 'update orders set total = 0 where user_id = v'
  expect(holes('plpgsql', `declare v uuid; begin for v in select user_id from orders loop ${paid}; end loop; end`)).toEqual([
    'function-write anon update public.orders',
  ])
  expect(holes('plpgsql', `declare v uuid; begin for v in select id from profiles where id = auth.uid() loop ${paid}; end loop; end`)).toEqual([])
})

test('each function is asked about right before it is read: the time of one is not another', () => {
  const body = (id: string) => `begin delete from orders where id = ${id}; end`
  const all = catalog({ tables: TABLES, functions: ['f', 'g'].map((name) => fn(name, ['p'], 'void', 'plpgsql', body('p'))) })
  const order: string[] = []
  const known = world(all)
  const watched = {
    ...known,
    parseBody: (of: Parameters<typeof known.parseBody>[0]) => {
      order.push(`read ${of.name}`)
      return known.parseBody(of)
    },
  }
  const mayRead = (_: string, object: string) => order.push(`may ${object}`) > 0
  expect(readFunctions(all, new Set(['public']), watched, () => false, mayRead)).toHaveLength(2)
  expect([...new Set(order)]).toEqual(['may public.f(uuid)', 'read f', 'may public.g(uuid)', 'read g'])
})

test('a function with more ways through it than can be followed is declared, and the others are read', () => {
  const step = (n: number) =>
    `if exists (select 1 from orders where id = p and total = ${n} and (email = v or token = w)) then v := v || w || '${n}'; w := coalesce(w, v) || v; end if;`
  const steps = Array.from({ length: 60 }, (_, n) => step(n)).join('\n')
  const endless = fn('endless', ['p'], 'text', 'plpgsql', `declare v text := 'a'; w text := 'b'; begin ${steps} return v; end`)
  const caller = fn(
    'calls_it',
    ['p'],
    'void',
    'plpgsql',
    `declare v text; begin ${'v := endless(p) || v; '.repeat(8)} delete from orders where token = v and user_id = auth.uid(); end`,
  )
  const open = fn('open', ['p'], 'void', 'plpgsql', 'begin delete from orders where id = p; end')
  const all = catalog({ tables: TABLES, functions: [caller, endless, open] })
  const declared: string[] = []
  const found = readFunctions(
    all,
    new Set(['public']),
    world(all),
    () => false,
    () => true,
    (object) => declared.push(object),
  )
  expect(found.filter((h) => h.kind === 'function-write').map((h) => h.object)).toContain('public.open(uuid)')
  expect(declared).toContain('public.calls_it(uuid)')
})
