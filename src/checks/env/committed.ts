import { plural } from '../../lib/plural.ts'
import { setValue } from '../../lib/rewrite.ts'
import { NAME_BASED_KINDS } from '../../model/code/secrets.ts'
import type { EnvFileState, EnvSecret, IgnoreGap } from '../../model/env/env.ts'
import { defineCheck, type Fix, failed, type Issue, notApplicable, passed, unverified } from '../define-check.ts'
import { providerPage } from '../provider-pages.ts'

export default defineCheck({
  number: 14,
  id: 'env/committed',
  category: 'Environment variables',
  rule: 'Env files (.env, .env.local, .env.production and any other variant) are listed in .gitignore and were never committed.',
  needs: ['env', 'workspaces'],
  doubtedBy: ['env-file', 'history'],
  run({ env, workspaces }) {
    const usesEnv = env.reads.length > 0 || env.files.length > 0 || workspaces.all.some((w) => w.manifest)
    if (!usesEnv) return notApplicable('nothing in the repository reads environment variables, and there is no env file and no package.json')
    const kept = templatesOf(env.files)
    const issues = [...env.files.flatMap((f) => fileIssue(f, kept)), ...env.ignoreGaps.map((gap) => ignoreIssue(gap, kept))]
    const { commits, complete, because } = env.history
    const evidence = [
      `${plural(env.files.length, 'env file or template', 'env files and templates')} in the tree and in ${plural(commits, 'commit')}${
        env.files.length
          ? `: ${env.files
              .slice(0, 10)
              .map((f) => f.path)
              .join(', ')}`
          : ''
      }`,
      env.ignoreFiles.length ? `ignore rules of ${env.ignoreFiles.slice(0, 10).join(', ')}` : 'no .gitignore',
    ]
    if (issues.length) return failed(issues, evidence)
    if (!complete) {
      return unverified(
        `no env file is in the tree and the ignore rules cover every variant, but the history could not be read whole${because ? `: ${because}` : ''}`,
        {
          where: '`git log --all --full-history --diff-filter=A -- "*.env" "*.env.*"` in a full clone',
          attest: 'that no env file was ever committed, or that its secrets were replaced',
        },
        evidence,
      )
    }
    return passed(...evidence)
  },
})

function fileIssue(file: EnvFileState, kept: readonly string[]): Issue[] {
  const counts = (s: EnvSecret) => s.live !== 'local-demo' && !((file.template || file.test) && NAME_BASED_KINDS.has(s.kind))
  const versions = [...(file.tracked ? [{ ...file.tracked, commit: undefined }] : []), ...file.past]
  const holding = versions.map((v) => ({ ...v, secrets: v.secrets.filter(counts) })).find((v) => v.secrets.length)
  if (file.template && !holding) return []
  const unreadable = versions.some((v) => !v.readable)
  const everything = versions.flatMap((v) => v.secrets.filter(counts))
  const severity = holding ? (file.template && everything.every((s) => s.live === 'test') ? 'High' : 'Critical') : unreadable ? 'High' : 'Medium'
  const inHistory = !file.tracked
  const where = holding
    ? holding.commit
      ? `in commit ${holding.commit.slice(0, 10)}`
      : 'in the tree'
    : inHistory
      ? `in commit ${versions[0]?.commit?.slice(0, 10)}`
      : 'in the tree'
  const named = holding ? describe(everything) : ''
  const content = holding ? `holds ${named}` : unreadable ? 'could not be read: it may hold secrets' : 'holds only public values or placeholders today'
  return [
    {
      subject: `file ${file.path}`,
      severity,
      title: holding ? 'Secret in a committed env file' : 'Env file committed',
      message: `${file.template ? 'The template' : 'The env file'} \`${file.path}\` ${where} ${content}.${inHistory || holding?.commit ? ' Removing the file later does not remove it from the history.' : ''}`,
      attack: holding
        ? 'Anyone who can read the repository, now or through a fork or an old clone, takes the values and uses them at their provider.'
        : 'The file invites the next secret: whoever adds one publishes it with the next commit.',
      fix: {
        ...(holding ? { byHand: replaceAll(file.path, everything) } : {}),
        text: holding
          ? `Replace ${everything.length === 1 ? 'this secret' : 'these secrets'} at the provider first; then take the file out of the index and ignore every variant. Rewriting the history is optional once the values are dead.`
          : 'Take the file out of the index, ignore every variant, and keep a template with empty values.',
        language: 'sh',
        code: file.template
          ? `# put placeholders back into the template\ngit commit -m "Use placeholders in ${file.path}" ${file.path}`
          : file.tracked
            ? `git rm --cached ${file.path}\nprintf '${ignoreAll(kept).join('\\n')}\\n' >> .gitignore`
            : `# after replacing the values at their providers\ngit filter-repo --invert-paths --path ${file.path}`,
        ...emptied(file, everything),
      },
      at: { path: file.path, line: holding?.secrets[0]?.line ?? 1 },
      proof: 'inferred',
      aliases: ['CWE-312', 'CWE-538'],
    },
  ]
}

/** Each value of the file is replaced where it was issued; the page is known when one provider issued them all. */
function replaceAll(path: string, secrets: readonly EnvSecret[]): NonNullable<Fix['byHand']> {
  const pages = new Set(secrets.map((s) => providerPage(s.kind)))
  const [page] = pages
  return {
    what: secrets.length === 1 ? `Replace the secret in ${path}` : `Replace the ${secrets.length} secrets in ${path}`,
    where: pages.size === 1 && page ? page : 'the settings page of each service that issued one',
  }
}

/** A template keeps the name and loses the value, when the one secret that it holds is to be seen in the tree. */
function emptied(file: EnvFileState, secrets: readonly EnvSecret[]): Pick<Fix, 'rewrite'> {
  const [secret] = file.tracked?.secrets ?? []
  if (!file.template || !secret?.name || secrets.length !== 1 || file.tracked?.secrets.length !== 1) return {}
  return { rewrite: { path: file.path, line: secret.line, apply: setValue(secret.name, '') } }
}

/** Every variant, and the templates under the names that they have here. */
const ignoreAll = (kept: readonly string[]): readonly string[] => ['.env', '.env.*', ...kept.map((name) => `!${name}`)]

const templatesOf = (files: readonly EnvFileState[]): readonly string[] => {
  const names = files
    .flatMap((f) => (f.template && f.tracked ? [f.path.slice(f.path.lastIndexOf('/') + 1)] : []))
    .filter((name) => /^\.env\.[\w.-]*(?:example|sample|template|dist)$/i.test(name))
  return names.length ? [...new Set(names)].sort() : ['.env.example']
}

function describe(secrets: readonly EnvSecret[]): string {
  const each = secrets.map((s) => `\`${s.name ?? `line ${s.line}`}\` (${s.kind}, ${s.redacted})`)
  const distinct = [...new Set(each)]
  return distinct.length > 4 ? `${distinct.slice(0, 4).join(', ')} and ${distinct.length - 4} more` : distinct.join(', ')
}

function ignoreIssue(gap: IgnoreGap, kept: readonly string[]): Issue {
  const list = gap.lets.slice(0, 5).map((v) => `\`${v}\``)
  return {
    subject: `file ${gap.path}`,
    severity: 'Medium',
    title: 'Ignore rules let env files in',
    message: `${gap.exists ? (gap.pattern ? `\`${gap.pattern}\` in \`${gap.path}\` is not enough` : `\`${gap.path}\` says nothing of env files`) : `There is no \`${gap.path}\``}: ${list.join(', ')}${gap.lets.length > 5 ? ' and more' : ''} would be committed by \`git add .\`.`,
    attack: 'The next env file with a production secret goes into the repository unnoticed, and from there to everyone who reads it.',
    fix: { text: 'Ignore every variant and keep only the template.', language: 'gitignore', code: ignoreAll(kept).join('\n'), ...widened(gap, kept) },
    at: { path: gap.path, line: gap.line },
    proof: 'executed',
    aliases: ['CWE-538'],
  }
}

/** Patterns that let no variant in follow the one that is not enough, which stays: it may keep other files out (`.dev.vars`, `*.local`). */
function widened(gap: IgnoreGap, kept: readonly string[]): Pick<Fix, 'rewrite'> {
  const { pattern } = gap
  if (!gap.exists || !pattern || pattern.startsWith('!')) return {}
  const added = ignoreAll(kept).filter((p) => p !== pattern)
  return { rewrite: { path: gap.path, line: gap.line, apply: ([line = '']) => (line.trim() === pattern ? [line, ...added] : undefined) } }
}
