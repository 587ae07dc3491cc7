import { describe, expect, test } from 'vitest'
import { javascript } from '../../../src/facts/extractors/javascript/javascript.ts'
import { findSecrets } from '../../../src/facts/secrets/detect.ts'
import { PLACEHOLDERS } from '../../support/placeholders.ts'
import { facts } from './lowered.ts'

describe('component files keep true lines', () => {
  test('Vue: both scripts, no template', () => {
    const f = facts(
      '<template>\n  <p>{{ a }}</p>\n</template>\n<script lang="ts">\nexport default { name: "A" }\n</script>\n<script setup lang="ts" generic="T extends Record<string, string>">\nimport { a } from "./a"\n</script>\n<style>p { color: red }</style>\n',
      'a.vue',
    )
    expect(f.imports.map((i) => [i.from, i.l, i.typeOnly])).toEqual([['./a', 8, undefined]])
    expect(f.exports.map((e) => [e.name, e.l])).toEqual([['default', 5]])
  })

  test('Svelte: module and instance script, CRLF', () => {
    const f = facts(
      '<script context="module">\r\nexport const prerender = true\r\n</script>\r\n<script>\r\nimport x from "./x"\r\n</script>\r\n<p>{x}</p>',
      'a.svelte',
    )
    expect(f.exports.map((e) => [e.name, e.l])).toEqual([['prerender', 2]])
    expect(f.imports.map((i) => [i.from, i.l])).toEqual([['./x', 5]])
  })

  test('Astro: frontmatter may return, scripts and hydrated components are told apart', () => {
    const f = facts(
      '---\nimport Cart from "./Cart"\nif (!user) return Astro.redirect("/")\n---\n<!-- <script>import "./no"</script> -->\n<Cart client:load items={x} />\n<script>\n  import "./browser"\n</script>\n<script type="application/ld+json">{ "a": 1 }</script>\n',
      'a.astro',
    )
    expect(f.imports.map((i) => [i.from, i.l])).toEqual([
      ['./Cart', 2],
      ['./browser', 8],
    ])
    expect(f.browserLines).toEqual([[7, 9]])
    expect(f.hydrated).toEqual(['Cart'])
  })

  test('a file without a script is empty, not an error', () => {
    expect(facts('<template><p/></template>', 'a.vue').functions[0]?.body).toEqual([])
  })
})

describe('comments', () => {
  test('are found in comments only', () => {
    const { comments } = facts(
      "// TODO: check the role\nconst s = 'TODO not' + `FIXME ${DEBUG} HACK` // FIXME later\n/*\n * prelaunch-ignore api/auth: public price list\n */\nconst A = () => <p>{/* XXX */}TODO</p>\nfunction f() {\n  // HACK\n}\nconst todos = []",
      'a.tsx',
    )
    expect(comments).toEqual([
      { text: 'TODO: check the role', l: 1 },
      { text: 'FIXME later', l: 2 },
      { text: 'prelaunch-ignore api/auth: public price list', l: 4 },
      { text: 'XXX', l: 6 },
      { text: 'HACK', l: 8 },
    ])
  })

  test('in markup of component files', () => {
    expect(facts('<!-- prelaunch-ignore auth/protected-routes: public -->\n<p>TODO</p>\n<script>\n// TODO x\n</script>', 'a.svelte').comments).toEqual([
      { text: 'prelaunch-ignore auth/protected-routes: public', l: 1 },
      { text: 'TODO x', l: 4 },
    ])
  })
})

describe('secrets never leave the extractor', () => {
  const key = PLACEHOLDERS['stripe-live-secret'] as string
  const texts = [`const k = '${key}'`, `const k = \`Bearer ${key} \${x}\``, `// TODO remove ${key}`, `<p title="${key}">x</p>`, `f({ '${key}': 1 }['${key}'])`]
  test.each(texts)('%#', (text) => {
    expect(findSecrets(text).length).toBeGreaterThan(0)
    expect(JSON.stringify(javascript.extract(text, 'a.tsx'))).not.toContain(key.slice(12))
  })

  test('what is left names the kind and keeps the text around it', () => {
    expect(facts(`const k = 'Bearer ${key}!'`).functions[0]?.body[0]).toMatchObject({
      init: { k: 'lit', v: `Bearer ${key.slice(0, 8)}…!`, secret: 'stripe-live-secret' },
    })
  })
})

describe('hostile and foreign files', () => {
  test('counts a file as read when only the words of a tool break it', () => {
    const notice =
      'A new version of the CLI is available: v2.90.0 (currently installed v2.72.7)\nWe recommend updating regularly for new features: https://example.com/docs#up\n'
    expect(javascript.extract(`export type Row = { id: string }\nexport const Constants = {} as const\n${notice}`, 'database.ts').problems).toEqual([])
    expect(javascript.extract(`export type Row = { id: string }\nconst rows = await fetch('/x'\n`, 'database.ts').problems).toHaveLength(1)
    expect(javascript.extract(`export function a() { return 1\n`, 'a.ts').problems).toHaveLength(1)
  })

  test('a syntax error is a problem with its line; the facts around it stay', () => {
    const { facts, problems } = javascript.extract("import a from './a'\nconst = ;\nexport const b = a\n", 'a.ts')
    expect(problems).toMatchObject([{ line: 2 }])
    expect(facts.exports.map((e) => e.name)).toContain('b')
  })

  test.each([
    ['brackets', `let a = ${'[\n'.repeat(30_000)}${']'.repeat(30_000)}`],
    ['calls', `${'f(\n'.repeat(30_000)}`],
    ['members', `a${'\n.b'.repeat(30_000)}`],
    ['sums', `let a = 1${'\n+ 1'.repeat(30_000)}`],
    ['conditions', `let a = ${'x ?\n 1 : '.repeat(20_000)} 2`],
    ['blocks', '{\n'.repeat(30_000)],
    ['negations', `let a = ${'!\n'.repeat(50_000)}a`],
    ['elements', '<a>\n'.repeat(20_000)],
    ['unclosed script', '<script '.repeat(20_000)],
  ])('deep nesting: %s', (name, text) => {
    const { facts, problems } = javascript.extract(text, name.includes('script') ? 'a.vue' : 'a.tsx')
    expect(facts.functions.length).toBeGreaterThan(0)
    if (!name.includes('script')) expect(problems.length).toBeGreaterThan(0)
    // What comes out can be walked and serialised.
    expect(() => JSON.stringify(facts)).not.toThrow()
  })

  test('bundles are not read, files with one long line are', () => {
    const line = `var a=1;${'function b(c){return c+1}'.repeat(400)}`
    expect(javascript.extract(line, 'a.js').facts.functions).toHaveLength(1)
    const image = `export const logo = '${'A'.repeat(40_000)}'\n${'export const x = () => 1\n'.repeat(60).replace(/x/g, () => `x${Math.abs(1)}`)}`
    expect(javascript.extract(image, 'a.ts').facts.functions.length).toBe(61)
  })

  test('declaration files say nothing', () => {
    expect(javascript.extract("import './x'\nexport declare const a: string", 'a.d.ts').facts.imports).toEqual([])
  })
})
