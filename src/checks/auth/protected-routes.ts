import { defineCheck } from '../define-check.ts'
import { notImplemented } from '../not-implemented.ts'

export default defineCheck({
  number: 10,
  id: 'auth/protected-routes',
  category: 'Authentication',
  rule: 'Protected routes check authentication on the server. Hiding a navigation link does not count.',
  needs: ['auth', 'routes'],
  doubtedBy: ['code', 'config'],
  run: notImplemented,
})
