import { defineCheck } from '../define-check.ts'
import { notImplemented } from '../not-implemented.ts'

export default defineCheck({
  number: 25,
  id: 'code/hardcoded',
  category: 'Code and dependencies',
  rule: 'Code is reviewed for hardcoded values and they are removed or moved to environment variables.',
  needs: ['code'],
  doubtedBy: ['code'],
  run: notImplemented,
})
