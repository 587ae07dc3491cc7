import { defineCheck } from '../define-check.ts'
import { notImplemented } from '../not-implemented.ts'

export default defineCheck({
  number: 4,
  id: 'rls/write-owner',
  category: 'RLS',
  rule: 'UPDATE and DELETE policies check ownership.',
  needs: ['schema', 'access'],
  doubtedBy: ['table', 'rls', 'policy', 'grant', 'function', 'view'],
  run: notImplemented,
})
