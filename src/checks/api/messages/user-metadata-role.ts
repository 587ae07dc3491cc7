import { editableClaim } from '../../../model/routes/guards/evidence/user-metadata-claim.ts'
import type { Route } from '../../../model/routes/routes.ts'
import type { Known } from '../remediation/fix-context.ts'
import type { OwnershipBreach } from '../shared/violation.ts'
import type { SaidOfBreach } from './types.ts'

const NOBODY_ASKED = 'The handler asks only whether somebody is signed in'

/** A test of what every user edits is no question for an administrator, but its author takes it for one. */
export function besideMetadata(b: OwnershipBreach, route: Route, { around }: Known, said: SaidOfBreach): SaidOfBreach {
  const claim = b.kind === 'admin' && b.area ? editableClaim(route.path, around.code(route.path)) : undefined
  if (!claim || !said.message.includes(NOBODY_ASKED)) return said
  return {
    ...said,
    message: said.message
      .replace(
        NOBODY_ASKED,
        `What ${claim.path}:${claim.line} compares is the user's own metadata, which every user edits. Beside that the handler asks whether somebody is signed in`,
      )
      .replace(', not whether they are an administrator', ''),
    attack: said.attack.replace(
      'Any signed-in user sends',
      'Any signed-in user writes into the own metadata what is compared, with one call of the client library, and sends',
    ),
    fix: { ...said.fix, text: `Take the comparison with the metadata out. ${said.fix.text}` },
  }
}
