import { requireVariable } from '../../lib/rewrite-javascript.ts'
import type { DefaultSecret, FixedKey } from '../../model/code/code.ts'
import type { Fix, Issue } from '../define-check.ts'

/** A word of the source code that stands in for a secret. */
export function defaultIssue(d: DefaultSecret): Issue {
  return {
    subject: `file ${d.path}`,
    discriminator: `default ${d.name}`,
    severity: 'High',
    title: 'Default for a secret',
    message: `When \`${d.name}\` is not set, a word from the source code takes its place.`,
    attack: 'On any deployment where the variable is missing, whoever has read the source signs tokens or calls the endpoint with the default.',
    fix: {
      text: 'Refuse to start without the variable.',
      language: 'ts',
      code: `const secret = process.env.${d.name}\nif (!secret) throw new Error('${d.name} is not set')`,
      rewrite: { path: d.path, line: d.line, apply: requireVariable(d.name) },
    },
    at: { path: d.path, line: d.line },
    proof: 'inferred',
    aliases: ['CWE-1188', 'CWE-798'],
  }
}

const USES: Readonly<Record<FixedKey['use'], readonly [string, string]>> = {
  tokens: ['signs and checks tokens', 'signs a token for any account, administrators included'],
  sessions: ['signs sessions', 'signs a session cookie for any account'],
  signatures: ['makes signatures', 'signs what the application believes'],
  encryption: ['encrypts', 'reads what is encrypted with it'],
  password: ['is the password', 'signs in with it'],
  code: ['is the code that is taken for a proof of who somebody is', 'sends it and passes for anybody'],
}

/** A code of every deployment proves nothing; one of each occasion does. */
const CODE_FIX: Fix = {
  text: 'Make up a code for each occasion, keep its hash with an end, send the code to the person, compare, count the attempts and delete it.',
  language: 'ts',
  code: "const code = crypto.randomInt(100_000, 1_000_000).toString()\nawait admin.from('codes').insert({ user_id: user.id, hash: sha256(code), expires_at: new Date(Date.now() + 10 * 60_000).toISOString() })",
}

/** A text of the source code that signs, encrypts or decides. */
export function fixedKeyIssue(k: FixedKey, shown: boolean): Issue {
  const [does, can] = USES[k.use]
  const elsewhere = k.at.path !== k.path || k.at.line !== k.line
  return {
    subject: `file ${k.path}`,
    discriminator: `fixed key ${k.use}`,
    severity: shown ? 'Critical' : 'High',
    title: 'A text of the source code is the key',
    message: `The text that stands here ${does}${elsewhere ? ` (${k.at.path}:${k.at.line})` : ''}: every deployment uses the same, and it is in the repository${shown ? ' and in the bundle of every visitor' : ''}.`,
    attack: `Whoever has read the source, or guesses the word, ${can}.`,
    fix:
      k.use === 'code'
        ? CODE_FIX
        : {
            text: 'Read it from the environment, refuse to start without it, and take a new random value.',
            language: 'ts',
            code: "const secret = process.env.APP_SECRET // openssl rand -base64 32\nif (!secret) throw new Error('APP_SECRET is not set')",
          },
    at: { path: k.path, line: k.line },
    related: elsewhere ? [{ ...k.at, what: 'used here' }] : [],
    proof: 'inferred',
    aliases: ['CWE-321', 'CWE-798'],
  }
}
