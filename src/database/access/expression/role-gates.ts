import type { JudgeWorld, RowState } from './disjunct.ts'

const ROLE_COLUMN =
  /(?:^|_)(?:rol|papel|ruolo|rolle|funcao|cargo|perfil|nivel|peran|jabatan)(?:_id)?$|^tipo(?:_de)?(?:_(?:usuario|user|utente|conta|cuenta|acesso|acceso))?(?:_id)?$|role|admin|staff|moderator|perm|user_?type|account_?type|^type$|level|tier|rank|privilege|super|access|acess|acceso|acc[eè]s|zugriff|^m[oó]dul\w{0,3}\.|position|clearance|scope|^can_|is_owner|^is_(?!active|deleted|publi|verified|enabled)/i
const ROLE_GATE_TABLE =
  /admin|role|permission|moderator|staff|employee|superuser|(?:system|site|platform)_?owner|operator|manager|teacher|doctor|instructor|therapist|agent|driver|officer|privilege|grant|allow(?:ed_|_?list)|white_?list|authori[sz]ed_/i
/** What nobody is by default, whatever the column is called: `kind = 'superadmin'`. */
const ROLE_VALUE = /^(?:super|sys(?:tem)?)?[-_ ]?(?:admin|administra(?:t|d)or|moderator)$/i

/** Whether conditions on tables that are keyed by the caller tell some users from others. */
export function isRoleGated(gates: readonly RowState[], tables: readonly string[], world: JudgeWorld): boolean {
  const roles = gates.filter(asksForRole)
  if (roles.length) return roles.some((g) => isRoleGate(g, world))
  return tables.some((t) => ROLE_GATE_TABLE.test(bare(t)) || world.isStaffList?.(t) === true)
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

function bare(table: string): string {
  return table.slice(table.indexOf('.') + 1)
}
