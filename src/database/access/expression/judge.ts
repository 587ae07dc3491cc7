import { type Atom, bases, SAYS_PUBLIC, type Term, type Ways } from './predicate.ts'
import type { Instance } from './scope.ts'
import { asksForSecret, isSecret, isSecretArgument } from './secret-arguments.ts'

/** Why a way lets in somebody who has nothing to do with the row. */
export type OpenCause =
  | 'always'
  | 'signed-in'
  | 'tautology'
  | 'not-tied'
  | 'no-caller'
  | 'inverted'
  | 'null-slips-through'
  | 'secret-null'
  | 'user-metadata'
  | 'row-state'
  | 'handler'

/** A comparison of a column with a literal that a way depends on. */
export interface RowState {
  readonly table: string
  readonly column: string
  readonly op: string
  /** Undefined for IS NULL / IS NOT NULL (`op` says which) and for now(). */
  readonly value?: string | number | boolean
  /** The function that counts what the column holds (`length`): the comparison is with its result. */
  readonly counted?: string
  /** Of another table's row: one that itself names the caller. */
  readonly own?: true
}

/** One way of getting in, judged. */
export interface Way {
  /** `owner`: the caller is bound to a column of the row; `via`: through other tables; `role`: the caller holds a role, whatever the row; `open`: nothing binds; `unknown`: cannot be told. */
  readonly outcome: 'owner' | 'via' | 'role' | 'open' | 'unknown'
  readonly who: 'anon' | 'authenticated' | 'anon-only'
  readonly cause?: OpenCause
  /** Columns of the row that equal the caller's id (or verified e-mail). */
  readonly ownerColumns: readonly string[]
  /** Columns of the row that tie it to the tables in `tables`. */
  readonly tiedColumns: readonly string[]
  /** Tables between the caller and the row, or that show the caller's role. */
  readonly tables: readonly string[]
  /** Columns by which rows that name the caller are joined to others, the row in question included (`public.members.org_id`). */
  readonly links: readonly string[]
  /** Columns of other tables' rows that are compared with one of this row (`public.shares.post_id`). */
  readonly children: readonly string[]
  /** Conditions on the row itself. */
  readonly states: readonly RowState[]
  /** Conditions on rows of other tables that belong to this row (a published parent). */
  readonly parentStates: readonly RowState[]
  /** Conditions on other tables' rows (roles, memberships). */
  readonly gates: readonly RowState[]
  /** The caller must hold a role as well, whatever else binds. */
  readonly needsRole: boolean
  /** The caller is compared with the id of somebody, which stands in the condition. */
  readonly fixed?: true
  /** Columns of the row, and of rows tied to it, that have to equal something the caller passes as an argument. */
  readonly argumentColumns: readonly string[]
  /** The row has to repeat a secret (a token) of another table's row. */
  readonly capability?: true
  /** Whoever passes has said the secret of a row that is looked for on the way: the token of an invitation. */
  readonly bySecret?: true
  /** Tables of these rows. */
  readonly secretsOf?: readonly string[]
  /** It holds only while there are fewer rows than a fixed number. */
  readonly limited?: true
  /** It holds only where the application's own server said so for the session. */
  readonly bySetting?: true
  /** A column of user_metadata that decides. */
  readonly because?: string
}

/** Columns whose value nobody guesses: who passes it has been given it. */
export const UNGUESSABLE = /token|secret|hash|(^|_)(code|key|otp|nonce)(_value)?$|invite|share_|slug|confirmation|^(public|link|tracking)_?id$/i

const SECRET = /(?:^|_)(?:token|secret)(?:_?(?:hash|digest))?$/i

/** What the judge has to know about names. */
export interface JudgeWorld {
  /** Literal default of a column, when it has one. */
  readonly defaultOf: (table: string, column: string) => string | undefined
  /** Whether a table lists who works here, so that a row of it is a role. */
  readonly isStaffList?: (table: string) => boolean
  /** States in which alone users may add rows of a table, until those who have a role change that. */
  readonly heldAtFirst?: (table: string) => readonly RowState[]
}

const ROLE_COLUMN =
  /(?:^|_)(?:rol|papel|ruolo|rolle|funcao|cargo|perfil|nivel|peran|jabatan)(?:_id)?$|^tipo(?:_de)?(?:_(?:usuario|user|utente|conta|cuenta|acesso|acceso))?(?:_id)?$|role|admin|staff|moderator|perm|user_?type|account_?type|^type$|level|tier|rank|privilege|super|access|acess|acceso|acc[eè]s|zugriff|^m[oó]dul\w{0,3}\.|position|clearance|scope|^can_|is_owner|^is_(?!active|deleted|publi|verified|enabled)/i
const ROLE_TABLE =
  /admin|role|permission|moderator|staff|employee|superuser|(?:system|site|platform)_?owner|operator|manager|teacher|doctor|instructor|therapist|agent|driver|officer|privilege|grant|allow(?:ed_|_?list)|white_?list|authori[sz]ed_/i
/** What nobody is by default, whatever the column is called: `kind = 'superadmin'`. */
const ROLE_VALUE = /^(?:super|sys(?:tem)?)?[-_ ]?(?:admin|administra(?:t|d)or|moderator)$/i
/** Claims that every signed-in user has in one form or another. */
const PLAIN_CLAIM = /^(aal|amr|is_anonymous|session_id|exp|iat|iss|aud|email_verified|phone_verified)/

/** Judges every way with respect to the instance in question (0: the row of the policy). */
export function judge(ways: Ways, instances: readonly Instance[], focus: number, world: JudgeWorld): Way[] {
  return ways.map((way) => judgeWay(way, instances, focus, world))
}

function judgeWay(way: readonly Atom[], instances: readonly Instance[], focus: number, world: JudgeWorld): Way {
  const graph = new Graph()
  const ownerColumns = new Set<string>()
  const tied = new Map<string, Set<string>>()
  const given: { instance: number; column: string }[] = []
  const joins: { instance: number; column: string }[] = []
  const children = new Set<string>()
  const callersOwn = new Set<number>()
  const callersArguments = argumentsNamingTheCaller(way)
  const link = (terms: readonly Term[]) => {
    const named = terms.some((t) => t.t === 'caller' && (t.part === 'id' || t.part === 'email'))
    for (const t of terms) {
      if (t.t !== 'column' || t.instance === focus) continue
      if (named) callersOwn.add(t.instance)
      if (terms.some((o) => o.t === 'column' && o.instance === focus)) children.add(`${instances[t.instance]?.table ?? ''}.${t.column}`)
      if (terms.some((o) => o.t === 'column' && o.instance !== t.instance)) joins.push({ instance: t.instance, column: t.column })
    }
  }
  let signedIn = false
  let anonymous = false
  let fixedCaller = false
  let tautology = false
  let inverted = false
  let capability = false
  let limited = false
  let bySetting = false
  let saidSecret = false
  let said = false
  let unsaid = false
  let unset = false
  let unknown: string | undefined
  let metadata: string | undefined
  const roleClaims: string[] = []
  const literals: RowState[] = []

  const requireCaller = (terms: readonly Term[]) => {
    if (terms.some((t) => t.t === 'caller' && t.part !== 'database-role')) signedIn = true
  }

  for (const atom of way) {
    if (atom.a === 'unknown') unknown ??= atom.because
    if (atom.a === 'null') {
      const [first] = bases(atom.of)
      if (first?.t === 'caller') {
        if (first.setting) unset ||= !atom.not && isSecret(first.path ?? '')
        else if (atom.not) signedIn = true
        // a header that a request does not have says nothing about a session
        else if (!first.path?.startsWith('request.')) anonymous = true
      } else if (first?.t === 'argument') {
        if (isSecretArgument(first)) {
          if (atom.not) said = true
          else unsaid = true
        }
      } else if (first?.t === 'column') {
        const table = instances[first.instance]?.table ?? ''
        literals.push({ table: first.instance === focus ? '' : `${first.instance}:${table}`, column: first.column, op: atom.not ? 'is not null' : 'is null' })
      }
    }
    if (atom.a === 'some') {
      if (!atom.negated && SAYS_PUBLIC.test(atom.name)) literals.push({ table: '', column: atom.name, op: '=', value: true })
      const terms = atom.of.flatMap(bases)
      if (!atom.negated && connectable(terms)) {
        graph.connect(terms.map((t) => nodeOf(t)))
        link(terms)
        requireCaller(terms)
      }
    }
    if (atom.a !== 'compare') continue
    const left = bases(atom.left)
    const right = bases(atom.right)
    const all = [...left, ...right]
    const unclear = all.find((t) => t.t === 'unknown')
    if (unclear?.t === 'unknown') unknown ??= unclear.because
    if (isLimit(atom)) limited = true
    if (atom.op === '=' && all.some((t) => t.t === 'caller' && t.setting)) bySetting = true
    if (atom.op !== '<>' && atom.op !== 'not like') requireCaller(all)
    if (sameTerm(atom.left, atom.right)) {
      tautology = true
      continue
    }
    const edge = atom.op === '=' || atom.op === 'like'
    if (atom.op === '=' && asksForSecret(atom.left, atom.right)) saidSecret = true
    if (edge) {
      graph.connect(all.map((t) => nodeOf(t)))
      link(all)
    }
    const user = all.find((t) => t.t === 'caller' && t.part === 'user')
    if (edge && user?.t === 'caller') metadata ??= user.path ?? ''
    if (
      atom.op === '<>' &&
      all.some((t) => t.t === 'caller' && (t.part === 'id' || t.part === 'email')) &&
      all.some((t) => t.t === 'column' && t.instance === focus)
    ) {
      inverted = true
      signedIn = true
    }
    if (edge) {
      for (const [own, other] of [
        [left, right],
        [right, left],
      ] as const) {
        if (!other.some((t) => isCallersId(t) || (t.t === 'argument' && callersArguments.has(t.name)))) continue
        for (const t of own) if (t.t === 'column' && t.instance === focus) ownerColumns.add(t.column)
      }
      for (const t of all) if (t.t === 'column' && all.some((o) => o.t === 'argument')) given.push({ instance: t.instance, column: t.column })
      for (const t of all) {
        if (t.t !== 'column' || t.instance !== focus) continue
        if (all.some((o) => o.t === 'column' && o.instance !== focus && /token|secret/i.test(o.column))) capability = true
        for (const o of all) if (o.t === 'column' && o.instance !== focus) tied.set(t.column, (tied.get(t.column) ?? new Set()).add(nodeOf(o)))
      }
    }
    const literal = atom.right.t === 'const' ? atom.right : atom.left.t === 'const' ? atom.left : undefined
    const subject = literal === atom.right ? left : right
    const whole = literal === atom.right ? atom.left : atom.right
    const counted = whole.t === 'expression' && /length$|^cardinality$/.test(whole.name) ? whole.name : undefined
    if (literal && subject.length && subject.every((t) => t.t === 'column')) {
      for (const t of subject) {
        if (t.t !== 'column') continue
        // `slug = coalesce(p_slug, '')`: what nobody passed finds the row that is called nothing
        if (edge && literal.value === '') given.push({ instance: t.instance, column: t.column })
        const table = instances[t.instance]?.table ?? ''
        literals.push({
          table: t.instance === focus ? '' : `${t.instance}:${table}`,
          column: t.path ? `${t.column}.${t.path}` : t.column,
          op: atom.op,
          ...(literal.value === null ? {} : { value: literal.value }),
          ...(counted ? { counted } : {}),
        })
      }
    }
    if (literal && edge) {
      for (const t of subject) {
        if (t.t !== 'caller') continue
        if (t.part === 'id' || t.part === 'email') fixedCaller = true
        if (t.part === 'app') roleClaims.push(t.path ?? '')
        if (t.part === 'role' || (t.part === 'claim' && !PLAIN_CLAIM.test(t.path ?? ''))) roleClaims.push(t.path ?? 'role')
      }
    } else if (!literal && (atom.op === '<' || atom.op === '>' || atom.op === '<=' || atom.op === '>=')) {
      const column = [left, right].find((side) => side.length === 1 && side[0]?.t === 'column')?.[0]
      const other = column && (left[0] === column ? atom.right : atom.left)
      if (column?.t === 'column' && other?.t === 'expression' && bases(other).every((t) => t.t === 'const')) {
        literals.push({
          table: column.instance === focus ? '' : `${column.instance}:${instances[column.instance]?.table ?? ''}`,
          column: column.column,
          op: left[0] === column ? atom.op : flip(atom.op),
        })
      }
    }
  }

  const reached = graph.reach('caller')
  const states = literals.filter((l) => l.table === '')
  const tableOf = (node: string) => instances[Number(node.slice(1))]?.table ?? ''
  const callerTables = [...reached].filter((n) => /^i\d+$/.test(n) && n !== `i${focus}`)
  const gates = literals
    .filter((l) => l.table !== '' && callerTables.includes(`i${l.table.split(':')[0]}`))
    .map((l) => {
      const [instance, table] = l.table.split(':') as [string, string]
      return { ...l, table, ...(callersOwn.has(Number(instance)) ? { own: true as const } : {}) }
    })
  const related = graph.reach(`i${focus}`)
  const parentStates = literals
    .filter((l) => l.table !== '' && related.has(`i${l.table.split(':')[0]}`))
    .map((l) => ({ ...l, table: l.table.slice(l.table.indexOf(':') + 1) }))
  const tables = [...new Set(callerTables.map(tableOf).filter(Boolean))].sort()
  const who: Way['who'] = anonymous && !signedIn ? 'anon-only' : signedIn || reached.size > 1 ? 'authenticated' : 'anon'
  const argumentColumns = [...new Set(given.filter((g) => related.has(`i${g.instance}`)).map((g) => g.column))].sort()
  const needsRole = fixedCaller || roleClaims.length > 0 || (callerTables.length > 0 && isRole(gates, tables, world))
  // whoever keeps a secret in a setting has set it
  const bySecret = saidSecret || unset
  const secrets = given.filter((g) => g.instance !== focus && SECRET.test(g.column))
  const base = {
    who,
    needsRole,
    ...(fixedCaller ? { fixed: true as const } : {}),
    ...(capability ? { capability: true as const } : {}),
    ...(secrets.length || bySecret ? { bySecret: true as const, secretsOf: [...new Set(secrets.flatMap((g) => instances[g.instance]?.table ?? []))] } : {}),
    ...(limited ? { limited: true as const } : {}),
    ...(bySetting ? { bySetting: true as const } : {}),
    argumentColumns,
    ownerColumns: [...ownerColumns].sort(),
    links: [...new Set(joins.filter((j) => callersOwn.has(j.instance)).map((j) => `${instances[j.instance]?.table ?? ''}.${j.column}`))].sort(),
    children: [...children].sort(),
    states,
    parentStates,
    gates,
    tables,
    tiedColumns: [...tied]
      .filter(([, n]) => [...n].some((x) => reached.has(x)))
      .map(([c]) => c)
      .sort(),
  }

  if ((anonymous && signedIn) || (said && unsaid)) return { ...base, outcome: 'role', who: 'authenticated', because: 'contradiction' }
  if (ownerColumns.size) return { ...base, outcome: 'owner' }
  if (reached.has(`i${focus}`)) return { ...base, outcome: 'via' }
  if (needsRole) return { ...base, outcome: 'role' }
  if (unknown) return { ...base, outcome: 'unknown', because: unknown }
  if (metadata !== undefined) return { ...base, outcome: 'open', who: 'authenticated', cause: 'user-metadata', because: metadata }
  const cause: OpenCause = inverted
    ? 'inverted'
    : anonymous
      ? 'null-slips-through'
      : unsaid
        ? 'secret-null'
        : way.some((a) => a.a === 'exists' && a.instance !== focus)
          ? way.every((a) => a.a !== 'exists' || related.has(`i${a.instance}`))
            ? 'no-caller'
            : 'not-tied'
          : states.length
            ? 'row-state'
            : tautology
              ? 'tautology'
              : signedIn
                ? 'signed-in'
                : way.some((a) => a.a === 'some')
                  ? 'row-state'
                  : 'always'
  return { ...base, outcome: 'open', cause }
}

const isCallersId = (term: Term): boolean => term.t === 'caller' && (term.part === 'id' || term.part === 'email')

/** Arguments that have to be the caller's own id (`if p_user is distinct from auth.uid() then …`). */
function argumentsNamingTheCaller(way: readonly Atom[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const atom of way) {
    if (atom.a !== 'compare' || atom.op !== '=') continue
    for (const [one, other] of [
      [atom.left, atom.right],
      [atom.right, atom.left],
    ] as const)
      if (one.t === 'argument' && isCallersId(other)) names.add(one.name)
  }
  return names
}

/** Whether conditions on tables that are keyed by the caller tell some users from others. */
function isRole(gates: readonly RowState[], tables: readonly string[], world: JudgeWorld): boolean {
  const roles = gates.filter(asksForRole)
  if (roles.length) return roles.some((g) => isRoleGate(g, world))
  return tables.some((t) => ROLE_TABLE.test(bare(t)) || world.isStaffList?.(t) === true)
}

/** Whether a condition on the caller's own row holds for some users only: a role, and not the one that everybody has by default. */
export function isRoleGate(gate: RowState, world: JudgeWorld): boolean {
  return asksForRole(gate) && !(gate.op === '=' && gate.value !== undefined && String(gate.value) === world.defaultOf(gate.table, gate.column))
}

function asksForRole(gate: RowState): boolean {
  const { table, column, op, value } = gate
  if (op === 'is null') return false
  const named = ROLE_COLUMN.test(column) || (op === '=' && typeof value === 'string' && ROLE_VALUE.test(value))
  return named || (table === 'auth.users' && column === 'email') || isFixedAddress(gate) || isFixedPerson(gate) || isAdminsSetting(gate)
}

/** `coalesce(created_by, 0) = sellers.id`: one person at the most, and none where the number stands for nobody. */
const isFixedPerson = ({ own, column, op, value }: RowState): boolean => own === true && column === 'id' && op === '=' && value !== undefined

/** `app_settings.key = 'admin_email'`: the setting that says who runs the place, which the caller's own row is compared with. */
function isAdminsSetting({ column, op, value }: RowState): boolean {
  return (
    op === '=' &&
    typeof value === 'string' &&
    /^(?:(?:setting|config|option)_?)?(?:key|name|slug)$/i.test(column) &&
    /(?:^|[_.-])(?:super_?)?(?:admin|owner|staff)/i.test(value)
  )
}

/** `profiles.email = 'owner@shop.example'`: one person, or the people of one house, whom the policy names instead of giving them a role. */
function isFixedAddress({ column, op, value }: RowState): boolean {
  return (op === '=' || op === 'like') && typeof value === 'string' && value.includes('@') && isAddress(column)
}

export const isAddress = (column: string): boolean => /e?mail|correo/i.test(column)

/** `count(*) < 3` */
function isLimit(atom: Extract<Atom, { a: 'compare' }>): boolean {
  const [counted, number] = atom.op === '<' || atom.op === '<=' ? [atom.left, atom.right] : atom.op === '>' || atom.op === '>=' ? [atom.right, atom.left] : []
  return counted?.t === 'expression' && counted.name === 'count' && number?.t === 'const' && typeof number.value === 'number'
}

function bare(table: string): string {
  return table.slice(table.indexOf('.') + 1)
}

function flip(op: string): string {
  return { '<': '>', '>': '<', '<=': '>=', '>=': '<=' }[op] ?? op
}

function connectable(terms: readonly Term[]): boolean {
  return new Set(terms.map(nodeOf).filter(Boolean)).size > 1
}

function nodeOf(term: Term): string {
  if (term.t === 'column') return `i${term.instance}`
  if (term.t === 'argument') return `a${term.name}`
  if (term.t === 'caller') return term.part === 'user' ? 'editable' : term.part === 'role' || term.part === 'database-role' ? '' : 'caller'
  return ''
}

function sameTerm(a: Term, b: Term): boolean {
  return (a.t === 'column' || a.t === 'caller' || a.t === 'expression' || a.t === 'argument') && JSON.stringify(a) === JSON.stringify(b)
}

/** Which tables, arguments and the caller a way equates with each other. */
class Graph {
  readonly #edges = new Map<string, Set<string>>()

  connect(nodes: readonly string[]): void {
    const distinct = [...new Set(nodes)].filter(Boolean)
    for (const a of distinct) {
      const set = this.#edges.get(a) ?? new Set()
      for (const b of distinct) set.add(b)
      this.#edges.set(a, set)
    }
  }

  reach(from: string): Set<string> {
    const seen = new Set([from])
    const queue = [from]
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      for (const next of this.#edges.get(at) ?? []) {
        if (seen.has(next)) continue
        seen.add(next)
        queue.push(next)
      }
    }
    return seen
  }
}
