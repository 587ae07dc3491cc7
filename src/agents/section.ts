import { plural } from '../lib/plural.ts'
import { CHECK_COMMAND } from '../report/see-more.ts'
import type { ApplicationRules } from './describe-application.ts'

const BEGIN = '<!-- prelaunch:begin -->'
const END = '<!-- prelaunch:end -->'
/** Names of one list; an instruction that is too long is not followed. */
const MAX_NAMED = 20
/** Names and paths as programmers write them. Others are counted: an AI builder reads this file as instructions, and a name can be a sentence. */
const PLAIN_NAME = /^[\w.@$()[\]/+-]{1,100}$/

const WHO = {
  user: 'a signed-in user',
  admin: 'a user with a role',
  secret: 'the holder of a server secret',
  signature: 'a signed message',
  token: 'the holder of a token',
  check: 'its own check',
} as const

/** The section for the files that AI builders read, between its markers. The same rules give the same text. */
export function agentsSection(rules: ApplicationRules): string {
  const guards = rules.guards.filter((g) => PLAIN_NAME.test(g.name) && PLAIN_NAME.test(g.path)).slice(0, 8)
  const lines = [
    BEGIN,
    '## Security rules of this application',
    '',
    'Prelaunch wrote this section from the code. `prelaunch init --agents` writes it again.',
    '',
    ...(guards.length
      ? [
          '- Start every handler with one of these guards:',
          ...guards.map((g) => `  - \`${g.name}\` of \`${g.path}\` lets in ${WHO[g.who]} (${plural(g.handlers, 'handler')}).`),
        ]
      : ['- Start every handler with a check of who calls. No shared guard was found: write one and use it everywhere.']),
    ...(rules.serviceClients.length
      ? [
          `- ${named(rules.serviceClients, 'file')} ${rules.serviceClients.length === 1 ? 'uses' : 'use'} the service-role key, which bypasses row-level security. Import this only on the server, and only after a guard.`,
        ]
      : []),
    ...(rules.protectedTables.length
      ? [`- Row-level security is on for ${named(rules.protectedTables, 'table')}. Never turn it off, and never add a policy that is always true.`]
      : []),
    ...(rules.openTables.length ? [`- Row-level security is off for ${named(rules.openTables, 'table')}. Put no personal data there before it is on.`] : []),
    ...(rules.protectedTables.length + rules.openTables.length
      ? ['- Turn on row-level security in the migration that creates a table. Put changes into a new migration.']
      : []),
    '- Never put a secret into a variable with a public prefix, such as `NEXT_PUBLIC_` or `VITE_`.',
    `- After a change run ${CHECK_COMMAND}, and fix what it lists before you commit.`,
    END,
  ]
  return lines.join('\n')
}

/** A file with the section in it: in place of the one that is there, or at the end. Undefined when the markers of the file do not match. */
export function withSection(text: string, section: string): string | undefined {
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const written = section.replaceAll('\n', newline)
  const [begins, ends] = [text.split(BEGIN).length - 1, text.split(END).length - 1]
  if (!begins && !ends) return `${text}${!text || text.endsWith(newline) ? '' : newline}${text ? newline : ''}${written}${newline}`
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (begins !== 1 || ends !== 1 || to < from) return undefined
  return `${text.slice(0, from)}${written}${text.slice(to + END.length)}`
}

function named(names: readonly string[], noun: string): string {
  const shown = names.filter((n) => PLAIN_NAME.test(n)).slice(0, MAX_NAMED)
  const more = names.length - shown.length
  const listed = shown.map((n) => `\`${n}\``).join(', ')
  if (!more) return listed
  return shown.length ? `${listed} and ${plural(more, `more ${noun}`)}` : plural(more, noun)
}
