import { describe, expect, test } from 'vitest'
import { itemsOf } from '../../src/report/items.ts'
import { stakesOf } from '../../src/report/stakes.ts'
import { startItems, startTitle, stepsByHand } from '../../src/report/start-with.ts'
import { auditFiles } from '../support/audit-files.ts'
import { reportFinding, sampleReport } from '../support/sample-report.ts'
import { stripeKey } from '../support/stripe-key.ts'

const named = (n: number, fields = {}) => reportFinding({ subject: `table public.t${n}`, fingerprint: n.toString(16).padStart(16, '0'), ...fields })

describe('what a report begins with', () => {
  test('is at most three problems, the one that gives most first', () => {
    const findings = [
      named(1, { check: 'rls/select-owner', aliases: ['CWE-639'] }),
      named(2, { check: 'api/rate-limit', aliases: ['CWE-307'] }),
      named(3, { check: 'api/sql-injection', aliases: ['CWE-89'] }),
      named(4, { severity: 'High' }),
      named(5, { check: 'auth/oauth-redirect', aliases: [] }),
    ]
    expect(startItems(itemsOf(findings)).map((f) => f.fingerprint)).toEqual([findings[2], findings[4], findings[0]].map((f) => f?.fingerprint))
  })

  test('is not three times the same mistake where something else is as bad', () => {
    const tables = [1, 2, 3, 4].map((n) => named(n))
    const other = named(5, { check: 'api/ownership', aliases: ['CWE-639'] })
    expect(startItems(itemsOf([...tables, other, named(6, { check: 'api/auth', severity: 'High' })])).map((f) => f.fingerprint)).toEqual(
      [tables[0], other, tables[1]].map((f) => f?.fingerprint),
    )
  })

  test('is what the change introduced before what was there', () => {
    const [older, newer] = [named(1, { state: 'existing' }), named(2, { state: 'introduced', severity: 'Medium' })]
    expect(startItems([...itemsOf([newer]), ...itemsOf([older])]).map((f) => f.state)).toEqual(['introduced', 'existing'])
  })

  test('has a heading for as many as there are', () => {
    expect([1, 2, 3].map(startTitle)).toEqual(['Start with this one', 'Start with these two', 'Start with these three'])
  })

  test('stands in the report with what only a person can do', async () => {
    const report = await auditFiles({
      'package.json': '{"dependencies":{"@supabase/supabase-js":"2"}}',
      'lib/pay.ts': `export const key = '${stripeKey()}'\n`,
      'supabase/migrations/1.sql': 'create table public.notes (id uuid primary key, user_id uuid references auth.users, body text);\n',
    })
    const all = report.checks.flatMap((c) => c.findings)
    expect(report.startWith?.map((id) => all.find((f) => f.fingerprint === id)?.check)).toEqual(['rls/enabled', 'code/hardcoded', 'env/committed'])
    expect(report.doYourself).toEqual([{ what: 'Replace a live Stripe secret key in lib/pay.ts', where: 'https://dashboard.stripe.com/apikeys' }])
  })

  test('names each step once, also where several findings ask for it', () => {
    const byHand = { what: 'Replace the key', where: 'https://example.com/keys' }
    const fix = { text: 'Move it to the server.', byHand }
    expect(stepsByHand(itemsOf([named(1, { fix }), named(2, { fix, cause: 'c'.repeat(16) }), named(3)]))).toEqual([byHand])
  })
})

describe('why a problem comes first', () => {
  const stakes = (fields: Parameters<typeof reportFinding>[0]) => stakesOf(sampleReport([]), reportFinding(fields))

  test('a table that a visitor reads: as it was tried', () => {
    expect(stakes({ subject: 'table public.todos' })).toEqual({
      gets: 'every row of the table',
      ease: 'one request, without signing in',
      certainty: 'tried in a copy of your database',
    })
  })

  test('says nothing of how easy it is where another object was tried', () => {
    expect(stakes({ subject: 'table public.todos_archive' })).not.toHaveProperty('ease')
  })

  test('what was read from the code is not called tried', () => {
    expect(stakes({ subject: 'route GET /api/x', check: 'api/auth', aliases: ['CWE-306'], proof: 'inferred' })).toEqual({
      gets: 'data or actions that are not public',
      ease: 'one request, without signing in',
      certainty: 'read from the code',
    })
  })

  test('where nothing leaks, nothing is gained and no attack is said to work', () => {
    expect(stakes({ subject: 'table public.todos', check: 'rls/select-owner', severity: 'Medium', aliases: [] })).toEqual({
      certainty: 'tried in a copy of your database',
    })
  })
})
