import { says } from '../../../lib/snake-case.ts'
import type { Table } from '../../database.ts'

/** What somebody is given who has passed or taken part, in the languages that builders' users write in. */
const CERTIFICATE = /(?:^|_)(?:certificat(?:e|es|o|os|i|ion|ions)|certificad[oa]s?|diplomas?|zertifikate?)$/i
/** By what a third person finds out whether it is genuine. */
const PROVES =
  /^(?:certificate|verification|validation|diploma)_?(?:code|number|no|hash|id|token|uid)$|^(?:serial_number|credential_id|numero_certificado|codigo_(?:validacao|verificacao|validacion|verificacion))$/i
/** What it says of its holder. */
const SAYS_OF_HOLDER = /^(?:course|product|exam|program|curso|produto)_?(?:id|name|title|hours)?$|^(?:score|grade|final_score|hours|workload|nota)$/i

/** Columns of a certificate that say what its holder has done, which whoever issues it says: empty where a table holds none. */
export function certified(table: Table): readonly string[] {
  if (!says(CERTIFICATE, table.name) || !table.columns.some((c) => says(PROVES, c.name))) return []
  return table.columns.filter((c) => !c.generated && says(SAYS_OF_HOLDER, c.name)).map((c) => c.name)
}
