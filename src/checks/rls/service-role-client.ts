import type { RelatedPlace } from '../../lib/place.ts'
import { plural } from '../../lib/plural.ts'
import type { ModulesModel, ServiceRoleUse } from '../../model/modules/modules.ts'
import { defineCheck, failed, type Issue, notApplicable, passed } from '../define-check.ts'
import { providerPage } from '../provider-pages.ts'

const ATTACK =
  'Anyone who opens the site takes the key out of the JavaScript that the browser loads and reads, changes and deletes every row, file and user: the service role bypasses row level security.'
/** Bundlers leave variables without a public prefix out by themselves. */
const ATTACK_ONCE_BUILT_IN =
  'Only the build stands between this line and everybody: as soon as the variable is inlined (`define`, `env`, a plug-in for `process.env`, another prefix), anyone who opens the site takes the key out of the JavaScript and reads, changes and deletes every row, file and user: the service role bypasses row level security.'
const PUBLIC = /^(NEXT_PUBLIC|VITE|REACT_APP|EXPO_PUBLIC|NUXT_PUBLIC|PUBLIC|GATSBY|VUE_APP|PLASMO_PUBLIC)_/

export default defineCheck({
  number: 5,
  id: 'rls/service-role-client',
  category: 'RLS',
  rule: 'The service role key is not present in client code or client bundle.',
  needs: ['modules', 'files', 'workspaces'],
  doubtedBy: ['source-text'],
  covers: 'browser',
  run({ modules, workspaces }) {
    if (!modules.usesSupabase) return notApplicable('the repository does not use Supabase')
    const issues = onePerCause(modules.serviceRole.filter((u) => u.inBrowser)).map((uses) =>
      issue(uses, modules, workspaces.all.length > 1 ? workspaces.of(uses[0].path).dir : undefined),
    )
    const evidence = describe(modules)
    if (issues.length > 0) return failed(issues, evidence)
    return modules.files.length === 0 ? notApplicable('the repository holds no application code') : passed(...evidence)
  },
})

type Uses = readonly [ServiceRoleUse, ...ServiceRoleUse[]]

/** A key that stands in a file is one cause; all reads of the key in a file are another. */
function onePerCause(uses: readonly ServiceRoleUse[]): Uses[] {
  const causes = new Map<string, [ServiceRoleUse, ...ServiceRoleUse[]]>()
  for (const use of uses) {
    const cause = use.how === 'variable' ? use.path : `${use.path}\0${use.hash}`
    const known = causes.get(cause)
    if (known) known.push(use)
    else causes.set(cause, [use])
  }
  return [...causes.values()]
}

function issue(uses: Uses, modules: ModulesModel, workspace: string | undefined): Issue {
  const [use, ...others] = uses
  const way = modules.clientChain(use.path)
  return {
    subject: `file ${use.path}`,
    title: 'The service-role key reaches the browser',
    ...(use.hash === undefined ? {} : { discriminator: use.hash }),
    severity: 'Critical',
    message: message(use, modules, way),
    attack: use.how === 'variable' && !PUBLIC.test(use.what) && !use.valueAt ? ATTACK_ONCE_BUILT_IN : ATTACK,
    fix: use.how === 'variable' ? moveToServer(use) : rotate(use),
    at: { path: use.path, line: use.line },
    related: related(use, others, modules),
    proof: 'inferred',
    aliases: ['CWE-798', 'CWE-522'],
    ...(workspace ? { workspace } : {}),
  }
}

function message(use: ServiceRoleUse, modules: ModulesModel, way: readonly string[] | undefined): string {
  if (use.how === 'output') return `The build output holds a service-role key (${use.what}); browsers load this file.`
  const entry = modules.clientEntries.find((e) => e.path === way?.[0])
  const because = entry ? ` (${entry.because})` : ''
  const reach = !way
    ? 'Browsers load this file'
    : way.length === 1
      ? `This file is sent to the browser${because}`
      : `This module is sent to the browser: ${way.join(' → ')}${because}`
  if (use.how === 'literal') return `A service-role key (${use.what}) is written here. ${reach}.`
  const value = use.valueAt ? `, and ${use.valueAt.path}:${use.valueAt.line} gives it a service-role key` : ''
  return `The service-role key is read here from \`${use.what}\`${value}. ${reach}.`
}

function related(use: ServiceRoleUse, others: readonly ServiceRoleUse[], modules: ModulesModel): RelatedPlace[] {
  const way = modules.clientChain(use.path) ?? []
  return [
    ...modules.clientImports(use.path).map((at, i) => ({ ...at, subject: `file ${at.path}`, what: `imports ${way[i + 1] ?? use.path}` })),
    ...others
      .filter((o) => o.line !== use.line)
      .map((o) => ({ path: o.path, line: o.line, what: o.how === 'variable' ? `also reads ${o.what}` : 'holds the same key' })),
    ...(use.valueAt ? [{ ...use.valueAt, subject: `env ${use.what}`, what: 'gives the variable a service-role key' }] : []),
  ]
}

function moveToServer(use: ServiceRoleUse): Issue['fix'] {
  const name = use.what.replace(PUBLIC, '')
  const renamed = name !== use.what
  return {
    text: `Use the anon key and the user's session here, and do what needs the service role behind a route, server action or edge function that checks who calls.${renamed ? ` Rename the variable to \`${name}\` there, and rotate the key: it has been published.` : ''} Keep the service-role client in a module of its own that only server code imports.`,
    language: 'ts',
    code: `import { createClient } from '@supabase/supabase-js'\n\n// On the server only.\nexport const supabaseAdmin = createClient(process.env.SUPABASE_URL!, process.env.${/^[A-Z0-9_]+$/.test(name) ? (use.valueAt ? 'SUPABASE_SERVICE_ROLE_KEY' : name) : 'SUPABASE_SERVICE_ROLE_KEY'}!, { auth: { persistSession: false } })`,
  }
}

function rotate(use: ServiceRoleUse): Issue['fix'] {
  const where = use.how === 'output' ? 'Remove the build output from the repository and build again without the key.' : 'Use the anon (publishable) key here.'
  return {
    byHand: { what: 'Replace the service-role key of your Supabase project', where: providerPage('supabase-secret-key') },
    text: `Rotate the key now (Supabase dashboard, Project Settings, API keys): it stays in the history. ${where} What needs the service role belongs on the server, reading the key from the environment.`,
    language: 'ts',
    code: 'const supabaseAdmin = createClient(process.env.SUPABASE_URL!, process.env.SUPABASE_SERVICE_ROLE_KEY!, { auth: { persistSession: false } }) // on the server only',
  }
}

function describe(modules: ModulesModel): string[] {
  const sent = modules.files.filter((f) => modules.clientChain(f) !== undefined).length
  const holders = [...new Set(modules.serviceRole.filter((u) => !u.inBrowser).map((u) => u.path))]
  return [
    `${sent} of ${plural(modules.files.length, 'module')} reach the browser, from ${plural(modules.clientEntries.length, 'entry', 'entries')}`,
    holders.length === 0
      ? 'no other file uses the service-role key'
      : `the service-role key is used outside the browser in ${holders.length} ${holders.length === 1 ? 'file' : 'files'}: ${holders.slice(0, 8).join(', ')}${holders.length > 8 ? ', …' : ''}`,
  ]
}
