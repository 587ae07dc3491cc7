import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { says } from '../../../lib/snake-case.ts'
import { isCallers, mentions } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Condition, Step, Value } from '../../../model/behaviour/types.ts'
import type { AccountField } from '../../../model/frameworks/account-fields.ts'
import type { Route, SessionUpdate } from '../../../model/routes/routes.ts'
import type { Issue } from '../../define-check.ts'
import { PLAINLY_POWER } from '../property-level/mass-assignment.ts'
import { grantsAny } from '../property-level/privileged-registration.ts'

/** What a token says of who somebody is. */
const IDENTITY_CLAIM = /^(?:sub|id|_id|uid|user_?id)$/i
/** What it says of what they may do, whoever asks. */
const SESSION_RIGHTS_KEY = /^(?:(?:user_?)?roles?|is_?(?:super_?)?admin|permissions?)$/i

/** What the browser sends of a session, on its way into the token. */
interface Taken {
  /** The claim; undefined when the whole session is taken over. */
  readonly claim?: string
  /** What of the session was sent as it. */
  readonly sent?: string
  /** The account whose row is taken is found by what was sent. */
  readonly account?: string
}

/**
 * Whoever is signed in may post a session of their own making to Auth.js' `/api/auth/session`: the callback gets it as `session`, with the trigger
 * `update`. What it copies from there into the token is sealed by the server, and believed from then on.
 */
export function sessionUpdateIssues(updates: readonly SessionUpdate[], routes: readonly Route[]): readonly Issue[] {
  return updates.flatMap((update) => {
    const taken = update.behaviour.steps.flatMap((step) => takenOver(step, update.behaviour))
    const worst = taken.find((t) => t.claim === undefined) ?? taken.find(({ claim = '' }) => isAbout(claim)) ?? taken.find((t) => isAskedFor(t, routes))
    return worst ? [issueOf(update, worst)] : []
  })
}

const isAbout = (claim: string): boolean => IDENTITY_CLAIM.test(claim) || says(SESSION_RIGHTS_KEY, claim)

/** Whether a handler decides by a claim that most applications only show. */
const isAskedFor = ({ claim = '' }: Taken, routes: readonly Route[]): boolean => claimsAsked(routes).has(claim.toLowerCase())

function takenOver({ effect: e, under }: Step, behaviour: Behaviour): readonly Taken[] {
  if (e.kind !== 'respond' || e.body?.v !== 'object' || under.some((c) => asksWho(c, behaviour))) return []
  const { props, rest } = e.body
  const nested = props.user?.v === 'object' ? props.user : undefined
  const named = Object.entries({ ...props, ...nested?.props }).flatMap(([claim, value]): Taken[] => {
    if (!isAbout(claim) && !says(PLAINLY_POWER, claim) && !says(SESSION_TENANT_KEY, claim) && !/^e_?mail$/i.test(claim)) return []
    const sent = sentAs(value)
    return sent !== undefined ? [{ claim, ...(sent ? { sent } : {}) }] : ofAccount(value, behaviour).map((account) => ({ claim, account }))
  })
  const whole = [rest, nested?.rest].flatMap((v): Taken[] => {
    if (!v) return []
    // what stands behind the spread is the server's again
    if (v.v === 'request' && !v.as) return WRITTEN_OVER.every((claim) => claim in props && !isSent(props[claim] as Value)) ? [] : [{}]
    return ofAccount(v, behaviour).map((account) => ({ account }))
  })
  return [...whole, ...named]
}

/** For whom somebody acts. */
const SESSION_TENANT_KEY =
  /^(?:active_|current_|selected_)?(?:org|organi[sz]ation|tenant|workspace|team|compan(?:y|ies)|campaign|business|store|shop|school|clinic|salon|account|agency)_?id$/

const WRITTEN_OVER = ['role', 'sub']

/** The browser's own word, not the choice among what a schema lists. */
const isSent = (v: Value): boolean => (v.v === 'any' ? v.of.some(isSent) : v.v === 'request' && v.as !== 'enum' && v.as !== 'boolean' && v.as !== 'date')

/** The name under which the browser sends a value, which may be empty; undefined where it does not. */
function sentAs(v: Value): string | undefined {
  if (!isSent(v)) return undefined
  const found = v.v === 'any' ? v.of.find((x) => isSent(x)) : v
  return found?.v === 'request' ? (found.name ?? '') : ''
}

/** What was sent that finds the row of an account, where nothing of the caller's has a part in finding it. */
function ofAccount(value: Value, behaviour: Behaviour): readonly string[] {
  if (value.v === 'any') return value.of.flatMap((x) => ofAccount(x, behaviour))
  const found = value.v === 'row' && value.step >= 0 ? behaviour.steps[value.step]?.effect : undefined
  if (found?.kind !== 'db' || isCallers(value, behaviour)) return []
  return found.filters.flatMap((f) => (f.op === 'eq' && isSent(f.value) ? [f.value.v === 'request' && f.value.name ? f.value.name : f.column] : []))
}

/** Accounts whose rights whoever signs up says for themselves: a field that the library takes from them like a name. */
export function accountFieldIssues(fields: readonly AccountField[], routes: readonly Route[]): readonly Issue[] {
  return fields.flatMap((f): Issue[] => {
    if (!says(SESSION_RIGHTS_KEY, f.name) && !(says(PLAINLY_POWER, f.name) && claimsAsked(routes).has(f.name.toLowerCase()))) return []
    return grantsAny(f.choices) ? [openField(f)] : []
  })
}

const openField = ({ path, line, name, workspace }: AccountField): Issue => ({
  subject: `file ${path}`,
  discriminator: name,
  severity: 'Critical',
  title: 'Whoever signs up says what they may do',
  message: `\`${name}\` is an additional field of the account that does not say \`input: false\`: Better Auth takes it from the body of the sign-up, and of /update-user from everybody who is signed in.`,
  attack: `Anybody posts { …, "${name}": "admin" } to /api/auth/sign-up/email, or to /api/auth/update-user later, and has the rights that it stands for.`,
  fix: { text: 'Keep it from the request; the server sets it.', language: 'ts', code: `${name}: { type: 'string', defaultValue: 'user', input: false }` },
  at: { path, line },
  proof: 'inferred',
  aliases: ['CWE-915', 'CWE-269'],
  ...(workspace ? { workspace } : {}),
})

/** Somebody of a role may, or what was sent is compared with what the server knows. */
const asksWho = ({ test, negated }: Condition, behaviour: Behaviour): boolean =>
  mentions(test, (x) => x.v === 'caller' && /role|admin|imperson/i.test(x.field ?? '')) ||
  (mentions(test, (x) => x.v === 'request') &&
    mentions(test, (x) => (x.v === 'caller' && x.field !== undefined) || (x.v === 'row' && isCallers(x, behaviour)))) ||
  (!negated && mentions(test, (x) => x.v === 'row' && isOfBoth(x.step, behaviour))) ||
  (!negated && mentions(test, (x) => x.v === 'call' && /verify|decode/i.test(x.name)))

/** A row that was looked up by what was sent and by who sent it: a membership. */
function isOfBoth(step: number, behaviour: Behaviour): boolean {
  const e = behaviour.steps[step]?.effect
  if (e?.kind !== 'db' || e.op !== 'select') return false
  return e.filters.some((f) => mentions(f.value, (x) => isCallers(x, behaviour))) && e.filters.some((f) => mentions(f.value, (x) => x.v === 'request'))
}

/** The claims by which handlers find rows or decide something, in small letters. */
const claimsAsked = rememberFor((routes: readonly Route[]): ReadonlySet<string> => {
  const claims = new Set<string>()
  const seen = new Set<Value>()
  const note = (value: Value): void => {
    if (seen.has(value)) return
    seen.add(value)
    mentions(value, (x) => {
      if (x.v === 'caller' && x.field) claims.add((x.field.split('.').at(-1) ?? '').toLowerCase())
      return false
    })
  }
  for (const { behaviour } of routes)
    for (const { effect: e, under } of behaviour?.steps ?? []) {
      for (const c of under) note(c.test)
      if (e.kind === 'db') for (const f of e.filters) note(f.value)
    }
  return claims
})

function issueOf({ path, line, workspace }: SessionUpdate, { claim, account, sent }: Taken): Issue {
  const what = account
    ? `loads the account that the browser names (\`session.${account}\`) and takes ${claim ? `its ${claim}` : 'what it says'} into the token`
    : `copies ${claim ? `\`${claim}\`` : 'the whole session'} from what the browser sent into the token`
  return {
    subject: `file ${path}`,
    severity: 'Critical',
    title: 'A session is updated with what the browser says',
    message: `The jwt callback ${what}. With the trigger \`update\`, \`session\` is the body of a request that any signed-in user may send; only the token is known to be the caller's.`,
    attack: account
      ? `Any signed-in user posts { "${account}": "victim@example.com" } to /api/auth/session and is that person from then on.`
      : claim && says(SESSION_TENANT_KEY, claim)
        ? `Any signed-in user posts another \`${claim}\`${sent ? ` (as \`${sent}\`)` : ''} to /api/auth/session, and the server seals it into the token: handlers that ask the session for whom the caller acts are told so.`
        : `Any signed-in user posts ${IDENTITY_CLAIM.test(claim ?? '') ? "another user's id" : `{ "user": { "${claim ?? 'role'}": "${says(SESSION_RIGHTS_KEY, claim ?? 'role') ? 'ADMIN' : '…'}" } }`} to /api/auth/session, and the server seals it into the token.`,
    fix: {
      text:
        claim && says(SESSION_TENANT_KEY, claim)
          ? `Look for the caller's own membership of what was sent, or for the permission that was given, and copy ${claim} from there.`
          : 'Load the account by the id in the token, and copy from there; take over nothing but what people may say of themselves (a name, a picture).',
      language: 'ts',
      code:
        claim && says(SESSION_TENANT_KEY, claim)
          ? `const member = await findMembership(token.sub, sentId) // stands for the look-up in the tables\nif (member) token.${claim} = sentId`
          : `if (trigger === 'update') {\n  const account = await findUserById(token.sub)\n  token.role = account.role\n}`,
    },
    at: { path, line },
    proof: 'inferred',
    aliases: ['CWE-639', 'CWE-269'],
    ...(workspace ? { workspace } : {}),
  }
}
