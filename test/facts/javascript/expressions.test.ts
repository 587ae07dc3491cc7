import { describe, expect, test } from 'vitest'
import { body, expression, facts } from './lowered.ts'

const id = (name: string) => ({ k: 'id', name })
const lit = (v: unknown) => ({ k: 'lit', v })

describe('expressions', () => {
  const cases: [string, unknown][] = [
    ['(a as any)!.b', { k: 'mem', of: id('a'), name: 'b' }],
    ['(a satisfies T).b', { k: 'mem', of: id('a'), name: 'b' }],
    ["a['b']", { k: 'mem', of: id('a'), name: 'b' }],
    ['a?.[0]', { k: 'idx', of: id('a'), index: lit(0), opt: true }],
    ['a?.b()', { k: 'call', fn: { k: 'mem', of: id('a'), name: 'b', opt: true }, args: [] }],
    ['a?.(b)', { k: 'call', fn: id('a'), args: [id('b')], opt: true }],
    ['f(...xs)', { k: 'call', fn: id('f'), args: [{ k: 'spread', of: id('xs') }] }],
    ['-1', lit(-1)],
    ['10n', lit('10n')],
    ['undefined', { k: 'lit' }],
    ['/a+/g', { k: 'regex', v: '/a+/g' }],
    ['`a${b}c`', { k: 'tpl', quasis: ['a', 'c'], exprs: [id('b')] }],
    ['sql`x`', { k: 'tag', tag: id('sql'), tpl: { k: 'tpl', quasis: ['x'], exprs: [] } }],
    ['a && b || c', { k: 'logic', op: '||', a: { k: 'logic', op: '&&', a: id('a'), b: id('b') }, b: id('c') }],
    ['a - b - c', { k: 'bin', op: '-', a: { k: 'bin', op: '-', a: id('a'), b: id('b') }, b: id('c') }],
    ['a instanceof B', { k: 'bin', op: 'instanceof', a: id('a'), b: id('B') }],
    ['(a, b, c)', { k: 'seq', items: [id('a'), id('b'), id('c')] }],
    ['typeof a', { k: 'un', op: 'typeof', of: id('a') }],
    ['i++', { k: 'un', op: '++', of: id('i') }],
    ['a ? b : c', { k: 'cond', test: id('a'), then: id('b'), else: id('c') }],
    ['a.b ??= c', { k: 'assign', op: '??=', to: { k: 'expr', expr: { k: 'mem', of: id('a'), name: 'b' } }, value: id('c') }],
    [
      '({ a, b: [c = 1, ...d] } = e)',
      {
        k: 'assign',
        op: '=',
        to: {
          k: 'object',
          props: [
            { key: 'a', to: { k: 'name', name: 'a' } },
            { key: 'b', to: { k: 'array', items: [{ k: 'name', name: 'c', init: lit(1) }], rest: 'd' } },
          ],
        },
        value: id('e'),
      },
    ],
    [
      '({ a, ...b, [c]: 1, "d-e": 2 })',
      {
        k: 'obj',
        props: [
          { key: 'a', value: id('a') },
          { spread: true, value: id('b') },
          { computed: id('c'), value: lit(1) },
          { key: 'd-e', value: lit(2) },
        ],
      },
    ],
    ['import.meta.env.X', { k: 'mem', of: { k: 'mem', of: { k: 'mem', of: id('import'), name: 'meta' }, name: 'env' }, name: 'X' }],
    ["import('./a')", { k: 'import', from: lit('./a') }],
    ['new A(1)', { k: 'new', fn: id('A'), args: [lit(1)] }],
    ['await a', { k: 'await', of: id('a') }],
  ]
  test.each(cases)('%s', (source, expected) => {
    expect(expression(source)).toEqual(expected)
  })

  test('JSX keeps what acts and drops what only looks', () => {
    expect(expression('<form action={save} className="p-4"><Input.Text name="a" /> text {b && <p />}</form>', 'a.tsx')).toEqual({
      k: 'jsx',
      tag: 'form',
      attrs: [{ key: 'action', value: id('save') }],
      children: [
        { k: 'jsx', tag: { k: 'mem', of: id('Input'), name: 'Text' }, attrs: [{ key: 'name', value: lit('a') }], children: [] },
        { k: 'logic', op: '&&', a: id('b'), b: { k: 'jsx', tag: 'p', attrs: [], children: [] } },
      ],
    })
  })

  test('each call of a chain has the line of its name', () => {
    const [statement] = facts("db\n  .from('a')\n  // a comment\n  .select()\n  .eq('b', 1)").functions[0]?.body ?? []
    const lines: number[] = []
    for (let e = statement?.k === 'expr' ? statement.expr : undefined; e?.k === 'call'; e = e.fn.k === 'mem' ? e.fn.of : undefined) lines.push(e.l)
    expect(lines).toEqual([5, 4, 2])
  })
})

describe('functions', () => {
  test('are listed with their parents, parameters and names', () => {
    const { functions } = facts("const a = async ({ id }: P, b = 1, ...c) => {\n  'use server'\n  return function* inner() {}\n}")
    expect(functions.map((f) => [f.id, f.name, f.parent, f.async, f.arrow, f.generator, f.directives, f.l, f.e])).toEqual([
      [0, undefined, undefined, undefined, undefined, undefined, undefined, 1, 4],
      [1, 'a', 0, true, true, undefined, ['use server'], 1, 4],
      [2, 'inner', 1, undefined, undefined, true, undefined, 3, 3],
    ])
    expect(functions[1]?.types).toEqual(['P', null, null])
    expect(functions[1]?.params).toMatchObject([
      { k: 'object', props: [{ key: 'id' }] },
      { k: 'name', name: 'b', init: { v: 1 } },
      { k: 'rest', to: { name: 'c' } },
    ])
  })

  test('a concise arrow returns its expression', () => {
    expect(facts('const f = () => 1').functions[1]?.body).toMatchObject([{ k: 'return', value: { v: 1 } }])
  })

  test('classes: decorators, constructor parameters that are fields, members', () => {
    const { functions } = facts(
      "@Controller('a')\nclass A extends B {\n  #p = 1\n  constructor(private db: Db, @Inject(X) y: Y) { super() }\n  @Get() async list(@Query('q') q) {}\n  get v() { return 1 }\n  static s() {}\n  declared(): void\n  declared() {}\n}",
    )
    expect(functions[0]?.body[0]).toMatchObject({
      k: 'class',
      name: 'A',
      class: {
        extends: { name: 'B' },
        decorators: [{ k: 'call', fn: { name: 'Controller' } }],
        members: [
          { name: '#p', how: 'field', value: { v: 1 } },
          { name: 'constructor', how: 'constructor', paramDecorators: [[], [{ fn: { name: 'Inject' } }]] },
          { name: 'list', how: 'method', decorators: [{ fn: { name: 'Get' } }], paramDecorators: [[{ fn: { name: 'Query' } }]] },
          { name: 'v', how: 'get' },
          { name: 's', how: 'method', static: true },
          { name: 'declared', how: 'method' },
        ],
      },
    })
    expect(functions[1]?.types).toEqual(['Db', 'Y'])
    expect(functions[1]?.body[0]).toMatchObject({ k: 'expr', expr: { k: 'assign', to: { expr: { of: { k: 'this' }, name: 'db' } }, value: { name: 'db' } } })
  })
})

describe('statements', () => {
  test('enums and namespaces are objects', () => {
    expect(body('enum A { X, Y = 5, Z, S = "s" }')).toEqual([
      {
        k: 'let',
        how: 'const',
        to: { k: 'name', name: 'A' },
        init: {
          k: 'obj',
          props: [
            { key: 'X', value: lit(0) },
            { key: 'Y', value: lit(5) },
            { key: 'Z', value: lit(6) },
            { key: 'S', value: lit('s') },
          ],
        },
      },
    ])
    expect(body('namespace N { export const a = 1; const b = 2 }')).toMatchObject([
      { to: { name: 'a' } },
      { to: { name: 'b' } },
      { to: { name: 'N' }, init: { k: 'obj', props: [{ key: 'a', value: id('a') }] } },
    ])
  })

  test('types leave nothing behind', () => {
    expect(
      body(
        'interface A {}\ntype B = A\ndeclare const c: B\ndeclare module "x" { export const y: 1 }\nfunction f(a: 1): void\nabstract class D { abstract m(): void }',
      ),
    ).toMatchObject([{ k: 'class', class: { members: [] } }])
  })

  test('control flow', () => {
    expect(
      body(
        'a: for (const [k] of o) { if (k) continue a; else break }\ntry { f() } catch ({ message }) { g() } finally { h() }\nswitch (x) { case 1: f(); default: g() }',
      ),
    ).toEqual([
      {
        k: 'block',
        label: 'a',
        body: [
          {
            k: 'loop',
            how: 'of',
            to: { k: 'array', items: [{ k: 'name', name: 'k' }] },
            over: id('o'),
            body: [{ k: 'if', test: id('k'), then: [{ k: 'continue', label: 'a' }], else: [{ k: 'break' }] }],
          },
        ],
      },
      {
        k: 'try',
        body: [{ k: 'expr', expr: { k: 'call', fn: id('f'), args: [] } }],
        param: { k: 'object', props: [{ key: 'message', to: { k: 'name', name: 'message' } }] },
        handler: [{ k: 'expr', expr: { k: 'call', fn: id('g'), args: [] } }],
        finalizer: [{ k: 'expr', expr: { k: 'call', fn: id('h'), args: [] } }],
      },
      {
        k: 'switch',
        on: id('x'),
        cases: [
          { test: lit(1), body: [{ k: 'expr', expr: { k: 'call', fn: id('f'), args: [] } }] },
          { body: [{ k: 'expr', expr: { k: 'call', fn: id('g'), args: [] } }] },
        ],
      },
    ])
  })
})

test('facts are the same when they come from a store as text', () => {
  const fresh = facts('const [, a] = [, undefined]\nfunction* f() { yield; return void 0 }\nexport default cond ? undefined : <a>{}</a>\n', 'file.tsx')
  expect(JSON.parse(JSON.stringify(fresh))).toStrictEqual(fresh)
})
