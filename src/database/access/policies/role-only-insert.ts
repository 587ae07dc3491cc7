import type { Table } from '../../database.ts'
import type { RowState, Way } from '../expression/disjunct.ts'
import type { Reading } from './read-policies.ts'

/** What users are to each other, and say of themselves when they sign up: not what somebody does for the application. */
const PARTY =
  /^((home|pet|property|business|shop|store|car|horse)_?owner|seller|vendor|merchant|supplier|(service_?)?provider|host|landlord|renter|guest|buyer|customer|client|sitter|walker|driver|rider|courier|passenger|carrier|shipper|freelancer|contractor|professional|worker|tasker|employer|recruiter|candidate|job_?seeker|applicant|student|learner|tutor|teacher|instructor|coach|trainer|mentor|patient|doctor|therapist|creator|influencer|brand|artist|musician|organi[sz]er|attendee|volunteer|farmer|chef|breeder|author|writer|photographer|member|cliente|prestador|proveedor|fornecedor|vendedor|comprador|aluno|alumno|professor|profesor|paciente|motorista|venditore|fornitore)$/i
/** Columns that say whose a row is because he made it; for whom one is made is another matter. */
const MAKER =
  /^(owner|author|creator|seller|vendor|merchant|supplier|provider|host|landlord|organi[sz]er|publisher|employer|poster|sender|driver|freelancer|tutor|teacher|instructor|coach|trainer|mentor|artist|breeder)(_(user|profile))?_?(id|uid)$|^(created|posted|submitted|published|owned)_by(_id|_user_id)?$/i
const STAFF_ROLE_WORD = /admin|staff|super|moderat|manager|operator|employee|internal/i

const isFlag = ({ op, value, column }: RowState): boolean => op === '=' && value === true && !STAFF_ROLE_WORD.test(column)
const isParty = ({ op, value }: RowState): boolean => op === '=' && typeof value === 'string' && PARTY.test(value)

/** All that is asked of the caller is that he is one of many who are alike. */
const asksWhatOnly = (way: Way): boolean =>
  way.outcome === 'role' && way.states.length === 0 && way.gates.some(isParty) && way.gates.every((g) => isParty(g) || isFlag(g))

/**
 * Owner columns that a policy for new rows leaves free because it asks only what the caller is (`has_role(auth.uid(), 'seller')`), where whoever
 * stands in them changes or deletes the row, and being such a one lets nobody at others' rows.
 */
export function freeToThoseAlike(table: Table, reading: Reading, readings: readonly Reading[]): readonly string[] {
  if (!reading.ways.some(asksWhatOnly)) return []
  const others = readings.filter((r) => r.role === 'authenticated' && r.command !== 'insert')
  if (others.some((r) => r.ways.some((w) => w.outcome === 'role' && w.gates.some(isParty)))) return []
  const changing = others.filter((r) => r.command === 'update' || r.command === 'delete')
  const held = new Set(changing.flatMap((r) => r.ways.flatMap((w) => (w.outcome === 'owner' ? w.ownerColumns : []))))
  return (table.userData?.ownerColumns ?? []).filter((c) => MAKER.test(c) && held.has(c))
}
