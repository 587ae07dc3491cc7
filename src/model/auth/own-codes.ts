import type { Expr, FunctionIR, JavaScriptFacts } from '../../facts/javascript.ts'
import type { Place } from '../../lib/place.ts'
import { calleeText, callsOf, expressions, propOf, stringOf, subExpressions } from '../frameworks/walk.ts'
import type { SchemaModel } from '../schema/schema-model.ts'
import type { CodeUse } from './auth.ts'
import type { Site } from './declarations.ts'
import { constantOf, durationOf, fromNow, ofInterval } from './lifetime.ts'
import type { UrlReader } from './url-reader.ts'

type Schema = Pick<SchemaModel, 'tables'>
type Lifetime = NonNullable<CodeUse['lifetime']>

/** Names under which applications keep codes and tokens that sign somebody in; tokens that reset a password are none. */
const CODE_NAME =
  /^(?:otp|otp_?(?:code|token|hash)|hashed_?otp|one_?time_?(?:code|token|pass(?:word|code))|(?:login|sign_?in)_?(?:code|token|otp)|magic_?(?:link_?)?(?:token|code|hash)|email_?otp|phone_?otp|sms_?code|verification_?code|two_?factor_?code|mfa_?code)$/i
const EXPIRY_NAME = /expir|valid_?(?:until|to|till)|(?:^|_)ttl$|(?:^|_)exp$/i
/** Anything by which the age of a stored code can be told. */
const AGE = /expir|valid_?(?:until|to|till)|created_?at|issued_?at|sent_?at|ttl|max_?age/i
const ROW_WRITE_METHOD =
  /^(?:insert|insertOne|upsert|update|updateOne|updateMany|findOneAndUpdate|findByIdAndUpdate|create|values|set|doc|add|setex|psetex|put)$/
const MESSAGE_SERVICE_NAME = /mail|sms|twilio|resend|whatsapp|smtp|otp|postmark|sendgrid|brevo/i
const PURPOSE = /magic|otp|one_?time|passwordless|login_?(?:link|code|token)|sign_?in_?(?:link|code|token)/i

/** Sign-in codes and links that the application makes, keeps and mails itself, with how long they live. */
export function readOwnCodes(path: string, js: JavaScriptFacts, reader: UrlReader, sources: ReadonlyMap<string, JavaScriptFacts>, schema: Schema): CodeUse[] {
  if (silent.has(js)) return []
  const { asked } = reader
  const found = readFile(path, js, reader, sources, schema)
  if (!found.length && reader.asked === asked) silent.add(js)
  return found
}

/** Files that keep no codes, which was seen without asking what other files say. */
const silent = new WeakSet<JavaScriptFacts>()

function readFile(path: string, js: JavaScriptFacts, reader: UrlReader, sources: ReadonlyMap<string, JavaScriptFacts>, schema: Schema): CodeUse[] {
  const found: CodeUse[] = []
  const add = (use: CodeUse | undefined) => {
    if (use && !found.some((f) => f.how === use.how)) found.push(use)
  }
  for (const { call, fn } of callsOf(js)) {
    const site: Site = { path, fn: fn.id }
    add(storedCode(call, site, reader, sources, schema))
    add(cachedCode(call, site, reader))
    add(signedLink(call, fn, site, reader))
  }
  for (const fn of js.functions) add(documentCode(fn, { path, fn: fn.id }, reader))
  return found.map((f) => (mentions(js, /twilio|sms|whatsapp|phone/i) && !mentions(js, /mail|resend|smtp/i) ? { ...f, channel: 'sms' } : f))
}

/** `db.from('otps').insert({ otp, expires_at })`, `prisma.user.update({ data: { otp, otpExpires } })`, `User.create({ … })`. */
function storedCode(call: Call, site: Site, reader: UrlReader, sources: ReadonlyMap<string, JavaScriptFacts>, schema: Schema): CodeUse | undefined {
  if (call.k !== 'call' || call.fn.k !== 'mem' || !ROW_WRITE_METHOD.test(call.fn.name)) return undefined
  for (const object of objectsIn(call.args, site, reader)) {
    const code = object.props.find((p) => p.key !== undefined && CODE_NAME.test(p.key) && isGenerated(p.value, site, reader, 0))
    if (!code?.key) continue
    if (/^verification_?code$/i.test(code.key) && !mentions(sources.get(site.path), MESSAGE_SERVICE_NAME)) continue
    const at: Place = { path: site.path, line: code.value.l }
    const expiry = object.props.find((p) => p.key !== undefined && EXPIRY_NAME.test(p.key))
    const lifetime = expiry
      ? measured(fromNow(expiry.value, site, reader), { path: site.path, line: expiry.value.l })
      : unmeasured(call, code.key, at, sources, schema)
    return { at, library: 'own', how: `code kept as \`${code.key}\``, channel: 'email', lifetime }
  }
  return undefined
}

/** `user.otp = code; user.otpExpires = Date.now() + 300000; await user.save()`: a document that keeps the code, with the time until which it holds. */
function documentCode(fn: FunctionIR, site: Site, reader: UrlReader): CodeUse | undefined {
  const set = [...expressions(fn)].flatMap((e) => {
    if (e.k !== 'assign' || e.to.k !== 'expr' || e.to.expr.k !== 'mem' || e.to.expr.of.k !== 'id') return []
    return [{ of: e.to.expr.of.name, name: e.to.expr.name, value: e.value, line: e.l }]
  })
  const code = set.find((s) => CODE_NAME.test(s.name) && !/^verification_?code$/i.test(s.name) && isGenerated(s.value, site, reader, 0))
  const expiry = code && set.find((s) => s.of === code.of && EXPIRY_NAME.test(s.name))
  if (!code || !expiry) return undefined
  const at: Place = { path: site.path, line: code.line }
  return {
    at,
    library: 'own',
    how: `code kept as \`${code.name}\``,
    channel: 'email',
    lifetime: measured(fromNow(expiry.value, site, reader), { path: site.path, line: expiry.line }),
  }
}

/** No expiry beside the code: the table may set one; otherwise it lives for ever, unless something that knows the code looks at its age. */
function unmeasured(call: Expr, key: string, at: Place, sources: ReadonlyMap<string, JavaScriptFacts>, schema: Schema): Lifetime {
  const name = tableOf(call)
  const table = name ? schema.tables.find((t) => t.name === name && !t.stub) : undefined
  const column = table?.columns.find((c) => EXPIRY_NAME.test(c.name))
  if (column) return measured(column.default ? ofInterval(column.default) : undefined, column.at ?? at)
  const aged = [...sources.values()].some((js) => mentions(js, new RegExp(`^${key}$`, 'i')) && mentions(js, AGE))
  return aged || (name !== undefined && !table) ? { unknown: true, at } : { none: true, at }
}

/** `redis.set('otp:…', code, 'EX', 600)`, `kv.set(key, code, { ex: 600 })`, `redis.setex(key, 600, code)`. */
function cachedCode(call: Call, site: Site, reader: UrlReader): CodeUse | undefined {
  if (
    call.k !== 'call' ||
    call.fn.k !== 'mem' ||
    !/^(set|setex|setEx|psetex)$/.test(call.fn.name) ||
    !/redis|kv|cache|valkey|upstash/i.test(calleeText(call.fn.of))
  )
    return undefined
  const key = call.args[0]
  const text = key?.k === 'tpl' ? key.quasis.join('') : stringOf(key)
  if (!text || !/^(?:otp|magic|login[-_]?code|one[-_]?time|2fa[-_]?code|verify[-_]?code|verification[-_]?code)/i.test(text)) return undefined
  const at: Place = { path: site.path, line: call.l }
  const inMilliseconds = call.fn.name === 'psetex'
  const options = call.args[2]
  const seconds =
    call.fn.name === 'set'
      ? stringOf(options)?.toUpperCase() === 'EX'
        ? constantOf(call.args[3], site, reader)
        : (constantOf(options, site, reader) ??
          constantOf(propOf(options, 'ex') ?? propOf(options, 'EX') ?? propOf(options, 'ttl') ?? propOf(options, 'expirationTtl'), site, reader))
      : constantOf(call.args[1], site, reader)
  const lifetime: Lifetime =
    call.args.length < 3 ? { none: true, at } : measured(seconds === undefined ? undefined : inMilliseconds ? seconds / 1000 : seconds, at)
  return { at, library: 'own', how: `code kept under \`${text.slice(0, 24)}\``, channel: 'email', lifetime }
}

const TAKES_CODE = /^(?:handle_?)?(?:verify|validate|check|confirm|complete|submit|log_?in_?with|sign_?in_?with)/i

/** `jwt.sign({ email, purpose: 'magic-link' }, secret, { expiresIn: '7d' })` in a function that makes sign-in links. */
function signedLink(call: Call, fn: FunctionIR, site: Site, reader: UrlReader): CodeUse | undefined {
  if (call.k !== 'call' || !/^(jwt|jsonwebtoken)\.sign$/.test(calleeText(call.fn))) return undefined
  // whoever has sent the right code is given a session, which is no link
  const named = fn.name !== undefined && !TAKES_CODE.test(fn.name) ? fn.name : ''
  const says = [named, ...[...subExpressions(call)].map((e) => stringOf(e) ?? '')].some((t) => PURPOSE.test(t))
  const mailsLink = [...expressions(fn)].some(
    (e) => e.k === 'tpl' && e.quasis.some((q) => /magic|passwordless|(?:sign-?in|log-?in)\/?(?:link|verify|callback)?[?/][a-z_=&]*token=?/i.test(q)),
  )
  if (!says && !mailsLink) return undefined
  const at: Place = { path: site.path, line: call.l }
  const option = propOf(call.args[2], 'expiresIn')
  const exp = propOf(call.args[0], 'exp')
  const given = option ? (constantOf(option, site, reader) ?? durationOf(stringOf(option) ?? '')) : fromNow(exp, site, reader)
  const lifetime: Lifetime =
    option || exp
      ? measured(given, { path: site.path, line: (option ?? exp ?? call).l })
      : call.args[2]?.k === 'id'
        ? { unknown: true, at }
        : { none: true, at }
  return { at, library: 'own', how: 'signed sign-in link', channel: 'email', lifetime }
}

type Call = Extract<Expr, { k: 'call' | 'new' }>
type ObjectExpr = Extract<Expr, { k: 'obj' }>

const measured = (seconds: number | undefined, at: Place): Lifetime => (seconds === undefined ? { unknown: true, at } : { seconds, at })

/** Objects among the arguments, nested ones and those behind a name included. */
function* objectsIn(args: readonly Expr[], site: Site, reader: UrlReader): Generator<ObjectExpr> {
  for (const a of args) {
    const e = a.k === 'id' ? reader.names.initOf(a.name, site) : a
    if (!e || (e.k !== 'obj' && e.k !== 'arr')) continue
    for (const x of subExpressions(e)) if (x.k === 'obj') yield x
  }
}

/** Made by chance, also when it is hashed after that. */
function isGenerated(e: Expr, site: Site, reader: UrlReader, depth: number): boolean {
  if (depth > 4) return false
  for (const x of subExpressions(e)) {
    if (
      (x.k === 'call' || x.k === 'new') &&
      /random|nanoid|uuid|generate|crypto\.getRandomValues|makeid|createOtp|genOtp|totp|createToken|makeToken/i.test(calleeText(x.fn))
    )
      return true
    if (x.k !== 'id') continue
    const init = reader.names.initOf(x.name, site)
    if (init && init !== e && isGenerated(init, site, reader, depth + 1)) return true
  }
  return false
}

/** The table at the start of a query. */
function tableOf(e: Expr): string | undefined {
  for (let at: Expr = e, n = 0; n < 20 && at.k === 'call' && at.fn.k === 'mem'; n++) {
    if (at.fn.name === 'from') return stringOf(at.args[0])
    at = at.fn.of
  }
  return undefined
}

const known = new WeakMap<JavaScriptFacts, Set<string>>()

/** True when a name, property or module of the file matches. */
function mentions(js: JavaScriptFacts | undefined, pattern: RegExp): boolean {
  if (!js) return false
  let words = known.get(js)
  if (!words) {
    words = new Set(js.imports.map((i) => i.from))
    for (const fn of js.functions) {
      if (fn.name) words.add(fn.name)
      for (const e of expressions(fn)) {
        if (e.k === 'id' || e.k === 'mem') words.add(e.name)
        else if (e.k === 'obj') for (const p of e.props) if (p.key) words.add(p.key)
        const text = stringOf(e)
        if (text && text.length < 80) words.add(text)
      }
    }
    known.set(js, words)
  }
  for (const w of words) if (pattern.test(w)) return true
  return false
}
