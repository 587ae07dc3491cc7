import { defineCheck } from '../define-check.ts'
import { notImplemented } from '../not-implemented.ts'

export default defineCheck({
  number: 9,
  id: 'auth/session-refresh',
  category: 'Authentication',
  rule: 'Session refresh is handled: server-side by fetching the current user on every request so that the cookie is refreshed; client-side by an auth-state-change listener plus correct session handling in the root provider.',
  needs: ['auth', 'routes'],
  doubtedBy: ['code', 'config'],
  run: notImplemented,
})
