import { withArticle } from '../../lib/article.ts'
import { inEdgeFunctions } from '../../lib/edge-function.ts'
import { isSharedWildcard, nonProductionHost } from '../../lib/host.ts'
import { lastPart } from '../../lib/last-part.ts'
import { linesFrom } from '../../lib/place.ts'
import { removeEntries, setValue } from '../../lib/rewrite.ts'
import { requireVariable } from '../../lib/rewrite-javascript.ts'
import { withCapital } from '../../lib/with-capital.ts'
import type { AuthModel, AuthSetting, RedirectUse, WrongHost } from '../../model/auth/auth.ts'
import type { HowToVerify, Issue } from '../define-check.ts'

/** Which of the two flows an issue is about, with the words for it. */
export interface Flow {
  readonly purposes: readonly RedirectUse['purpose'][]
  /** "sign-in" or "password reset". */
  readonly name: string
  /** What is carried in the URL. */
  readonly carries: string
}

/** One issue per file and severity for hosts written in code or in production environment files. */
export function hostIssues(auth: AuthModel, flow: Flow): Issue[] {
  const relevant = auth.wrongHosts.flatMap((w) => {
    const uses = w.uses.filter((u) => flow.purposes.includes(u.purpose))
    return uses.length ? [{ ...w, uses }] : []
  })
  return [...Map.groupBy(relevant, (w) => `${w.at.path} ${w.variable ?? ''} ${w.unless ? 'fallback' : 'always'}`).values()].map((group) =>
    hostIssue(group, flow),
  )
}

function hostIssue(group: readonly WrongHost[], flow: Flow): Issue {
  const first = group[0] as WrongHost
  const uses = [...new Set(group.flatMap((w) => w.uses))]
  const use = uses[0] as RedirectUse
  const where = `${use.at.path}:${use.at.line}`
  const variable = first.variable ?? first.unless?.[0] ?? 'SITE_URL'
  const related = [
    ...uses
      .filter((u) => u.at.path !== first.at.path || u.at.line !== first.at.line)
      .map((u) => ({ ...u.at, what: `${u.how} of ${wordOf(u)} is built from it` })),
    ...group.slice(1).map((w) => ({ ...w.at, what: `another ${w.kind}: ${w.url}` })),
  ]
  const base = { at: first.at, related, proof: 'inferred' as const, aliases: ['CWE-1188'] }
  if (first.unless) {
    // the port alone decides nothing
    const others = first.unless.filter((name) => !/(?:^|_)PORT$/.test(name))
    const unless = others.length ? others : first.unless
    const unset = unless.length ? `${unless.join(' and ')} ${unless.length > 1 ? 'are' : 'is'} not set` : 'the value before it is missing'
    return {
      ...base,
      subject: `file ${first.at.path}`,
      discriminator: 'fallback',
      severity: 'Medium',
      title: `${withCapital(flow.name)} falls back to ${first.kind}`,
      message: `When ${unset}, ${flow.name} URLs (${use.how} in ${where}) silently become ${first.url.replace(/:$/, '')}. ${unless.length ? 'A deployment that forgets the variable sends real users there.' : 'No variable says where production is, so that nothing else stands behind what is sent or missing.'}`,
      attack: `Users ${unless.length ? 'of such a deployment' : 'for whom it is missing'} are sent to ${first.url} with ${flow.carries} in the URL, where any program listening on that address receives it.`,
      fix: {
        text: unless.length
          ? 'Make the variable required instead of guessing, and set it in the production environment.'
          : 'Take the address of production from the environment instead of from the code or the request, and let the provider know no other.',
        language: 'ts',
        code: `const siteUrl = ${readOf(variable, first.at.path)}\nif (!siteUrl) throw new Error('${variable} is not set')`,
        ...(first.unless.length === 1 && group.length === 1 ? { rewrite: { path: first.at.path, line: first.at.line, apply: requireVariable(variable) } } : {}),
      },
    }
  }
  if (first.variable) {
    return {
      ...base,
      subject: `env ${first.variable}`,
      severity: 'High',
      title: `${first.variable} leads to ${first.kind} in production`,
      message: `${first.at.path} sets ${first.variable} to ${first.url}, and ${flow.name} URLs (${use.how} in ${where}) are built from it.`,
      attack: `In production, users are sent to ${first.url} with ${flow.carries} in the URL: the flow breaks for everybody, and whatever answers at that address receives it.`,
      fix: { text: 'Set it to the production domain.', language: 'env', code: `${first.variable}=https://your-domain.example` },
    }
  }
  return {
    ...base,
    subject: `file ${first.at.path}`,
    discriminator: 'literal',
    severity: 'High',
    title: `${withCapital(flow.name)} redirects to ${first.kind}`,
    message: `${use.how} of ${wordOf(use)} (${where}) is ${first.url}, which is ${first.kind === 'localhost' ? 'the visitor’s own machine' : withArticle(first.kind)} and not the production domain.`,
    attack:
      first.kind === 'localhost'
        ? `Real users land on their own machine with ${flow.carries} in the URL: the flow fails for everybody, and any local program on that port receives it.`
        : `Users are sent to a host outside production with ${flow.carries} in the URL; whoever controls that ${first.kind} (or registers the name when it is free) takes over their sessions.`,
    fix: {
      text: `Build it from the running site, and list that URL in the provider's redirect URIs and in the platform's Redirect URLs.`,
      language: 'ts',
      code: `${use.how === 'redirect_uri' ? 'redirect_uri' : use.how}: \`\${${readOf('SITE_URL', first.at.path)}}/auth/callback\`${inEdgeFunctions(first.at.path) ? '' : ' // in browser code: `${window.location.origin}/auth/callback`'}`,
    },
  }
}

/** How code at a place reads a variable: Deno's way in edge functions, Vite's where it goes into the page. */
const readOf = (variable: string, path: string): string =>
  inEdgeFunctions(path) ? `Deno.env.get('${variable}')` : /^VITE_/.test(variable) ? `import.meta.env.${variable}` : `process.env.${variable}`

/** Settings that reach production: Site URL, allow-list, provider redirect URIs, and the hosted values themselves. */
export function settingIssues(auth: AuthModel, keys: { readonly allowList: boolean }): Issue[] {
  const issues: Issue[] = []
  for (const s of auth.settings) {
    if (s.stage !== 'production') continue
    const isUri = s.key === 'auth.site_url' || /^auth\.external\.\w+\.redirect_uri$/.test(s.key)
    if (typeof s.value === 'string' && isUri && nonProductionHost(s.value)) issues.push(settingIssue(s, s.value, auth.productionDomains))
    if (keys.allowList && s.key === 'auth.additional_redirect_urls' && Array.isArray(s.value)) {
      const bad = s.value.filter((u) => isSharedWildcard(u) || !['preview domain', undefined].includes(nonProductionHost(u)))
      if (bad.length) issues.push(allowListIssue(s, bad))
    }
  }
  const hosted = auth.hosted
  if (hosted) {
    const at = auth.settings.find((s) => s.key === 'auth.site_url')?.at ?? auth.oauth[0]?.at ?? auth.resets[0]?.at ?? { path: 'supabase/config.toml', line: 1 }
    const dashboard = urlConfigurationPage(auth)
    if (hosted.siteUrl && nonProductionHost(hosted.siteUrl) && !isDeclared(auth, hosted.siteUrl)) {
      issues.push({
        subject: 'file supabase/config.toml [auth] site_url',
        discriminator: 'hosted',
        severity: 'High',
        title: 'Site URL of the hosted project is not the production domain',
        message: `The hosted project's Site URL is ${hosted.siteUrl} (read from the platform just now).`,
        attack: `Every mail link and every sign-in without an allowed redirect leads to ${hosted.siteUrl} with the token in the URL.`,
        fix: {
          byHand: { what: 'Set the Site URL to your production domain', where: dashboard },
          text: `Set the Site URL to the production domain: ${dashboard}.`,
        },
        at,
        proof: 'executed',
      })
    }
    const shared = (hosted.redirectUrls ?? []).filter(isSharedWildcard)
    if (keys.allowList && shared.length) {
      issues.push({
        subject: 'file supabase/config.toml [auth] additional_redirect_urls',
        discriminator: 'hosted',
        severity: 'High',
        title: 'The hosted allow-list admits everybody’s previews',
        message: `The hosted project's Redirect URLs hold ${shared.join(', ')} (read from the platform just now): any customer of that hosting platform can own a matching host.`,
        attack: 'An attacker deploys a page under the shared domain, sends a victim through your sign-in with that page as redirect, and receives the session.',
        fix: {
          byHand: { what: 'Remove the shared wildcards from Redirect URLs', where: dashboard },
          text: `Replace it by the production domain and, for previews, by your own team's suffix (https://*-your-team.vercel.app/**): ${dashboard}.`,
        },
        at,
        proof: 'executed',
      })
    }
  }
  return issues
}

function settingIssue(s: AuthSetting, url: string, domains: readonly string[]): Issue {
  // With one declared production domain nothing is left to guess.
  const domain = s.key === 'auth.site_url' && domains.length === 1 && !domains[0]?.includes('*') ? domains[0] : undefined
  const key = lastPart(s.key)
  return {
    subject: `file ${s.at.path} ${s.section} ${key}`,
    severity: 'High',
    title: `${key} for production is ${nonProductionHost(url)}`,
    message: `${s.section} ${key} is ${url}, and ${s.because ?? 'this section reaches the hosted project'}.`,
    attack: `Sign-in and mail links of the hosted project lead to ${url} with the token in the URL, where whatever listens there receives it.`,
    fix: {
      text: 'Use the production domain here; keep localhost for the local stack in the base section and let a [remotes.…] block carry production.',
      language: 'toml',
      code: `${s.section}\n${key} = "https://your-domain.example"`,
      ...(s.ownLine && domain ? { rewrite: { path: s.at.path, line: s.at.line, apply: setValue(key, `"https://${domain}"`) } } : {}),
    },
    at: s.at,
    proof: 'inferred',
  }
}

function allowListIssue(s: AuthSetting, bad: readonly string[]): Issue {
  const shared = bad.some(isSharedWildcard)
  return {
    subject: `file ${s.at.path} ${s.section} additional_redirect_urls`,
    severity: 'High',
    title: shared ? 'The redirect allow-list admits everybody’s previews' : 'The production allow-list holds development addresses',
    message: `${s.section} additional_redirect_urls holds ${bad.join(', ')}, and ${s.because ?? 'this section reaches the hosted project'}.`,
    attack: shared
      ? 'An attacker deploys a page under the shared preview domain, sends a victim through your sign-in with that page as redirect, and receives the session.'
      : 'A sign-in can be sent to such an address, and whatever listens there receives the session of the user who followed the link.',
    fix: {
      text: 'List the exact production callback; for previews use your own team’s suffix.',
      language: 'toml',
      code: `${s.section}\nadditional_redirect_urls = ["https://your-domain.example/auth/callback"]`,
      ...(s.ownLine ? { rewrite: { ...linesFrom(s.at, 60), apply: removeEntries('additional_redirect_urls', bad) } } : {}),
    },
    at: s.at,
    proof: 'inferred',
  }
}

/** The dashboard page that shows Site URL and Redirect URLs. */
export function urlConfigurationPage(auth: AuthModel): string {
  return `https://supabase.com/dashboard/project/${auth.projectRef ?? '_'}/auth/url-configuration`
}

/** What to look at for the libraries in use. */
export function whereToLook(auth: AuthModel, libraries: ReadonlySet<string>, providers: readonly string[]): HowToVerify {
  const places: string[] = []
  if (libraries.has('supabase'))
    places.push(
      `Supabase dashboard → Authentication → URL Configuration (${urlConfigurationPage(auth)}): Site URL is the production domain, Redirect URLs hold its callback and no localhost or shared preview wildcard`,
    )
  if (libraries.has('authjs')) places.push('the hosting platform’s production environment: NEXTAUTH_URL / AUTH_URL is the production domain')
  if (libraries.has('better-auth')) places.push('the hosting platform’s production environment: BETTER_AUTH_URL is the production domain')
  if (libraries.has('clerk')) places.push('Clerk dashboard → production instance → Paths and SSO connections')
  if (libraries.has('own') || libraries.has('passport') || libraries.has('arctic'))
    places.push('the hosting platform’s production environment: the variable from which the link is built')
  if (providers.length) places.push(`the redirect URIs at the provider (${[...new Set(providers)].sort().join(', ')})`)
  return { where: places.join('; '), attest: 'the production domain that is set there' }
}

function isDeclared(auth: AuthModel, url: string): boolean {
  return auth.productionDomains.some((d) => url.includes(`://${d}`))
}

function wordOf(u: RedirectUse): string {
  return { oauth: 'the OAuth sign-in', confirmation: 'the confirmation mail', 'magic-link': 'the magic link', reset: 'the password reset mail' }[u.purpose]
}
