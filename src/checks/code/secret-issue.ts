import { replaceLiteral } from '../../lib/rewrite.ts'
import { requireVariable } from '../../lib/rewrite-javascript.ts'
import { underscored } from '../../lib/snake-case.ts'
import { withCapital } from '../../lib/with-capital.ts'
import type { HardcodedSecret } from '../../model/code/code.ts'
import type { ModulesModel } from '../../model/modules/modules.ts'
import type { Fix, Issue, Severity } from '../define-check.ts'
import { environmentRead } from '../environment-read.ts'
import { providerPage } from '../provider-pages.ts'

/** Formats that act on somebody else's service with the owner's rights as soon as they are known. */
export const NAME_BASED_OR_POWERFUL_KINDS = new Set([
  'generic-secret',
  'password',
  'sign-in-password',
  'default-secret',
  'jwt',
  'webhook-secret',
  'url-password',
  'aws-access-key-id',
])

/** The value of a secret in the repository: what it opens, and where the new one goes. */
export function secretIssue(s: HardcodedSecret, modules: ModulesModel): Issue {
  const severity: Severity = s.live === 'test' || NAME_BASED_OR_POWERFUL_KINDS.has(s.kind) ? 'High' : 'Critical'
  const name = s.name ? ` as \`${s.name}\`` : ''
  const inBrowser = modules.clientChain(s.path) !== undefined
  return {
    subject: `file ${s.path}`,
    discriminator: `${s.kind} ${s.hash.length > 3 ? s.hash : (s.name ?? '')}`,
    severity,
    title: s.live === 'test' ? 'Test key in the repository' : 'Secret in the repository',
    message: `${withCapital(s.label)} (${s.redacted}, ${s.length} characters) stands here${name}${s.also.length ? `, and in ${s.also.length} more place${s.also.length === 1 ? '' : 's'}` : ''}.`,
    attack:
      s.live === 'test'
        ? 'Whoever reads the repository works in the test account, sees its data, and learns how the live one is built.'
        : inBrowser
          ? 'Whoever opens the page reads the value in its scripts and uses it in the owner’s name.'
          : 'Whoever reads the repository, a fork, an old clone or a build log uses the value in the owner’s name.',
    fix: { byHand: { what: `Replace ${s.label} in ${s.path}`, where: providerPage(s.kind) }, ...secretFix(s, inBrowser, modules) },
    at: { path: s.path, line: s.line },
    related: s.also.slice(0, 30).map((p) => ({ ...p, subject: `file ${p.path}`, what: 'the same value' })),
    proof: 'inferred',
    aliases: ['CWE-798'],
  }
}

const REPLACE = 'Replace the value where it was issued (it stays in the history), and'

/** Where the new value goes: a variable helps only where one can be read and nobody else reads it. */
function secretFix(s: HardcodedSecret, inBrowser: boolean, modules: ModulesModel): Fix {
  if (/\.sql$/i.test(s.path)) return { text: `${REPLACE} take the statement out of the file: it runs once, by hand, or reads the value from the vault.` }
  if (inBrowser)
    return {
      text: `${REPLACE} take it out of the page: what a browser holds, every visitor reads, variables of the build included. Let the server use it, or make up a random one each time.`,
    }
  const variable = variableName(s)
  if (/(?:^|\/)supabase\/config\.toml$/.test(s.path))
    return { text: `${REPLACE} let the configuration name a variable.`, language: 'toml', code: `${s.name ?? 'secret'} = "env(${variable})"` }
  if (/(?:^|\/)wrangler\.(?:toml|jsonc?)$/.test(s.path))
    return {
      text: `${REPLACE} take it out of the file and give it to Wrangler as a secret.`,
      language: 'sh',
      code: `npx wrangler secret put ${s.name ?? variable}`,
    }
  const read = environmentRead(s.path, s.line, variable, modules)
  if (!read) return { text: `${REPLACE} take it out of the file: what is committed, everybody reads who can read the repository.` }
  const as = s.name && /^[A-Z][A-Z0-9_]{3,60}$/.test(s.name) ? s.name : camel(variable)
  return {
    text: `${REPLACE} read the new one from the environment.`,
    language: read.language,
    // without the value nothing that is sent may be equal to it
    code: read.language === 'ts' ? `const ${as} = ${read.code}\nif (!${as}) throw new Error('${variable} is not set')` : read.code,
    ...fromEnvironment(s, variable, read.code, modules),
  }
}

/** In server code that stands in one place the literal itself becomes the read; one that stands in for the variable gives way to a refusal. */
function fromEnvironment(s: HardcodedSecret, variable: string, read: string, modules: ModulesModel): Pick<Fix, 'rewrite'> {
  if (s.also.length || !/\.[cm]?[jt]s$/.test(s.path)) return {}
  // What is not part of the module graph may be a script of a page.
  if (!read.startsWith('Deno.') && !modules.files.includes(s.path)) return {}
  const typed = `${read}${/ts$/.test(s.path) ? '!' : ''}`
  return { rewrite: { path: s.path, line: s.line, apply: (lines) => requireVariable(variable)(lines) ?? replaceLiteral(s.column, s.endColumn, typed)(lines) } }
}

function variableName(s: HardcodedSecret): string {
  const own = underscored(s.name ?? '')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase()
  if (own && own.length > 3 && /SECRET|KEY|TOKEN|PASS|URL/.test(own)) return own.replace(/^(?:NEXT_PUBLIC|VITE|REACT_APP|EXPO_PUBLIC)_/, '')
  return s.kind.replace(/-/g, '_').toUpperCase()
}

function camel(name: string): string {
  return name.toLowerCase().replace(/_{1,50}([a-z0-9])/g, (_, c: string) => c.toUpperCase())
}
