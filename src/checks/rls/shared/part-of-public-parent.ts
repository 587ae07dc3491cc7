import { isInTheWindow } from '../../../database/access/row-audience/for-sale.ts'
import { isMeantToBeSeen, isPrivateByName } from '../../../database/access/row-audience/public-content.ts'
import type { Hole, Table } from '../../../database/database.ts'
import type { AppModel } from '../../../model/app-model.ts'
import { policiesOf, qualifiedName, tableOfHole } from '../messages/rls.ts'

type Model = Pick<AppModel, 'schema' | 'access'>

const PUBLIC_POLICY_ROLE = /^(public|anon|authenticated)$/i

/**
 * Rows that are part of what their owner shows to everybody, the opening hours of a hall or the pictures of an advertisement: they name
 * nobody themselves, and nobody but that owner writes them. What visitors add to it (the answers to a form) is no such part.
 */
export function isPartOfShown(model: Model, table: Table, hole: Hole): boolean {
  const data = table.userData
  if (!data || data.ownerColumns.length || data.personalColumns.length || data.powerColumns.length || isPrivateByName(table.name)) return false
  const parents = table.foreignKeys.flatMap((f) => {
    const parent = tableOfHole(model.schema, f.references)
    return parent?.userData ? [{ parent, columns: f.columns }] : []
  })
  if (!parents.length || !data.tenantColumns.every((c) => parents.some((p) => p.columns.includes(c)))) return false
  return isWrittenByItsOwner(model, table) && parents.every(({ parent }) => isShown(model, parent, hole.who))
}

/** Some policy lets browsers add such rows, and none of them lets anybody but the owner. */
function isWrittenByItsOwner({ schema, access }: Model, table: Table): boolean {
  const name = qualifiedName(table)
  if (access.holes?.some((h) => h.kind === 'policy' && h.object === name && h.command !== 'select')) return false
  return policiesOf(schema, table).some(
    (p) => p.permissive && (p.command === 'insert' || p.command === 'all') && p.roles.some((r) => PUBLIC_POLICY_ROLE.test(r)),
  )
}

function isShown({ schema, access }: Model, table: Table, who: Hole['who']): boolean {
  const name = qualifiedName(table)
  const open = access.holes?.find((h) => h.kind === 'policy' && h.object === name && h.command === 'select')
  if (open) return (open.who === 'anon' || who !== 'anon') && isMeantToBeSeen(table, open.policy, schema.tables)
  if (isOffered(table, schema)) return true
  const role = who === 'anon' ? 'anon' : 'A'
  const cells = access.objects.find((o) => o.kind === 'table' && o.object === name)?.cells ?? []
  return cells.some((c) => c.role === role && c.command === 'select' && c.row === 'other' && c.result === 'allowed')
}

/** Rows that a policy shows while they are on offer: what is for sale is for everybody to see, and no finding. */
const isOffered = (table: Table, schema: Model['schema']): boolean =>
  policiesOf(schema, table).some(
    (p) =>
      p.permissive &&
      (p.command === 'select' || p.command === 'all') &&
      [...(p.using ?? '').matchAll(/"?(\w{1,63})"?\s{0,3}=\s{0,3}(?:'(\w{1,63})'|(true))/g)].some(([, column = '', text, yes]) =>
        isInTheWindow(table, { column, op: '=', value: text ?? yes === 'true' }),
      ),
  )
