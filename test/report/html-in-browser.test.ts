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

  async function open(html: string, options: { width?: number; colorScheme?: 'light' | 'dark' } = {}) {
    const file = join(dir, 'report.html')
    writeFileSync(file, html)
    const page = await browser.newPage({ viewport: { width: options.width ?? 1100, height: 900 }, colorScheme: options.colorScheme ?? 'light' })
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

  test.each([320, 768, 1280])('does not scroll sideways at %d pixels', async (width) => {
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
      '- navigation "Findings at a glance"',
      '- article "Critical RLS is off"',
      '- columnheader "Result"',
      '- region "The 25 checks"',
    ])
      expect(tree).toContain(part)
    await page.close()
  })

  test('with 200 findings stays one page that answers at a glance', async () => {
    const { page } = await open(renderHtml(sampleReport(many(200))), { width: 390 })
    expect(await page.locator('article.finding').count()).toBe(200)
    expect(await page.locator('nav li').count()).toBeLessThanOrEqual(13)
    expect(await page.locator('nav li').first().innerText()).toContain('200 places')
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
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
    expect(await isPrinted('nav li')).toBe(true)
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
