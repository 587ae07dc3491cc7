import { expect, test } from 'vitest'
import { changedBetween, collectByFile, following, QuestionsByFile } from '../../src/lib/memo/collect-by-file.ts'

const file = (text: string) => ({ text })

test('only files that differ are asked again, and the answers are those of the whole list, in its order', () => {
  const asked: string[] = []
  const long = collectByFile((path: string, { text }: { text: string }) => {
    asked.push(path)
    return text.length > 3 ? text.length : undefined
  })
  const [a, c, d] = [file('long'), file('x'), file('longer')]
  const before = new Map([
    ['a', a],
    ['c', c],
    ['d', d],
  ])
  expect([...long(before)]).toEqual([
    ['a', 4],
    ['d', 6],
  ])
  asked.length = 0
  const now = following(
    before,
    new Map([
      ['a', a],
      ['b', file('added')],
      ['c', file('changed')],
    ]),
  )
  expect([...long(now)]).toEqual([
    ['a', 4],
    ['b', 5],
    ['c', 7],
  ])
  expect(asked.sort()).toEqual(['b', 'c'])
})

test('what did not change is the same object', () => {
  const long = collectByFile((_: string, { text }: { text: string }) => (text.length > 3 ? text.length : undefined))
  const a = file('long')
  const before = new Map([
    ['a', a],
    ['b', file('x')],
  ])
  const answers = long(before)
  expect(following(before, new Map(before))).toBe(before)
  const now = following(
    before,
    new Map([
      ['a', a],
      ['b', file('y')],
    ]),
  )
  expect(changedBetween(before, now)).toEqual(['b'])
  expect(long(now)).toBe(answers)
})

test('answers are themselves a list of which it is known what differs', () => {
  const upper = collectByFile((_: string, { text }: { text: string }) => (text ? { text: text.toUpperCase() } : undefined))
  const before = new Map([
    ['a', file('a')],
    ['b', file('b')],
  ])
  const asked = upper(before)
  const now = following(before, new Map([['a', before.get('a') as { text: string }]]))
  expect(changedBetween(asked, upper(now))).toEqual(['b'])
})

test('no more than one step back is known', () => {
  const lists = ['a', 'b', 'c'].map((text) => new Map([['x', file(text)]]))
  following(lists[0], lists[1] as Map<string, { text: string }>)
  following(lists[1], lists[2] as Map<string, { text: string }>)
  expect(changedBetween(lists[0] as never, lists[1] as never)).toBeUndefined()
  expect(changedBetween(lists[1] as never, lists[2] as never)).toEqual(['x'])
})

test('a file that was asked ahead is not asked again, but an equal one at another place is', () => {
  const questions = new QuestionsByFile<{ text: string }>()
  const asked: string[] = []
  const named = questions.collect((path, { text }) => {
    asked.push(path)
    return text === 'nothing' ? undefined : `${path}: ${text}`
  })
  const [shared, empty] = [file('shared'), file('nothing')]
  questions.askAhead('a', shared)
  questions.askAhead('b', shared)
  questions.askAhead('c', empty)
  expect(asked).toEqual(['a', 'c'])
  const files = new Map([
    ['a', shared],
    ['b', shared],
    ['c', empty],
    ['d', file('late')],
  ])
  expect([...named(files).values()]).toEqual(['a: shared', 'b: shared', 'd: late'])
  expect(asked).toEqual(['a', 'c', 'b', 'd'])
})
