import type { Expr, FunctionId, JavaScriptFacts } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { entropy } from '../../facts/secrets/entropy.ts'
import { type ByFile, unlessEmpty } from '../../lib/memo/collect-by-file.ts'
import type { Program } from '../frameworks/program.ts'
import { calleeText, expressions, propOf, stringOf } from '../frameworks/walk.ts'
import type { ModulesModel } from '../modules/modules.ts'
import type { FixedKey } from './code.ts'
import { type Constant, lastName, stringConstantsOf } from './constants.ts'
import { asksMode } from './development-only.ts'

const SITE_PASSWORD_NAME = /(?:admin|site|master|owner|staff|dashboard|basic_?auth|app)_?(?:password|passwd|pass|passcode|pin|pwd)$/i
/** What is sent to somebody so that he proves who he is. */
const ONE_TIME_CODE =
  /^(?:(?:user|input|entered|submitted|given|provided)_?)?(?:(?:verification|verify|otp|sms|e?mail|confirmation|confirm|auth|security|two_?factor|mfa|2fa)_?(?:code|pin|token)|otp)$/i
const DIGITS = /^\d{4,8}$/
const JWT_LIBRARY =
  /^(jsonwebtoken|jose|jwt-simple|fast-jwt|@nestjs\/jwt|@fastify\/jwt|fastify-jwt|express-jwt|passport-jwt|hono\/jwt|@tsndr\/cloudflare-worker-jwt)$/
const SESSIONS =
  /^(express-session|cookie-session|koa-session|iron-session|@fastify\/session|@fastify\/secure-session|@hapi\/iron|next-auth|@auth\/|better-auth)/

/** Texts of the source code with which the application signs, encrypts or compares: whoever reads the code has the key. */
export function fixedKeys(program: Program, files: ByFile<JavaScriptFacts>, modules: ModulesModel): FixedKey[] {
  return [...usesByFile(files)].flatMap(([path, uses]) => {
    const found: (FixedKey & { readonly value: string })[] = []
    for (const { key, scope, use, comparedAt } of uses) {
      // What the browser compares is reported as such.
      if (comparedAt !== undefined && modules.inBrowser(path, comparedAt)) continue
      if (fallsBack(program, path, scope, key)) continue
      const constant = stringConstantsOf(program, path, scope, unwrap(program, path, scope, key))[0]
      if (
        !constant ||
        constant.value.trim() === '' ||
        isPath(constant.value) ||
        PROTOCOL_KEYS.has(constant.value) ||
        isForDevelopment(files.get(constant.path), constant) ||
        found.some((f) => f.path === constant.path && (f.line === constant.line || (f.value === constant.value && f.use === use)))
      )
        continue
      found.push({ path: constant.path, line: constant.line, use, at: { path, line: key.l }, value: constant.value })
    }
    return found.map(({ value, ...key }) => key)
  })
}

/** A function that asks in which mode it runs gives the word to somebody's own machine, and something else, or nothing, to a deployment. */
const isForDevelopment = (js: JavaScriptFacts | undefined, { value, line }: Constant): boolean =>
  js?.functions.some((fn) => fn.parent !== undefined && asksMode(fn) && expressions(fn).some((e) => e.l === line && stringOf(e) === value)) === true

/** Keys that a protocol prescribes: Telegram derives the key for the data of its web applications from the bot's token under this word. */
const PROTOCOL_KEYS: ReadonlySet<string> = new Set(['WebAppData'])

/** What stands where a key is used; whether it is a fixed text is seen when it is followed. */
interface KeyUse {
  readonly key: Expr
  readonly scope: FunctionId
  readonly use: FixedKey['use']
  /** The line of a comparison. */
  readonly comparedAt?: number
}

const usesByFile = collectByCodeFile((_, js: JavaScriptFacts) => {
  const packages = js.imports.filter((i) => !i.typeOnly).map((i) => i.from)
  const tokens = packages.some((p) => JWT_LIBRARY.test(p))
  const sessions = packages.some((p) => SESSIONS.test(p))
  const hashing = packages.some((p) => /^(?:bcrypt(?:js)?|argon2|@node-rs\/(?:bcrypt|argon2))$/.test(p))
  const cookies = packages.includes('cookie-parser')
  const found: KeyUse[] = []
  const add = (key: Expr | undefined, scope: FunctionId, use: FixedKey['use']) => {
    if (key) found.push({ key, scope, use })
  }
  for (const fn of js.functions) {
    for (const e of expressions(fn)) {
      if (e.k === 'call' || e.k === 'new') {
        const name = e.fn.k === 'super' ? 'super' : calleeText(e.fn)
        if (tokens && /(^|\.)(sign|verify|signAsync|verifyAsync|jwtVerify|encode|decode)$/.test(name) && !/crypto|subtle|webhooks|bcrypt/i.test(name))
          add(/SignJWT|setProtectedHeader/.test(name) || name.startsWith('?') ? e.args[0] : keyGiven(e.args[1]), fn.id, 'tokens')
        if (/(^|\.)create(Hmac|Cipheriv)$/.test(name)) add(e.args[1], fn.id, /Hmac/.test(name) ? 'signatures' : 'encryption')
        if (/(^|\.)CryptoJS\.AES\.(en|de)crypt$/.test(name)) add(e.args[1], fn.id, 'encryption')
        if (hashing && /(?:^|\.)(?:hash|hashSync)$/.test(name) && defaultOf(e.args[0])) add(defaultOf(e.args[0]), fn.id, 'password')
        if (/(?:^|\.)(?:sha(?:1|256|384|512)|md5|hmac\w{0,10})$/i.test(name)) add(generatedPart(e.args[0]), fn.id, 'signatures')
        if (cookies && name === 'cookieParser') add(e.args[0], fn.id, 'sessions')
        if (tokens || sessions)
          for (const option of ['secret', 'secretOrKey', 'secretOrPrivateKey', 'password'])
            if (isSetUp(name)) add(propOf(e.args[0], option) ?? propOf(e.args[1], option), fn.id, sessions ? 'sessions' : 'tokens')
      }
      if (e.k === 'bin' && /^={2,3}$|^!==?$/.test(e.op)) {
        for (const x of [e.a, e.b])
          if (x.k === 'id' && SITE_PASSWORD_NAME.test(x.name) && lastName(x) === x.name) found.push({ key: x, scope: fn.id, use: 'password', comparedAt: e.l })
        for (const [code, digits] of [
          [e.a, e.b],
          [e.b, e.a],
        ] as const)
          if (ONE_TIME_CODE.test(lastName(code)) && DIGITS.test(stringOf(digits) ?? '') && !asksMode(fn))
            found.push({ key: digits, scope: fn.id, use: 'code', comparedAt: e.l })
      }
    }
  }
  return unlessEmpty(found)
})

/** `bcrypt.hash(given || 'admin123')`: the password of an account that nobody gave one. */
const defaultOf = (e: Expr | undefined): Expr | undefined => (e?.k === 'logic' && e.op !== '&&' && stringOf(e.b) ? e.b : undefined)

/** A generated text among the parts that are hashed together: `sha256(library + 'cf17…' + expires)` signs with it. */
function generatedPart(e: Expr | undefined): Expr | undefined {
  const parts = partsOf(e)
  return parts.length > 1 ? parts.find((p) => p.k === 'lit' && (p.secret !== undefined || isGenerated(stringOf(p) ?? ''))) : undefined
}

const partsOf = (e: Expr | undefined): readonly Expr[] => (e?.k === 'bin' && e.op === '+' ? [...partsOf(e.a), ...partsOf(e.b)] : e === undefined ? [] : [e])

const isGenerated = (text: string): boolean => /^[A-Za-z0-9_-]{20,}$/.test(text) && /\d.*\d.*\d.*\d/.test(text) && /[a-z]/i.test(text) && entropy(text) >= 2.9

/** The key of a token: given as it is, or among the options of `jwtService.sign(payload, { secret })`. */
const keyGiven = (second: Expr | undefined): Expr | undefined => (second?.k === 'obj' ? (propOf(second, 'secret') ?? propOf(second, 'privateKey')) : second)

/** Calls that set a library up: `session({ secret })`, `NextAuth({ secret })`, `JwtModule.register({ secret })`, `super({ secretOrKey })` of a strategy. */
function isSetUp(name: string): boolean {
  return /(^|\.)(session|cookieSession|NextAuth|betterAuth|register|jwt|expressjwt|expressJwt|Strategy|JwtStrategy|getIronSession|sealData|unsealData|withIronSession\w*|default|super)$/.test(
    name,
  )
}

/** The text inside `new TextEncoder().encode('…')`, `Buffer.from('…')`, also behind a name. */
function unwrap(program: Program, path: string, scope: FunctionId, key: Expr): Expr {
  if (key.k === 'call' && /(TextEncoder(\(\))?|\?|encoder)\.encode$|^Buffer\.from$|^createSecretKey$/.test(calleeText(key.fn)) && key.args[0])
    return key.args[0]
  if (key.k !== 'id') return key
  const m = program.meaning(path, scope, key)
  return m?.k === 'expr' && m.path === path && m.expr.k === 'call' ? unwrap(program, path, m.scope, m.expr) : key
}

/** `process.env.SECRET || 'word'` is reported as a default. */
function fallsBack(program: Program, path: string, scope: FunctionId, key: Expr, depth = 0): boolean {
  if (depth > 5) return true
  if (key.k === 'logic' || key.k === 'cond') return true
  if (key.k === 'call') return key.args.some((a) => fallsBack(program, path, scope, a, depth + 1))
  if (key.k !== 'id' && key.k !== 'mem') return false
  const m = program.meaning(path, scope, key)
  return m?.k === 'expr' && m.expr !== key && fallsBack(program, m.path, m.scope, m.expr, depth + 1)
}

const isPath = (text: string): boolean => /^[./~]|\.(pem|key|crt|json)$/i.test(text)
