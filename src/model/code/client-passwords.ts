import type { Expr, JavaScriptFacts } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { PUBLIC_PREFIX } from '../../facts/secrets/secret-by-name.ts'
import { type ByFile, unlessEmpty } from '../../lib/memo/collect-by-file.ts'
import type { Place } from '../../lib/place.ts'
import { says } from '../../lib/snake-case.ts'
import { envNameOf } from '../env/code-reads.ts'
import type { Program } from '../frameworks/program.ts'
import { calleeText, expressions, propOf, stringOf, subExpressions } from '../frameworks/walk.ts'
import type { ModulesModel } from '../modules/modules.ts'
import type { ClientPassword } from './code.ts'
import { lastName, stringConstantsOf } from './constants.ts'
import { developmentOnly } from './development-only.ts'

const CLIENT_PASSWORD_NAME =
  /(?:password|passwd|passwort|passcode|passphrase|pwd|senha|contrase(?:n|ñ)a|parola|pin|access_?code|pin_?code|secret_?code)(?:input|value|attempt)?$/i
/** What a mail, a text message or an authenticator app tells somebody for this once. */
const ONE_TIME_CODE_NAME =
  /(?:(?:verif(?:y|ication)|confirm(?:ation)?|otp|one_?time|mfa|2fa|two_?factor|totp|sms|email|auth(?:entication)?|security|login|sign_?in)_?code|otp|totp|codigo(?:_?verifica(?:cao|cion))?|bestaetigungscode)(?:input|value|entered)?$/i
/** What lets somebody sign up as more than others; the variable that it is compared with stands in the bundle. */
const INVITATION_KEY_NAME =
  /(?:admin|affiliate|partner|staff|teacher|recruiter|moderator|manager|employee|master|access|registration|sign_?up|invit(?:e|ation)|secret|unlock)_?(?:key|code|token|secret)(?:input|value|entered)?$/i
/** What opens the rooms of those who run the application, where a request brings it along. */
const ADMIN_PASSWORD_HEADER = /^(?:x_)?(?:admin|site|master|owner|staff|dashboard|super_?admin|management)_(?:password|passwd|pass|passcode|pwd|pin|secret)$/
const REQUESTS = /(?:^|\.)(?:fetch|invoke|post|get|put|patch|delete|request|axios|ky)$|^(?:authed|api|admin)\w{0,20}Fetch$/
const IS_PASSWORD = /^(?=\S{4,64}$)(?!.*(?:password|passwort|senha|secret|your|\.\.\.)$)(?!(?:undefined|null|true|false)$)\S+$/i
/** The postal code, as it is called in India, and what is entered where nobody knows it. */
const POSTAL = /(?:deliver|consign|ship|bill|pick_?up|address|postal|destination|origin|customer|store|warehouse|sender|receiver)\w{0,20}pin_?code$/i
const ZEROS_ONLY = /^0+$/
const SHORT_PIN = /^\d{4,8}$/
/** States and field names that a password variable is compared with. */
const NON_PASSWORD_LITERAL =
  /^(?:text|password|hidden|visible|string|required|invalid|valid|none|null|undefined|true|false|weak|medium|strong|boolean|number|object|function|symbol|bigint|)$/i

/** Passwords and one-time codes that the browser itself compares; whoever opens the bundle knows them. */
export function clientPasswords(program: Program, files: ByFile<JavaScriptFacts>, modules: ModulesModel): ClientPassword[] {
  return [...comparisonsByFile(files)].flatMap(([path, all]) => ofFile(program, path, files.get(path) as JavaScriptFacts, all, modules))
}

function ofFile(program: Program, path: string, js: JavaScriptFacts, comparisons: readonly Comparison[], modules: ModulesModel): ClientPassword[] {
  const found: (ClientPassword & { uses: Place[] })[] = []
  const add = (at: Place, how: ClientPassword['how'], name: string, use: Place, code = false) => {
    const known = found.find((f) => f.path === at.path && Boolean(f.code) === code && !f.development)
    if (known) known.uses.push(use)
    else found.push({ path: at.path, line: at.line, how, ...(code ? { code } : {}), name, uses: [use] })
  }
  for (const { name, other, line, scope, code, key, sent, development } of comparisons) {
    if (!modules.inBrowser(path, line)) continue
    if (sent) {
      const constant = stringConstantsOf(program, path, scope, other).find((c) => c.secret !== undefined || IS_PASSWORD.test(c.value))
      if (constant && !development) add(constant, 'sent', name, { path, line })
      continue
    }
    if (key) {
      const variable = publicVariable(program, path, scope, other)
      if (variable && PUBLIC_PREFIX.test(variable) && !development) add({ path, line }, 'variable', variable, { path, line })
      continue
    }
    if (development) {
      found.push({ path, line, how: 'literal', name, uses: [], development })
      continue
    }
    const use = { path, line }
    if (code) {
      const number = stringConstantsOf(program, path, scope, other).find((c) => SHORT_PIN.test(c.value))
      if (number) add(number, 'literal', name, use, true)
      continue
    }
    const variable = publicVariable(program, path, scope, other)
    const postal = POSTAL.test(name)
    const constant = stringConstantsOf(program, path, scope, other).find(
      (c) => c.secret !== undefined || !(NON_PASSWORD_LITERAL.test(c.value) || ZEROS_ONLY.test(c.value) || (postal && SHORT_PIN.test(c.value))),
    )
    if (variable) add(use, 'variable', variable, use)
    else if (constant) add(constant, 'literal', name, use)
    else if (other.k === 'mem' && CLIENT_PASSWORD_NAME.test(other.name)) {
      const list = credentialList(program, path, js, other)
      if (list) add(list, 'list', name, use)
    }
  }
  return found
}

interface Comparison {
  readonly name: string
  readonly other: Expr
  readonly line: number
  readonly scope: number
  readonly code: boolean
  /** By its name neither a password nor a code, but a key of the application's own. */
  readonly key?: true
  /** Not compared, but sent to whoever compares it. */
  readonly sent?: true
  readonly development?: true
}

/** Everything that a password or a code is compared with. */
const comparisonsByFile = collectByCodeFile((_, js: JavaScriptFacts) => {
  const found: Comparison[] = []
  for (const fn of js.functions) {
    const inDevelopment = developmentOnly(fn, js)
    for (const e of expressions(fn)) {
      if (e.k === 'call' && REQUESTS.test(calleeText(e.fn)))
        for (const p of e.args.flatMap((a) => subExpressions(a)).flatMap((x) => (x.k === 'obj' ? x.props : [])))
          if (p.key !== undefined && says(ADMIN_PASSWORD_HEADER, p.key.replace(/-/g, '_')))
            found.push({
              name: p.key,
              other: p.value,
              line: p.l,
              scope: fn.id,
              code: false,
              sent: true,
              ...(inDevelopment.has(e) ? { development: true } : {}),
            })
      if (e.k !== 'bin' || !/^[!=]==?$/.test(e.op)) continue
      const development = inDevelopment.has(e) || undefined
      for (const [a, b] of [
        [e.a, e.b],
        [e.b, e.a],
      ] as const) {
        const name = lastName(a)
        const code = !CLIENT_PASSWORD_NAME.test(name)
        const key = code && !ONE_TIME_CODE_NAME.test(name)
        if (a.k === 'lit' || (key && (!INVITATION_KEY_NAME.test(name) || envNameOf(a) !== undefined))) continue
        found.push({ name, other: b, line: e.l, scope: fn.id, code, ...(key ? { key } : {}), ...(development ? { development } : {}) })
      }
    }
  }
  return unlessEmpty(found)
})

/** A variable that the bundler inlines: reading it in the browser gives its value. */
function publicVariable(program: Program, path: string, scope: number, e: Expr): string | undefined {
  const own = envNameOf(e)
  if (own) return own
  if (e.k !== 'id') return undefined
  const m = program.meaning(path, scope, e)
  return m?.k === 'expr' ? envNameOf(m.expr.k === 'logic' ? m.expr.a : m.expr) : undefined
}

/** A list of accounts with literal passwords in the same file or imported, that a comparison with `x.password` walks through. */
function credentialList(program: Program, path: string, js: JavaScriptFacts, member: Expr & { k: 'mem' }): Place | undefined {
  if (member.of.k !== 'id') return undefined
  const parameter = member.of.name
  for (const fn of js.functions) {
    for (const e of expressions(fn)) {
      if (e.k !== 'call' || e.fn.k !== 'mem' || !/^(find|some|filter|findIndex)$/.test(e.fn.name) || e.args[0]?.k !== 'fn') continue
      const callback = js.functions[e.args[0].fn]
      if (!callback?.params.some((p) => p.k === 'name' && p.name === parameter)) continue
      const m = e.fn.of.k === 'arr' ? { k: 'expr' as const, path, expr: e.fn.of as Expr } : program.meaning(path, fn.id, e.fn.of)
      if (m?.k !== 'expr' || m.expr.k !== 'arr') continue
      const row = m.expr.items.map((i) => propOf(i, member.name)).find((v) => v && stringOf(v))
      if (row) return { path: m.path, line: row.l }
    }
  }
  return undefined
}
