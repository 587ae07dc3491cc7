import { SECRET_FORMATS } from './formats.ts'

/** What a value can begin with whose rule is no format of its own. */
const OTHER_ANCHORS = ['Bearer ', 'eyJ', '-----BEGIN', '://', ':AA', '_authToken=', "crypt('"]

/** Every literal beginning that makes a value worth looking at. */
export const ANCHORS: readonly string[] = [...new Set([...SECRET_FORMATS.flatMap((f) => f.anchors), ...OTHER_ANCHORS])]

/**
 * Words that make a name worth looking at, with their first four characters: `*` stands for any letter, `?` for any character, `-` for what may
 * join two words.
 */
const NAME_WORDS: readonly (readonly [pattern: string, ...begins: string[]])[] = [
  ['secret', 'secr'],
  ['token', 'toke'],
  ['passw|passcode|passphrase|passwort|\\bpass\\b', 'pass'],
  ['_pass\\b', '_pas'],
  ['[a-z]Pass\\b', '*pas'],
  ['pwd', 'pwd?'],
  ['senha', 'senh'],
  ['contrase', 'cont'],
  ['parola', 'paro'],
  ['haslo', 'hasl'],
  ['api[-_]?key', 'api-'],
  ['access[-_]?key|access[-_]?code', 'acce'],
  ['auth[-_]?key', 'auth'],
  ['private[-_]?key', 'priv'],
  ['sign(?:ing|ature)[-_]?key', 'sign'],
  ['encrypt(?:ion)?[-_]?key', 'encr'],
  ['crypto[-_]?key', 'cryp'],
  ['master[-_]?key', 'mast'],
  ['service[-_]?(?:role|key)', 'serv'],
  ['admin[-_]?key', 'admi'],
  ['app[-_]?key', 'app-'],
  ['account[-_]?key', 'acco'],
  ['server[-_]?key', 'serv'],
  ['deploy[-_]?key', 'depl'],
  ['license[-_]?key', 'lice'],
  ['hmac[-_]?key', 'hmac'],
  ['jwt[-_]?key', 'jwt-'],
  ['credential', 'cred'],
  ['bearer', 'bear'],
  ['_PIN\\b', '_pin'],
  ['\\bpin\\b', 'pin?'],
  ['[a-z]Pin\\b', '*pin'],
]

/** One of the words, in any case. */
export const NAME_WORD = NAME_WORDS.map(([pattern]) => pattern).join('|')

/** Four characters in 20 bits, five of each: letters of both cases are the same, and some signs are the same as letters. */
const GRAM = 4
const BITS = 5
const LOW = (1 << BITS) - 1
const MASK = (1 << (GRAM * BITS)) - 1
const ANY = Array.from({ length: LOW + 1 }, (_, code) => code)
const LETTERS = ANY.slice(1, 27)

const OPENS_ANCHOR = 1
const OPENS_NAME = 2

/** By four characters: what may begin with them. */
const opens = new Uint8Array(MASK + 1)
/** The anchors that begin with them, longest first. */
const anchorsOf = new Map<number, string[]>()

for (const anchor of [...ANCHORS].sort((a, b) => b.length - a.length)) {
  for (const gram of grams(anchor.slice(0, GRAM).padEnd(GRAM, '?'), (c, at) => (at >= anchor.length ? ANY : [c.charCodeAt(0) & LOW]))) {
    opens[gram] = (opens[gram] as number) | OPENS_ANCHOR
    anchorsOf.set(gram, [...(anchorsOf.get(gram) ?? []), anchor])
  }
}
for (const [, ...begins] of NAME_WORDS) for (const begin of begins) for (const gram of grams(begin, codesOf)) opens[gram] = (opens[gram] as number) | OPENS_NAME

function codesOf(c: string): readonly number[] {
  if (c === '?') return ANY
  if (c === '*') return LETTERS
  return c === '-' ? [...'-_k'].map((joint) => joint.charCodeAt(0) & LOW) : [c.charCodeAt(0) & LOW]
}

function grams(begin: string, codes: (c: string, at: number) => readonly number[]): number[] {
  return [...begin].reduce((found, c, at) => found.flatMap((gram) => codes(c, at).map((code) => (gram << BITS) | code)), [0])
}

/** Positions, in order, at which an anchor or a word of a name may begin; whatever is not among them begins none. */
interface Starts {
  readonly anchors: readonly number[]
  readonly names: readonly number[]
}

/** One pass over the text, without regular expressions: nearly all of a program is passed over here. */
export function findStarts(text: string): Starts {
  const anchors: number[] = []
  const names: number[] = []
  const end = text.length + GRAM - 1
  for (let i = 0, gram = 0; i < end; i++) {
    gram = ((gram << BITS) | (i < text.length ? text.charCodeAt(i) & LOW : 0)) & MASK
    const may = opens[gram] as number
    if (may === 0) continue
    if (may & OPENS_ANCHOR) anchors.push(i - GRAM + 1)
    if (may & OPENS_NAME) names.push(i - GRAM + 1)
  }
  return { anchors, names }
}

/** The longest anchor that begins at a position. */
export function anchorAt(text: string, position: number): string | undefined {
  let gram = 0
  for (let i = position; i < position + GRAM; i++) gram = (gram << BITS) | (i < text.length ? text.charCodeAt(i) & LOW : 0)
  return anchorsOf.get(gram)?.find((anchor) => text.startsWith(anchor, position))
}
