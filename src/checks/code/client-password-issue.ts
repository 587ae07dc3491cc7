import type { ClientPassword } from '../../model/code/code.ts'
import type { Issue } from '../define-check.ts'

/** What is said of a password or a one-time code that the browser compares by itself. */
export const clientPasswordIssue = (p: ClientPassword): Issue => ({
  subject: `file ${p.path}`,
  at: { path: p.path, line: p.line },
  related: p.uses
    .filter((u) => u.path !== p.path || u.line !== p.line)
    .slice(0, 20)
    .map((u) => ({ ...u, what: p.how === 'sent' ? 'sent here' : 'compared here' })),
  proof: 'inferred',
  ...(p.code ? codeWords(p) : passwordWords(p)),
})

type Words = Pick<Issue, 'discriminator' | 'severity' | 'title' | 'message' | 'attack' | 'fix' | 'aliases'>

function passwordWords(p: ClientPassword): Words {
  const what =
    p.how === 'variable' ? `\`${p.name}\`, which the bundler writes into the page,` : p.how === 'list' ? 'a list of accounts with their passwords' : 'a literal'
  if (p.how === 'sent') return sentWords(p)
  return {
    discriminator: 'client password',
    severity: 'Critical',
    title: 'Password checked in the browser',
    message: `The browser itself compares ${p.how === 'variable' && /_KEY|_TOKEN/.test(p.name) ? 'what was typed' : 'the password'} with ${what} and decides who is let in.`,
    attack: 'Anyone opens the developer tools, reads the password out of the bundle or simply sets the state that a right password would set.',
    fix: {
      text: 'Sign in against the server and let the server (or row level security) decide what the session may do. Change this password wherever else it is used.',
      language: 'ts',
      code: 'const { data, error } = await supabase.auth.signInWithPassword({ email, password })\nif (error) throw error',
    },
    aliases: ['CWE-602', 'CWE-259'],
  }
}

function sentWords(p: ClientPassword): Words {
  return {
    discriminator: 'client password',
    severity: 'Critical',
    title: 'The password of the administrators is in the bundle',
    message: `The page sends \`${p.name}\` with a text that stands in the code: every visitor has it, and it is all that the server asks for.`,
    attack: 'Anyone reads the password out of the bundle, or out of the requests, and calls what is meant for administrators.',
    fix: {
      text: 'Let administrators sign in, and let the server check the session and its role. Change this password wherever else it is used.',
      language: 'ts',
      code: "const { data: { user } } = await supabase.auth.getUser(token)\nif (user?.app_metadata.role !== 'admin') return new Response(null, { status: 403 })",
    },
    aliases: ['CWE-602', 'CWE-798'],
  }
}

function codeWords(p: ClientPassword): Words {
  return {
    discriminator: 'client code',
    severity: 'High',
    title: 'One-time code checked in the browser',
    message: `The browser itself compares \`${p.name}\` with a number that stands in the code: that number verifies everybody, whatever was sent to whom.`,
    attack: 'Anyone reads the number out of the bundle (or sets the state that a right code would set) and passes for verified.',
    fix: {
      text: 'Let the server make, send and check the code, and let it decide what the session may do afterwards.',
      language: 'ts',
      code: "// a second factor; an address: supabase.auth.verifyOtp({ email, token: code, type: 'email' })\nconst { error } = await supabase.auth.mfa.challengeAndVerify({ factorId, code })\nif (error) throw error",
    },
    aliases: ['CWE-602', 'CWE-798'],
  }
}
