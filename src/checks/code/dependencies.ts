import { defineCheck } from '../define-check.ts'
import { notImplemented } from '../not-implemented.ts'

export default defineCheck({
  number: 24,
  id: 'code/dependencies',
  category: 'Code and dependencies',
  rule: 'Dependencies are audited; no critical vulnerability remains.',
  needs: ['code'],
  doubtedBy: ['code'],
  run: notImplemented,
})
