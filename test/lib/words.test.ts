import { expect, test } from 'vitest'
import { withArticle } from '../../src/lib/article.ts'
import { plural } from '../../src/lib/plural.ts'

test.each([
  ['admin', 'an admin'],
  ['owner', 'an owner'],
  ['edge function', 'an edge function'],
  ['Authorization header', 'an Authorization header'],
  ['user', 'a user'],
  ['URL', 'a URL'],
  ['one-time code', 'a one-time code'],
  ['unverified token', 'an unverified token'],
  ['member', 'a member'],
  ['server action', 'a server action'],
])('%s has the article that English gives it', (word, expected) => {
  expect(withArticle(word)).toBe(expected)
})

test('one thing has no plural', () => {
  expect([0, 1, 2].map((n) => plural(n, 'finding'))).toEqual(['0 findings', '1 finding', '2 findings'])
  expect([1, 2].map((n) => plural(n, 'policy', 'policies'))).toEqual(['1 policy', '2 policies'])
})
