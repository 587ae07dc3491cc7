import { defineCheck } from '../define-check.ts'
import { notImplemented } from '../not-implemented.ts'

export default defineCheck({
  number: 3,
  id: 'rls/insert-owner',
  category: 'RLS',
  rule: 'Every INSERT policy requires user_id to equal the current authenticated user id. A policy that accepts any value (an always-true check) fails.',
  needs: ['schema', 'access'],
  doubtedBy: ['table', 'rls', 'policy', 'grant', 'function', 'view'],
  run: notImplemented,
})
