import { defineCheck } from '../define-check.ts'
import { notImplemented } from '../not-implemented.ts'

export default defineCheck({
  number: 2,
  id: 'rls/select-owner',
  category: 'RLS',
  rule: 'Every table holding user data has at least one SELECT policy: a row is visible only when the current authenticated user id equals the row\'s user_id column.',
  needs: ['schema', 'access'],
  doubtedBy: ['table', 'rls', 'policy', 'grant', 'function', 'view'],
  run: notImplemented,
})
