import type { OpenDoor } from '../../model/code/code.ts'
import type { Issue } from '../define-check.ts'

type Words = Pick<Issue, 'severity' | 'title' | 'message' | 'attack' | 'fix' | 'aliases'>

/** What is said of a way past a sign-in that stands in the code; in the browser it opens what the page shows. */
export const openDoorIssue = (d: OpenDoor, inBrowser: boolean): Issue => ({
  subject: `file ${d.path}`,
  discriminator: `open door ${d.how}`,
  at: { path: d.path, line: d.line },
  proof: 'inferred',
  ...WORDING_BY_DOOR_KIND[d.how],
  ...(d.unless ? { message: `${WORDING_BY_DOOR_KIND[d.how].message} That is so wherever \`${d.unless}\` is not set, or set to what the code asks for.` } : {}),
  ...(inBrowser && d.how === 'mail-part' ? { severity: 'Medium' as const } : {}),
})

const WORDING_BY_DOOR_KIND: Readonly<Record<OpenDoor['how'], Words>> = {
  'any-password': {
    severity: 'Critical',
    title: 'Any password is taken',
    message: 'The password of one account is compared with a text in the code; for everybody else whatever was typed is right.',
    attack: 'Anyone signs in as any user with nothing but the address, and as the fixed account with the password that the repository shows.',
    fix: {
      text: 'Keep a hash of each password and compare with it.',
      language: 'ts',
      code: 'const valid = await bcrypt.compare(password, user.password_hash)\nif (!valid) return new Response(null, { status: 401 })',
    },
    aliases: ['CWE-287', 'CWE-798'],
  },
  'no-password': {
    severity: 'Critical',
    title: 'Fixed addresses sign in with any password',
    message: 'Where the address that is typed is one of those written here, the sign-in asks for no password.',
    attack: 'Whoever reads the source, or guesses the address, signs in to that account with any password.',
    fix: { text: 'Take the branch out, so that every account has its password compared, and end the sessions of these accounts.' },
    aliases: ['CWE-287', 'CWE-798'],
  },
  'fixed-code': {
    severity: 'Critical',
    title: 'A fixed code or password for a fixed account',
    message: 'For one account the code or password that proves who somebody is stands in the source: it is right whenever it is sent.',
    attack: 'Whoever reads the source, or guesses the number, signs in to that account at any time.',
    fix: {
      text: 'Take it out. Where a reviewer of a store needs an account, make one that may do nothing, with its code in the environment and an end.',
    },
    aliases: ['CWE-798'],
  },
  'same-code': {
    severity: 'Critical',
    title: 'One code for everybody unless a variable is set',
    message: 'The code that is sent to prove who somebody is stands in the source.',
    attack: 'Whoever reads the source asks for a code for any account, types that one, and is signed in or sets another password.',
    fix: {
      text: 'Draw the code always, and write it to the log where no message can be sent. Where it may be fixed for work on a machine of your own, ask for `NODE_ENV === "development"`, which no host sets.',
      language: 'ts',
      code: "import { randomInt } from 'node:crypto'\n\nconst code = String(randomInt(100000, 1000000))",
    },
    aliases: ['CWE-798', 'CWE-1188'],
  },
  'mail-part': {
    severity: 'Critical',
    title: 'A word in the e-mail address makes an administrator',
    message: 'Access is decided by whether an e-mail address contains a word: everybody chooses the own address.',
    attack: 'An attacker registers admin@ at any domain of theirs, or anything that contains the word, and is an administrator.',
    fix: {
      text: 'Keep the role in the database (or in a claim that only the server sets), and check the role.',
      language: 'ts',
      code: "const isAdmin = user.app_metadata.role === 'admin'",
    },
    aliases: ['CWE-290', 'CWE-863'],
  },
  'logged-signature': {
    severity: 'High',
    title: 'A valid signature is printed',
    message: 'A signature is made with the real key only to be written to the log: what it stands for passes every check.',
    attack: 'Whoever reads the log (a colleague, a log service, a leaked console) sends what was printed and confirms a payment that nobody made.',
    fix: { text: 'Remove the block. For tests sign with the test key, in the test.' },
    aliases: ['CWE-489', 'CWE-532'],
  },
}
