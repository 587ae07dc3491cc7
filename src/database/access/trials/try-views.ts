import type { AccessCell, AccessObject, View } from '../../database.ts'
import { nameOf } from '../policies/read-policies.ts'
import { identOf, literal } from '../sql.ts'
import type { Trier } from './trial.ts'
import { OF_A, OF_B } from './try-functions.ts'

/** Reads a view as a stranger and as user A: whose rows come through. */
export async function tryView(trier: Trier, view: View): Promise<AccessObject> {
  const name = nameOf(view)
  const from = `from ${identOf(name)} v`
  const shows = (pattern: string) => `coalesce(bool_or(v::text ~ ${literal(pattern)}), false)`
  // what was seeded came after the view was filled
  if (view.materialized) await trier.refresh(name)
  const look = `select count(*)::int as n, ${shows(OF_A)} as own, ${shows(OF_B)} as other ${from}`
  const whole = await trier.look(look)
  const cells: AccessCell[] = []
  for (const role of ['anon', 'A'] as const) {
    const trial = await trier.attempt(role, look)
    const seen = trial.rows?.[0]
    for (const row of role === 'anon' ? (['other'] as const) : (['own', 'other'] as const)) {
      const add = (result: AccessCell['result'], because?: string) => cells.push({ role, command: 'select', row, result, ...(because ? { because } : {}) })
      if (trial.result !== 'allowed' || !seen) add(trial.result, trial.because)
      else if (!whole || Number(whole['n']) === 0) add('error', 'no made-up row comes through it')
      else if (whole[row] === true) add(seen[row] === true ? 'allowed' : 'refused')
      else add(Number(seen['n']) > 0 ? 'allowed' : 'refused', 'rows that name nobody')
    }
  }
  return { kind: 'view', object: name, cells }
}
