import type { Expr, FunctionIR, JavaScriptFacts } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { CHECKED_HERE } from '../../facts/secrets/secret-by-name.ts'
import { unlessEmpty } from '../../lib/memo/collect-by-file.ts'
import type { Place } from '../../lib/place.ts'
import { envNameOf, isEnvObject } from '../env/code-reads.ts'
import { PUBLIC_PREFIXES } from '../env/public-name.ts'
import { calleeText, exprsOf, statements, stringOf, subExpressions } from '../frameworks/walk.ts'
import type { DefaultSecret } from './code.ts'
import { asksMode } from './development-only.ts'

/** What others sign their events with, or send along with them. */
const SIGNS_EVENTS = /(?:^|_)(?:WEB_?HOOK|CALLBACK|HOOK)_(?:SIGNING_)?(?:SECRET|TOKEN|KEY)$|^WHSEC$/

/** Literal values that stand in when the variable of a secret is not set. */
export const defaultSecrets = collectByCodeFile((path, js: JavaScriptFacts) => {
  const found: (DefaultSecret & { also: Place[] })[] = []
  const words = constantTexts(js)
  const kept = keptVariables(js)
  const nameOf = (e: Expr) => readName(e, kept)
  const add = (name: string | undefined, value: Expr | undefined, line: number) => {
    const text = value && (value.k === 'id' ? words.get(value.name) : textOf(value))
    // a variable with a public prefix is published anyway: check 13 says so
    if (name && !PUBLIC_PREFIXES.some((p) => name.startsWith(p)) && (CHECKED_HERE.test(name) || SIGNS_EVENTS.test(name)) && text && text.trim() !== '') {
      const known = found.find((f) => f.name === name)
      if (!known) found.push({ path, line, name, also: [] })
      else if (line !== known.line && !known.also.some((p) => p.line === line)) known.also.push({ path, line })
    }
  }
  for (const fn of js.functions) {
    for (const d of standIns(fn)) add(d.name, d.value, d.value.l)
    for (const s of statements(fn.body)) {
      if (s.k === 'let' && s.to.k === 'object' && s.init && isEnvObject(s.init)) for (const p of s.to.props) if (p.to.k === 'name') add(p.key, p.to.init, s.l)
      for (const root of exprsOf(s)) {
        for (const e of subExpressions(root)) {
          if (e.k === 'logic' && e.op !== '&&') add(nameOf(e.a), e.b, e.l)
          // of `SECRET ? 'set' : 'not set'` neither word is used as the secret
          else if (e.k === 'cond' && e.then.k !== 'lit') add(nameOf(e.test), e.else, e.l)
          else if (e.k === 'call' && e.args.length >= 2) add(envNameOf(e) ?? configName(e), e.args[1], e.l)
        }
      }
    }
  }
  return unlessEmpty(found)
})

/**
 * `if (!secret || secret.length < 32) return 'word'` where the function gives the variable otherwise, and `if (!secret) secret = 'word'`. A function that
 * asks in which mode it runs keeps the word for somebody's own machine.
 */
function standIns(fn: FunctionIR): { readonly name: string; readonly value: Expr }[] {
  const all = statements(fn.body)
  if (!all.some((s) => s.k === 'if') || asksMode(fn)) return []
  const held = new Map(all.flatMap((s) => (s.k === 'let' && s.to.k === 'name' && s.init ? [[s.to.name, readName(s.init)] as const] : [])))
  const read = (e: Expr | undefined): string | undefined => e && (e.k === 'id' ? held.get(e.name) : readName(e))
  const given = new Set(all.flatMap((s) => (s.k === 'return' ? [read(s.value)] : [])))
  return all.flatMap((s) => {
    const name = s.k === 'if' ? missing(s.test, read) : undefined
    if (s.k !== 'if' || name === undefined) return []
    return s.then.flatMap((t) => {
      if (t.k === 'return' && t.value && given.has(name)) return [{ name, value: t.value }]
      if (t.k === 'expr' && t.expr.k === 'assign' && t.expr.to.k === 'name' && held.get(t.expr.to.name) === name) return [{ name, value: t.expr.value }]
      return []
    })
  })
}

/** The variable that is missing when the test holds: `!secret`, alone or as one of several reasons. */
function missing(test: Expr, read: (e: Expr) => string | undefined): string | undefined {
  if (test.k === 'un' && test.op === '!') return read(test.of)
  return test.k === 'logic' && test.op === '||' ? (missing(test.a, read) ?? missing(test.b, read)) : undefined
}

const textOf = (e: Expr): string | undefined => stringOf(e) ?? (e.k === 'lit' && e.secret ? '…' : undefined)

/** Texts that a file keeps under a name of its own: `const FALLBACK = 'word'`. */
function constantTexts(js: JavaScriptFacts): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const s of statements(js.functions[0]?.body ?? [])) {
    const text = s.k === 'let' && s.how === 'const' && s.to.k === 'name' && s.init ? textOf(s.init) : undefined
    if (text !== undefined && s.k === 'let' && s.to.k === 'name') texts.set(s.to.name, text)
  }
  return texts
}

/** Under which names of its own a file keeps variables: `const SECRET = process.env.SECRET`, `const env = { SECRET: process.env.SECRET }` as `env.SECRET`. */
function keptVariables(js: JavaScriptFacts): ReadonlyMap<string, string> {
  const kept = new Map<string, string>()
  const keep = (name: string, value: Expr) => {
    const variable = envNameOf(value)
    if (variable) kept.set(name, variable)
  }
  for (const s of js.functions[0]?.body ?? []) {
    if (s.k !== 'let' || s.how !== 'const' || s.to.k !== 'name' || !s.init) continue
    if (s.init.k === 'obj') for (const p of s.init.props) keep(`${s.to.name}.${p.key}`, p.value)
    else keep(s.to.name, s.init)
  }
  return kept
}

function readName(e: Expr, kept?: ReadonlyMap<string, string>): string | undefined {
  const direct = envNameOf(e) ?? (kept?.size ? kept.get(calleeText(e)) : undefined)
  if (direct) return direct
  if (e.k === 'logic') return readName(e.b, kept) ?? readName(e.a, kept)
  return e.k === 'call' && e.fn.k === 'mem' && /^(trim|toString)$/.test(e.fn.name) ? readName(e.fn.of, kept) : undefined
}

/** `config.get('JWT_SECRET', 'word')`. */
function configName(e: Expr & { k: 'call' }): string | undefined {
  const name = stringOf(e.args[0])
  return e.fn.k === 'mem' &&
    /^(get|getOrThrow)$/.test(e.fn.name) &&
    e.fn.of.k === 'id' &&
    /config|env/i.test(e.fn.of.name) &&
    name &&
    /^[A-Z][A-Z0-9_]+$/.test(name)
    ? name
    : undefined
}
