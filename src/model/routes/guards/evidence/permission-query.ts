import { says } from '../../../../lib/snake-case.ts'
import { mentions } from '../../../behaviour/domain/contains.ts'
import type { Effect, Filter, Step } from '../../../behaviour/types.ts'
import { isTainted } from '../../request/request-taint.ts'
import type { Proof } from '../guard-model.ts'
import { isRoleField, namesAdministrator } from '../identity-words.ts'

/** What roles and permissions are called, in the languages that tables are named in. */
const OF_RIGHTS = /(?:^|_)(?:rol(?:es?)?|ruol[oi]|permissions?|permisos?|permiss(?:ao|oes)|permess[oi]|rights|privileges?|grants)(?:$|_)/i

/**
 * `user_roles` filtered by the caller and `role = 'admin'`: the row is there only for those who hold the role. In a table of roles or rights any word
 * of the code is one, whatever its column is called.
 */
export function asksForRole({ table, filters }: { readonly table: string; readonly filters: readonly Filter[] }): boolean {
  const ofRights = says(OF_RIGHTS, table)
  return filters.some((f) => {
    const asked = f.op !== 'eq' && f.op !== 'in' ? [] : f.value.v === 'array' ? f.value.items : f.value.v === 'any' ? f.value.of : [f.value]
    return asked.length > 0 && asked.every((x) => x.v === 'const' && (isRoleField(f.column) || namesAdministrator(x.value) || (ofRights && isWord(x.value))))
  })
}

const isWord = (value: unknown): boolean =>
  typeof value === 'string' && /^[a-z][\w.:-]{1,60}$/i.test(value) && !/^(?:active|approved|enabled|true|accepted)$/i.test(value)

const PERMISSION_TABLE = /(?:^|[._])(?:\w{1,40}_)?(?:access|permissions?|rights|privileges|grants)$/i
const PERMISSION_FUNCTION_NAME = /^(?:can|may)_?[a-z]/i

/** What a table of rights says that somebody may do with a part of the application: `module_access.can_manage`, found by the person alone. */
export function isGrant({ table, filters }: { readonly table: string; readonly filters: readonly Filter[] }, field: string | undefined): boolean {
  return field !== undefined && PERMISSION_FUNCTION_NAME.test(field) && PERMISSION_TABLE.test(table) && !filters.some((f) => isTainted(f.value))
}

/** What an endpoint that is asked about the caller says of their rights: `(await fetch(`/api/permissions?user=${userId}`)).roles`. */
export function rightsToldOf({ effect: e, at }: Step, field: string | undefined): Proof | undefined {
  if (e.kind !== 'http' || !isRoleField(field)) return undefined
  const named = e.args.some((a) => mentions(a, (x) => x.v === 'caller' && x.trust === 'verified'))
  return named ? { who: 'user', trust: 'verified', how: `${field} of whoever is signed in, asked by HTTP`, at } : undefined
}

/** A question of the database about what the caller is, or may do whatever the request is about: `has_permission(auth.uid(), 'members')`. */
export const asksForRight = ({ function: name, args }: Extract<Effect, { kind: 'rpc' }>): boolean =>
  /admin|role|owner|staff|super/i.test(name) || (/permi(?:ssion|t)|privilege|authori[sz]|(?:^|_)(?:can|may)_/i.test(name) && !isTainted(args))

const ANY_ADMINISTRATOR =
  /(?:^|_)(?:any|first)_?(?:super_?)?admins?(?:_exists?)?$|(?:^|_)admins?_exists?$|(?:^|_)has_admins?$|(?:^|_)needs_(?:bootstrap|setup)$/i

/** What nobody answers yes to but once: as long as there is no administrator, whoever comes first sets the application up. */
export function beforeAnyAdministrator({ effect: e, at }: Step): Proof | undefined {
  const asked =
    (e.kind === 'rpc' && ANY_ADMINISTRATOR.test(e.function) && !isTainted(e.args)) ||
    (e.kind === 'db' && e.op === 'select' && e.filters.length > 0 && asksForRole(e) && e.filters.every((f) => f.value.v === 'const'))
  return asked ? { who: 'admin', trust: 'verified', how: 'the first account, while there is no administrator', at } : undefined
}
