import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ANCHORS, anchorAt, findStarts, NAME_WORD } from '../../../src/facts/secrets/starts.ts'

const ANCHOR = new RegExp(
  [...ANCHORS]
    .sort((a, b) => b.length - a.length)
    .map((a) => a.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'))
    .join('|'),
  'y',
)
const NAME = new RegExp(NAME_WORD, 'iy')
const REMARK = /prelaunch-ignore|TODO|FIXME|HACK|XXX|DEBUG/y

const WORDS = (
  'secret token passw passcode passphrase passwort _pass qPass pass pwd senha contrase parola haslo api-key apikey access_key accesscode auth_key private-key ' +
  'signing_key signaturekey encryption-key encrypt_key crypto_key masterkey service_role service-key adminkey app_key account-key serverkey deploy-key ' +
  'license_key hmackey jwt_key credential bearer _PIN pin qPin'
).split(' ')

/** Texts made of what counts, of what is nearly it, and of anything. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...ANCHORS, ...WORDS, ...WORDS.map((w) => w.toUpperCase())),
      fc.constantFrom(...ANCHORS, ...WORDS).map((w) => w.slice(1)),
      fc.constantFrom(...ANCHORS, ...WORDS).map((w) => w.slice(0, -1)),
      fc.constantFrom('prelaunch-ignore', 'TODO', 'FIXME', 'HACK', 'XXX', 'DEBUG'),
      fc.constantFrom(' ', '_', '-', '\n', '=', '"', 'x', 'P', 'encrypt', 'service', 'KEY', 'role', 'Pin', 'Pass'),
      fc.string({ maxLength: 6 }),
      fc.string({ unit: 'grapheme', maxLength: 4 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''))

test('whatever an anchor, a name or a remark begins with is among the starts', () => {
  fc.assert(
    fc.property(text, (t) => {
      const { anchors, names, remarks } = findStarts(t)
      const known = { anchors: new Set(anchors), names: new Set(names), remarks: new Set(remarks) }
      for (let i = 0; i < t.length; i++) {
        ANCHOR.lastIndex = i
        const anchor = ANCHOR.exec(t)?.[0]
        if (anchor !== undefined) expect(known.anchors).toContain(i)
        if (known.anchors.has(i)) expect(anchorAt(t, i)).toBe(anchor)
        NAME.lastIndex = i
        if (NAME.test(t)) expect(known.names).toContain(i)
        REMARK.lastIndex = i
        if (REMARK.test(t)) expect(known.remarks).toContain(i)
      }
    }),
    { numRuns: 2000 },
  )
})

test('the words that texts are made of are such words', () => {
  for (const word of WORDS) expect(new RegExp(`^(?:${NAME_WORD})`, 'i').test(word) || word).toBe(true)
})
