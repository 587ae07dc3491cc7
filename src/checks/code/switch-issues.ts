import { swap } from '../../lib/rewrite.ts'
import type { DebugLog, Switch } from '../../model/code/code.ts'
import type { Issue } from '../define-check.ts'

/** A switch that turns authentication or payment off. */
export function switchIssue(s: Switch, onPage: boolean): Issue {
  return {
    subject: `file ${s.path}`,
    discriminator: `switch ${s.name}`,
    severity: onPage ? 'Medium' : s.how === 'request' ? 'Critical' : s.development ? 'Medium' : 'High',
    title: `Switch that skips ${s.skips}`,
    ...(onPage ? pageSwitchWords(s) : switchWords(s)),
    fix: {
      text: 'Remove the switch. For local work sign in with a seeded test account; for tests replace the module in the test runner.',
      ...(s.how === 'constant' && /^\w+$/.test(s.name)
        ? { language: 'ts', rewrite: { path: s.path, line: s.line, apply: swap(new RegExp(`\\b(const ${s.name}(?:: boolean)? = )true\\b`), '$1false') } }
        : {}),
    },
    at: { path: s.path, line: s.line },
    proof: 'inferred',
    aliases: ['CWE-489'],
  }
}

/** In the browser nothing is let in that the server refuses: what a page leaves out, everybody can leave out of a page. */
const pageSwitchWords = (s: Switch): Pick<Issue, 'message' | 'attack'> => ({
  message: `The page takes another way when its address has the parameter \`${s.name}\`, which sounds like one past ${s.skips}.`,
  attack: 'Whoever knows the parameter sees what the page shows there; the data behind it is as safe as row level security and the server keep it.',
})

function switchWords(s: Switch): Pick<Issue, 'message' | 'attack'> {
  const off = s.skips === 'payment' ? 'Payment' : 'Authentication'
  if (s.how === 'request')
    return { message: `The request parameter \`${s.name}\` turns ${s.skips} off.`, attack: 'Anyone adds the parameter to a request and is let in.' }
  if (s.development)
    return {
      message: `${off} is skipped in every process that runs for development, unless \`${s.name}\` is set to '${s.unless}'.`,
      attack:
        'Whoever finds a preview, a shared workspace or a server that was started with the development command is let in, with whatever database it uses.',
    }
  if (s.unless !== undefined)
    return {
      message: `${off} is skipped unless \`${s.name}\` is set to '${s.unless}': also wherever nobody ever set it.`,
      attack: `A deployment that does not know the variable opens everything behind ${s.skips}.`,
    }
  return {
    message:
      s.how === 'constant'
        ? `The constant \`${s.name}\` is on and turns ${s.skips} off.`
        : `The variable \`${s.name}\` turns ${s.skips} off wherever it is set.`,
    attack: `One wrong value in a deployment, or one pull request that sets it, opens everything behind ${s.skips}.`,
  }
}

/** A library that logs sessions in every environment. */
export function debugIssue(d: DebugLog): Issue {
  return {
    subject: `file ${d.path}`,
    discriminator: `debug ${d.library}`,
    severity: 'Medium',
    title: 'Sessions are written to the log',
    message: `\`debug: true\` of ${d.library} stands here whatever the environment: it logs sessions, tokens and what the providers answer.`,
    attack: 'Whoever reads the log of the deployment, or of a service that collects it, finds sessions and tokens of users in it.',
    fix: {
      text: 'Switch it on in development alone.',
      language: 'ts',
      code: "debug: process.env.NODE_ENV === 'development',",
      rewrite: { path: d.path, line: d.line, apply: swap(/\bdebug:\s{0,3}true\b/, "debug: process.env.NODE_ENV === 'development'") },
    },
    at: { path: d.path, line: d.line },
    proof: 'inferred',
    aliases: ['CWE-489', 'CWE-532'],
  }
}
