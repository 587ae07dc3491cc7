import type { Hole } from '../../database/database.ts'
import { lastPart } from '../../lib/last-part.ts'
import type { AppModel } from '../../model/app-model.ts'
import { isOfAdministrators } from '../api/audience.ts'
import type { Fix } from '../define-check.ts'

type Model = Pick<AppModel, 'schema' | 'modules'>

/** A parameter that names a user. */
const USER =
  /^_?(?:p|v|in|arg|param|the|target|input)?_?(?:user|profile|owner|member|customer|account|caller|auth|player|sender|author)_?(?:id|uid|uuid)?(?:_in|_param)?$/i

/** What somebody does to others, by the name of the function. */
const ACTS_ON_OTHERS =
  /^(?:admin|grant|revoke|remove|kick|ban|unban|approve|reject|promote|demote|assign|unassign|suspend|block|unblock|appoint|invite|impersonate)(?:_|$)|^(?:set|update|change|add|give)_(?:\w{1,40}_)?(?:roles?|permissions?|admin)(?:_|$)/i

/** The policy on what the function writes that says who may do so without it. */
function askedThere({ schema }: Model, hole: Hole): string {
  for (const { table, command } of hole.tables ?? []) {
    const asking = schema.policies.filter(
      (p) => `${p.schema}.${p.table}` === table && /\w\(/.test(`${p.using ?? ''}${p.check ?? ''}`.replace(/auth\.\w+\(\)/g, '')),
    )
    const asks = asking.find((p) => p.command === command) ?? asking.find((p) => p.command === 'all')
    if (asks) return `, as the policy "${asks.name}" on ${table} does`
  }
  return ''
}

/** A fix that takes the privilege to call a function, with the pages that call it and what has to change so that they can go on. */
export function withCallers(model: Model, hole: Hole, fix: Fix): Fix {
  const name = lastPart(hole.object.split('(')[0] ?? '')
  const calls = (model.schema.calls ?? []).filter((c) => lastPart(c.function) === name && model.modules.inBrowser(c.path, c.line))
  const taken = /revoke execute on function [^;]*\bfrom\b[^;]*\bauthenticated\b/.test(fix.code ?? '')
  const [first] = calls
  if (!first || !taken) return fix
  const others = calls.length - 1
  const place = `${first.path}:${first.line}${others ? ` (and ${others} more ${others > 1 ? 'places' : 'place'})` : ''}`
  const users = (model.schema.functions.find((f) => lastPart(f.name) === name)?.args ?? []).filter((a) => a.type === 'uuid' && USER.test(a.name ?? ''))
  const [user] = users
  const onOthers = ACTS_ON_OTHERS.test(name) || calls.every((c) => isOfAdministrators(c.path))
  const instead = onOthers
    ? `let the function ask by auth.uid() what the caller may do with others${askedThere(model, hole)}, refuse everybody else (a comparison of ${user?.name ?? 'the id that is passed'} with the caller would let everybody do it to himself and nobody who is to do it), and take the privilege from public and anon alone`
    : user?.name && users.length === 1
      ? `let it begin with "if auth.role() <> 'service_role' and ${user.name} is distinct from auth.uid() then raise exception 'not allowed'; end if;", and take the privilege from public and anon alone`
      : 'make the call on the server, or let the function find out by auth.uid() whose rows it may touch and refuse everything else, and keep the privilege for those who call it'
  return { ...fix, text: `${fix.text} ${place} calls it in the browser and fails without the privilege. To keep that working, ${instead}.` }
}
