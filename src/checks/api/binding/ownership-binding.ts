/**
 * What ties the rows that a handler touches to the person who calls it: a filter of the query, or something that was decided before. The central question of
 * check 17; what it asks of single tests stands in the files beside it.
 */
import { keptList } from '../../../lib/memo/list-by-key.ts'
import { ACCEPTED, isCallers, isCallersRow, mentions, REJECTED } from '../../../model/behaviour/identity/caller-values.ts'
import type { Behaviour, Condition, Query, Step, Value } from '../../../model/behaviour/types.ts'
import { isPersons, provesService } from '../principal/human-caller.ts'
import { provesRole } from '../principal/role-test.ts'
import { operandsOf } from './disjuncts.ts'
import { filtersByPerson } from './principal-filter.ts'
import { Relations } from './related-identifiers.ts'
import { countedRows } from './row-count-test.ts'
import { type AskedWays, isHarmless } from './safe-alternatives.ts'
import { isSame } from './value-equality.ts'

/** Whose rights hold for the rows of a query that runs with the caller's own client; false when row level security does not. */
export type RlsHolds = (query: Query) => boolean

/** What ties the rows that a handler touches to the person who calls it. */
export class Ties {
  private readonly behaviour: Behaviour
  private readonly relations: Relations
  private readonly rlsHolds: RlsHolds
  /** Whether a database function says no to whoever asks without a session. */
  readonly refusesServer: (name: string) => boolean
  /** Rows that were asked about, by their step: conditions mention the same ones again and again. */
  private readonly bound = new Map<number, boolean>()
  /** What was found out about tests, by what is going to be touched: behaviours share their values, and parts stand in many of them. */
  private readonly held = new Map<Query | undefined, Map<Value, boolean[]>>()
  /** What had to hold on the way to a query. */
  private readonly paths = new Map<Query, readonly Condition[]>()

  constructor(behaviour: Behaviour, rlsHolds: RlsHolds, refusesServer: (name: string) => boolean = () => false) {
    this.behaviour = behaviour
    this.relations = new Relations(behaviour)
    this.rlsHolds = rlsHolds
    this.refusesServer = refusesServer
  }

  /** A filter of the query itself names the caller (or a row of theirs). */
  byFilter(query: Query): boolean {
    return filtersByPerson(query, this.behaviour)
  }

  /** `row ? body.id : made.id`: what the request names is taken only where it was found to be the caller's, and otherwise what was made here. */
  bySource(value: Value): boolean {
    if (value.v !== 'any' || !value.under) return false
    const harmless = (x: Value) => x.v === 'const' || (x.v === 'row' && isPersons(x, this.behaviour))
    return (
      value.of.some((x) => x.v === 'request') &&
      value.of.every((x, i) => harmless(x) || (x.v === 'request' && (value.under?.[i] ?? []).some((c) => c.test.v === 'row' && this.decides(c))))
    )
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
        deciding.some((c) => this.relations.related(lookedAt(c.test), [named], false)) ||
        under.some((c) => this.decides(c, about) || this.isByRole(c.test, !c.negated) || provesService(c.test, !c.negated, this.behaviour)),
    )
  }

  /** The caller's own id, which a comparison established, is the key of what the step touches: `if (userId !== user.id) return 403`. */
  keyedByCaller({ effect, under }: Step): boolean {
    return effect.kind === 'db' && effect.filters.some((f) => f.op === 'eq' && under.some((c) => isCallersId(c.test, !c.negated, f.value)))
  }

  /** Whether a condition being met ties the object of the request to the caller. */
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

  /** The kept answers about a test: at twice the depth where it is falsy, and one further where it is truthy. */
  private heldOf(test: Value, about: Query | undefined): boolean[] {
    const tests = this.held.get(about) ?? new Map<Value, boolean[]>()
    this.held.set(about, tests)
    return keptList(tests, test)
  }

  /** What `holds` answers, found out anew. */
  private ties(test: Value, truthy: boolean, depth: number, about: Query | undefined): boolean {
    const next = (x: Value, t: boolean) => this.holds(x, t, depth + 1, about)
    const callers = (x: Value) => isPersons(x, this.behaviour)
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

  /** Ways of which any may be the one: one ties the object, and each other does too or does no harm. */
  private eachWay(among: readonly Value[], truthy: boolean, depth: number, about: Query | undefined): boolean {
    const ways = operandsOf(among, truthy ? '||' : '&&')
    const tied = ways.filter((x) => this.holds(x, truthy, depth + 1, about))
    if (!tied.length) return false
    const path = (about && this.paths.get(about)) ?? []
    const asked: AskedWays = {
      behaviour: this.behaviour,
      tied,
      path,
      about,
      holds: (x, t, at) => this.holds(x, t, at, about),
      isOfObject: (x) => this.ofObject(x),
    }
    return ways.every((x) => tied.includes(x) || isHarmless(x, truthy, asked, depth))
  }

  /** Whether only somebody of a role gets through. */
  isByRole(test: Value, truthy: boolean): boolean {
    return provesRole(test, truthy, this.behaviour)
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

  /** A value that names the object: the request's, or of a row that is not the caller's own. */
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
    return (e.embedded ?? []).some(
      (f) => f.op === 'eq' && field.startsWith(f.column.slice(0, f.column.lastIndexOf('.') + 1)) && isPersons(f.value, this.behaviour),
    )
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

  /** What `boundRow` answers, found out anew. */
  private isBound(index: number): boolean {
    const step = this.behaviour.steps[index]
    const e = step?.effect
    if (e?.kind === 'rpc') return this.aboutObject(e.args) && (e.client.rights === 'caller' || mentions(e.args, (x) => isCallers(x, this.behaviour)))
    if (!step || e?.kind !== 'db') return false
    const about = e.filters.some((f) => this.aboutObject(f.value) || f.value.v === 'row')
    if (!about) return false
    if (isCallersRow(index, this.behaviour) || this.byFilter(e) || knowsSecret(e)) return true
    if (e.client.rights === 'caller') return this.rlsHolds(e)
    // what was found behind a check is the caller's only where that check says something of it: of one id of the request, it says nothing of another
    const objects = this.relations.objectsOf(step)
    return step.under.some((c) => this.decides(c) && this.relations.related([c.test], objects))
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

/** Ids of the request that a step takes in the place of what was found, and what has to hold for each. */
function namedInstead({ effect }: Step): readonly { readonly named: Value; readonly under: readonly Condition[] }[] {
  if (effect.kind !== 'db') return []
  return effect.filters.flatMap(({ op, value }) => {
    if (op !== 'eq' || value.v !== 'any' || !value.of.some((x) => x.v === 'row')) return []
    return value.of.flatMap((x, i) => (x.v === 'request' ? [{ named: x, under: value.under?.[i] ?? [] }] : []))
  })
}

/** What a test says something of, beside whether a value of the request is there. */
function lookedAt(test: Value, depth = 0): readonly Value[] {
  if (test.v === 'request') return []
  return test.v === 'op' && /^(?:!|&&|\|\|)$/.test(test.op) && depth < 12 ? test.of.flatMap((x) => lookedAt(x, depth + 1)) : [test]
}

/** `=== 'owner'`, not `=== undefined`. */
const asksForSomething = (value: Value): boolean => value.v === 'const' && value.value !== null && value.value !== undefined && value.value !== false

/** The row is found by a secret of its own as well, which the request has to know. */
function knowsSecret(query: Query): boolean {
  return query.filters.some((f) => f.op === 'eq' && /(?:^|_|\.)token$|Token$|secret/i.test(f.column) && mentions(f.value, (x) => x.v === 'request'))
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
