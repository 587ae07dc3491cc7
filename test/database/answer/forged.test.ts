import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { believed } from '../../../src/database/answer/believed.ts'
import type { ToldResult } from '../../../src/database/answer/outcome.ts'
import { testDatabase } from '../../support/database.ts'
import type { Told } from './listening.ts'
import { APPLICATIONS, replayed } from './replays.ts'

vi.mock('../../../src/database/answer/hear.ts', async (original) => (await import('./listening.ts')).listening(original as never))

type Changeable<T> = T extends readonly (infer I)[] ? Changeable<I>[] : T extends object ? { -readonly [K in keyof T]: Changeable<T[K]> } : T
type Forging = Changeable<ToldResult>

const honest = new Map<string, Told>()
beforeAll(async () => {
  for (const [name, files] of Object.entries(APPLICATIONS)) honest.set(name, await replayed(files))
})
afterAll(() => testDatabase().close?.())

const [TABLES, FUNCTIONS, RENAMED, BLOCKS, , GRANTS] = Object.keys(APPLICATIONS) as [string, string, string, string, string, string]

/** Why a forged answer is refused; undefined when it is believed. */
function refusal(application: string, change: (told: Forging) => unknown): string | undefined {
  const { input, told } = honest.get(application) as Told
  const forged = structuredClone(told) as Forging
  change(forged)
  expect(forged, 'nothing was forged').not.toEqual(told)
  const answer = believed(input, forged as ToldResult)
  return 'refused' in answer ? answer.refused : undefined
}

const named = <T extends { readonly name: string }>(list: T[], name: string): T => list.find((x) => x.name === name) as T
const table = (told: Forging, name: string) => named(told.catalog.tables, name)
const holes = (told: Forging) => told.access.holes ?? []
const outcomes = (told: Forging) => told.outcomes ?? []
/** An outcome that is counted as none of the applied ones any more. */
const notApplied = (told: Forging, i: number, outcome: 'skipped' | 'doubtful'): void => {
  Object.assign(outcomes(told)[i] as object, { outcome })
  told.statements.applied -= 1
  if (outcome === 'skipped') told.statements.total -= 1
}
const set = <T extends object>(object: T, change: Partial<T>): T => Object.assign(object, change)
const without = <T>(list: T[], of: (item: T) => boolean): void => {
  list.splice(list.findIndex(of), 1)
}

describe('an honest answer is believed, and handed on without its outcomes:', () => {
  test.each(Object.keys(APPLICATIONS))('%s', async (name) => {
    const { input, told } = honest.get(name) as Told
    const { outcomes, ...result } = told
    expect(outcomes?.length).toBeGreaterThan(0)
    expect(believed(input, told)).toEqual({ result })
    const again = await replayed(APPLICATIONS[name] as Record<string, string>)
    expect(Object.keys(again.result)).not.toContain('outcomes')
    expect(JSON.stringify(again.result)).toBe(JSON.stringify(result))
  })
})

describe('a forged answer is lost:', () => {
  const EMPTY = {
    catalog: { tables: [], policies: [], views: [], functions: [], buckets: [], enums: [], triggers: [], speaksOfStorage: false },
    access: { objects: [], holes: [] },
    gaps: [],
    statements: { total: 1, applied: 1, explained: 0 },
    order: [],
  }

  test('the empty one, from the sandbox to the result', async () => {
    const { result } = await replayed({ 'supabase/migrations/1_forged.sql': 'create table public.cards (id int);' }, () => EMPTY)
    expect(result.gaps).toEqual([
      {
        path: 'supabase/migrations/1_forged.sql',
        because:
          'the SQL could not be replayed: the answer of the sandbox does not follow from the SQL: what `create table public.cards (id int)` (supabase/migrations/1_forged.sql:1) creates is not in the catalog, and nothing that was sent takes it away',
        touches: [{ topic: 'anything' }],
        lost: true,
      },
    ])
    expect(result.catalog.tables).toEqual([])
  })

  test('what is no result', async () => {
    const { result } = await replayed({ 'supabase/migrations/1_shape.sql': 'create table public.shape (id int);' }, (told) => ({ ...told, catalog: [] }))
    expect(result.gaps.map((g) => [g.because, g.lost])).toEqual([
      ['the SQL could not be replayed: the answer of the sandbox was refused: result.catalog.tables is not what a result has there', true],
    ])
  })

  test.each<[string, string, (told: Forging) => unknown, RegExp]>([
    [
      'a table is missing',
      TABLES,
      (t) => without(t.catalog.tables, (x) => x.name === 'cards'),
      /`create table public\.cards .*1_tables\.sql:1\) creates is not in the catalog/,
    ],
    ['a table is in a schema that nobody exposes', TABLES, (t) => set(table(t, 'cards'), { schema: 'hidden' }), /`create table public\.cards/],
    ['a renamed table is missing', RENAMED, (t) => without(t.catalog.tables, (x) => x.name === 'new_name'), /`create table old_name/],
    [
      'a table has row level security that nothing switches on',
      TABLES,
      (t) => set(table(t, 'cards'), { rls: { enabled: true, forced: false } }),
      /row level security of public\.cards is told as switched on/,
    ],
    [
      'row level security is assumed',
      TABLES,
      (t) => set(table(t, 'cards'), { rls: { enabled: true, forced: false, assumed: true } }),
      /of public\.cards is assumed without a reason/,
    ],
    [
      'row level security changes elsewhere',
      TABLES,
      (t) => set(table(t, 'notes').rls, { at: table(t, 'cards').at }),
      /of public\.notes is told to change at .*:1/,
    ],
    ['a table belongs to an extension', TABLES, (t) => set(table(t, 'cards'), { extension: 'postgis' }), /public\.cards belongs to an extension/],
    ['a table is one of an export for reading', TABLES, (t) => set(table(t, 'cards'), { outlined: true }), /public\.cards is told as one of an export/],
    [
      'a table is told at another one',
      TABLES,
      (t) => set(table(t, 'cards'), { at: table(t, 'notes').at }),
      /public\.cards is told at .*, where it is not created/,
    ],
    ['an open policy is missing', TABLES, (t) => without(t.catalog.policies, (p) => p.name === 'open'), /the policy of `create policy "open" on notes/],
    [
      'a policy is made up',
      TABLES,
      (t) => t.catalog.policies.push({ ...(t.catalog.policies[0] as Forging['catalog']['policies'][number]), table: 'cards', name: 'no' }),
      /"no" of public\.cards is made by no statement/,
    ],
    [
      'an open policy asks for the owner',
      TABLES,
      (t) => set(named(t.catalog.policies, 'open'), { using: '(auth.uid() = user_id)' }),
      /"open" of public\.notes is not what/,
    ],
    ['a policy is for another command', RENAMED, (t) => set(named(t.catalog.policies, 'q'), { command: 'select' }), /is not what `create policy/],
    ['a policy is for another role', TABLES, (t) => set(named(t.catalog.policies, 'open'), { roles: ['service_role'] }), /is not what/],
    ['a policy on storage is missing', FUNCTIONS, (t) => without(t.catalog.policies, (p) => p.name === 'files'), /`create policy "files" on storage\.objects/],
    [
      'a privilege of visitors is missing',
      TABLES,
      (t) => set(table(t, 'cards'), { grants: table(t, 'cards').grants.filter((x) => x.role !== 'anon') }),
      /anon is told to lack privileges on public\.cards/,
    ],
    [
      'a privilege that a GRANT gives is missing',
      GRANTS,
      (t) => set(table(t, 'prices'), { grants: [] }),
      /`grant select on prices to anon`.* gives anon is not told/,
    ],
    ['a function is missing', FUNCTIONS, (t) => without(t.catalog.functions, (f) => f.name === 'all_accounts'), /`create function public\.all_accounts/],
    [
      'SECURITY DEFINER is missing',
      FUNCTIONS,
      (t) => set(named(t.catalog.functions, 'all_accounts'), { securityDefiner: false }),
      /is told without SECURITY DEFINER/,
    ],
    [
      'a function has another body',
      FUNCTIONS,
      (t) => set(named(t.catalog.functions, 'touch'), { body: 'begin return new; end' }),
      /touch\(\) has another body/,
    ],
    ['a search_path is made up', FUNCTIONS, (t) => set(named(t.catalog.functions, 'touch'), { setsSearchPath: true }), /touch\(\) sets search_path/],
    ['a view is missing', FUNCTIONS, (t) => without(t.catalog.views, (v) => v.name === 'emails'), /`create view public\.emails/],
    [
      'a view has the rights of its reader',
      FUNCTIONS,
      (t) => set(named(t.catalog.views, 'emails'), { securityInvoker: true }),
      /view public\.emails runs with the rights of its reader/,
    ],
    ['rows belong to nobody', TABLES, (t) => set(table(t, 'cards'), { userData: undefined }), /whose the rows of public\.cards are/],
    ['an open table is told as none', TABLES, (t) => without(holes(t), (h) => h.kind === 'no-rls'), /has no row level security, and is not told/],
    ['a place is in no file', TABLES, (t) => set(table(t, 'cards'), { at: { path: 'nowhere.sql', line: 1 } }), /a place in nowhere\.sql, which was not sent/],
    ['a place is after the end of its file', TABLES, (t) => set(table(t, 'cards').at, { line: 99 }), /line 99 of .*1_tables\.sql, which has 8/],
    ['more statements are counted', TABLES, (t) => set(t.statements, { total: 8 }), /counts 8 statements and tells of 7/],
    ['a migration is left out', TABLES, (t) => notApplied(t, 5, 'skipped'), /`create table "Plans" .* was left out although nothing else makes the same/],
    ['what was not applied is in no gap', TABLES, (t) => notApplied(t, 5, 'doubtful'), /no gap tells of the statement at .*:6/],
    ['migrations change places', GRANTS, (t) => set(t, { order: [...(t.order ?? [])].reverse() }), /it moves .*1_a\.sql before/],
    ['a file of the order was not sent', TABLES, (t) => set(t, { order: [...(t.order ?? []), 'other.sql'] }), /names a file that was not sent/],
    ['it is told as lost, with something in it', BLOCKS, (t) => t.gaps.push({ path: '', because: 'x', touches: [], lost: true }), /says that it knows nothing/],
  ])('%s', (_, application, change, why) => {
    expect(refusal(application, change)).toMatch(why)
  })

  test('whichever tables, policies, functions and counts are taken away or changed, where nothing that is not read could have done so', () => {
    const removals: readonly ((told: Forging, i: number) => unknown)[] = [
      (t, i) => t.catalog.tables.splice(i % t.catalog.tables.length, 1),
      (t, i) => t.catalog.policies.splice(i % t.catalog.policies.length, 1),
      (t, i) => Object.assign(t.catalog.policies[i % t.catalog.policies.length] as object, { permissive: false }),
      (t, i) => Object.assign(t.outcomes?.[i % t.outcomes.length] as object, { outcome: 'waiting' }),
      (t, i) => Object.assign(t.outcomes?.[i % t.outcomes.length] as object, { line: 1_000, endLine: 1_000 }),
      (t, i) => Object.assign(t.statements, { applied: t.statements.applied + 1 + i }),
    ]
    fc.assert(
      fc.property(fc.constantFrom(TABLES, RENAMED), fc.nat(removals.length - 1), fc.nat(50), (application, which, i) => {
        expect(
          refusal(application, (t) => void removals[which]?.(t, i)),
          `${application}, ${which}, ${i}`,
        ).toBeDefined()
      }),
      { numRuns: 200 },
    )
  })
})

describe('what this layer cannot tell is believed:', () => {
  test('cells of the access matrix, holes of policies, and which table a block drops that builds its statement', () => {
    expect(refusal(TABLES, (t) => void t.access.objects.splice(0, 1))).toBeUndefined()
    expect(refusal(TABLES, (t) => without(holes(t), (h) => h.kind === 'policy'))).toBeUndefined()
    expect(
      refusal(BLOCKS, (t) => {
        without(t.catalog.tables, (x) => x.name === 't2')
        without(t.catalog.policies, (p) => p.table === 't2')
      }),
    ).toBeUndefined()
  })
})
