import type { JudgeWorld, OpenCause, RowState, Way } from './disjunct.ts'
import { connectable, Graph, nodeOf } from './equalities.ts'
import { type Atom, bases, PUBLICATION_FUNCTION_NAME, type Term, type Ways } from './predicate.ts'
import { isRoleGated } from './role-gates.ts'
import type { Instance } from './scope.ts'
import { asksForSecret, isSecret, isSecretArgument } from './secret-arguments.ts'

const UNGUESSABLE = /token|secret|hash|(^|_)(code|key|otp|nonce)(_value)?$|invite|share_|slug|confirmation|^(public|link|tracking)_?id$/i

/** Keys and codes that are names of something, and who invited whom. */
const NAMED_BY =
  /(?:^|_)(?:permission|role|feature|flag|setting|config|action|event|country|currency|language|locale|area|postal|zip|error|status|category|type)_(?:key|code)$|^invited_(?:by|at|on)(?:_\w{1,20})?$/i

/** Whether nobody guesses what a column holds: who passes it has been given it. */
export const isUnguessable = (column: string): boolean => UNGUESSABLE.test(column) && !NAMED_BY.test(column)

const SECRET_LOOKUP_COLUMN = /(?:^|_)(?:token|secret)(?:_?(?:hash|digest))?$/i
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
      if (!atom.negated && PUBLICATION_FUNCTION_NAME.test(atom.name)) literals.push({ table: '', column: atom.name, op: '=', value: true })
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
  const needsRole = fixedCaller || roleClaims.length > 0 || (callerTables.length > 0 && isRoleGated(gates, tables, world))
  // whoever keeps a secret in a setting has set it
  const bySecret = saidSecret || unset
  const secrets = given.filter((g) => g.instance !== focus && SECRET_LOOKUP_COLUMN.test(g.column))
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

/** `count(*) < 3` */
function isLimit(atom: Extract<Atom, { a: 'compare' }>): boolean {
  const [counted, number] = atom.op === '<' || atom.op === '<=' ? [atom.left, atom.right] : atom.op === '>' || atom.op === '>=' ? [atom.right, atom.left] : []
  return counted?.t === 'expression' && counted.name === 'count' && number?.t === 'const' && typeof number.value === 'number'
}

function flip(op: string): string {
  return { '<': '>', '>': '<', '<=': '>=', '>=': '<=' }[op] ?? op
}

function sameTerm(a: Term, b: Term): boolean {
  return (a.t === 'column' || a.t === 'caller' || a.t === 'expression' || a.t === 'argument') && JSON.stringify(a) === JSON.stringify(b)
}
