import type { Expr, Pattern } from '../../../facts/javascript.ts'
import type { Place } from '../../../lib/place.ts'
import type { Scope } from '../domain/abstract-value.ts'
import { array, constant, isNullish, type Val } from '../domain/abstract-value.ts'
import { GLOBAL_OBJECTS, index, member } from '../domain/members.ts'
import type { Interpreter } from '../interpreter.ts'
import { holderOf } from '../modules/program.ts'
import { evaluate, settle } from '../operations.ts'
import { changeDocument } from '../platform/document-mutation.ts'
import { answerByField } from '../platform/response-methods.ts'
import { keepBefore, keepInSession } from '../platform/session-object.ts'
import { urlWith } from '../platform/url-search-params.ts'

/** Binds a pattern to a value in a scope (declaration). */
export function bind(it: Interpreter, to: Pattern, value: Val, scope: Scope, line: number): void {
  const place = scope.at(line)
  switch (to.k) {
    case 'name':
      it.write(scope, to.name, withDefault(it, value, to, scope, place))
      return
    case 'object': {
      const of = settle(it, withDefault(it, value, to, scope, place), place)
      for (const p of to.props) bind(it, p.to, settle(it, member(it, of, p.key, place), place), scope, line)
      if (to.rest)
        it.write(
          scope,
          to.rest,
          of.v === 'object' ? { ...of, props: Object.fromEntries(Object.entries(of.props).filter(([n]) => !to.props.some((p) => p.key === n))) } : of,
        )
      return
    }
    case 'array': {
      const of = settle(it, withDefault(it, value, to, scope, place), place)
      to.items.forEach((p, i) => {
        if (p) bind(it, p, index(it, of, constant(i), place), scope, line)
      })
      if (to.rest) it.write(scope, to.rest, of.v === 'array' ? array(of.items.slice(to.items.length), of.more) : of)
      return
    }
    case 'rest':
      bind(it, to.to, value, scope, line)
      return
    case 'expr':
      assignTo(it, to, value, scope, line)
  }
}

function withDefault(it: Interpreter, value: Val, to: Pattern, scope: Scope, place: Place): Val {
  const init = to.k === 'name' || to.k === 'object' || to.k === 'array' ? to.init : undefined
  if (!init) return value
  if (value.v === 'const' && value.value === undefined) return settle(it, evaluate(it, init, scope), place)
  return isNullish(value) || value.v === 'unknown' ? evaluate(it, init, scope) : value
}

/** Assigns to a pattern whose names exist already. */
export function assignTo(it: Interpreter, to: Pattern, value: Val, scope: Scope, line: number): void {
  const place = scope.at(line)
  switch (to.k) {
    case 'name': {
      const holder = holderOf(it.program, to.name, scope) ?? scope
      holder.promised?.delete(to.name)
      it.write(holder, to.name, value)
      return
    }
    case 'object':
      for (const p of to.props) assignTo(it, p.to, settle(it, member(it, value, p.key, place), place), scope, line)
      return
    case 'array':
      to.items.forEach((p, i) => {
        if (p) assignTo(it, p, index(it, value, constant(i), place), scope, line)
      })
      return
    case 'rest':
      assignTo(it, to.to, value, scope, line)
      return
    case 'expr': {
      const target = to.expr
      if (target.k === 'id') {
        assignTo(it, { k: 'name', name: target.name }, value, scope, line)
        return
      }
      if (target.k !== 'mem' && target.k !== 'idx') return
      const name = target.k === 'mem' ? target.name : keyName(settle(it, evaluate(it, target.index, scope), place))
      setMember(it, target.of, name, value, scope, line)
    }
  }
}

function keyName(val: Val): string | undefined {
  return val.v === 'const' && (typeof val.value === 'string' || typeof val.value === 'number') ? String(val.value) : undefined
}

/** The object or list, whichever of several it is, with one more member; a name that is not known may be any of them. */
function withMember(it: Interpreter, owner: Val, name: string | undefined, value: Val): Val | undefined {
  if (owner.v === 'any') return it.distribute(owner, (of) => withMember(it, of, name, value) ?? of)
  if (owner.v === 'object')
    return name === undefined ? { v: 'object', props: owner.props, rest: value } : { ...owner, props: { ...owner.props, [name]: value } }
  if (owner.v === 'array') return { v: 'array', items: owner.items, more: value }
  if (name === 'searchParams') return urlWith(owner, value)
  // `req.body.user = req.user.id`: of what was sent under that name nothing is left
  if (owner.v === 'request' && owner.name === undefined && name !== undefined && REQUEST_MEMBERS.has(owner.part))
    return { v: 'object', props: { [name]: value }, rest: owner }
  return undefined
}

const REQUEST_MEMBERS: ReadonlySet<string> = new Set(['body', 'params', 'query', 'form'])

const RESPONSE_METHODS = new Set(['json', 'jsonp', 'send', 'end', 'write', 'writeHead', 'status', 'sendStatus', 'sendFile', 'render', 'redirect'])

/** `owner.name = value`: objects are values here, so the variable that holds the owner gets the changed object. */
function setMember(it: Interpreter, ownerExpr: Expr, name: string | undefined, value: Val, scope: Scope, line: number): void {
  const owner = settle(it, evaluate(it, ownerExpr, scope), scope.at(line))
  if (owner.v === 'instance') {
    if (name) it.write(owner.fields, name, value)
    return
  }
  if (owner.v === 'host') {
    if (name && owner.host === 'session') keepBefore(owner, name, scope.at(line))
    if (name && owner.host === 'koa-context') answerByField(it, owner, name, value, scope.at(line))
    // `res.json = function (body) { … original.apply(res, [body]) }`, which logs what is answered: it still answers
    if (name && !(owner.host === 'express-res' && RESPONSE_METHODS.has(name))) it.write(owner.props, name, value)
    if (name && owner.host === 'session') keepInSession(it, name, value, scope.at(line))
    return
  }
  if (owner.v === 'class') {
    if (name) it.write(owner.statics, name, value)
    return
  }
  if (owner.v === 'global') {
    if (name && GLOBAL_OBJECTS.has(owner.name)) it.write(it.globals, name, value)
    return
  }
  if (owner.v === 'row') {
    changeDocument(it, owner, name, value)
    return
  }
  if (owner.v === 'caller') {
    if (name) keepInSession(it, name, value, scope.at(line))
    return
  }
  const changed = withMember(it, owner, name, value)
  if (!changed) return
  if (ownerExpr.k === 'id' || ownerExpr.k === 'mem' || ownerExpr.k === 'idx')
    assignTo(it, ownerExpr.k === 'id' ? { k: 'name', name: ownerExpr.name } : { k: 'expr', expr: ownerExpr }, changed, scope, line)
}

const REFINES =
  /^(?:eq|neq|gte?|lte?|in|is|like|ilike|or|and|not|match|filter|contains|containedBy|overlaps|textSearch|order|limit|range|(?:and|or)?[wW]here\w*|orderBy|offset)$/

const DIGEST_UPDATE_CALL = /^(?:default\.)?(?:crypto\.)?createH(?:mac|ash)(?:\.update)+$/

/**
 * `query.eq('team', id)` as a statement: the builders of supabase-js and Knex change in place, and run where they are awaited.
 * `hmac.update(text)` takes in what is to be signed.
 */
export function refinesInPlace(it: Interpreter, e: Expr, value: Val, scope: Scope): boolean {
  if (e.k !== 'call' || e.fn.k !== 'mem' || e.fn.of.k !== 'id') return false
  const name = e.fn.name
  if (name === 'assign' && e.fn.of.name === 'Object') return assignsInPlace(it, e.args[0], value, scope, e.l)
  if (name !== 'update' && !REFINES.test(name)) return false
  const builders = value.v === 'any' ? value.alts.map((a) => a.value) : [value]
  const changed = (b: Val): boolean => {
    if (b.v !== 'chain' || b.links.length < 2) return false
    if (name === 'update') return b.root.v === 'lib' && DIGEST_UPDATE_CALL.test(b.links.map((l) => l.name).join('.'))
    return b.root.v === 'client' && /^(?:supabase|knex)$/.test(b.root.client.library)
  }
  if (!builders.every(changed)) return false
  assignTo(it, { k: 'name', name: e.fn.of.name }, value, scope, e.l)
  return true
}

/** `Object.assign(values, more)` as a statement: the variable holds the object with all of it. */
function assignsInPlace(it: Interpreter, target: Expr | undefined, value: Val, scope: Scope, line: number): boolean {
  if (target?.k !== 'id' || value.v !== 'object') return false
  const before = it.narrow(evaluate(it, target, scope))
  if (before.v !== 'object' && before.v !== 'any') return false
  assignTo(it, { k: 'name', name: target.name }, value, scope, line)
  return true
}
