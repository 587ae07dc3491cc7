import { defineCheck } from '../define-check.ts'
import { notImplemented } from '../not-implemented.ts'

export default defineCheck({
  number: 1,
  id: 'rls/enabled',
  category: 'RLS',
  rule: 'RLS is enabled on every table, not on some of them.',
  needs: ['schema', 'access'],
  doubtedBy: ['table', 'rls', 'policy', 'grant', 'function', 'view'],
  run: notImplemented,
})
