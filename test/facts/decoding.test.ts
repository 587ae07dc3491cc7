import { describe, expect, test } from 'vitest'
import { extractJob } from '../../src/facts/extract.ts'

const extractScript = (path: string, text: string) => extractJob({ path, bytes: Buffer.from(text), kinds: ['javascript'] })[0]

describe('bytes become text', () => {
  test('source that holds a NUL in a string is source', () => {
    const filler = '// a pair of words is kept under one key\n'.repeat(30)
    const extraction = extractScript('src/pairs.ts', `${filler}export const key = (a: string, b: string) => \`\${a}\0\${b}\`\n`)
    expect(extraction?.problems).toEqual([])
    expect(extraction?.facts).toMatchObject({ exports: [expect.objectContaining({ name: 'key' })] })
  })

  test('bytes that are UTF-8 by chance and full of NULs are no source', () => {
    expect(extractScript('src/icon.ts', 'ab\0\0\0cd\0'.repeat(40))?.problems).toEqual([{ message: 'is a binary file' }])
  })
})
