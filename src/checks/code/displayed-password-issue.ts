import type { HardcodedSecret } from '../../model/code/code.ts'
import type { ModulesModel } from '../../model/modules/modules.ts'
import type { Issue } from '../define-check.ts'
import { environmentRead } from '../environment-read.ts'
import { isUnreached } from '../unreached.ts'

/** Whether a secret is a password that a page gives away to whoever opens it. */
export const isDisplayedPassword = (s: HardcodedSecret): boolean => s.kind === 'shown-password' || s.kind === 'prefilled-password'

/** What is said of it. */
export function shownPasswordIssue(s: HardcodedSecret, modules: Pick<ModulesModel, 'side' | 'clientEntries'>): Issue {
  const unreached = isUnreached(s.path, modules)
  const filled = s.kind === 'prefilled-password'
  return {
    subject: `file ${s.path}`,
    discriminator: 'shown password',
    severity: 'High',
    title: filled ? 'Sign-in filled in with a password' : 'Password on a page',
    message: `${
      filled
        ? `The sign-in form is filled in with an account and its password (${s.length} characters) by the code itself.`
        : `The page shows an account together with its password (${s.length} characters).`
    }${unreached ? ' Nothing that a page loads imports this file today, so no bundle has it: the password is in the repository.' : ''}`,
    attack: unreached
      ? 'Whoever reads the repository, a fork or an old clone signs in as that account and does what it may do; with the first page that imports the file everybody does.'
      : 'Anyone who opens the page, or reads its scripts, signs in as that account and does what it may do.',
    fix: {
      text: `${unreached ? 'Delete the file if nothing needs it, or take the value out of it,' : 'Take the value out of the page'} and give the account another password: the old one stays in the history${unreached ? '' : ' and in every copy of the scripts'}.${filled ? '' : ' A hint for trying the application out names an account that may do nothing, and whose data are reset.'}`,
      ...(filled ? { language: 'tsx', code: "const [password, setPassword] = useState('')" } : {}),
    },
    ...whereWritten(s),
    proof: 'inferred',
    aliases: ['CWE-798'],
  }
}

/** Whether a secret is the password of an account that the code makes. */
export const isOfAccount = (s: HardcodedSecret): boolean => s.kind === 'account-password' || s.kind === 'try-out-password' || s.kind === 'first-password'

/** An account that a start of the server, or a script, makes with a password that everybody reads. */
export function madeAccountIssue(s: HardcodedSecret, modules: ModulesModel): Issue {
  if (s.kind === 'first-password') return firstPasswordIssue(s)
  const read = environmentRead(s.path, s.line, 'INITIAL_PASSWORD', modules)
  const several = s.also.length > 0
  return {
    subject: `file ${s.path}`,
    discriminator: 'account password',
    severity: 'High',
    title: 'Account with a fixed password',
    message: `The code makes ${several ? `${s.also.length + 1} accounts` : 'an account'} and gives ${several ? 'them passwords that are' : 'it a password that is'} written here (${s.length} characters${several ? ' the first' : ''}), in every database that it runs against.`,
    attack: `Whoever reads the repository, a fork or an old clone signs in as ${several ? 'these accounts' : 'this account'} wherever nobody has changed the password since, and does what ${several ? 'they' : 'it'} may do.`,
    fix: {
      text: `Give ${several ? 'these accounts other passwords' : 'the account another password'} wherever this has run: the old one stays in the history. Let whoever runs it name the password in the environment, or make up a random one each time and send an invitation.`,
      ...(read
        ? { language: read.language, code: `const initialPassword = ${read.code}\nif (!initialPassword) throw new Error('INITIAL_PASSWORD is not set')` }
        : {}),
    },
    ...whereWritten(s),
    proof: 'inferred',
    aliases: ['CWE-798'],
  }
}

/** Whoever is given an account begins with the password that all have. */
function firstPasswordIssue(s: HardcodedSecret): Issue {
  return {
    subject: `file ${s.path}`,
    discriminator: 'first password',
    severity: 'High',
    title: 'Every account begins with the same password',
    message: `The accounts that are made here for others all get the password that is written here (${s.length} characters).`,
    attack:
      'Whoever reads the repository, or was given such an account, tries the password with the addresses of others and signs in as everybody who has not changed it.',
    fix: {
      text: 'Send an invitation, by which each chooses a password, or make up a random one for each account. One in the environment would still be everybody’s. Give the accounts that began with this one another, and take it out of what the code answers.',
      language: 'ts',
      code: 'const password = crypto.randomUUID() // nobody has to know it: the link of an invitation or a reset lets its owner choose one',
    },
    ...whereWritten(s),
    proof: 'inferred',
    aliases: ['CWE-798', 'CWE-1392'],
  }
}

/** The first place of a secret that stands in several, and so many of the others as a reader goes through. */
const whereWritten = ({ path, line, also }: HardcodedSecret): Pick<Issue, 'at' | 'related'> => ({
  at: { path, line },
  related: also.slice(0, 30).map((p) => ({ ...p, subject: `file ${p.path}`, what: 'another one' })),
})
