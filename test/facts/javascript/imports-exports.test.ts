import { describe, expect, test } from 'vitest'
import type { ImportFact } from '../../../src/facts/javascript.ts'
import { facts, shape } from './lowered.ts'

const imported = (i: ImportFact) => [i.how, i.from, i.typeOnly ?? false, i.bindings.map((b) => `${b.imported} as ${b.local}`).join(', '), i.l]

describe('imports', () => {
  test('every way to import', () => {
    const { imports } = facts(
      [
        "import a, { b as c, type T } from './1'",
        "import * as d from './2'",
        "import './3'",
        "import type { U } from './4'",
        "import { type V } from './5'",
        "import e = require('./6')",
        "const f = require('./7')",
        "const { g, h: i } = require('./8')",
        "const { j } = await import('./9')",
        "const k = require('./10').k",
        "function later() { require('./11'); return import('./12') }",
        'use(a, c, d)',
      ].join('\n'),
    )
    expect(imports.map(imported)).toEqual([
      ['static', './1', false, 'default as a, b as c', 1],
      ['static', './2', false, '* as d', 2],
      ['static', './3', false, '', 3],
      ['static', './4', true, 'U as U', 4],
      ['static', './5', true, '', 5],
      ['require', './6', false, '* as e', 6],
      ['require', './7', false, '* as f', 7],
      ['require', './8', false, 'g as g, h as i', 8],
      ['dynamic', './9', false, 'j as j', 9],
      ['require', './10', false, 'k as k', 10],
      ['require', './11', false, '', 11],
      ['dynamic', './12', false, '', 11],
    ])
  })

  test('an import that only types use is erased in TypeScript, kept in JavaScript and beside decorators', () => {
    const text = "import { User } from './admin'\nexport const f = (u) => u"
    expect(facts(text, 'a.ts').imports[0]?.typeOnly).toBe(true)
    expect(facts(text, 'a.js').imports[0]?.typeOnly).toBeUndefined()
    expect(facts(`${text}\n@Injectable() class A {}`, 'a.ts').imports[0]?.typeOnly).toBeUndefined()
    expect(facts("import { Card } from './card'\nexport const A = () => <Card />", 'a.tsx').imports[0]?.typeOnly).toBeUndefined()
    expect(facts("import { cn } from './cn'\nexport const A = () => <p className={cn('x')} />", 'a.tsx').imports[0]?.typeOnly).toBeUndefined()
    expect(facts("import { a } from './a'\nexport { a }", 'a.ts').imports[0]?.typeOnly).toBeUndefined()
  })
})

describe('exports', () => {
  const cases: [string, unknown][] = [
    [
      'export const a = 1, { b, c: [d] } = x',
      [
        { name: 'a', local: 'a' },
        { name: 'b', local: 'b' },
        { name: 'd', local: 'd' },
      ],
    ],
    ['export async function POST() {}', [{ name: 'POST', local: 'POST' }]],
    ['export default function page() {}', [{ name: 'default', local: 'page' }]],
    ['export default function () {}', [{ name: 'default', value: { k: 'fn', fn: 1 } }]],
    ['export default class A {}', [{ name: 'default', local: 'A' }]],
    ['const a = 1; export default a', [{ name: 'default', local: 'a', value: { k: 'id', name: 'a' } }]],
    ['export default wrap(() => 1)', [{ name: 'default', value: { k: 'call', fn: { k: 'id', name: 'wrap' }, args: [{ k: 'fn', fn: 1 }] } }]],
    ['const a = 1; export { a as b, type T }', [{ name: 'b', local: 'a' }]],
    [
      "export { a as b, default } from './x'",
      [
        { name: 'b', from: './x', imported: 'a' },
        { name: 'default', from: './x', imported: 'default' },
      ],
    ],
    ["export * from './x'", [{ name: '*', from: './x', imported: '*' }]],
    ["export * as ns from './x'", [{ name: 'ns', from: './x', imported: '*' }]],
    ["export type { T } from './x'", []],
    ['export = a', [{ name: 'default', local: 'a', value: { k: 'id', name: 'a' } }]],
    ['exports.a = b', [{ name: 'a', local: 'b', value: { k: 'id', name: 'b' } }]],
    ['module.exports.a = 1', [{ name: 'a', value: { k: 'lit', v: 1 } }]],
    [
      'module.exports = { a, b: 1 }',
      [
        {
          name: 'default',
          value: {
            k: 'obj',
            props: [
              { key: 'a', value: { k: 'id', name: 'a' } },
              { key: 'b', value: { k: 'lit', v: 1 } },
            ],
          },
        },
        { name: 'a', local: 'a', value: { k: 'id', name: 'a' } },
        { name: 'b', value: { k: 'lit', v: 1 } },
      ],
    ],
    ['function f() { exports.hidden = 1 }', []],
    ['export enum E { A }', [{ name: 'E', local: 'E' }]],
    ['export namespace N { export const a = 1 }', [{ name: 'N', local: 'N' }]],
  ]
  test.each(cases)('%s', (source, expected) => {
    expect(shape(facts(source).exports)).toEqual(expected)
  })
})
