import { writeFileSync } from 'node:fs'
import { it } from 'vitest'
import { measure, table } from './measure.ts'

it('measure', async () => {
  const r = await measure()
  writeFileSync('/tmp/meta.txt', table(r))
}, 580000)
