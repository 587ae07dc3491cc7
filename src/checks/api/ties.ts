import { keptList } from '../../lib/kept-list.ts'
import type { Behaviour, Condition, Step, Value } from '../../model/behaviour/behaviour.ts'
import { ACCEPTED, isCallers, isCallersRow, mentions, REJECTED } from '../../model/behaviour/values.ts'
import { rightsAmong } from '../../model/routes/rights-bits.ts'
import { answeredInVain } from './answered-in-vain.ts'
import { contradictsItself } from './contradiction.ts'
import { forPeople, provesService } from './for-people.ts'
import type { Query } from './ownership-breach.ts'
import { Relations } from './relations.ts'

/** Whose rights hold for the rows of a query that runs with the caller's own client; false when row level security does not. */
export type RlsHolds = (query: Query) => boolean

/** What ties the rows that a handler touches to the person who calls it. */
export class Ties {
  private readonly behaviour: Behaviour
  private readonly relations: Relations
  private readonly rlsHolds: RlsHolds
  /** A row that was found behind a check is the caller's only where that check says something of it: a role in one tenant does not of every row. */
  private readonly withinOne: boolean
  private one: Ties | undefined
  /** Whether a database function says no to whoever asks without a session. */
  readonly refusesServer: (name: string) => boolean
  /** Rows that were asked about, by their step: conditions mention the same ones again and again. */
  private readonly bound = new Map<number, boolean>()
  /** What was found out about tests, by what is going to be touched: behaviours share their values, and parts stand in many of them. */
  private readonly held = new Map<Query | undefined, Map<Value, boolean[]>>()

  /** What had to hold on the way to a query. */
  private readonly paths = new Map<Query, readonly Condition[]>()

  constructor(behaviour: Behaviour, rlsHolds: RlsHolds, refusesServer: (name: string) => boolean = () => false, withinOne = false) {
    this.behaviour = behaviour
    this.relations = new Relations(behaviour)
    this.rlsHolds = rlsHolds
    this.refusesServer = refusesServer
    this.withinOne = withinOne
  }

  /** The same, asked for somebody whose role is one in the tenant that the request names. */
  inOne(): Ties {
    this.one ??= new Ties(this.behaviour, this.rlsHolds, this.refusesServer, true)
    return this.one
  }

  /** A filter of the query itself names the caller (or a row of theirs). */
  byFilter(query: Query): boolean {
    return query.filters.some((f) => f.op !== 'neq' && (this.isPersons(f.value) || this.eachBranch(f)) && filtersRows(query, f.column))
  }

  /** `row ? body.id : made.id`: what the request names is taken only where it was found to be the caller's, and otherwise what was made here. */
  bySource(value: Value): boolean {
    if (value.v !== 'any' || !value.under) return false
    const harmless = (x: Value) => x.v === 'const' || (x.v === 'row' && this.isPersons(x))
    return (
      value.of.some((x) => x.v === 'request') &&
      value.of.every((x, i) => harmless(x) || (x.v === 'request' && (value.under?.[i] ?? []).some((c) => c.test.v === 'row' && this.decides(c))))
    )
  }

  /** The value is the caller's own whenever a person calls. */
  private isPersons(value: Value): boolean {
    return isCallers(forPeople(value, this.behaviour), this.behaviour)
  }

  /** `OR: [{ userId }, { teamId: { in: mine } }]`: whichever of them holds, it names the caller. */
  private eachBranch({ column, value }: Query['filters'][number]): boolean {
    return /(?:^|\.)OR$/.test(column) && this.everyWay(value)
  }

  private everyWay(ways: Value): boolean {
    if (ways.v === 'any') {
      const lists = ways.of.filter((x) => x.v !== 'const')
      return lists.length > 0 && lists.every((x) => this.everyWay(x))
    }
    if (ways.v !== 'array' || !ways.items.length) return false
    return ways.items.flatMap((way) => (way.v === 'any' ? way.of : [way])).every((way) => this.namesPerson(way, 0))
  }

  /** `{ team: { members: { some: { userId } } } }`, `{ AND: [{ userId }, …] }`. */
  private namesPerson(way: Value, depth: number): boolean {
    if (depth > 6 || way.v !== 'object') return false
    return Object.entries(way.props).some(([name, x]) => {
      if (/^(?:not|notIn|NOT|none)$/.test(name)) return false
      if (name === 'OR') return this.everyWay(x)
      if (name === 'AND' && x.v === 'array') return x.items.some((y) => this.namesPerson(y, depth + 1))
      return x.v === 'object' ? this.namesPerson(x, depth + 1) : this.isPersons(x)
    })
  }

  /** Something that was decided before the step compares the object (what the step finds, or `object`) with the caller. */
  byCondition(step: Step, object?: Step): boolean {
    const about = step.effect.kind === 'db' ? step.effect : undefined
    if (about) this.paths.set(about, step.under)
    const deciding = step.under.filter((c) => this.decides(c, about))
    const objects = this.relations.objectsOf(object ?? step)
    if (!deciding.some((c) => this.relations.related([c.test], objects))) return false
    // `body.id ?? found.id`: what is said of the row that was found says nothing of the one that the request names
    return namedInstead(object ?? step).every(
      ({ named, under }) =>
        deciding.some((c) => this.relations.related(looked(c.test), [named], false)) ||
        under.some((c) => this.decides(c, about) || this.isByRole(c.test, !c.negated) || provesService(c.test, !c.negated, this.behaviour)),
    )
  }

  /** The caller's own id, which a comparison established, is the key of what the step touches: `if (userId !== user.id) return 403`. */
  keyedByCaller({ effect, under }: Step): boolean {
    return effect.kind === 'db' && effect.filters.some((f) => f.op === 'eq' && under.some((c) => isCallersId(c.test, !c.negated, f.value)))
  }

  decides(condition: Condition, about?: Query): boolean {
    return this.holds(condition.test, !condition.negated, 0, about)
  }

  /** Whether `test` being `truthy` ties the object of the request, which `about` is going to touch, to the caller. */
  holds(test: Value, truthy: boolean, depth: number, about?: Query): boolean {
    if (depth > 12) return false
    if (test.v !== 'op' && test.v !== 'any' && test.v !== 'call') return this.ties(test, truthy, depth, about)
    const known = this.heldOf(test, about)
    const at = depth * 2 + Number(truthy)
    known[at] ??= this.ties(test, truthy, depth, about)
    return known[at]
  }

  private heldOf(test: Value, about: Query | undefined): boolean[] {
    const tests = this.held.get(about) ?? new Map<Value, boolean[]>()
    this.held.set(about, tests)
    return keptList(tests, test)
  }

  private ties(test: Value, truthy: boolean, depth: number, about: Query | undefined): boolean {
    const next = (x: Value, t: boolean) => this.holds(x, t, depth + 1, about)
    const callers = (x: Value) => this.isPersons(x)
    switch (test.v) {
      case 'op': {
        const [a, b] = test.of
        if (test.op === '!') return a ? next(a, !truthy) : false
        const counted = countedRows(test, this.behaviour)
        if (counted) return (counted.some === truthy && this.amongThem(counted.rows)) || next(counted.rows, counted.some === truthy)
        if (test.op === '&&' || test.op === '||')
          return (test.op === '&&') === truthy ? test.of.some((x) => next(x, truthy)) : this.eachWay(test.of, truthy, depth, about)
        if (/^[!=]==?$/.test(test.op) && a && b) {
          if (test.op.startsWith('!') === truthy) return false
          if ((this.isMember(a) && asksForSomething(b)) || (this.isMember(b) && asksForSomething(a))) return true
          return (callers(a) && this.ofObject(b)) || (callers(b) && this.ofObject(a)) || this.secretOf(a, b) || this.secretOf(b, a)
        }
        return truthy && test.of.some((x, i) => this.isMember(x) || (callers(x) && test.of.some((y, j) => (i === j ? this.aboutObject(y) : this.ofObject(y)))))
      }
      case 'row':
        return truthy && test.step >= 0 && (this.boundRow(test.step) || this.isMember(test))
      case 'error':
        return !truthy && test.of >= 0 && this.failsWithout(test.of) && this.boundRow(test.of)
      case 'result': {
        const e = this.behaviour.steps[test.step]?.effect
        // how many rows there are, or were changed
        if (e?.kind === 'db') return truthy && this.boundRow(test.step)
        if (!truthy || e?.kind !== 'rpc') return false
        return this.aboutObject(e.args) && (e.client.rights === 'caller' || mentions(e.args, callers) || this.refusesServer(e.function))
      }
      case 'call': {
        // `rows.every((r) => r.org_id === org)`, `memberships.some((m) => m.team_id === teamId)`: what is asked of each
        if (truthy && test.args[0] && /^(?:some|find|includes)$/.test(test.name) && test.args.some((x) => this.amongThem(x) || this.isMember(x))) return true
        const asked = test.name === 'every' || test.name === 'some' ? test.args[1] : undefined
        if (asked && asked.v !== 'unknown') return (truthy || test.name === 'some') && next(asked, truthy)
        return this.unknownCheck(test)
      }
      case 'any': {
        // what had to hold for an alternative speaks for it as well: `memberships.find((m) => m.team_id === teamId)`
        const possible = test.of.flatMap((x, i) => (x.v === 'const' && Boolean(x.value) !== truthy ? [] : [{ x, under: test.under?.[i] ?? [] }]))
        return possible.length > 0 && possible.every(({ x, under }) => next(x, truthy) || under.some((c) => next(c.test, !c.negated)))
      }
      default:
        return false
    }
  }

  /** Ways of which any may be the one: one ties the object, and each other does too, or lets in a role or another service, compares nothing with nothing, has no object, is not the way that leads here, reaches nothing, or contradicts itself. */
  private eachWay(among: readonly Value[], truthy: boolean, depth: number, about: Query | undefined): boolean {
    const ways = alternatives(among, truthy ? '||' : '&&')
    const tied = ways.filter((x) => this.holds(x, truthy, depth + 1, about))
    const path = (about && this.paths.get(about)) ?? []
    const harmless = (x: Value, t: boolean, at: number): boolean =>
      this.provesRole(x, t, at + 1) ||
      asksRole(x, t) ||
      lacksClaim(x, t) ||
      provesService(x, t, this.behaviour) ||
      this.bothUnset(x, t, tied) ||
      failedList(x, t) ||
      this.settledElsewhere(x, t, path, at, about) ||
      (about !== undefined &&
        (answeredInVain(x, t, about, path, this.behaviour) || this.absent(x, t, about) || this.fallsBack(x, t, about) || ruledOut(x, t, path))) ||
      within(x, t, at) ||
      contradictsItself(x, t)
    // `!id && (service || admin)`: without an id neither does harm
    const within = (x: Value, t: boolean, at: number): boolean => {
      if (x.v !== 'op' || at > 12 || (x.op !== '&&' && x.op !== '||')) return false
      return (x.op === '&&') === t ? x.of.some((part) => harmless(part, t, at + 1)) : x.of.every((part) => harmless(part, t, at + 1))
    }
    return tied.length > 0 && ways.every((x) => tied.includes(x) || harmless(x, truthy, depth))
  }

  /**
   * `if (row.buyer && row.buyer !== me) return 403; if (!row.buyer && row.seller !== me) return 403`: the way that one of them leaves open, the other
   * leaves to somebody who is tied as well.
   */
  private settledElsewhere(way: Value, truthy: boolean, path: readonly Condition[], depth: number, about: Query | undefined): boolean {
    const open = literal(way, truthy)
    if (!open || depth > 8) return false
    return path.some(({ test, negated }) => {
      if (test.v !== 'op' || test.op !== (negated ? '&&' : '||')) return false
      const others = alternatives(test.of, test.op).filter((x) => !isOpposite(literal(x, !negated), open))
      return others.length > 0 && others.length < test.of.length && others.every((x) => this.holds(x, !negated, depth + 1, about))
    })
  }

  /** `if (row) assertOwner(row)`: where the row was looked for and is not there, the same filters find nothing to touch either. */
  private absent(way: Value, truthy: boolean, about: Query, depth = 0): boolean {
    if (depth > 8) return false
    if (way.v === 'op') {
      const next = (x: Value) => this.absent(x, truthy, about, depth + 1)
      if (way.op === '!') return way.of[0] !== undefined && this.absent(way.of[0], !truthy, about, depth + 1)
      return way.op === '&&' || way.op === '||' ? ((way.op === '&&') === truthy ? way.of.some(next) : way.of.every(next)) : false
    }
    const missing = way.v === 'error' && truthy ? way.of : way.v === 'row' && !truthy && way.field === undefined ? way.step : -1
    const looked = this.behaviour.steps[missing]?.effect
    if (looked?.kind !== 'db' || looked.op !== 'select' || looked.table !== about.table || !looked.filters.length) return false
    return looked.filters.every((f) => about.filters.some((g) => g.column === f.column && g.op === f.op && isSame(f.value, g.value)))
  }

  /** `userId` is not sent, and what is looked for by `userId ?? user.id` is the caller's then. */
  private fallsBack(way: Value, truthy: boolean, about: Query): boolean {
    if (way.v === 'op' && way.op === '!' && way.of[0]) return this.fallsBack(way.of[0], !truthy, about)
    if (way.v !== 'request' || truthy) return false
    const { filters } = about
    return filters.some(
      ({ op, value: v }) => op === 'eq' && v.v === 'any' && v.of.some((x) => isSame(x, way)) && v.of.every((x) => isSame(x, way) || this.isPersons(x)),
    )
  }

  /** `!mine && !theirs`, the way that `(mine ?? null) === theirs` has when there is no tenant: both compared sides are empty. */
  private bothUnset(way: Value, truthy: boolean, tied: readonly Value[]): boolean {
    const empty = emptied(way, truthy, 0)
    const compared = (x: Value) => tied.some((t) => mentions(t, (y) => isSame(x, y)))
    return empty.some((x) => isCallers(x, this.behaviour) && compared(x)) && empty.some((x) => !isCallers(x, this.behaviour) && this.ofObject(x) && compared(x))
  }

  /** Whether only somebody of a role gets through. */
  isByRole(test: Value, truthy: boolean): boolean {
    return this.provesRole(test, truthy, 0)
  }

  /** Somebody with a role may act on rows of others: `isAdmin || row.user_id === user.id`. */
  private provesRole(test: Value, truthy: boolean, depth: number): boolean {
    if (depth > 12) return false
    if (test.v === 'op') {
      const [a, b] = test.of
      if (test.op === '!') return a ? this.provesRole(a, !truthy, depth + 1) : false
      if (test.op === '&&' || test.op === '||')
        return (test.op === '&&') === truthy
          ? test.of.some((x) => this.provesRole(x, truthy, depth + 1))
          : test.of.every((x) => this.provesRole(x, truthy, depth + 1))
      if (test.op === '&') return truthy && this.asksRights(test)
      if (/^[!=]==?$/.test(test.op) && a?.v === 'op' && a.op === '&' && b)
        return this.asksRights(a) && (test.op.startsWith('!') === truthy) === (b.v === 'const' && b.value === 0)
      if (test.op === '===' && truthy && a && b)
        return [a, b].some((x) => isCallers(x, this.behaviour)) && [a, b].some((x) => x.v === 'const' || x.v === 'env' || x.v === 'array' || isEnumMember(x))
      return false
    }
    if (!truthy) return false
    if (test.v === 'result') {
      const e = this.behaviour.steps[test.step]?.effect
      return e?.kind === 'rpc' && (e.client.rights === 'caller' || mentions(e.args, (x) => isCallers(x, this.behaviour)))
    }
    if (test.v === 'row') return test.step >= 0 && isCallersRow(test.step, this.behaviour)
    if (test.v === 'caller') return /role|admin/i.test(test.field ?? '') && test.trust === 'verified'
    if (test.v === 'call') return test.name !== ACCEPTED && test.name !== REJECTED && test.args.some((x) => mentions(x, (y) => isCallers(y, this.behaviour)))
    if (test.v === 'any') {
      const possible = test.of.filter((x) => !(x.v === 'const' && Boolean(x.value) !== truthy))
      return possible.length > 0 && possible.every((x) => this.provesRole(x, truthy, depth + 1))
    }
    return false
  }

  /** `user.permissions & MANAGE_ORDERS`: rights of the caller's that are kept as bits. */
  private asksRights({ of }: Extract<Value, { v: 'op' }>): boolean {
    const rights = rightsAmong(of)
    return rights !== undefined && this.isPersons(rights)
  }

  /** A value of the object: of a row, or of the request (`params.userId === user.id`). Roles compared with constants are none. */
  private ofObject(value: Value): boolean {
    return mentions(value, (x) => (x.v === 'row' && !this.isOwnAlone(x.step)) || x.v === 'request' || x.v === 'result')
  }

  /** The caller's row, which nothing of the request had a part in finding: that it is the caller's says nothing of another. */
  private isOwnAlone(index: number): boolean {
    const e = this.behaviour.steps[index]?.effect
    return e?.kind === 'db' && e.filters.length > 0 && !e.filters.some((f) => this.aboutObject(f.value)) && this.byFilter(e)
  }

  private aboutObject(value: Value): boolean {
    return mentions(value, (x) => x.v === 'request' || (x.v === 'row' && !isCallersRow(x.step, this.behaviour)))
  }

  /** `row.invoice_token === query.token`: whoever knows the row's own secret may. */
  private secretOf(a: Value, b: Value): boolean {
    return a.v === 'row' && /token|secret|hash|code|key|password|signature/i.test(a.field ?? '') && mentions(b, (x) => x.v === 'request')
  }

  /** The rows that came along with an object, where only those of the caller did: `include: { members: { where: { userId } } }`. */
  private amongThem(rows: Value): boolean {
    if (rows.v !== 'row' || rows.field === undefined) return false
    const e = this.behaviour.steps[rows.step]?.effect
    if (e?.kind !== 'db') return false
    const field = `${rows.field}.`
    return (e.embedded ?? []).some((f) => f.op === 'eq' && field.startsWith(f.column.slice(0, f.column.lastIndexOf('.') + 1)) && this.isPersons(f.value))
  }

  /** One of them (`team.members[0].role`): the list itself is there whether or not anything is in it. */
  private isMember(value: Value): boolean {
    return value.v === 'row' && !value.many && this.amongThem(value)
  }

  /** The row was found by a query that knows both the caller (or their rights) and the object. */
  private boundRow(index: number): boolean {
    const known = this.bound.get(index) ?? this.isBound(index)
    this.bound.set(index, known)
    return known
  }

  /** Whether there is an error when no row is found: `.maybeSingle()` and lists give nothing back, and no error. */
  private failsWithout(index: number): boolean {
    const e = this.behaviour.steps[index]?.effect
    return e?.kind !== 'db' || e.client.library !== 'supabase' || e.failsWithout === true
  }

  private isBound(index: number): boolean {
    const step = this.behaviour.steps[index]
    const e = step?.effect
    if (e?.kind === 'rpc') return this.aboutObject(e.args) && (e.client.rights === 'caller' || mentions(e.args, (x) => isCallers(x, this.behaviour)))
    if (!step || e?.kind !== 'db') return false
    const about = e.filters.some((f) => this.aboutObject(f.value)) || this.mentionsObjectTable(e)
    if (!about) return false
    if (isCallersRow(index, this.behaviour) || this.byFilter(e) || knowsSecret(e)) return true
    if (e.client.rights === 'caller') return this.rlsHolds(e)
    const objects = this.withinOne ? this.relations.objectsOf(step) : undefined
    return step.under.some((c) => this.decides(c) && (!objects || this.relations.related([c.test], objects)))
  }

  private mentionsObjectTable(query: Query): boolean {
    return query.filters.some((f) => f.value.v === 'row')
  }

  /**
   * A function that could not be followed, given the caller together with the object; a schema that the two are put through compares nothing, and what
   * is asked of the caller's own row (`['active', 'trialing'].includes(user.status)`) says nothing of another.
   */
  private unknownCheck(call: Extract<Value, { v: 'call' }>): boolean {
    if (call.name === ACCEPTED || call.name === REJECTED) return false
    const callers = call.args.some((a) => mentions(a, (x) => isCallers(x, this.behaviour)))
    return callers && call.args.some((a) => this.aboutObject(a))
  }
}

interface Literal {
  readonly value: Value
  readonly truthy: boolean
}

/** A value that is there, or is not. */
function literal(value: Value, truthy: boolean): Literal | undefined {
  if (value.v === 'op' && value.op === '!' && value.of[0]) return literal(value.of[0], !truthy)
  return value.v === 'row' || value.v === 'request' || value.v === 'any' ? { value, truthy } : undefined
}

const isOpposite = (a: Literal | undefined, b: Literal): boolean =>
  a !== undefined && a.truthy !== b.truthy && (a.value === b.value || isSame(a.value, b.value))

/** Ids of the request that a step takes in the place of what was found, and what has to hold for each. */
function namedInstead({ effect }: Step): readonly { readonly named: Value; readonly under: readonly Condition[] }[] {
  if (effect.kind !== 'db') return []
  return effect.filters.flatMap(({ op, value }) => {
    if (op !== 'eq' || value.v !== 'any' || !value.of.some((x) => x.v === 'row')) return []
    return value.of.flatMap((x, i) => (x.v === 'request' ? [{ named: x, under: value.under?.[i] ?? [] }] : []))
  })
}

/** What a test says something of, beside whether a value of the request is there. */
function looked(test: Value, depth = 0): readonly Value[] {
  if (test.v === 'request') return []
  return test.v === 'op' && /^(?:!|&&|\|\|)$/.test(test.op) && depth < 12 ? test.of.flatMap((x) => looked(x, depth + 1)) : [test]
}

/** `(rows ?? []).some(…)`: a list is missing only when the look-up failed, which nobody brings about from outside. */
function failedList(way: Value, truthy: boolean): boolean {
  if (way.v === 'op') return way.op === '!' && way.of[0] !== undefined && failedList(way.of[0], !truthy)
  return way.v === 'row' && way.many === true && way.field === undefined && !truthy
}

/** `if (block && block.org !== mine) return 404; if (block) …`: without a block nothing gets to what is under it. */
function ruledOut(way: Value, truthy: boolean, path: readonly Condition[], depth = 0): boolean {
  if (depth > 8) return false
  if (way.v === 'op') {
    const next = (x: Value) => ruledOut(x, truthy, path, depth + 1)
    if (way.op === '!') return way.of[0] !== undefined && ruledOut(way.of[0], !truthy, path, depth + 1)
    if (way.op === '&&' || way.op === '||') return (way.op === '&&') === truthy ? way.of.some(next) : way.of.every(next)
  }
  return path.some((c) => c.test === way && c.negated === truthy)
}

/** What the token of whoever is signed in does not say (`userId && role && …`): the server signed it with all of it, and who has none is check 16's. */
function lacksClaim(way: Value, truthy: boolean): boolean {
  if (way.v === 'op' && way.op === '!' && way.of[0]) return lacksClaim(way.of[0], !truthy)
  return !truthy && way.v === 'caller' && way.trust === 'verified' && way.field !== undefined
}

/** `mine || (service || admin)` is three ways, not two. */
export function alternatives(ways: readonly Value[], op: '||' | '&&', depth = 0): readonly Value[] {
  if (depth > 6) return ways
  return ways.flatMap((way) => (way.v === 'op' && way.op === op ? alternatives(way.of, op, depth + 1) : [way]))
}

/** `UserRole.ADMIN` of an enum that comes from a package, such as the client that Prisma makes of the schema. */
const isEnumMember = (value: Value): boolean => value.v === 'call' && !value.args.length && /^(?:[A-Z]\w*\.[A-Z]\w*|[A-Z][A-Z0-9_]*)$/.test(value.name)

/** `=== 'owner'`, not `=== undefined`. */
const asksForSomething = (value: Value): boolean => value.v === 'const' && value.value !== null && value.value !== undefined && value.value !== false

/** `canChat(me, other)`: `me.role === 'admin' || other.role === 'admin'` beside what joins the two. */
function asksRole(test: Value, holds: boolean, depth = 0): boolean {
  if (test.v !== 'op' || !holds || depth > 6) return false
  if (test.op === '||') return test.of.length > 0 && test.of.every((x) => asksRole(x, holds, depth + 1))
  return /^={2,3}$/.test(test.op) && test.of.some((x) => x.v === 'const') && test.of.some((x) => x.v === 'row' && /(?:^|_)role$/i.test(x.field ?? ''))
}

/** The row is found by a secret of its own as well, which the request has to know. */
function knowsSecret(query: Query): boolean {
  return query.filters.some((f) => f.op === 'eq' && /(?:^|_|\.)token$|Token$|secret/i.test(f.column) && mentions(f.value, (x) => x.v === 'request'))
}

/** A condition on an embedded table narrows the rows themselves only where the table is joined with `!inner`. */
function filtersRows(query: Query, column: string): boolean {
  const embedded = column.split('.').slice(0, -1).at(-1)
  if (!embedded || query.client.library !== 'supabase' || !query.columns) return true
  const joined = query.columns.join(',')
  return !joined.includes(embedded) || joined.includes('!inner')
}

/** The values that are empty when `way` has this truth value: `(row.email || '') === (user.email || '')` holds as well where neither has one. */
function emptied(way: Value, truthy: boolean, depth: number): readonly Value[] {
  if (depth > 8) return []
  if (way.v !== 'op') return truthy ? [] : [way]
  const next = (x: Value) => emptied(x, truthy, depth + 1)
  if (way.op === '!') return way.of[0] ? emptied(way.of[0], !truthy, depth + 1) : []
  if (way.op === (truthy ? '&&' : '||')) return way.of.flatMap(next)
  // whichever of them it is, what is empty in each is empty
  if (way.op === '&&' || way.op === '||') {
    const [first = [], ...others] = way.of.map(next)
    return first.filter((x) => others.every((o) => o.some((y) => isSame(x, y))))
  }
  const [a, b] = way.of
  if (!a || !b || !/^[!=]==?$/.test(way.op) || way.op.startsWith('!') === truthy) return []
  return isNothing(a) ? [b] : isNothing(b) ? [a] : []
}

const isNothing = (value: Value): boolean => value.v === 'const' && (value.value === '' || value.value === null || value.value === undefined)

/** `rows.length === 0`, `rows.length`, `count > 0`: whether a statement found or changed any row. */
function countedRows(test: Extract<Value, { v: 'op' }>, { steps }: Behaviour): { readonly rows: Value; readonly some: boolean } | undefined {
  const rowsOf = (x: Value | undefined): Value | undefined => {
    if (x?.v === 'op' && x.op === 'length' && x.of[0]?.v === 'row') return x.of[0]
    if (x?.v === 'result' && steps[x.step]?.effect.kind === 'db') return { v: 'row', table: '', step: x.step }
    if (x?.v !== 'row' || !COUNT.test(x.field ?? '')) return undefined
    const { field, ...rows } = x
    return rows
  }
  const whole = rowsOf(test)
  if (whole) return { rows: whole, some: true }
  const [a, b] = test.of
  const rows = rowsOf(a)
  if (!rows || b?.v !== 'const') return undefined
  const some = SOME[`${test.op.replace(/^([!=]=)=$/, '$1')} ${b.value}`]
  return some === undefined ? undefined : { rows, some }
}

const COUNT = /^(?:length|count|rowCount|rowsAffected|affectedRows|changes|numUpdatedRows|numDeletedRows|matchedCount|modifiedCount|deletedCount)$/
const SOME: Readonly<Record<string, boolean>> = {
  '== 0': false,
  '!= 0': true,
  '> 0': true,
  '>= 1': true,
  '< 1': false,
  '<= 0': false,
  '== 1': true,
  '!= 1': false,
}

/** Whether `test` being `truthy` says that a value of the request is the caller's id. */
function isCallersId(test: Value, truthy: boolean, value: Value, depth = 0): boolean {
  if (test.v !== 'op' || depth > 8) return false
  const next = (x: Value, t: boolean) => isCallersId(x, t, value, depth + 1)
  const [a, b] = test.of
  if (test.op === '!') return a !== undefined && next(a, !truthy)
  if (test.op === '&&' || test.op === '||') return (test.op === '&&') === truthy ? test.of.some((x) => next(x, truthy)) : test.of.every((x) => next(x, truthy))
  if (!/^[!=]==?$/.test(test.op) || test.op.startsWith('!') === truthy || !a || !b) return false
  const isId = (x: Value) => x.v === 'caller' && /^(?:id|sub|uid|user_?id)$/i.test(x.field ?? 'id')
  return (isId(a) && isSame(b, value)) || (isId(b) && isSame(a, value))
}

/** The same field of the same thing. */
export function isSame(a: Value, b: Value): boolean {
  if (a.v === 'row') return b.v === 'row' && a.table === b.table && a.field === b.field
  if (a.v === 'request') return b.v === 'request' && a.part === b.part && a.name === b.name
  return a.v === 'caller' && b.v === 'caller' && a.field === b.field
}
