import { says } from '../../../lib/snake-case.ts'
import type { Table } from '../../database.ts'

// Two questions are asked of a table's name, and they differ on purpose. Where a policy is replaced that lets owners write, they lose it only if the rows
// are rights and nothing else. Where a table has no policy yet, nobody loses anything, and to be careful is cheap: there it is enough that a row may let
// its holder in somewhere. Both know the words for rights in the languages that tables are named in.

const RIGHTS = String.raw`roles?|role_assignments?|permissions?|privileges?|moderators?|access|acess\w{1,3}|accesos?|permiss[aoõ]\w{1,3}|permisos?|permessi|privileg\w{1,3}|papeis|ruoli`
/** Who belongs to something, and what opens something to whoever has it. */
const ADMITTING = String.raw`grants?|staff|operators?|members?|memberships?|collaborators?|invit\w{0,8}|allow_?lists?|white_?lists?|scanners?|terminals?|api_?keys?|features?|unlocks?|acces|accessi`

const NOTHING_BUT_RIGHTS = new RegExp(
  `^(?:(?:super|site|app|platform|system)_?)?(?:admins?|administrators?)$|^admin_users?$|(?:^|_)(?:${RIGHTS}|access_(?:right|level|grant)s?)$`,
)
const MAY_GIVE_RIGHTS = new RegExp(`admin|(?:^|_)(?:${RIGHTS}|${ADMITTING})(?:_|$)`)

type Named = Pick<Table, 'name'>

/** Whether the rows of a table are rights and nothing else, by its name. */
export const isCalledRights = ({ name }: Named): boolean => says(NOTHING_BUT_RIGHTS, name)

/** Whether rows of a table may say who runs the application, who belongs to something or who may do what: whoever adds one of his own makes himself one of them. */
export const mayGiveRights = ({ name }: Named): boolean => says(MAY_GIVE_RIGHTS, name)
