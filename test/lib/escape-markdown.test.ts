import { describe, expect, test } from 'vitest'
import { cleanLine } from '../../src/lib/clean-text.ts'
import { codeSpan, cutBytes, fence, linkPath, plain, prose } from '../../src/lib/escape-markdown.ts'

describe('prose', () => {
  test.each([
    ['plain words', 'plain words'],
    ['<b>x</b>', '&lt;b&gt;x&lt;/b&gt;'],
    ['![a](http://x.y)', '\\!\\[a\\](http:\u200b//x.y)'],
    ['@ann', '@\u200bann'],
    ['a | b', 'a \\| b'],
    ['# no heading', '\\# no heading'],
    ['- no list', '\\- no list'],
    ['1. no list', '1\\. no list'],
    ['snake_case *bold*', 'snake\\_case \\*bold\\*'],
    ['two\nlines\u0007', 'two lines\\\\u{7}'],
    ['a `code|span` stays', 'a `code\\|span` stays'],
  ])('%j is written %j', (text, escaped) => expect(prose(text)).toBe(escaped))
})

describe('code and fence', () => {
  test.each([
    ['a', '`a`'],
    ['a`b', '``a`b``'],
    ['`a', '`` `a ``'],
    ['a|b', '`a\\|b`'],
    ['', '` `'],
  ])('%j is written %j', (text, span) => expect(codeSpan(text)).toBe(span))

  test('a fence in the code does not end the block', () => {
    expect(fence('a\n```\n# b', 'sql')).toBe('````sql\na\n```\n# b\n````')
    expect(fence('x', 'sql"><b>')).toBe('```sqlb\nx\n```')
  })
})

describe('bounds', () => {
  test('hold also for ten megabytes', () => {
    expect(cleanLine('x'.repeat(10_000_000), 50)).toBe(`${'x'.repeat(49)}…`)
    expect(plain('x'.repeat(10_000_000), { max: 50 })).toBe(`${'x'.repeat(50)}… (10000000 characters)`)
    expect(Buffer.byteLength(cutBytes('ü'.repeat(1000), 100))).toBeLessThanOrEqual(100)
  })

  test('a path in a link has no character that ends the link', () => {
    expect(linkPath("a b/(c)/'d'.ts")).toBe('a%20b/%28c%29/%27d%27.ts')
  })
})
