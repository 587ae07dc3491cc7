import { isSharedWildcard } from '../../lib/host.ts'
import { plural } from '../../lib/plural.ts'
import type { AllowList, OpenRedirect } from '../../model/auth/auth.ts'
import { defineCheck, failed, type Issue, notApplicable, passed, unverified } from '../define-check.ts'
import { type Flow, hostIssues, settingIssues, whereToLook } from './redirect-issues.ts'

const SIGN_IN_FLOW: Flow = { purposes: ['oauth', 'magic-link', 'confirmation'], name: 'sign-in', carries: 'the authorization code or token' }

export default defineCheck({
  number: 7,
  id: 'auth/oauth-redirect',
  category: 'Authentication',
  rule: 'OAuth redirect URLs point to the production domain, not to localhost or a preview URL.',
  needs: ['auth'],
  doubtedBy: ['source-text', 'config'],
  run: ({ auth }) => {
    const open = [...Map.groupBy(auth.openRedirects, (o) => `${o.subject} ${o.at.path}`).values()].map(openRedirect)
    const hostedProviders = auth.hosted?.externalProviders ?? []
    if (!auth.oauth.length && !hostedProviders.length)
      return open.length ? failed(open, ['no OAuth sign-in; the callback was looked at']) : notApplicable('nothing signs in through another provider (OAuth)')
    const providers = [...new Set(auth.oauth.flatMap((o) => (o.provider ? [o.provider] : [])))].sort()
    const evidence = [
      ...(hostedProviders.length ? [`providers of the hosted project: ${hostedProviders.join(', ')}`] : []),
      `OAuth in use${providers.length ? ` (${providers.join(', ')})` : ''}: ${auth.oauth
        .slice(0, 4)
        .map((o) => `${o.how} at ${o.at.path}:${o.at.line}`)
        .join(', ')}`,
      `${plural(auth.redirects.filter((r) => r.purpose === 'oauth').length, 'redirect URL')} in code followed to where the host is written`,
    ]
    const issues = [...hostIssues(auth, SIGN_IN_FLOW), ...settingIssues(auth, { allowList: true }), ...auth.allowLists.flatMap(sharedOrigins), ...open]
    if (issues.length) return failed(issues, evidence)
    const libraries = new Set<string>(auth.oauth.map((o) => o.library))
    const pushed = auth.settings.find((s) => s.key === 'auth.site_url' && s.stage === 'production')
    if (auth.hosted?.siteUrl)
      return passed(
        ...evidence,
        `Site URL of the hosted project: ${auth.hosted.siteUrl}`,
        `Redirect URLs of the hosted project: ${(auth.hosted.redirectUrls ?? []).join(', ') || 'none'}`,
      )
    if (pushed && libraries.size === 1 && libraries.has('supabase'))
      return passed(...evidence, `${pushed.section} site_url is ${String(pushed.value)}, and ${pushed.because}`)
    return unverified(
      'nothing in the code points away from production, but the list of allowed redirects is a setting of the hosted platform and of the provider',
      whereToLook(auth, libraries, providers),
      evidence,
    )
  },
})

function sharedOrigins(list: AllowList): Issue[] {
  const shared = list.entries.filter(isSharedWildcard)
  if (!shared.length) return []
  return [
    {
      subject: `file ${list.at.path}`,
      discriminator: list.name,
      severity: 'High',
      title: 'The allow-list of sign-in admits everybody’s previews',
      message: `\`${list.name}\` holds ${shared.join(', ')}: any customer of that hosting platform can own a matching host.`,
      attack: 'An attacker deploys a page under the shared domain, sends a victim through your sign-in with that page as callback, and acts with the session.',
      fix: {
        text: 'List the production origin; for previews use your own team’s suffix.',
        language: 'ts',
        code: `${list.name}: ['https://your-domain.example'],`,
      },
      at: list.at,
      proof: 'inferred',
      aliases: ['CWE-601'],
    },
  ]
}

/** The redirects of one callback, to parameters of different names: one handler that believes where it is sent. */
function openRedirect(list: readonly OpenRedirect[]): Issue {
  const [o, ...others] = list as [OpenRedirect, ...OpenRedirect[]]
  const example = {
    absolute: 'https://evil.example',
    'protocol-relative': '//evil.example',
    backslash: '/\\evil.example',
    glued: '.evil.example (or @evil.example)',
  }[o.how]
  return {
    subject: o.subject,
    discriminator: `open redirect ${o.param}`,
    severity: 'High',
    title: 'The sign-in callback is an open redirect',
    message: `After signing the user in, the callback redirects to the request's \`${o.param}\` without making sure that it stays on this site: \`${o.param}=${example}\` leads to another host${o.how === 'backslash' ? ', because new URL() reads a backslash as a slash' : ''}.`,
    attack: `An attacker sends a victim a link to your real sign-in with \`${o.param}=${example}\`; after a genuine login the victim lands on the attacker's copy of your site.`,
    fix: {
      text: 'Accept only a path of this site: let the parser that browsers have say what the value means, and take no more than its path.',
      language: 'ts',
      code: pathOfHere(o.param),
    },
    at: o.at,
    related: [
      ...(o.from.path === o.at.path && o.from.line === o.at.line ? [] : [{ ...o.from, what: `${o.param} is read here` }]),
      ...others.map((x) => ({ ...x.at, what: `redirects to ${x.param} in the same way` })),
    ],
    proof: 'inferred',
    aliases: ['CWE-601'],
  }
}

/** Blanks, backslashes and steps upwards mean what `URL` says they mean; what is left begins with exactly one slash. */
function pathOfHere(param: string): string {
  const name = param === 'path' ? 'target' : 'path'
  return `const here = 'https://here.invalid' // stands for this site, whatever it is called
const wanted = URL.canParse(String(${param} ?? '/'), here) ? new URL(String(${param} ?? '/'), here) : new URL(here)
const ${name} = wanted.origin === here ? \`\${wanted.pathname}\${wanted.search}\`.replace(/^\\/+/, '/') : '/'`
}
