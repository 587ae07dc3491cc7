import { describe, expect, test } from 'vitest'
import { renderCheckRun } from '../../src/annotations/check-run.ts'
import { renderComment } from '../../src/annotations/comment.ts'
import { codeSpan, fence, linkPath, plain, prose } from '../../src/lib/escape-markdown.ts'
import { audience, finding, report } from './sample-report.ts'

const HOSTILE = [
  '@octocat please look',
  '<img src=x onerror=alert(1)>',
  '<!-- prelaunch:summary -->',
  '![pixel](https://evil.example/p.png)',
  '[click](https://evil.example)',
  'https://evil.example/autolink and www.evil.example',
  'a | b | c\n| --- |\n| x |',
  '\u001b[31mred\u001b[0m',
  '\u202Egnp.exe\u2066',
  '``` ````\n# heading',
  '</details></summary>',
  '#1 GH-2 octo/shop#3 !4',
  '$\\alpha$ ~~gone~~ **bold** _em_',
  '`single',
]

/** Lines outside fenced blocks, code spans removed: what GitHub interprets. */
function interpreted(markdown: string): string {
  const lines: string[] = []
  let inside = ''
  for (const line of markdown.split('\n')) {
    const ticks = /^(`{3,})/.exec(line)?.[1]
    if (inside) {
      if (line.startsWith(inside) && line.trim() === inside) inside = ''
    } else if (ticks) inside = ticks
    else lines.push(line.replace(/(`+)(?:(?!\1)[^`]|(?!\1(?!`))`)*\1(?!`)/g, ''))
  }
  expect(inside, 'a fenced block stays open').toBe('')
  return lines.join('\n')
}

describe.each(HOSTILE)('%j in names, paths and messages', (evil) => {
  const hostile = finding({
    subject: `table ${evil}`,
    title: evil,
    message: `The table ${evil} and \`${evil}\` are open`,
    attack: evil,
    path: `a/${evil}/b.sql`,
    fix: { text: evil, language: 'sql\n', code: evil },
    related: [{ path: evil, line: 1, what: evil }],
    assumes: evil,
  })
  const sample = report([hostile], {
    suppressed: [{ finding: hostile, reason: evil, where: evil }],
    gaps: [{ path: evil, because: evil, touches: [{ topic: 'anything' }] }],
  })
  const output = renderCheckRun(sample, audience())
  const comment = renderComment(sample, audience()) ?? ''

  test.each([
    ['the summary', output.summary],
    ['the comment', comment.replace('<!-- prelaunch:summary -->', '')],
  ])('are inert in %s', (_name, markdown) => {
    const text = interpreted(markdown)
    expect(text).not.toMatch(/@[a-z]/i)
    expect(text).not.toMatch(/<(?!\/?(details|summary|sub|b|code)>|details open>)/)
    expect(text).not.toContain('<!--')
    expect(text).not.toMatch(/(?<!\\)!\[/)
    expect(text).not.toMatch(/(?<!\\)\]\((?!https:\/\/github\.com\/octo\/shop\/)/)
    expect(text.replaceAll(/\(https:\/\/github\.com\/[^)]*\)/g, '')).not.toMatch(/https?:\/\/|www\.\w/)
    expect(markdown).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
    expect(markdown.match(/<details/g)?.length ?? 0).toBeLessThanOrEqual(20)
    // The table of checks has exactly its own columns.
    for (const row of text.split('\n').filter((l) => /^\| \d+ \|/.test(l))) expect(row.replaceAll('\\|', '').split('|')).toHaveLength(6)
  })

  test('are harmless in annotations', () => {
    for (const a of output.annotations)
      expect(a.message + a.title + (a.raw_details ?? '')).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
  })
})

describe('escape', () => {
  test('cuts a 10 MB line and says how long it was', () => {
    expect(plain('x'.repeat(10_000_000)).length).toBeLessThan(2100)
    expect(plain('x'.repeat(10_000_000))).toContain('(10000000 characters)')
  })

  test('code spans outlast any run of backticks', () => {
    expect(codeSpan('a``b')).toBe('```a``b```')
    expect(codeSpan('`')).toBe('`` ` ``')
  })

  test('fences outlast any run of backticks', () => {
    expect(fence('````\nx', 'sql').split('\n')[0]).toBe('`````sql')
  })

  test('prose keeps our code spans and breaks mentions', () => {
    expect(prose('see `a_b` of @me')).toBe('see `a_b` of @\u200bme')
  })

  test('paths in links hold no Markdown', () => {
    expect(linkPath('app/(auth)/[id]/page.tsx')).toBe('app/%28auth%29/%5Bid%5D/page.tsx')
  })
})
