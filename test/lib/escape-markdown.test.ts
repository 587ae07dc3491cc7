import { describe, expect, test } from 'vitest'
import { cleanLine } from '../../src/lib/clean-text.ts'
import { codeBlock, escapeMarkdown, inlineCode } from '../../src/lib/escape-markdown.ts'

describe('escapeMarkdown', () => {
  test.each([
    ['plain words', 'plain words'],
    ['<b>x</b>', '&lt;b&gt;x&lt;/b&gt;'],
    ['![a](http://x.y)', '\\!\\[a\\]\\(http:\u200b//x.y\\)'],
    ['@ann', '@\u200bann'],
    ['a | b', 'a \\| b'],
    ['# no heading', '\\# no heading'],
    ['- no list', '\\- no list'],
    ['1. no list', '\\1. no list'],
    ['snake_case *bold*', 'snake\\_case \\*bold\\*'],
    ['two\nlines\u0007', 'two lines'],
  ])('%j is written %j', (text, escaped) => expect(escapeMarkdown(text)).toBe(escaped))
})

describe('inlineCode and codeBlock', () => {
  test.each([
    ['a', '`a`'],
    ['a`b', '``a`b``'],
    ['`a', '`` `a ``'],
    ['a|b', '`a\\|b`'],
    ['', '`  `'],
  ])('%j is written %j', (text, code) => expect(inlineCode(text)).toBe(code))

  test('a fence in the code does not end the block', () => {
    expect(codeBlock('a\n```\n# b', 'sql')).toBe('````sql\na\n```\n# b\n````')
    expect(codeBlock('x', 'sql"><b>')).toBe('```sqlb\nx\n```')
  })
})

test('cleanLine is bounded, also for ten megabytes', () => {
  expect(cleanLine('x'.repeat(10_000_000), 50)).toBe(`${'x'.repeat(49)}…`)
})
