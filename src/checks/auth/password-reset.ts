import { escapeRegExp, swap } from '../../lib/rewrite.ts'
import type { AuthModel, AuthUse, TemplateHost } from '../../model/auth/auth.ts'
import { defineCheck, failed, type Issue, notApplicable, passed, unverified } from '../define-check.ts'
import { type Flow, hostIssues, settingIssues, whereToLook } from './redirect-issues.ts'

const PASSWORD_RESET_FLOW: Flow = { purposes: ['reset'], name: 'password reset', carries: 'the recovery token' }

export default defineCheck({
  number: 8,
  id: 'auth/password-reset',
  category: 'Authentication',
  rule: 'The password reset email links to the production domain.',
  needs: ['auth'],
  doubtedBy: ['source-text', 'config'],
  run: ({ auth }) => {
    if (!auth.resets.length) return notApplicable('nothing sends a password reset mail')
    const evidence = [
      `password reset: ${auth.resets
        .slice(0, 4)
        .map((r) => `${r.how} at ${r.at.path}:${r.at.line}`)
        .join(', ')}`,
    ]
    const issues = [
      ...hostIssues(auth, PASSWORD_RESET_FLOW),
      ...settingIssues(auth, { allowList: false }).filter((i) => /site_url$/.test(i.subject)),
      ...auth.templateHosts.filter((t) => t.purpose === 'reset').map(templateIssue),
      ...poisoned(auth),
    ]
    if (issues.length) return failed(issues, evidence)
    const libraries = new Set<string>(auth.resets.map((r) => r.library))
    const pushed = auth.settings.find((s) => s.key === 'auth.site_url' && s.stage === 'production')
    if (auth.hosted?.siteUrl) return passed(...evidence, `Site URL of the hosted project: ${auth.hosted.siteUrl}`)
    if (pushed && libraries.size === 1 && libraries.has('supabase'))
      return passed(...evidence, `${pushed.section} site_url is ${String(pushed.value)}, and ${pushed.because}`)
    return unverified('the link in the mail is built from a setting that the repository does not show', whereToLook(auth, libraries, []), evidence)
  },
})

function templateIssue(t: TemplateHost): Issue {
  return {
    subject: `file ${t.at.path}`,
    severity: 'High',
    title: 'The reset mail links to a host outside production',
    message: `The mail template links to ${t.url}.`,
    attack: `Users follow the link in their reset mail to ${t.url}, and whoever answers there receives the recovery token.`,
    fix: {
      text: 'Use the variable that the platform fills in.',
      language: 'html',
      code: '<a href="{{ .ConfirmationURL }}">Reset password</a>',
      ...(URL.canParse(t.url)
        ? { rewrite: { path: t.at.path, line: t.at.line, apply: swap(new RegExp(`${escapeRegExp(new URL(t.url).origin)}(?=[/?"'])`), '{{ .SiteURL }}') } }
        : {}),
    },
    at: t.at,
    proof: 'inferred',
  }
}

/** Own reset mails whose host comes from a header of the request that asks for them. */
function poisoned(auth: AuthModel): Issue[] {
  const own = auth.redirects.filter(
    (r) => r.purpose === 'reset' && r.how === 'reset link' && r.values.some((v) => v.parts.some((p) => p.k === 'origin' && p.header)),
  )
  return own.map((r): Issue => {
    const use = auth.resets.find((u: AuthUse) => u.at.path === r.at.path) as AuthUse
    return {
      subject: `file ${use.at.path}`,
      discriminator: 'host header',
      severity: 'High',
      title: 'The reset link takes its host from the request',
      message: 'The link in the reset mail is built from the Host or Origin header of the request that asks for it, which its sender writes freely.',
      attack:
        'An attacker asks for a reset of the victim’s password with a forged header; the mail is genuine, its link leads to the attacker’s host, which is handed the token or asks for the code.',
      fix: {
        text: 'Take the host from the configuration.',
        language: 'ts',
        code: "const siteUrl = process.env.SITE_URL\nif (!siteUrl) throw new Error('SITE_URL is not set')",
      },
      at: r.at,
      proof: 'inferred',
      aliases: ['CWE-640'],
    }
  })
}
