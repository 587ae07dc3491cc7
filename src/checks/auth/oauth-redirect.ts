import { defineCheck } from '../define-check.ts'
import { notImplemented } from '../not-implemented.ts'

export default defineCheck({
  number: 7,
  id: 'auth/oauth-redirect',
  category: 'Authentication',
  rule: 'OAuth redirect URLs point to the production domain, not to localhost or a preview URL.',
  needs: ['auth', 'routes'],
  doubtedBy: ['code', 'config'],
  run: notImplemented,
})
