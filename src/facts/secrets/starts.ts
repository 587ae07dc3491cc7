import { SECRET_FORMATS } from './formats.ts'

/** What a value can begin with whose rule is no format of its own. */
const OTHER_ANCHORS = ['_live_', '_prod_', '_production_', 'Bearer ', 'eyJ', '-----BEGIN', '://', ':AA', '_authToken=', "crypt('"]

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
  ['-key\\b', '-key'],
  ['bearer', 'bear'],
  ['_PIN\\b', '_pin'],
  ['\\bpin\\b', 'pin?'],
  ['[a-z]Pin\\b', '*pin'],
]

/** One of the words, in any case. */
export const NAME_WORD = NAME_WORDS.map(([pattern]) => pattern).join('|')

/** First four characters of the words that mark a remark in a comment. */
const COMMENT_MARKER_STARTS = ['todo', 'fixm', 'hack', 'xxx?', 'debu', 'prel']

/** Four characters in 20 bits, five of each: letters of both cases are the same, and some signs are the same as letters. */
const GRAM = 4
const BITS = 5
const LOW = (1 << BITS) - 1
const ANY = Array.from({ length: LOW + 1 }, (_, code) => code)
const LETTERS = ANY.slice(1, 27)

const OPENS_ANCHOR = 1
const OPENS_NAME = 2
const OPENS_REMARK = 4

/** By four characters: what may begin with them. */
const opens = new Uint8Array(1 << (GRAM * BITS))
/** By three characters: whether anything may begin with them or with them and one before. Small enough to stay at hand while a program is parsed. */
const inside = new Uint8Array(1 << (3 * BITS))
/** The anchors that begin with four characters, longest first. */
const anchorsOf = new Map<number, string[]>()

for (const anchor of [...ANCHORS].sort((a, b) => b.length - a.length)) {
  const begin = grams(anchor.slice(0, GRAM).padEnd(GRAM, '?'), (c, at) => (at >= anchor.length ? ANY : [c.charCodeAt(0) & LOW]))
  note(begin, OPENS_ANCHOR)
  for (const gram of begin) anchorsOf.set(gram, [...(anchorsOf.get(gram) ?? []), anchor])
}
for (const [, ...begins] of NAME_WORDS) for (const begin of begins) note(grams(begin, codesOf), OPENS_NAME)
for (const begin of COMMENT_MARKER_STARTS) note(grams(begin, codesOf), OPENS_REMARK)

function note(begins: readonly number[], what: number): void {
  for (const gram of begins) {
    opens[gram] = (opens[gram] as number) | what
    inside[gram >> BITS] = 1
    inside[gram & (inside.length - 1)] = 1
  }
}

function codesOf(c: string): readonly number[] {
  if (c === '?') return ANY
  if (c === '*') return LETTERS
  return c === '-' ? [...'-_k'].map((joint) => joint.charCodeAt(0) & LOW) : [c.charCodeAt(0) & LOW]
}

function grams(begin: string, codes: (c: string, at: number) => readonly number[]): number[] {
  return [...begin].reduce((found, c, at) => found.flatMap((gram) => codes(c, at).map((code) => (gram << BITS) | code)), [0])
}

/** Positions, in order, at which an anchor, a word of a name or a remark may begin; whatever is not among them begins none. */
interface Starts {
  readonly anchors: readonly number[]
  readonly names: readonly number[]
  readonly remarks: readonly number[]
}

/** Several readers of the same text come one after the other. */
let last: { text: string; starts: Starts } = { text: '', starts: { anchors: [], names: [], remarks: [] } }

/** One pass over the text, without regular expressions: nearly all of a program is passed over here. */
export function findStarts(text: string): Starts {
  if (text !== last.text) last = { text, starts: scan(text) }
  return last.starts
}

let bytes = Buffer.alloc(1 << 16)

function scan(text: string): Starts {
  const starts = { anchors: [], names: [], remarks: [] }
  const end = text.length
  if (bytes.length < end + GRAM) bytes = Buffer.alloc(2 * (end + GRAM))
  // Of each character only the lowest bits count, and bytes are read faster than the characters of a string.
  bytes.write(text, 'latin1')
  bytes.fill(0, end, end + GRAM)
  let gram = (bytes[0] as number) & LOW
  // Two positions at a time: the three characters after the first are in what may begin at either.
  for (let at = 0; at < end; at += 2) {
    const next = (((bytes[at + 1] as number) & LOW) << BITS) | ((bytes[at + 2] as number) & LOW)
    const fourth = (bytes[at + 3] as number) & LOW
    if (inside[(next << BITS) | fourth] !== 0) {
      const first = (gram << (3 * BITS)) | (next << BITS) | fourth
      take(starts, at, opens[first] as number)
      if (at + 1 < end) take(starts, at + 1, opens[((first << BITS) | ((bytes[at + 4] as number) & LOW)) & (opens.length - 1)] as number)
    }
    gram = next & LOW
  }
  return starts
}

function take(starts: { anchors: number[]; names: number[]; remarks: number[] }, at: number, may: number): void {
  if (may & OPENS_ANCHOR) starts.anchors.push(at)
  if (may & OPENS_NAME) starts.names.push(at)
  if (may & OPENS_REMARK) starts.remarks.push(at)
}

/** The longest anchor that begins at a position. */
export function anchorAt(text: string, position: number): string | undefined {
  let gram = 0
  for (let i = position; i < position + GRAM; i++) gram = (gram << BITS) | (i < text.length ? text.charCodeAt(i) & LOW : 0)
  return anchorsOf.get(gram)?.find((anchor) => text.startsWith(anchor, position))
}
