import { describe, expect, test } from 'vitest'
import { CONFIG_PATH, DEFAULT_CONFIG } from '../../src/config/config.ts'
import { suppress } from '../../src/findings/suppress.ts'
import { finding } from '../support/findings.ts'

const open = finding({ subject: 'table public.plans', at: { path: 'a.sql', line: 10 } })
const comment = (fields: object = {}) => ({ path: 'a.sql', line: 9, check: 'rls/enabled', reason: 'price list', ...fields })
const entry = { check: 'rls/enabled', subject: 'table public.plans', reason: 'price list', line: 4 }
const never = () => false

describe('suppress', () => {
  test.each([
    ['same line', comment({ line: 10 })],
    ['line above', comment()],
    ['three lines above', comment({ line: 7 })],
  ])('a comment on the %s takes the finding out', (_, c) => {
    expect(suppress([open], [c], DEFAULT_CONFIG, '2026-11-20', never)).toEqual({
      kept: [],
      suppressed: [{ finding: open, reason: 'price list', where: `a.sql:${c.line}` }],
      problems: [],
    })
  })

  test.each([
    ['four lines above', comment({ line: 6 }), 'this prelaunch-ignore matches no finding of rls/enabled'],
    ['below', comment({ line: 11 }), 'this prelaunch-ignore matches no finding of rls/enabled'],
    ['another check', comment({ check: 'rls/storage' }), 'this prelaunch-ignore matches no finding of rls/storage'],
    ['another file', comment({ path: 'b.sql' }), 'this prelaunch-ignore matches no finding of rls/enabled'],
    ['without a reason', comment({ reason: '' }), 'a suppression needs a reason: prelaunch-ignore rls/enabled: why'],
  ])('a comment %s does nothing and is reported', (_, c, message) => {
    expect(suppress([open], [c], DEFAULT_CONFIG, '2026-11-20', never)).toEqual({
      kept: [open],
      suppressed: [],
      problems: [{ path: c.path, line: c.line, message }],
    })
  })

  test('a pull request cannot suppress the Critical that it introduces', () => {
    const result = suppress([open], [comment()], DEFAULT_CONFIG, '2026-11-20', () => true)
    expect(result.kept).toEqual([open])
    expect(result.problems).toEqual([
      {
        path: 'a.sql',
        line: 9,
        message: 'a pull request cannot suppress a Critical finding that it introduces; put it into the configuration of the base branch',
      },
    ])
  })

  test('the configuration suppresses until it expires, and what matches nothing is reported', () => {
    const config = (extra: object) => ({ ...DEFAULT_CONFIG, suppress: [{ ...entry, ...extra }] })
    expect(suppress([open], [], config({ expires: '2026-11-20' }), '2026-11-20', () => true).suppressed).toEqual([
      { finding: open, reason: 'price list', where: `${CONFIG_PATH}:4` },
    ])
    expect(suppress([open], [], config({ expires: '2026-11-19' }), '2026-11-20', never)).toEqual({
      kept: [open],
      suppressed: [],
      problems: [{ path: CONFIG_PATH, line: 4, message: 'this suppression expired on 2026-11-19; the finding counts again' }],
    })
    expect(suppress([open], [], config({ subject: 'table public.other' }), '2026-11-20', never).problems).toEqual([
      { path: CONFIG_PATH, line: 4, message: 'this suppression matches no finding of rls/enabled: table public.other' },
    ])
  })
})
