import { expect, it } from 'vitest'
import { plainRecord } from '../../src/lib/plain-record.ts'

it('is a record that has its own members alone, whatever they are called', () => {
  const record = plainRecord<number>()
  expect(record.toString).toBeUndefined()
  const names = ['__proto__', 'constructor', 'hasOwnProperty']
  for (const name of names) {
    expect(name in record).toBe(false)
    record[name] = 1
  }
  expect(Object.entries(record)).toEqual(names.map((name) => [name, 1]))
  expect(Object.keys(plainRecord())).toEqual([])
})
