import type { Advisory, AdvisoryData } from '../../model/dependencies/advisory.ts'
import type { DependenciesModel, UnlockedManifest, VulnerablePackage } from '../../model/dependencies/dependencies.ts'
import { defineCheck, type Fix, failed, type Issue, notApplicable, passed, type Severity, unverified } from '../define-check.ts'

export default defineCheck({
  number: 24,
  id: 'code/dependencies',
  category: 'Code and dependencies',
  rule: 'Dependencies are audited; no critical vulnerability remains.',
  needs: ['dependencies'],
  doubtedBy: ['lockfile'],
  run: ({ dependencies }) => {
    const { locks, unlocked, advisories, vulnerable } = dependencies
    const evidence = evidenceOf(dependencies)
    if (!locks.length && !unlocked.length) return notApplicable('no package.json asks for packages and there is no lock file')
    const severe = vulnerable.filter((v) => severityOf(v) !== undefined)
    const moderate = vulnerable.filter((v) => severityOf(v) === undefined && v.advisories.some((a) => a.severity === 'moderate'))
    const issues = [...unlocked.map(noLockFile), ...severe.map(vulnerablePackage), ...listModerate(moderate)]
    if (issues.length) return failed(issues, evidence)
    if (advisories.source === 'none') {
      return unverified(
        `the advisory database could not be asked (${advisories.because ?? 'out of reach'}), so ${count(packagesIn(dependencies), 'locked package')} remain unchecked`,
        {
          where: `the repository's Dependabot alerts (Security → Dependabot), or \`${auditCommand(locks[0]?.format ?? 'npm')}\` beside ${locks[0]?.path ?? 'package.json'}`,
          attest: 'that no critical or high advisory is open, and the date of the look',
        },
        evidence,
      )
    }
    return passed(...evidence)
  },
})

/** Undefined when no advisory is critical or high; one step lower when only development uses the package. */
function severityOf(v: VulnerablePackage): Severity | undefined {
  const worst = v.advisories[0]?.severity
  if (worst === 'critical') return v.production ? 'Critical' : 'High'
  if (worst === 'high') return v.production ? 'High' : 'Medium'
  return undefined
}

function vulnerablePackage(v: VulnerablePackage): Issue {
  const worst = v.advisories[0] as Advisory
  const key = `${v.name}@${v.version}`
  const used = v.production ? 'production' : 'development'
  const how = v.direct
    ? `a direct ${used} dependency`
    : v.through
      ? `needed in ${used} by ${v.through.name} (${v.through.path}:${v.through.line}): ${v.chain.join(' → ')}`
      : `in ${v.lock}, needed in ${used}`
  const others = v.advisories.slice(1)
  const listed = others.slice(0, 8).map((a) => `${a.id} (${a.severity}${a.fixedIn ? `, fixed in ${a.fixedIn}` : ''})`)
  const rest = others.length > 8 ? ` and ${others.length - 8} more` : ''
  return {
    subject: `package ${key}`,
    severity: severityOf(v) as Severity,
    title: `${key}: ${worst.severity} vulnerability${v.advisories.length > 1 ? ` and ${v.advisories.length - 1} more` : ''}`,
    message: `${key} is affected by ${worst.id} (${worst.severity}): ${sentence(worst.summary)} It is ${how}.${listed.length ? ` Also: ${listed.join(', ')}${rest}.` : ''}${fixedSentence(v)}`,
    attack: v.production
      ? `Whoever reaches the feature that uses ${v.name} can exploit ${worst.id}, for which the description (and often an exploit) is public.`
      : `Untrusted input that reaches ${v.name} on a developer's or build machine can exploit ${worst.id}.`,
    fix: fixOf(v),
    at: v.direct ? { path: v.direct.path, line: v.direct.line } : v.at,
    related: [
      ...(v.direct ? [{ ...v.at, what: 'locked here' }] : []),
      ...(v.through && !v.direct ? [{ path: v.through.path, line: v.through.line, what: `the direct dependency ${v.through.name} pulls it in` }] : []),
      ...v.also.map((p) => ({ ...p, what: 'the same version in another lock file' })),
    ],
    proof: 'inferred',
    aliases: [...v.advisories.map((a) => a.id), 'CWE-1395'],
  }
}

function fixedSentence(v: VulnerablePackage): string {
  if (v.fixedIn) return ` Fixed in ${v.fixedIn}.`
  return v.advisories[0]?.fixedIn
    ? ` ${v.advisories[0].id} is fixed in ${v.advisories[0].fixedIn}; at least one of the others has no fix yet.`
    : ' There is no fixed version yet.'
}

function fixOf(v: VulnerablePackage): Fix {
  const target = v.fixedIn ?? v.advisories[0]?.fixedIn
  if (!target) return { text: `There is no fixed version: replace ${v.through?.name ?? v.name} or stop using the affected feature (${v.advisories[0]?.url}).` }
  if (v.direct)
    return {
      text: `Update it and commit the lock file.`,
      language: 'sh',
      code: `${installCommand(v.format)} ${v.format === 'deno' ? 'npm:' : ''}${v.name}@${target}`,
    }
  const code = overrideCode(v, target)
  return {
    text: `Update ${v.through?.name ?? 'what pulls it in'}; where no release of it takes ${v.name} ${target} yet, force the version in package.json and install again.`,
    language: code.language,
    code: code.text,
  }
}

function installCommand(format: VulnerablePackage['format']): string {
  return { npm: 'npm install', pnpm: 'pnpm add', yarn: 'yarn add', bun: 'bun add', deno: 'deno add' }[format]
}

function overrideCode(v: VulnerablePackage, target: string): { language: string; text: string } {
  const version = `"${v.name}@${v.version}": "${target}"`
  switch (v.format) {
    case 'npm':
    case 'bun':
      return { language: 'json', text: `{\n  "overrides": { "${v.name}": "${target}" }\n}` }
    case 'pnpm':
      return { language: 'json', text: `{\n  "pnpm": { "overrides": { ${version} } }\n}` }
    case 'yarn':
      return { language: 'json', text: `{\n  "resolutions": { "${v.name}": "${target}" }\n}` }
    case 'deno':
      return { language: 'sh', text: 'deno outdated --update --latest' }
  }
}

/** Moderate advisories are one finding per lock file, so that they do not bury the others. */
function listModerate(moderate: readonly VulnerablePackage[]): Issue[] {
  return [...Map.groupBy(moderate, (v) => v.lock)].map(([lock, packages]): Issue => {
    const names = packages.map((v) => `${v.name}@${v.version}${v.fixedIn ? ` (fixed in ${v.fixedIn})` : ''}`)
    const first = packages[0] as VulnerablePackage
    return {
      subject: `file ${lock}`,
      discriminator: 'moderate',
      severity: 'Medium',
      title: `${count(packages.length, 'package')} with moderate advisories`,
      message: `Moderate advisories affect ${names.slice(0, 12).join(', ')}${names.length > 12 ? ` and ${names.length - 12} more` : ''}.`,
      attack: 'None of them breaks the application by itself; together with another flaw each can.',
      fix: {
        text: 'Update within the ranges that package.json allows, then look at what remains.',
        language: 'sh',
        code: `${updateCommand(first.format)}\n${auditCommand(first.format)}`,
      },
      at: { path: lock, line: first.at.line },
      related: packages
        .map((v) => ({ ...(v.direct ?? v.at), subject: `package ${v.name}@${v.version}`, what: v.advisories.map((a) => a.id).join(', ') }))
        .map(({ path, line, subject, what }) => ({ path, line, subject, what })),
      proof: 'inferred',
      aliases: [...new Set(packages.flatMap((v) => v.advisories.map((a) => a.id)))],
    }
  })
}

function noLockFile(u: UnlockedManifest): Issue {
  const ignored = u.ignoredAt
  return {
    subject: `file ${u.path}`,
    discriminator: 'no lock file',
    severity: 'Medium',
    title: u.empty ? 'The lock file lists nothing' : 'No lock file',
    message: `${u.path} asks for ${count(u.dependencies, 'package')} and ${u.empty ? `${u.empty} lists none of them` : 'no lock file is committed'}${ignored ? ` (\`${ignored.pattern}\` in ${ignored.path}:${ignored.line} keeps it out)` : ''}: each installation takes whatever is newest, so nobody can say which versions run in production or audit them.`,
    attack:
      'A malicious or hijacked release of any package in the tree is installed by the next build without a change in the repository that anybody could review.',
    fix: {
      text: `${ignored ? `Remove \`${ignored.pattern}\` from ${ignored.path}, then c` : 'C'}reate the lock file, commit it, and install with \`npm ci\` in the build.`,
      language: 'sh',
      code: 'npm install --package-lock-only\nnpm audit --omit=dev\ngit add package-lock.json',
    },
    at: { path: u.path, line: u.line },
    ...(ignored ? { related: [{ path: ignored.path, line: ignored.line, what: 'keeps the lock file out of the repository' }] } : {}),
    proof: 'inferred',
    aliases: ['CWE-1357'],
    ...(u.workspace ? { workspace: u.workspace } : {}),
  }
}

function evidenceOf(d: DependenciesModel): string[] {
  const lines = d.locks.map(
    (l) => `${l.path}: ${count(l.packages, 'package')}${l.supersededBy ? `, not installed from: ${l.supersededBy} lies beside it (keep one of the two)` : ''}`,
  )
  if (d.locks.length) lines.push(advisoriesSentence(d.advisories))
  const low = d.vulnerable.filter((v) => v.advisories.every((a) => a.severity === 'low')).length
  if (low) lines.push(`${count(low, 'package')} with low advisories only, not listed`)
  return lines
}

function advisoriesSentence(a: AdvisoryData): string {
  if (a.source === 'none') return `advisories: none could be had (${a.because ?? 'out of reach'})`
  return a.source === 'github'
    ? 'advisories: GitHub Advisory Database, asked during this audit'
    : `advisories: a copy of the GitHub Advisory Database${a.asOf ? ` as of ${a.asOf}` : ''}`
}

const packagesIn = (d: DependenciesModel): number => d.locks.filter((l) => !l.supersededBy).reduce((n, l) => n + l.packages, 0)
const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`
const sentence = (text: string): string => (/[.!?]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`)

function auditCommand(format: VulnerablePackage['format']): string {
  return { npm: 'npm audit --omit=dev', pnpm: 'pnpm audit --prod', yarn: 'yarn npm audit --environment production', bun: 'bun audit', deno: 'deno audit' }[
    format
  ]
}

function updateCommand(format: VulnerablePackage['format']): string {
  return { npm: 'npm update', pnpm: 'pnpm update', yarn: 'yarn up -R "*"', bun: 'bun update', deno: 'deno outdated --update' }[format]
}
