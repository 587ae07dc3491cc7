/** Pieces that parsers stumble over. */
const TOKENS = [
  '{',
  '}',
  '[',
  ']',
  '(',
  ')',
  '<',
  '>',
  '"',
  "'",
  '`',
  '\\',
  '/',
  '/*',
  '*/',
  '//',
  '--',
  '#',
  ';',
  ':',
  ',',
  '=',
  '$$',
  '${',
  '{{',
  '}}',
  '\n',
  '\r',
  '\t',
  ' ',
  '\0',
  '\u2028',
  '\u202e',
  '\ufeff',
  '\ud800',
  '😀',
  'é',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  '1e999',
  '-0',
  '9'.repeat(400),
  '!!',
  '&a',
  '*a',
  '<<: *a',
  '|',
  '>-',
  '---',
  '...',
  '@',
  '?.',
  '=>',
  'async',
  'await',
  'class',
  'enum',
  '<script>',
  '</script>',
  '<template>',
  "'''",
  '"""',
  '[[',
  ']]',
  '..',
  '../../etc/passwd',
  'version',
  'dependencies',
  'begin',
  'end',
  'create',
  'policy',
] as const

/** Changes a text at random: pieces are cut out, doubled, moved, replaced, repeated, nested. The same numbers give the same text. */
export function mutate(text: string, random: () => number): string {
  let result = text
  for (let rounds = 1 + Math.floor(random() * 6); rounds > 0; rounds--) result = mutateOnce(result, random).slice(0, MAX_LENGTH)
  return result
}

const MAX_LENGTH = 200_000

function mutateOnce(text: string, random: () => number): string {
  const at = Math.floor(random() * (text.length + 1))
  const end = Math.min(text.length, at + 1 + Math.floor(random() ** 3 * 200))
  const piece = text.slice(at, end)
  const token = TOKENS[Math.floor(random() * TOKENS.length)] as string
  switch (Math.floor(random() * 9)) {
    case 0:
      return text.slice(0, at) + text.slice(end)
    case 1:
      return text.slice(0, end) + piece + text.slice(end)
    case 2:
      return text.slice(0, at)
    case 3:
      return text.slice(0, at) + token + text.slice(end)
    case 4:
      return text.slice(0, at) + token + text.slice(at)
    case 5: {
      const to = Math.floor(random() * (text.length + 1))
      return text.slice(0, to) + piece + text.slice(to)
    }
    case 6:
      return text.slice(0, at) + piece.repeat(1 + Math.floor(random() * 300)) + text.slice(end)
    case 7:
      return text.slice(0, at) + token.repeat(1 + Math.floor(random() ** 2 * 3000)) + text.slice(at)
    default:
      return text.slice(0, at) + String.fromCharCode(Math.floor(random() * 0x10000)) + text.slice(at + 1)
  }
}
