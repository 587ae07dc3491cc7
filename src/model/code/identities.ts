import type { Expr, FunctionIR, JavaScriptFacts, Stmt } from '../../facts/javascript.ts'
import { collectByCodeFile } from '../../facts/questions.ts'
import { type ByFile, unlessEmpty } from '../../lib/memo/collect-by-file.ts'
import type { Place } from '../../lib/place.ts'
import type { Program } from '../frameworks/program.ts'
import { boundNames, calleeText, childrenOf, expressions, exprsOf, statements, stringOf, subExpressions } from '../frameworks/walk.ts'
import type { ModulesModel } from '../modules/modules.ts'
import type { HardcodedIdentity } from './code.ts'
import { type Constant, EMAIL_ADDRESS, lastName, maskMail, stringConstantsOf } from './constants.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const PROVIDER_ID = /^(?:user_[A-Za-z0-9]{20,}|auth0\|[A-Za-z0-9]{10,}|google-oauth2\|[0-9]{10,}|[A-Za-z0-9]{28})$/
/** Senders that no person signs in as. */
const MACHINE = /no-?reply|do-?not-?reply|mailer|daemon|postmaster|bounce|notifications?@/i
const MAIL_NAME = /(?:e_?-?mail|login|user_?name|sender|account)$/i
const ID_NAME = /(?:^|[a-z_])(?:user_?id|uid|owner_?id|account_?id|profile_?id|admin_?id|author_?id)$|^sub$/i
const IDENTITY_WORD = /user|session|profile|account|auth|caller|owner|^me$|claims|payload|token/i
const PRIVILEGE_WORD =
  /admin|owner|role|permission|allow|grant|bypass|skip|access|authori[sz]|premium|is_?paid|has_?paid|credit|unlimited|super|is_?master|staff|internal|tester|\bvip|isauth|\bis_?dev(?!ic)|\bis_?debug|debug_?user|forbid|unauthori[sz]ed|redirect|40[13]/i

interface Comparison {
  readonly operand: Expr
  readonly constants: readonly Constant[]
  readonly place: Place
  readonly fn: FunctionIR
  readonly statement: Stmt
  /** The smallest `&&`, `||` or `?:` around the comparison. */
  readonly around?: Expr | undefined
}

/** Fixed addresses and ids that code compares somebody with; one entry per file that holds the literal. */
export function hardcodedIdentities(program: Program, files: ByFile<JavaScriptFacts>, modules: ModulesModel, owners: ReadonlySet<string>): HardcodedIdentity[] {
  return [...candidatesByFile(files)].flatMap(([path, all]) => ofFile(program, path, files.get(path) as JavaScriptFacts, all, modules, owners))
}

function ofFile(
  program: Program,
  path: string,
  js: JavaScriptFacts,
  candidates: readonly Candidate[],
  modules: ModulesModel,
  owners: ReadonlySet<string>,
): HardcodedIdentity[] {
  const found: HardcodedIdentity[] = []
  for (const c of comparisons(program, path, candidates)) {
    const what = subjectOf(c)
    if (!what) continue
    const literal = c.constants.find((x) =>
      what === 'email' ? EMAIL_ADDRESS.test(x.value) && !MACHINE.test(x.value) : UUID.test(x.value) || PROVIDER_ID.test(x.value),
    )
    if (!literal) continue
    found.push({
      subject: `file ${literal.path}`,
      path: literal.path,
      line: literal.line,
      what,
      shown: what === 'email' ? maskMail(literal.value) : `${literal.value.slice(0, 8)}…`,
      origin: originOf(js, c),
      ...writtenIn(c),
      grants: grants(c, js) && !isOnlyRecorded(c) && !leadsElsewhere(c),
      owner: owners.has(literal.value.toLowerCase()),
      inBrowser: modules.inBrowser(path, c.place.line),
      uses: [c.place],
    })
  }
  return found
}

function comparisons(program: Program, path: string, candidates: readonly Candidate[]): Comparison[] {
  return candidates.flatMap(({ others, ...c }) => {
    const constants = others.flatMap((e) => stringConstantsOf(program, path, c.fn.id, e))
    return constants.length ? [{ ...c, constants }] : []
  })
}

/** A comparison with somebody; whether the other side is fixed is seen when it is followed. */
type Candidate = Omit<Comparison, 'constants'> & { readonly others: readonly Expr[] }

const candidatesByFile = collectByCodeFile((path, js: JavaScriptFacts) => {
  const found: Candidate[] = []
  for (const fn of js.functions) {
    for (const statement of statements(fn.body)) {
      for (const root of exprsOf(statement)) {
        const around = (e: Expr) => [...subExpressions(root)].filter((x) => (x.k === 'logic' || x.k === 'cond') && childrenOf(x).includes(e)).at(-1)
        for (const e of subExpressions(root)) {
          const place = { path, line: e.l }
          if (e.k === 'bin' && /^[!=]==?$/.test(e.op)) {
            for (const [a, b] of [
              [e.a, e.b],
              [e.b, e.a],
            ] as const) {
              if (a.k !== 'lit' && a.k !== 'tpl' && namesSomebody(a)) found.push({ operand: a, others: [b], place, fn, statement, around: around(e) })
            }
          } else if (
            e.k === 'call' &&
            e.fn.k === 'mem' &&
            /^(includes|has|indexOf)$/.test(e.fn.name) &&
            e.args[0] &&
            !['lit', 'tpl'].includes(e.args[0].k) &&
            namesSomebody(e.args[0])
          )
            found.push({ operand: e.args[0], others: [e.fn.of], place, fn, statement, around: around(e) })
        }
      }
      if (statement.k === 'switch' && namesSomebody(statement.on)) {
        const others = statement.cases.flatMap((c) => c.test ?? [])
        found.push({ operand: statement.on, others, place: { path, line: statement.l }, fn, statement })
      }
    }
  }
  return unlessEmpty(found)
})

/** A cheap look at the name before constants are followed. */
function namesSomebody(e: Expr): boolean {
  const name = lastName(e)
  return name === 'id' || MAIL_NAME.test(name) || ID_NAME.test(name) || IDENTITY_WORD.test(name)
}

function subjectOf(c: Comparison): 'email' | 'id' | undefined {
  const name = lastName(c.operand)
  if (c.constants.some((x) => EMAIL_ADDRESS.test(x.value)) && (MAIL_NAME.test(name) || IDENTITY_WORD.test(name))) return 'email'
  if (ID_NAME.test(name)) return 'id'
  return name === 'id' && c.operand.k === 'mem' && IDENTITY_WORD.test(lastName(c.operand.of)) ? 'id' : undefined
}

const CLAIMED =
  /(?:^|\.)(?:req|request)\b|body|searchParams|formData|\bquery\b|headers|\bparams\b|localStorage|sessionStorage|jwtDecode|jwt_decode|decodeJwt|decodeToken|atob|JSON\.parse|user_metadata|unsafeMetadata|raw_user_meta_data/
const VERIFIED =
  /getUser|getClaims|getServerSession|currentUser|getSession|useUser|useSession|useAuth|require\w*(?:User|Auth|Admin|Session)|verify|validateRequest|getAuth|(?:^|\.)auth\(|safeGetSession|locals|getToken|authenticate/

/** Where the compared value comes from, judged by what declares its first name. */
function originOf(js: JavaScriptFacts, c: Comparison): HardcodedIdentity['origin'] {
  const text = written(c.operand)
  if (/user_metadata|unsafeMetadata|raw_user_meta_data|localStorage|sessionStorage/.test(text)) return 'claimed'
  const base = baseName(c.operand)
  const source = base ? declarationText(js, c.fn, base) : text
  const whole = `${source ?? ''} ${text}`
  if (VERIFIED.test(whole)) return 'verified'
  if (CLAIMED.test(whole) || (base !== undefined && source === undefined && isSentToAction(js, c.fn, base))) return 'claimed'
  return base && /session|currentUser|authUser/i.test(base) ? 'verified' : 'unknown'
}

/** Where its owner edits the compared value. */
function writtenIn(c: Comparison): Pick<HardcodedIdentity, 'writtenIn'> {
  const text = written(c.operand)
  if (/user_metadata|unsafeMetadata|raw_user_meta_data/.test(text)) return { writtenIn: 'metadata' }
  return /localStorage|sessionStorage/.test(text) ? { writtenIn: 'storage' } : {}
}

const ASKS_FOR_PASSWORD = /signIn|compare|verify|authenticate/i

/** What a server action is called with, the browser chooses: `export async function join(email, password)` in a `'use server'` file. */
function isSentToAction({ directives, exports, functions }: JavaScriptFacts, fn: FunctionIR, name: string): boolean {
  for (let f: FunctionIR | undefined = fn; f; f = f.parent === undefined ? undefined : functions[f.parent]) {
    if (!f.params.some((p) => boundNames(p).includes(name))) continue
    const local = f.name
    // whose password fits has shown that the address is his
    if (expressions(f).some((e) => subExpressions(e).some((x) => x.k === 'call' && ASKS_FOR_PASSWORD.test(calleeText(x.fn))))) return false
    return f.directives?.includes('use server') === true || (directives.includes('use server') && exports.some((e) => e.local === local && local !== undefined))
  }
  return false
}

function baseName(e: Expr): string | undefined {
  if (e.k === 'id') return e.name
  if (e.k === 'mem' || e.k === 'idx' || e.k === 'await' || e.k === 'un') return baseName(e.of)
  if (e.k === 'call') return baseName(e.fn)
  return e.k === 'logic' ? baseName(e.a) : undefined
}

/** The callee text of what a name is declared with, in the function or around it; names are followed a few steps. */
function declarationText(js: JavaScriptFacts, fn: FunctionIR, name: string, depth = 0): string | undefined {
  if (depth > 4) return undefined
  for (let f: FunctionIR | undefined = fn, hops = 0; f && hops < 12; f = f.parent === undefined ? undefined : js.functions[f.parent], hops++) {
    for (const s of statements(f.body)) {
      if (s.k !== 'let' || !s.init || !boundNames(s.to).includes(name)) continue
      const text = written(s.init)
      const base = baseName(s.init)
      const further = base && base !== name ? declarationText(js, f, base, depth + 1) : undefined
      return further ? `${text} ${further}` : text
    }
    if (f.params.some((p) => boundNames(p).includes(name))) return undefined
  }
  return undefined
}

function written(e: Expr): string {
  const parts: string[] = []
  for (const x of subExpressions(e)) {
    if (x.k === 'call') parts.push(`${calleeText(x.fn)}()`)
    else if (x.k === 'mem' || x.k === 'id') parts.push(calleeText(x))
    if (parts.length > 30) break
  }
  return parts.join(' ')
}

/** True when names around the comparison speak of access: the variable it goes to, the branch, the function. */
function grants(c: Comparison, js: JavaScriptFacts): boolean {
  const words: string[] = [c.fn.name ?? '', c.around ? written(c.around) : '']
  const s = c.statement
  if (s.k === 'let') words.push(...boundNames(s.to))
  if (s.k === 'if') {
    words.push(written(s.test))
    for (const inner of statements([...s.then, ...(s.else ?? [])])) for (const e of exprsOf(inner)) words.push(written(e), literals(e), keys(e))
  }
  for (const x of c.constants) words.push(constantName(js, x))
  return PRIVILEGE_WORD.test(words.join(' '))
}

/** `if (user.email === ADDRESS) { navigate('/admin'); return }`: who has it is led to another page, which lets in or does not. */
function leadsElsewhere({ statement: s, around }: Comparison): boolean {
  if (s.k !== 'if' || s.else?.length || around || s.test.k !== 'bin' || !/^===?$/.test(s.test.op) || !s.then.length) return false
  const led = s.then.filter((t) => t.k === 'expr')
  return led.length === 1 && s.then.every((t) => (t.k === 'expr' && isNavigation(t.expr)) || (t.k === 'return' && (!t.value || t.value.k === 'lit')))
}

const isNavigation = (e: Expr): boolean => e.k === 'call' && /^(?:navigate|router\.(?:push|replace)|history\.push|goto)$/.test(calleeText(e.fn))

const INSERT_TABLE_SQL = /\binsert\s{1,20}(?:or\s{1,20}\w{1,20}\s{1,20})?into\s{1,20}["`]?([\w.]{1,80})/i
/** Rows that stand for people, and for what they may do. */
const PERSON_OR_RIGHT_TABLE = /user|profile|account|member|admin|role|permission|subscri|customer|staff|credit|wallet/i

/** Nothing hangs on the comparison but a column of a row that is nobody's: whether a visit to be counted was the owner's. */
function isOnlyRecorded({ statement, fn }: Comparison): boolean {
  if (statement.k !== 'let') return false
  const names = boundNames(statement.to)
  const reads = (all: readonly Expr[]) => all.filter((e) => e.k === 'id' && names.includes(e.name)).length
  const recorded = expressions(fn).reduce((n, e) => {
    const table = e.k === 'call' ? e.args.flatMap((a) => INSERT_TABLE_SQL.exec(stringOf(a) ?? '')?.[1] ?? [])[0] : undefined
    return table !== undefined && !PERSON_OR_RIGHT_TABLE.test(table) ? n + reads(subExpressions(e)) : n
  }, 0)
  return recorded > 0 && recorded === reads(expressions(fn))
}

/** The names of what is set: `{ canAccessEverything: true }`. */
function keys(e: Expr): string {
  return [...subExpressions(e)]
    .flatMap((x) => (x.k === 'obj' ? x.props.flatMap((p) => ('key' in p && typeof p.key === 'string' ? [p.key] : [])) : []))
    .slice(0, 60)
    .join(' ')
}

function literals(e: Expr): string {
  return [...subExpressions(e)]
    .flatMap((x) => (x.k === 'lit' && (typeof x.v === 'number' || (typeof x.v === 'string' && x.v.length < 40 && !x.v.includes('@'))) ? [String(x.v)] : []))
    .join(' ')
}

/** The name of the constant that holds a literal. */
function constantName(js: JavaScriptFacts, constant: Constant): string {
  for (const s of js.functions[0]?.body ?? []) if (s.k === 'let' && s.l <= constant.line && (s.e ?? s.l) >= constant.line) return boundNames(s.to).join(' ')
  return ''
}

/** One entry per file and kind: the literal's first line, every comparison in `uses`. */
export function mergeIdentities(all: readonly HardcodedIdentity[]): HardcodedIdentity[] {
  const merged = new Map<string, HardcodedIdentity & { uses: Place[] }>()
  for (const i of all) {
    const key = i.subject
    const known = merged.get(key)
    if (!known) {
      merged.set(key, { ...i, uses: [...i.uses] })
      continue
    }
    const worse = rank(i) > rank(known)
    merged.set(key, { ...(worse ? i : known), owner: i.owner || known.owner, line: worse ? i.line : known.line, uses: [...known.uses, ...i.uses] })
  }
  return [...merged.values()]
}

function rank(i: HardcodedIdentity): number {
  return (i.grants ? 2 : 0) + (i.origin === 'claimed' ? 1 : 0)
}
