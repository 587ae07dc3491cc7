/** What a scalar expression stands for. */
export type Term =
  | { readonly t: 'const'; readonly value: string | number | boolean | null }
  /**
   * Something the platform says about the caller. `user` is user_metadata, which the user edits; `app` is app_metadata; `claim` any other
   * claim. `setting`: the application's own server says it for the session; nobody can who comes through the data API.
   */
  | {
      readonly t: 'caller'
      readonly part: 'id' | 'email' | 'role' | 'jwt' | 'app' | 'user' | 'claim' | 'database-role'
      readonly path?: string
      readonly setting?: true
    }
  /** A column of a table instance of the predicate; instance 0 is the row that the policy judges. */
  | { readonly t: 'column'; readonly instance: number; readonly column: string; readonly path?: string }
  /** An argument of a function, chosen by whoever calls it. */
  | { readonly t: 'argument'; readonly name: string }
  /** A function or operator over other terms. */
  | { readonly t: 'expression'; readonly name: string; readonly of: readonly Term[] }
  | { readonly t: 'unknown'; readonly because: string }

export type Comparison = '=' | '<>' | '<' | '>' | '<=' | '>=' | 'like' | 'not like'

/** One condition that has to hold. */
export type Atom =
  | { readonly a: 'compare'; readonly op: Comparison; readonly left: Term; readonly right: Term }
  | { readonly a: 'null'; readonly of: Term; readonly not: boolean }
  /** A row of a table exists (whatever else the other atoms say about the instance). */
  | { readonly a: 'exists'; readonly instance: number }
  /** A truth value computed from terms in a way that is not modelled; it holds for some and fails for others. */
  | { readonly a: 'some'; readonly name: string; readonly of: readonly Term[]; readonly negated: boolean }
  | { readonly a: 'unknown'; readonly because: string }
  /** The row of a UNION is one of this query's. */
  | { readonly a: 'branch'; readonly union: number; readonly query: number }

/** Disjunctive normal form: ways in which the predicate becomes true. No way: never; an empty way: always. */
export type Ways = readonly (readonly Atom[])[]

export const ALWAYS: Ways = [[]]
export const NEVER: Ways = []

/** A function that is asked whether something is shown to everybody, however it finds out: `is_publicly_accessible(club_id)`. */
export const PUBLICATION_FUNCTION_NAME = /(?:^|_)(?:public|published|publicly_(?:accessible|visible|readable|listed|available))$/

/** More ways than this, or longer ones, are not followed; the predicate is then unknown. */
const MAX_WAYS = 256
/** Conditions in all ways together: what people write has some hundreds, what functions of functions compute soon has millions. */
const MAX_ATOMS = 8_000

const TOO_MANY: Ways = [[{ a: 'unknown', because: 'too many alternatives' }]]

/** Whether ways were given up because there are too many. */
export const isTooMany = (ways: Ways): boolean => ways === TOO_MANY

let combined = 0

/** Conditions that were put together so far: the work of reading something is the difference, whatever the machine does beside it. */
export const combinedAtoms = (): number => combined

const atomsOf = (ways: Ways): number => ways.reduce((n, way) => n + way.length, 0)

/** Both hold. */
export function both(a: Ways, b: Ways): Ways {
  if (a.length === 1 && a[0]?.length === 0) return b
  if (b.length === 1 && b[0]?.length === 0) return a
  if (a.length * b.length > MAX_WAYS) return TOO_MANY
  const atoms = atomsOf(a) * b.length + atomsOf(b) * a.length
  if (atoms > MAX_ATOMS) return TOO_MANY
  combined += atoms
  return a.flatMap((x) => b.map((y) => [...x, ...y.filter((atom) => !x.includes(atom))])).filter((way) => !contradicts(way))
}

/** Nobody is both signed out and known by an id, no row comes from two queries of one UNION, and nothing is both less than something and not. */
function contradicts(way: readonly Atom[]): boolean {
  if (isBothWays(way)) return true
  const branches = way.filter((a) => a.a === 'branch')
  if (branches.some((x) => branches.some((y) => x.union === y.union && x.query !== y.query))) return true
  if (!way.some((a) => a.a === 'null' && !a.not && isCaller(a.of))) return false
  return way.some((a) => (a.a === 'null' && a.not && isCaller(a.of)) || (a.a === 'compare' && (bases(a.left).some(isCaller) || bases(a.right).some(isCaller))))
}

/** Whether a comparison is said to hold and not to hold: what IF and ELSE leave in two variables never comes together crosswise. */
function isBothWays(way: readonly Atom[]): boolean {
  const compared = way.filter((a) => a.a === 'compare')
  return compared.some(
    (x, i) =>
      x.op !== '=' && x.op !== 'like' && compared.some((y, j) => j !== i && y.op === OPPOSITE[x.op] && isSame(x.left, y.left) && isSame(x.right, y.right)),
  )
}

/** Whether two terms are one and the same; what is computed is not looked into. */
const isSame = (a: Term, b: Term): boolean => a === b || (a.t === b.t && a.t !== 'expression' && JSON.stringify(a) === JSON.stringify(b))

function isCaller(term: Term): boolean {
  return term.t === 'caller' && (term.part === 'id' || term.part === 'email')
}

/** One of them holds. */
export function either(a: Ways, b: Ways): Ways {
  if (a.length + b.length > MAX_WAYS) return TOO_MANY
  return [...a, ...b]
}

/** Any of several conditions. */
export const anyOf = (all: readonly Ways[]): Ways => all.reduce(either, NEVER)

/** Terms that a term is computed from, each once, itself included when it is simple. */
export function bases(term: Term): readonly Term[] {
  if (term.t !== 'expression') return [term]
  let known = knownBases.get(term)
  if (!known) {
    known = [...new Set(term.of.flatMap(bases))]
    knownBases.set(term, known)
  }
  return known
}

/** Values of variables are computed from each other: what one rests on is asked for many times. */
const knownBases = new WeakMap<Term, readonly Term[]>()

const TOTALS = new Set(['count', 'sum', 'avg', 'min', 'max', 'stddev', 'variance', 'bool_or', 'bool_and', 'every'])

/** Whether a function adds up many rows and shows none of them. */
export function isTotal(name: string): boolean {
  return TOTALS.has(name)
}

const GROUP = 'group by'

/** Terms in a term; beyond that it holds what it is computed from, not how. */
const MAX_TERM = 64
const sizes = new WeakMap<Term, number>()
const sizeOfAll = (of: readonly Term[]): number => of.reduce((n, term) => n + (sizes.get(term) ?? 1), 0)

/**
 * A value that a function or operator computes. Variables that are computed from each other again and again would grow beyond all bounds: a large
 * value holds the different ones that it comes from, totals and groups as they are.
 */
export function computed(name: string, of: readonly Term[]): Term {
  const parts = sizeOfAll(of) > MAX_TERM ? partsOf(of) : of
  const term: Term = { t: 'expression', name, of: parts }
  sizes.set(term, 1 + sizeOfAll(parts))
  return term
}

function partsOf(of: readonly Term[]): readonly Term[] {
  const parts = new Map<unknown, Term>()
  const add = (term: Term): void => {
    if (term.t === 'expression' && !isTotal(term.name) && term.name !== GROUP) for (const t of term.of) add(t)
    else parts.set(term.t === 'const' ? `const ${typeof term.value} ${term.value}` : term, term)
  }
  for (const term of of) add(term)
  const all = [...parts.values()]
  // what is written in the function says the least of where a value comes from
  return all.length <= MAX_TERM ? all : [...all.filter((t) => t.t !== 'const'), ...all.filter((t) => t.t === 'const')].slice(0, MAX_TERM)
}

/** A value that stands for a group of rows. */
export function grouped(term: Term): Term {
  return { t: 'expression', name: GROUP, of: [term] }
}

/** Terms whose values can be read off a term, and whether only by groups; what went into a total cannot. */
export function visibleBases(term: Term, inGroup = false): readonly { readonly term: Term; readonly inGroup: boolean }[] {
  if (term.t !== 'expression') return [{ term, inGroup }]
  return isTotal(term.name) ? [] : term.of.flatMap((t) => visibleBases(t, inGroup || term.name === GROUP))
}

export const OPPOSITE: Readonly<Record<Comparison, Comparison>> = {
  '=': '<>',
  '<>': '=',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
  like: 'not like',
  'not like': 'like',
}
