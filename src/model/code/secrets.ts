import type { SecretFact } from '../../facts/kinds.ts'
import { isGivenToAccount } from '../../facts/secrets/displayed-credentials.ts'
import { identifies } from '../../facts/secrets/hash.ts'
import { secretLabel } from '../../facts/secrets/labels.ts'
import { isEnvFile } from '../../lib/env-file-name.ts'
import type { Place } from '../../lib/place.ts'
import type { AppModel } from '../app-model.ts'
import type { FileRole } from '../files/files.ts'
import type { ModelInput } from '../model-input.ts'
import type { ModulesModel } from '../modules/modules.ts'
import type { HardcodedSecret } from './code.ts'

/** Kinds that only a name gives away: believed in source code, not in documentation, tests, examples and local set-ups. */
export const NAME_BASED_KINDS = new Set(['generic-secret', 'password', 'default-secret', 'jwt'])
/** Where accounts are made for whoever works on the application, on a machine of their own. */
const FOR_DEVELOPMENT = /(?:^|\/)(?:dev|development|local)\/|(?:^|[/._-])(?:dev|local|fixtures?|mocks?|fakes?|stubs?|demo|sample|example|e2e)(?:[/._-]|$)/i
/** Formats that tests make up for themselves. */
const MADE_UP_IN_TESTS = new Set([
  'webhook-secret',
  'private-key',
  'gcp-service-account',
  'url-password',
  'sign-in-password',
  'mailgun-api-key',
  'twilio-api-key',
  'aws-access-key-id',
])
/** What browsers are shown. */
const PAGE = /\.(?:[jt]sx|vue|svelte|astro|html?)$/i
const LOCAL_SETUP =
  /(?:^|[/._-])(?:test(?:s|ing)?|fixtures?|mocks?|fakes?|stubs?|seeds?|demo|sample|example)(?:[/._-]|$)|(^|\/)\.github\/|(^|\/)[^/]*compose[^/]*\.ya?ml$|(^|\/)(\.devcontainer|charts?|helm|k8s|kubernetes)\/|(^|\/)\.gitlab-ci\.yml$/i

/** Configuration that is deployed as it stands: what is written there is used. */
const DEPLOYED = /(?:^|\/)(?:supabase\/config\.toml|wrangler\.(?:toml|jsonc?)|netlify\.toml|fly\.toml|vercel\.json|eas\.json)$/

/** Secrets of the tree that this slice answers for: one entry per value, env files left to their own check. */
export function hardcodedSecrets(input: ModelInput, slices: Pick<AppModel, 'files' | 'modules'>): HardcodedSecret[] {
  const byValue = new Map<string, HardcodedSecret & { also: { path: string; line: number }[] }>()
  for (const [path, facts] of input.facts.of('secrets')) {
    if (isEnvFile(path)) continue
    const role = slices.files.role(path)
    for (const secret of facts.secrets) {
      const shown = /^(?:shown|prefilled)-/.test(secret.kind)
      if (shown ? !isPage(path, role, slices.modules.inBrowser(path, secret.line)) : !counts(secret, path, role)) continue
      // the word that an account is given, again in the file (in an answer, a log), is no second secret
      if (secret.kind === 'password' && facts.secrets.some((o) => isGivenToAccount(o.kind) && o.hash === secret.hash && counts(o, path, role))) continue
      const key = shown
        ? `shown ${path}`
        : identifies(secret.hash) && !secret.kind.endsWith('password')
          ? `${secret.kind} ${secret.hash}`
          : `${secret.kind} ${path}`
      const known = byValue.get(key)
      if (known) {
        if (known.path !== path || known.line !== secret.line) known.also.push({ path, line: secret.line })
        continue
      }
      const use = slices.modules.serviceRole.find((u) => u.inBrowser && u.how !== 'variable' && u.hash === secret.hash)
      byValue.set(key, { ...secret, label: secretLabel(secret.kind), path, also: [], ...(use ? { reportedAsServiceRole: `file ${use.path}` } : {}) })
    }
  }
  return [...byValue.values()].map((s) => atWorst(s, slices.modules))
}

/** Of several places of one value the one to begin with: what every visitor is sent, then code and configuration, then what only tells of it. */
function atWorst(secret: HardcodedSecret, modules: ModulesModel): HardcodedSecret {
  if (!secret.also.length) return secret
  const rank = ({ path, line }: Place) => (modules.inBrowser(path, line) ? 0 : PROSE.test(path) ? 2 : 1)
  const [first, ...others] = [{ path: secret.path, line: secret.line }, ...secret.also].map((at) => ({ at, rank: rank(at) })).sort((a, b) => a.rank - b.rank)
  if (!first || first.at.path === secret.path) return secret
  const { name: _elsewhere, ...value } = secret
  return { ...value, path: first.at.path, line: first.at.line, also: others.map((o) => o.at) }
}

const SOURCE_FILE = /\.[cm]?[jt]sx?$/i
/** What the running application is made of; scripts are run by hand. */
const SERVER_CODE = /^(?!(?:.*\/)?(?:scripts?|prisma|tools?|bin|database|db|migrations?)\/).*\.[cm]?[jt]sx?$/i
const PROSE = /\.(?:mdx?|txt|rst|adoc)$/i

const isPage = (path: string, role: FileRole, inBrowser: boolean): boolean => role === 'source' && !LOCAL_SETUP.test(path) && (PAGE.test(path) || inBrowser)

function counts(secret: SecretFact, path: string, role: FileRole): boolean {
  // a default is judged with the variable it stands in for, a hashed password with the account it makes
  if (secret.live === 'local-demo' || secret.kind === 'default-secret' || secret.name === 'crypt') return false
  if (secret.kind === 'account-password' || secret.kind === 'first-password')
    return (role === 'source' || role === 'seed') && SOURCE_FILE.test(path) && !FOR_DEVELOPMENT.test(path)
  // an account without power and with everybody's password: a seed fills a database for trying out with such
  if (secret.kind === 'try-out-password') return role === 'source' && SERVER_CODE.test(path) && !LOCAL_SETUP.test(path) && !FOR_DEVELOPMENT.test(path)
  if (NAME_BASED_KINDS.has(secret.kind))
    return (
      (role === 'source' && !LOCAL_SETUP.test(path) && !/\.(json|html?|css|svg|xml|lock|txt|ya?ml|toml)$/i.test(path)) ||
      (DEPLOYED.test(path) && role !== 'test' && role !== 'example')
    )
  if (role === 'test' || role === 'example') return secret.live === 'live' && !MADE_UP_IN_TESTS.has(secret.kind)
  return true
}
