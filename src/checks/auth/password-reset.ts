import { defineCheck } from '../define-check.ts'
import { notImplemented } from '../not-implemented.ts'

export default defineCheck({
  number: 8,
  id: 'auth/password-reset',
  category: 'Authentication',
  rule: 'The password reset email links to the production domain.',
  needs: ['auth', 'routes'],
  doubtedBy: ['code', 'config'],
  run: notImplemented,
})
