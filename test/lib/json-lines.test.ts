import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { JsonLines } from '../../src/lib/json-lines.ts'

function reader(maxBytes = 1000) {
  const stream = new PassThrough()
  const messages: unknown[] = []
  const problems: string[] = []
  const lines = new JsonLines(stream, { message: maxBytes }, { onMessage: (m) => messages.push(m), onBreach: (p) => problems.push(p) })
  const feed = async (...chunks: (string | Buffer)[]) => {
    for (const chunk of chunks) {
      stream.write(chunk)
      await setImmediate()
    }
    return { messages, problems }
  }
  return { lines, feed }
}

describe('lines of JSON', () => {
  test('come one by one, however the stream divides them', async () => {
    const all = Buffer.from('{"a":"ü€😀"}\n[1]\nnull\n')
    const { feed } = reader()
    expect(await feed(...[...all].map((byte) => Buffer.from([byte])))).toEqual({ messages: [{ a: 'ü€😀' }, [1], null], problems: [] })
    expect((await reader().feed(all)).messages).toHaveLength(3)
  })

  test('are what the writer wrote, line breaks and all', async () => {
    const { lines, feed } = reader()
    lines.send({ text: 'a\nb\u2028c', none: undefined })
    expect((await feed('1\n')).messages).toEqual([{ text: 'a\nb\u2028c' }, 1])
  })

  test('that are longer than allowed end the reading, before their end is there', async () => {
    const { feed } = reader(10)
    expect(await feed('"12345678"\n', '"123', '45678901', '"\n1\n')).toEqual({
      messages: ['12345678'],
      problems: ['it sent a message that is larger than allowed'],
    })
  })

  test('that are no JSON end the reading', async () => {
    expect(await reader().feed('{}\n{\n{}\n')).toEqual({ messages: [{}], problems: ['it sent something that is not JSON'] })
  })
})
