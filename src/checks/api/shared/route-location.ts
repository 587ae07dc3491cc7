import type { Place } from '../../../lib/place.ts'
import type { Route } from '../../../model/routes/routes.ts'

/** Of a long handler its beginning is shown. */
const SHOWN_LINES = 20

/** Where a finding about a whole handler or page stands. */
export const placeOfRoute = ({ path, line, endLine }: Route): Place & { readonly endLine?: number } => ({
  path,
  line,
  ...(endLine ? { endLine: Math.min(endLine, line + SHOWN_LINES) } : {}),
})
