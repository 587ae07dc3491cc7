import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { annotationCommand, commandData, commandProperty, keptAnnotations, logLine } from '../../src/action/workflow-commands.ts'
import type { Annotation } from '../../src/annotations/annotations.ts'

/** How the runner reads a line: `ActionCommand.TryParseV2`, then `TryParse` for the commands of its first years. */
function asRunner(line: string): { name: string; properties: Record<string, string>; data: string } | undefined {
  const text = line.trimStart()
  const end = text.startsWith('::') ? text.indexOf('::', 2) : -1
  if (end > 0) {
    const info = text.slice(2, end)
    const space = info.indexOf(' ')
    const properties = (space < 0 ? '' : info.slice(space + 1)).split(',').filter(Boolean)
    return {
      name: space < 0 ? info : info.slice(0, space),
      properties: Object.fromEntries(properties.map((p) => [p.slice(0, p.indexOf('=')), unescaped(p.slice(p.indexOf('=') + 1))])),
      data: unescaped(text.slice(end + 2)),
    }
  }
  const old = /##\[([^\]]*)\](.*)/s.exec(line)
  return old ? { name: old[1] as string, properties: {}, data: old[2] as string } : undefined
}

const unescaped = (text: string) => text.replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%')

const HOSTILE = [
  '::set-output name=verdict::success',
  '\n::add-mask::a',
  '\r::error::x',
  'a,line=9',
  'a:b',
  '100%0A::debug::x',
  '##[add-path]/tmp',
  ' ::stop-commands::x',
]
const text = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom(...HOSTILE, '%', ',', ':', '\n', 'x'), { maxLength: 6 }).map((a) => a.join('')),
)

const annotation = (change: Partial<Annotation> = {}): Annotation => ({
  path: 'src/a.ts',
  start_line: 3,
  end_line: 4,
  annotation_level: 'failure',
  title: 'Critical: open',
  message: 'Anyone can read it.',
  ...change,
})

describe('an annotation', () => {
  it('is one command', () => {
    expect(annotationCommand(annotation())).toBe('::error file=src/a.ts,line=3,endLine=4,title=Critical%3A open::Anyone can read it.')
  })

  it('gives the runner what was meant, and no other command, whatever path, title and message hold', () => {
    fc.assert(
      fc.property(text, text, text, (path, title, message) => {
        const line = annotationCommand(annotation({ path, title, message }))
        expect(line).not.toMatch(/[\r\n]/)
        expect(asRunner(line)).toEqual({ name: 'error', properties: { file: path, line: '3', endLine: '4', title }, data: message })
      }),
    )
  })

  it('escapes in the order that the runner reverses', () => {
    expect(commandData('%0A\r\n')).toBe('%250A%0D%0A')
    expect(commandProperty('a:b,c%')).toBe('a%3Ab%2Cc%25')
  })

  it('is cut where the runner would cut it', () => {
    expect(Buffer.byteLength(asRunner(annotationCommand(annotation({ message: 'é'.repeat(9000) })))?.data ?? '')).toBeLessThanOrEqual(4000)
  })
})

it('a line of the log is never a command', () => {
  fc.assert(
    fc.property(text, (said) => {
      expect(asRunner(logLine(said))).toBeUndefined()
    }),
  )
  expect(logLine('facts of 3 files came from the cache')).toBe('facts of 3 files came from the cache')
})

it('of each level as many annotations are written as the runner keeps beside the verdict', () => {
  const all = [...Array(12).fill(annotation()), ...Array(3).fill(annotation({ annotation_level: 'notice' }))]
  const { kept, left } = keptAnnotations(all)
  expect([kept.length, left]).toEqual([12, 3])
})
