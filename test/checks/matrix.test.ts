import { describe, expect, test } from 'vitest'
import { auditFiles } from '../support/audit-files.ts'
import { FRAMEWORKS, type Framework } from './matrix/frameworks.ts'
import { HANDLER_RULES, importsOf, LIBRARY } from './matrix/handler-rules.ts'
import { PAGE_FRAMEWORKS } from './matrix/pages.ts'

const PACKAGES = ['@prisma/client', '@supabase/supabase-js', '@upstash/ratelimit', '@upstash/redis', 'bcryptjs', 'jsonwebtoken', 'openai', 'resend']

/** What the checks with these numbers say of an application. */
async function findingsOf(packages: readonly string[], files: Readonly<Record<string, string>>, checks: readonly number[]): Promise<string[]> {
  const dependencies = Object.fromEntries([...PACKAGES, ...packages].map((p) => [p, '1.0.0']))
  const report = await auditFiles({ 'package.json': JSON.stringify({ type: 'module', dependencies }), ...LIBRARY, ...files })
  return report.checks.filter((c) => checks.includes(c.number)).flatMap((c) => c.findings.map((x) => `${c.number} ${x.severity}`))
}

/** What checks 16 to 19 say of an application with this one handler. */
const ofHandler = (f: Framework, handler: string) => findingsOf(f.packages, f.files(handler, importsOf(f.lib)), [16, 17, 18, 19])

describe.each(FRAMEWORKS.map((f) => [f.name, f] as const))('%s', (_name, f) => {
  test.each(HANDLER_RULES.map((r) => [`${r.check}: ${r.rule}`, r] as const))('%s', async (_rule, r) => {
    expect(await ofHandler(f, r.bad(f)), 'bad').toEqual([`${r.check} ${r.severity}`])
    expect(await ofHandler(f, r.near(f)), 'near miss').toEqual([])
  })
})

/** The same page at another path: the application asks who is there somewhere. */
const elsewhere = (files: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [path.replace('dashboard', 'account'), text.replace("'/dashboard'", "'/account'")]))

describe('10: protected pages', () => {
  test.each(PAGE_FRAMEWORKS.map((f) => [f.name, f] as const))('%s', async (_name, f) => {
    expect(await findingsOf(f.packages, { ...elsewhere(f.guarded), ...f.open }, [10]), 'bad').toEqual(['10 Critical'])
    expect(await findingsOf(f.packages, f.guarded, [10]), 'near miss').toEqual([])
  })
})
