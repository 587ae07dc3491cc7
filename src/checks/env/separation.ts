import { inEdgeFunctions } from '../../lib/edge-function.ts'
import type { HardcodedProject, SharedIdentity } from '../../model/env/env.ts'
import { defineCheck, failed, type Issue, notApplicable, passed, unverified } from '../define-check.ts'

export default defineCheck({
  number: 15,
  id: 'env/separation',
  category: 'Environment variables',
  rule: 'Development and production use different variables, projects and keys.',
  needs: ['env'],
  doubtedBy: ['env-file', 'config'],
  run({ env }) {
    const { shared, distinct, sides } = env.separation
    const issues = [...sharedIssues(shared), ...env.hardcodedProjects.map((p) => hardcodedIssue(p))]
    const evidence = [
      `development: ${sides.development.join(', ') || 'nothing shown'}; production: ${sides.production.join(', ') || 'nothing shown'}`,
      ...(distinct.length ? [`different values for ${distinct.slice(0, 10).join(', ')}`] : []),
    ]
    if (issues.length) return failed(issues, evidence)
    if (distinct.length) return passed(...evidence)
    const named = [...env.reads, ...env.definitions].filter((v) => !TOOL_VARIABLE.test(v.name))
    if (!named.length) return notApplicable('nothing in the repository reads or defines environment variables')
    const everywhere = env.definitions.find((d) => d.source === 'env-file' && d.environment === 'shared')?.path
    return unverified(
      sides.development.length || sides.production.length
        ? 'the repository shows the values of one environment only'
        : everywhere
          ? `the values in ${everywhere} are read in every environment that sets no others, and nothing in the repository shows others`
          : 'values come from the environment, and no env file, workflow or platform configuration in the repository shows which',
      {
        where: 'the environment variables of the hosting platform (production beside preview and development) and your own .env.local',
        attest: 'that development and production use different projects, databases and keys',
      },
      evidence,
    )
  },
})

/** What runs and builds the application sets these itself: they name no project. */
const TOOL_VARIABLE = /^(?:NODE_ENV|MODE|DEV|PROD|SSR|BASE_URL|CI|PORT|HOST|ANALYZE|NEXT_(?:PHASE|RUNTIME)|VERCEL|npm_\w{1,60})$/

/** One finding per pair of sources: they were copied from each other as a whole. */
function sharedIssues(shared: readonly SharedIdentity[]): Issue[] {
  const pairs = new Map<string, SharedIdentity[]>()
  for (const s of shared) {
    const key = `${s.development.path}\0${s.production.path}`
    pairs.set(key, [...(pairs.get(key) ?? []), s])
  }
  return [...pairs.values()].map((group): Issue => {
    const first = group[0] as SharedIdentity
    const names = [...new Set(group.map((s) => `\`${s.production.name}\``))]
    const side = first.development.environment === 'preview' ? 'preview' : 'development'
    return {
      subject: `env ${first.production.name}`,
      discriminator: `${first.development.path} ${first.production.path}`,
      severity: 'High',
      title: `${side === 'preview' ? 'Preview' : 'Development'} and production share a project`,
      message: `\`${first.development.path}\` (${side}) and \`${first.production.path}\` (production) name the same ${first.what.replace(/^value of .*/, 'key')}: ${names.slice(0, 6).join(', ')}.`,
      attack:
        'Whoever gets hold of a developer’s machine, a preview build or a test account is inside the production data; a mistake in development deletes it.',
      fix: {
        text: `Create a second project (and second keys) for ${side}, and put its values into the ${side} source only.`,
        language: 'sh',
        code: `# ${first.development.path}\n${first.production.name}=<value of the ${side} project>`,
      },
      at: { path: first.production.path, line: first.production.line },
      related: group.flatMap((s, i) => [
        { path: s.development.path, line: s.development.line, subject: `env ${s.development.name}`, what: `${s.what} in ${side}` },
        ...(i ? [{ path: s.production.path, line: s.production.line, subject: `env ${s.production.name}`, what: `${s.what} in production` }] : []),
      ]),
      proof: 'inferred',
      aliases: ['CWE-653'],
    }
  })
}

function hardcodedIssue(p: HardcodedProject): Issue {
  const supabase = p.what === 'supabase'
  const sql = p.path.endsWith('.sql')
  return {
    subject: `file ${p.path}`,
    severity: 'High',
    title: sql ? 'SQL that calls one project from every database' : 'One project for every environment',
    message: `The address and the key of the ${supabase ? `Supabase project ${p.project}` : `Firebase project ${p.project}`} are literals in \`${p.path}\`: ${sql ? 'every database in which this SQL runs, of development and of previews too, calls that one project' : 'development, preview and production all use this one project'}.`,
    attack: sql
      ? 'A database that is set up to try something out calls the functions of that project, and what they do there happens to its users.'
      : 'Every preview build and every developer’s machine works on the production data; a leaked test account or a careless script reaches real users.',
    fix: {
      text: sql
        ? 'Keep address and key in the vault of each project and read them when the statement runs; give development a project of its own.'
        : 'Read address and key from the environment, and give development a project of its own. Where this is another project than the one that the application lives in, its variables get names of their own.',
      language: sql ? 'sql' : 'ts',
      code: sql
        ? `select net.http_post(\n  url := (select decrypted_secret from vault.decrypted_secrets where name = 'project_url') || '/functions/v1/<function>',\n  headers := jsonb_build_object('Authorization', 'Bearer ' || (select decrypted_secret from vault.decrypted_secrets where name = 'anon_key'))\n);`
        : supabase
          ? inEdgeFunctions(p.path)
            ? `const url = Deno.env.get('SUPABASE_URL') // set by the platform for its own project\nconst key = Deno.env.get('SUPABASE_ANON_KEY')`
            : `const url = import.meta.env.VITE_SUPABASE_URL\nconst key = import.meta.env.VITE_SUPABASE_PUBLISHABLE_KEY`
          : `const firebaseConfig = {\n  apiKey: import.meta.env.VITE_FIREBASE_API_KEY,\n  projectId: import.meta.env.VITE_FIREBASE_PROJECT_ID,\n}`,
    },
    at: { path: p.path, line: p.line },
    related: [
      ...(p.keyLine === p.line ? [] : [{ path: p.path, line: p.keyLine, what: 'the key' }]),
      ...p.also.slice(0, 20).map((a) => ({ ...a, subject: `file ${a.path}`, what: 'the same project' })),
    ],
    proof: 'inferred',
    aliases: ['CWE-547'],
  }
}
