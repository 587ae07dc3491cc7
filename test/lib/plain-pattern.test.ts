import { expect, test } from 'vitest'
import { admitsPlainTextOnly } from '../../src/lib/plain-pattern.ts'

test.each(['/^[\\w-]+$/', '/^[a-z]{2,5}(?:-[A-Z]{2})?$/i', '/^(?:asc|desc)$/', '/^\\d{4}-\\d{2}$/', '/^[^]$/'.replace('[^]', '[a.b]')])('%s', (pattern) => {
  expect(admitsPlainTextOnly(pattern)).toBe(true)
})

test.each([
  ['part of the text', '/[a-z]+/'],
  ['any character', '/^.+$/'],
  ['a class of what is left out', '/^[^;]+$/'],
  ['quotes', "/^[\\w']+$/"],
  ['commas and parentheses', '/^[\\w,()]+$/'],
  ['whatever is no space', '/^\\S+$/'],
  ['one side of an alternative only', '/^a|b$/'],
])('%s', (_what, pattern) => {
  expect(admitsPlainTextOnly(pattern)).toBe(false)
})
