import type { Hole } from '../../database/database.ts'
import { lastPart } from '../../lib/last-part.ts'
import type { AppModel } from '../../model/app-model.ts'
import type { Fix } from '../define-check.ts'

type Model = Pick<AppModel, 'schema' | 'modules'>

/** A parameter that names a user. */
const USER =
  /^_?(?:p|v|in|arg|param|the|target|input)?_?(?:user|profile|owner|member|customer|account|caller|auth|player|sender|author)_?(?:id|uid|uuid)?(?:_in|_param)?$/i

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
  const instead =
    user?.name && users.length === 1
      ? `let it begin with "if auth.role() <> 'service_role' and ${user.name} is distinct from auth.uid() then raise exception 'not allowed'; end if;", and take the privilege from public and anon alone`
      : 'make the call on the server, or let the function find out by auth.uid() whose rows it may touch and refuse everything else, and keep the privilege for those who call it'
  return { ...fix, text: `${fix.text} ${place} calls it in the browser and fails without the privilege. To keep that working, ${instead}.` }
}
