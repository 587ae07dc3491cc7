import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { renderHtml } from '../../src/report/render-html.ts'
import { HOSTILE, reportFinding, sampleReport } from '../support/sample-report.ts'

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((p) => existsSync(p))
if (!CHROMIUM) process.stderr.write('skipped: the HTML report in a browser (no Chromium on this machine; Debian: apt-get install chromium)\n')

describe.skipIf(!CHROMIUM)('the HTML report in a browser', () => {
  let browser: Browser
  let dir: string
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'prelaunch-html-'))
    browser = await chromium.launch({
      executablePath: CHROMIUM as string,
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    })
  })
  afterAll(async () => {
    await browser?.close()
    rmSync(dir, { recursive: true, force: true })
  })

  async function open(html: string, options: { width?: number; height?: number; colorScheme?: 'light' | 'dark' } = {}) {
    const file = join(dir, 'report.html')
    writeFileSync(file, html)
    const page = await browser.newPage({
      viewport: { width: options.width ?? 1100, height: options.height ?? 900 },
      colorScheme: options.colorScheme ?? 'light',
    })
    const asked: string[] = []
    const dialogs: string[] = []
    page.on('request', (r) => asked.push(r.url()))
    page.on('dialog', (d) => {
      dialogs.push(d.message())
      void d.dismiss()
    })
    await page.goto(`file://${file}`)
    return { page, asked, dialogs }
  }

  const hostile = sampleReport([
    reportFinding({ subject: `table ${HOSTILE}`, path: HOSTILE, message: HOSTILE, attack: HOSTILE, fix: { text: HOSTILE, code: HOSTILE } }),
  ])

  const many = (n: number) =>
    Array.from({ length: n }, (_, i) =>
      reportFinding({
        subject: `table public.t${i}`,
        fingerprint: i.toString(16).padStart(16, '0'),
        path: `${i}.sql`,
        related: [{ path: 'a.ts', line: 1, what: 'reads it' }],
      }),
    )

  test('works from the disk: no request but the file itself, no script, no image, no dialog', async () => {
    const { page, asked, dialogs } = await open(renderHtml(hostile))
    expect(asked).toHaveLength(1)
    expect(dialogs).toEqual([])
    expect(await page.locator('script, img, iframe, object, form').count()).toBe(0)
    expect(await page.locator('article.finding').first().innerText()).toContain('<script>alert(1)</script>')
    await page.close()
  })

  test.each([320, 390, 768, 1280])('does not scroll sideways at %d pixels', async (width) => {
    const { page } = await open(renderHtml(hostile), { width })
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
    await page.close()
  })

  test.each(['light', 'dark'] as const)('text keeps a contrast of 4.5 to 1 in the %s scheme', async (colorScheme) => {
    const report = sampleReport([
      reportFinding({ subject: 'a' }),
      reportFinding({ subject: 'b', severity: 'High' }),
      reportFinding({ subject: 'c', severity: 'Medium' }),
    ])
    const { page } = await open(renderHtml(report), { colorScheme })
    await page.evaluate(() => {
      for (const d of document.querySelectorAll('details')) d.open = true
    })
    expect(await page.evaluate(lowContrast)).toEqual([])
    await page.close()
  })

  test('headings, table headers and landmarks are there for a screen reader', async () => {
    const { page } = await open(renderHtml(sampleReport()))
    expect(await page.locator('main').count()).toBe(1)
    expect(await page.locator('h1').count()).toBe(1)
    expect(await page.locator('th:not([scope])').count()).toBe(0)
    expect(await page.locator('section:not([aria-label]):not([aria-labelledby])').count()).toBe(0)
    expect(await page.getAttribute('html', 'lang')).toBe('en')
    await page.close()
  })

  test('every link leads to a place in the page, and ids are unique', async () => {
    const { page } = await open(renderHtml(sampleReport(many(40))))
    const { missing, twice } = await page.evaluate(() => {
      const ids = [...document.querySelectorAll('[id]')].map((e) => e.id)
      const targets = [...document.querySelectorAll('a')].map((a) => a.getAttribute('href') ?? '')
      return { missing: targets.filter((t) => !t.startsWith('#') || !ids.includes(t.slice(1))), twice: ids.filter((id, i) => ids.indexOf(id) !== i) }
    })
    expect(missing).toEqual([])
    expect(twice).toEqual([])
    await page.close()
  })

  test('works by keyboard: folded parts open, what scrolls can be reached, and the focus is seen', async () => {
    const { page } = await open(renderHtml(sampleReport(many(3))), { width: 500 })
    const summary = page.locator('.paste summary').first()
    await summary.focus()
    await page.keyboard.press('Enter')
    expect(await page.locator('.paste details').first().getAttribute('open')).not.toBeNull()
    expect(await summary.evaluate((e) => getComputedStyle(e).outlineStyle)).toBe('solid')
    const unreachable = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('main *')]
        .filter((e) => e.scrollWidth > e.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(e).overflowX) && e.tabIndex < 0)
        .map((e) => e.className),
    )
    expect(unreachable).toEqual([])
    await page.close()
  })

  test('tells a screen reader what each part is', async () => {
    const { page } = await open(renderHtml(sampleReport(many(3))))
    const tree = await page.locator('main').ariaSnapshot()
    for (const part of [
      '- region "Verdict"',
      '- list "Counts"',
      '- region "Findings"',
      '- navigation "Contents"',
      '- region "Start with these three"',
      '- group "Severity"',
      '- radio "All" [checked]',
      '- article "Critical RLS is off"',
      '- columnheader "Result"',
      '- region "The 25 checks"',
    ])
      expect(tree).toContain(part)
    await page.close()
  })

  const PHONE = { width: 390, height: 844 }
  const mixed = (n: number) =>
    many(n).map((f, i) => ({
      ...f,
      check: ['rls/enabled', 'api/auth', 'code/hardcoded', 'env/committed', 'api/ownership', 'payments/signature'][i % 6] as string,
      severity: (['Critical', 'High', 'Medium'] as const)[i % 3] as 'Critical',
      title: `Something is open on a table with a long name ${i}`,
    }))

  test('85 findings take at most 8 screens of a phone before anything is unfolded', async () => {
    const { page } = await open(renderHtml(sampleReport(mixed(85))), PHONE)
    const { scrollHeight, sideways } = await page.evaluate(() => ({
      scrollHeight: document.documentElement.scrollHeight,
      sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    }))
    expect(scrollHeight).toBeLessThanOrEqual(8 * PHONE.height)
    expect(sideways).toBe(0)
    expect(await page.locator('article.finding').count()).toBe(85)
    await page.evaluate(() => {
      for (const d of document.querySelectorAll('details')) d.open = true
    })
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
    await page.close()
  })

  test('the verdict and the first problem are on the first screen of a phone, and the contents stay in view', async () => {
    const { page } = await open(renderHtml(sampleReport(mixed(85))), PHONE)
    expect(await page.locator('.verdict').evaluate((e) => e.getBoundingClientRect().bottom)).toBeLessThan(PHONE.height)
    expect(
      await page
        .locator('.start li')
        .first()
        .evaluate((e) => e.getBoundingClientRect().bottom),
    ).toBeLessThan(PHONE.height)
    await page.evaluate(() => window.scrollTo(0, 3000))
    expect(await page.locator('nav.contents').evaluate((e) => e.getBoundingClientRect().top)).toBe(0)
    await page.close()
  })

  test('filters by severity and state without a script, by keyboard too', async () => {
    const findings = mixed(60).map((f, i) => ({ ...f, state: i < 30 ? ('introduced' as const) : ('existing' as const) }))
    const introduced = findings.slice(0, 30).map((f) => f.fingerprint)
    const comparison = { introduced, existing: findings.slice(30).map((f) => f.fingerprint), fixed: [], unreadable: [] }
    const { page } = await open(renderHtml(sampleReport(findings, { comparison })), PHONE)
    const visible = (kind: string) =>
      page.locator(`article.finding${kind}`).evaluateAll((all) => all.filter((e) => e.checkVisibility({ contentVisibilityAuto: true })).length)
    await page.locator('#severity-all').focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    expect(await page.locator('#severity-High').isChecked()).toBe(true)
    expect([await visible('.High'), await visible(':not(.High)')]).toEqual([20, 0])
    await page.locator('#state-introduced').check()
    expect([await visible('.High.introduced'), await visible('')]).toEqual([10, 10])
    await page.locator('#severity-all').check()
    expect(await visible('')).toBe(30)
    await page.close()
  })

  test('a link opens the folded part that its finding is in', async () => {
    const { page } = await open(renderHtml(sampleReport(mixed(85))), PHONE)
    const last = page.locator('article.finding.Medium').last()
    expect(await last.isVisible()).toBe(false)
    const id = await last.getAttribute('id')
    await page.evaluate((hash) => {
      location.hash = hash ?? ''
    }, id)
    expect(await last.isVisible()).toBe(true)
    await page.close()
  })

  test('what passed or does not apply is folded', async () => {
    const { page } = await open(renderHtml(sampleReport()), PHONE)
    expect(
      await page
        .locator('.tag.passed', { hasText: /^passed$/ })
        .evaluateAll((all) => all.filter((e) => e.checkVisibility({ contentVisibilityAuto: true })).length),
    ).toBe(0)
    expect(await page.getByText('24 checks without a finding').isVisible()).toBe(true)
    await page.close()
  })

  test('prints: folded places are on the pages, what is there to be copied is not', async () => {
    const { page } = await open(renderHtml(sampleReport(many(3))))
    await page.emulateMedia({ media: 'print' })
    const isPrinted = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((e) => e.checkVisibility({ contentVisibilityAuto: true }) && e.getClientRects().length > 0)
    expect(await isPrinted('article details:not(.copy) li')).toBe(true)
    expect(await isPrinted('.start li')).toBe(true)
    expect(await isPrinted('nav li')).toBe(false)
    expect(await isPrinted('.copy pre')).toBe(false)
    await page.close()
  })

  test('prints: every finding is on the pages', async () => {
    const { page } = await open(renderHtml(sampleReport()))
    expect((await page.pdf({ format: 'A4' })).length).toBeGreaterThan(10_000)
    await page.close()
  })
})

/** Runs in the page: visible text whose contrast with its nearest background is below 4.5. */
function lowContrast(): string[] {
  const parse = (c: string) => (c.match(/[\d.]+/g) ?? []).map(Number)
  const luminance = (c: number[]) => {
    const [r, g, b] = c.slice(0, 3).map((v) => (v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)) as [number, number, number]
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const background = (e: Element | null): number[] => {
    for (let at = e; at; at = at.parentElement) {
      const c = parse(getComputedStyle(at).backgroundColor)
      if (c[3] === undefined || c[3] > 0) return c
    }
    return [255, 255, 255]
  }
  const low: string[] = []
  for (const e of document.querySelectorAll('main *')) {
    const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent?.trim())
    if (!own || e.getClientRects().length === 0) continue
    const [a, b] = [luminance(parse(getComputedStyle(e).color)), luminance(background(e))]
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
    if (ratio < 4.5) low.push(`${e.tagName}.${e.className} ${ratio.toFixed(2)}: ${e.textContent?.slice(0, 30)}`)
  }
  return low
}
