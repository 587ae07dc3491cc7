import { describe, expect, test } from 'vitest'
import { progressLine, progressText } from '../../src/cli/progress.ts'
import { renderTerminal } from '../../src/report/render-terminal.ts'
import { HOSTILE, reportFinding, sampleReport } from '../support/sample-report.ts'

const CHECKS = ['rls/enabled', 'api/auth', 'code/hardcoded', 'rls/write-owner', 'payments/signature']
const many = (n: number) =>
  Array.from({ length: n }, (_, i) =>
    reportFinding({
      subject: `table public.t${i}`,
      fingerprint: i.toString(16).padStart(16, '0'),
      check: CHECKS[i % CHECKS.length] as string,
      path: `supabase/migrations/a_long_name_of_a_migration_${i}.sql`,
      title: `Something is open on public.table_with_a_long_name_${i}`,
      message: 'A long sentence about what is wrong. '.repeat(20),
      fix: { text: 'Stop the browser from changing the table. '.repeat(20), byHand: { what: `Replace key ${i}`, where: 'https://example.com/keys' } },
    }),
  )

describe('the summary', () => {
  test.each([0, 1, 85, 400])('of %i findings is one screen, verdict first', (n) => {
    const lines = renderTerminal(sampleReport(many(n)), { color: false, width: 100 }).split('\n')
    expect(lines.length).toBeLessThanOrEqual(40)
    expect(lines[3]).toBe(n ? `Not safe: ${n} critical hole${n === 1 ? '' : 's'}` : 'No holes found')
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(100)
    expect(lines.filter((l) => l.startsWith('Start with'))).toHaveLength(n ? 1 : 0)
    expect(lines).toContain('Next')
  })

  test('says what to begin with, what an attacker gets, the fix, and what only a person can do', () => {
    expect(renderTerminal(sampleReport(many(2)), { color: false, width: 100 })).toContain(`Start with these two
1. Critical Something is open on public.table_with_a_long_name_0
   supabase/migrations/a_long_name_of_a_migration_0.sql:3 table public.t0
   An attacker gets every row of the table (tried in a copy of your database).
   Fix: Stop the browser from changing the table.
`)
    expect(renderTerminal(sampleReport(many(3)), { color: false })).toContain(
      'Do this yourself\n  - Replace key 0: https://example.com/keys\n  - Replace key 2: https://example.com/keys\n  … and 1 more\n',
    )
  })

  test('takes no control character and no line break of the repository', () => {
    const text = renderTerminal(sampleReport([reportFinding({ subject: HOSTILE, title: HOSTILE, path: `${HOSTILE}\n.sql`, fix: { text: HOSTILE } })]), {
      color: false,
    })
    expect(text).not.toMatch(/\u001b|[\u202a-\u202e]/)
  })

  test.each([false, true])('a broken configuration stands above the verdict, with its lines (details: %s)', (details) => {
    const sample = sampleReport()
    const problems = [3, 4, 5, 6].map((line) => ({ path: '.github/prelaunch.yml', line, message: 'unknown key "fail"' }))
    const text = renderTerminal({ ...sample, audit: { ...sample.audit, config: { problems } } }, { color: false, details })
    expect(text.split('\n').slice(3, 5)).toEqual(['The configuration has 4 problems:', '  .github/prelaunch.yml:3 unknown key "fail"'])
    expect(text.includes('  .github/prelaunch.yml:6 ')).toBe(details)
    expect(text.includes('… and 1 more (--details shows all)')).toBe(!details)
    expect(text.indexOf('The configuration has')).toBeLessThan(text.indexOf('Not safe'))
  })
})

describe('progress', () => {
  test('says the phase, how much was read and the time', () => {
    expect(progressText('facts', 0, 400)).toBe('reading code, 0 s')
    expect(progressText('facts', 1, 3900)).toBe('reading code, 1 file read, 3 s')
    expect(progressText('database', 1234, 83_000)).toBe('replaying SQL and trying it, 1234 files read, 1 min 23 s')
  })

  test('is written to a terminal and cleared, and never into a pipe', () => {
    const written: string[] = []
    const stream = (isTTY: boolean) => ({ isTTY, write: (text: string) => written.push(text) > 0 })
    for (const [isTTY, wanted] of [
      [false, true],
      [true, false],
    ] as const) {
      const silent = progressLine(stream(isTTY), wanted)
      silent.say('facts')
      silent.read(3)
      silent.clear()
    }
    expect(written).toEqual([])
    const line = progressLine(stream(true), true)
    line.say('facts')
    line.read(2)
    line.clear()
    expect(written.map((w) => w.replace(/\d+ s/, 'N s'))).toEqual(['\r\x1b[2Kreading code, N s …', '\r\x1b[2Kreading code, 2 files read, N s …', '\r\x1b[2K'])
  })
})
