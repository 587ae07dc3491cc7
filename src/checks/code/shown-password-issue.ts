import type { HardcodedSecret } from '../../model/code/code.ts'
import type { Issue } from '../define-check.ts'

/** Whether a secret is a password that a page gives away to whoever opens it. */
export const isShown = (s: HardcodedSecret): boolean => s.kind === 'shown-password' || s.kind === 'prefilled-password'

/** What is said of it. */
export function shownPasswordIssue(s: HardcodedSecret): Issue {
  const filled = s.kind === 'prefilled-password'
  return {
    subject: `file ${s.path}`,
    discriminator: 'shown password',
    severity: 'High',
    title: filled ? 'Sign-in filled in with a password' : 'Password on a page',
    message: filled
      ? `The sign-in form is filled in with an account and its password (${s.length} characters) by the code itself.`
      : `The page shows an account together with its password (${s.length} characters).`,
    attack: 'Anyone who opens the page, or reads its scripts, signs in as that account and does what it may do.',
    fix: {
      text: `Take the value out of the page and give the account another password: the old one stays in the history and in every copy of the scripts.${filled ? '' : ' A hint for trying the application out names an account that may do nothing, and whose data are reset.'}`,
      ...(filled ? { language: 'tsx', code: "const [password, setPassword] = useState('')" } : {}),
    },
    at: { path: s.path, line: s.line },
    related: s.also.slice(0, 30).map((p) => ({ ...p, subject: `file ${p.path}`, what: 'another one' })),
    proof: 'inferred',
    aliases: ['CWE-798'],
  }
}
