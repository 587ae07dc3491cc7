import { requireVariable } from '../../lib/rewrite-javascript.ts'
import type { DefaultSecret, FixedKey } from '../../model/code/code.ts'
import type { ModulesModel } from '../../model/modules/modules.ts'
import type { Fix, Issue } from '../define-check.ts'
import { environmentRead } from '../environment-read.ts'

/** A word of the source code that stands in for a secret. */
export function defaultIssue(d: DefaultSecret, modules: ModulesModel): Issue {
  const read = environmentRead(d.path, d.line, d.name, modules)
  return {
    subject: `file ${d.path}`,
    discriminator: `default ${d.name}`,
    severity: 'High',
    title: 'Default for a secret',
    message: `When \`${d.name}\` is not set, a word from the source code takes its place.`,
    attack: /PASS|PIN/.test(d.name)
      ? 'On any deployment where the variable is missing, whoever has read the source signs in with the default.'
      : 'On any deployment where the variable is missing, whoever has read the source knows what it signs with or lets in by.',
    fix: {
      text: d.also.length ? 'Refuse to start without the variable, here and in the other places.' : 'Refuse to start without the variable.',
      ...(read ? { language: read.language, code: `const secret = ${read.code}\nif (!secret) throw new Error('${d.name} is not set')` } : {}),
      ...(d.also.length ? {} : { rewrite: { path: d.path, line: d.line, apply: requireVariable(d.name) } }),
    },
    at: { path: d.path, line: d.line },
    related: d.also.slice(0, 20).map((p) => ({ ...p, what: 'stands in for it here too' })),
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
export function fixedKeyIssue(k: FixedKey, modules: ModulesModel): Issue {
  const shown = k.use === 'signatures' && modules.inBrowser(k.path, k.line)
  const read = environmentRead(k.path, k.line, 'APP_SECRET', modules)
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
        : read
          ? {
              text: 'Read it from the environment, refuse to start without it, and take a new random value.',
              language: read.language,
              code: `const secret = ${read.code} // openssl rand -base64 32\nif (!secret) throw new Error('APP_SECRET is not set')`,
            }
          : {
              text: 'Let the server do this with a random value of its own: in the browser no value is a secret, wherever it comes from, and what is proved there is proved to nobody.',
            },
    at: { path: k.path, line: k.line },
    related: elsewhere ? [{ ...k.at, what: 'used here' }] : [],
    proof: 'inferred',
    aliases: ['CWE-321', 'CWE-798'],
  }
}
