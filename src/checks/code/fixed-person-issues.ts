import { withCapital } from '../../lib/with-capital.ts'
import type { FixedPayer, HardcodedIdentity, OwnerMail, SqlAccount } from '../../model/code/code.ts'
import type { FixedUser } from '../../model/code/fixed-users.ts'
import type { ModulesModel } from '../../model/modules/modules.ts'
import type { Fix, Issue } from '../define-check.ts'
import { environmentRead } from '../environment-read.ts'
import type { AdministratorFix } from './administrator-fix.ts'

/** One person's address or id that decides about access. */
export function identityIssue(i: HardcodedIdentity, administrators: AdministratorFix): Issue {
  const critical = i.origin === 'claimed' && i.grants
  const whose = i.owner
    ? 'the owner’s e-mail address'
    : i.what === 'email'
      ? 'a fixed e-mail address'
      : i.what === 'phone'
        ? 'a fixed telephone number'
        : 'a fixed user id'
  return {
    subject: i.subject,
    discriminator: `identity ${i.what}`,
    severity: critical ? 'Critical' : 'Medium',
    title: critical ? 'Bypass for a fixed identity' : 'Fixed identity decides about access',
    message: critical
      ? `Access is decided by comparing ${whose} (${i.shown}) with ${i.writtenIn === 'metadata' ? 'the user’s own metadata, which every user edits' : i.writtenIn === 'storage' ? 'what the storage of the browser holds, which whoever sits there edits' : 'a value that the caller supplies or can edit'}.`
      : `${withCapital(whose)} (${i.shown}) is written into the code that decides about access.`,
    attack: critical
      ? i.writtenIn === 'metadata'
        ? `Any signed-in user writes this value into the own metadata with one call of the client library${i.inBrowser ? ' and the page lets them in as that person' : ' and is treated as that person'}.`
        : i.writtenIn === 'storage'
          ? 'Whoever opens the page writes this value into its storage and is treated as that person.'
          : 'An attacker sends or enters this value and is treated as that person: authentication, authorisation or payment is skipped.'
      : 'The code names the account worth taking over, and nobody can be added or removed without a deployment; when the mailbox changes hands, so does the access.',
    fix: identityFix(i, critical, administrators),
    at: { path: i.path, line: i.line },
    related: i.uses
      .filter((u) => u.path !== i.path || u.line !== i.line)
      .slice(0, 30)
      .map((u) => ({ path: u.path, line: u.line, subject: u.subject ?? `file ${u.path}`, what: 'compared here' })),
    proof: 'inferred',
    aliases: ['CWE-547', ...(critical ? ['CWE-290'] : [])],
  }
}

function identityFix(i: HardcodedIdentity, critical: boolean, administrators: AdministratorFix): Fix {
  if (!i.subject.startsWith('file'))
    return {
      text: 'Keep the role in the database (or in a claim that only the server sets), and check the role.',
      language: 'sql',
      code: `(auth.jwt() -> 'app_metadata' ->> 'role') = 'admin' -- or the column in which you keep who administers`,
    }
  const first = !critical
    ? ''
    : i.writtenIn === 'metadata'
      ? 'Take the comparison with the metadata out. One with the address of the verified session (user.email) may stay until a role that only the server sets takes its place. '
      : 'Take the identity from a verified session only, and the right from a role that the server keeps. '
  return { text: `${first}${administrators.text}`, ...(administrators.code ? { language: 'ts' as const, code: administrators.code } : {}) }
}

/** An account, or a role for one person, that SQL makes in every database. */
export function accountIssue(a: SqlAccount): Issue {
  const password = a.what === 'password'
  return {
    subject: `file ${a.path}`,
    discriminator: `sql ${a.what}`,
    severity: password ? 'High' : 'Medium',
    title: password ? 'Account with a fixed password' : 'Fixed person gets power',
    message: password
      ? 'The SQL gives an account a password that is written here, in every database it runs on.'
      : 'The SQL gives a role to a fixed person, in every database it runs on.',
    attack: password
      ? 'Whoever has read the repository signs in with this account until its password is changed.'
      : 'The grant comes back with every new database, and fails or reaches a stranger where the id or address means somebody else.',
    fix: password
      ? { text: 'Take the account and its password out of the migration, give it another password, and make accounts through the sign-up or an invitation.' }
      : {
          text: 'Take the statement out of the migration and run it once, by hand or by a script that reads the address from the environment.',
        },
    at: { path: a.path, line: a.line },
    related: a.related.slice(0, 20).map((p) => ({ ...p, subject: `file ${p.path}`, what: 'another fixed value' })),
    proof: 'inferred',
    aliases: ['CWE-798'],
  }
}

/** The id of one user that code acts for, whoever calls. */
export function fixedUserIssue({ name, path, line }: FixedUser): Issue {
  return {
    subject: `file ${path}`,
    discriminator: `fixed user ${name}`,
    severity: 'Medium',
    title: 'The id of one user in code',
    message: `\`${name}\` is the id of one row, and the code acts for that user whoever calls.`,
    attack:
      'What anybody does here is written down as that one user’s: the account of a try-out takes what belongs to somebody else, and nobody else can have the own.',
    fix: {
      text: 'Take the id from the verified session.',
      language: 'ts',
      code: 'const { data: { user } } = await supabase.auth.getUser()\nif (!user) return new Response(null, { status: 401 })',
    },
    at: { path, line },
    proof: 'inferred',
    aliases: ['CWE-547'],
  }
}

const STANDS_AS: Readonly<Record<OwnerMail['as'], string>> = {
  recipient: 'is a fixed recipient here',
  administrator: 'stands here as the administrator’s',
  actor: 'stands here for whoever does something',
  default: 'is taken here where no other is given',
}

/** A person's own address as a value of the program. */
export function mailIssue(m: OwnerMail, modules: ModulesModel): Issue {
  const read = environmentRead(m.path, m.line, m.as === 'recipient' ? 'NOTIFICATION_EMAIL' : 'ADMIN_EMAIL', modules)
  return {
    subject: `file ${m.path}`,
    discriminator: 'owner mail',
    severity: 'Medium',
    title: 'The owner’s e-mail address in code',
    message: `A person’s own address (${m.shown}) ${STANDS_AS[m.as]}.`,
    attack:
      'The code publishes the address that runs the application: a target for phishing, and a mailbox that goes on receiving users’ data when responsibilities change.',
    fix: read
      ? { text: 'Read the address from the environment.', language: read.language, code: `const address = ${read.code}` }
      : { text: 'Let the server know the address, from its environment: what a page holds, every visitor reads.' },
    at: { path: m.path, line: m.line },
    related: m.uses.slice(0, 20).map((u) => ({ ...u, what: 'again here' })),
    proof: 'inferred',
    aliases: ['CWE-547'],
  }
}

/** One address that every payment is made out to. */
export function payerIssue(p: FixedPayer): Issue {
  return {
    subject: `file ${p.path}`,
    discriminator: 'fixed payer',
    severity: 'Medium',
    title: 'Every payment is made out to one address',
    message: `The address ${p.shown} stands here as the one who pays, in every payment of every customer.`,
    attack: 'Receipts and disputes of real customers go to an address of a try-out, and the processor takes them all for one person.',
    fix: { text: 'Pass the address of the customer who pays.', language: 'ts', code: 'payer: { email: user.email },' },
    at: { path: p.path, line: p.line },
    proof: 'inferred',
    aliases: ['CWE-547'],
  }
}
