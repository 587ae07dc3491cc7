import { defineCheck } from '../define-check.ts'
import { notImplemented } from '../not-implemented.ts'

export default defineCheck({
  number: 18,
  id: 'api/rate-limit',
  category: 'API endpoints',
  rule: 'Rate limiting exists on custom auth endpoints.',
  needs: ['routes'],
  doubtedBy: ['code'],
  run: notImplemented,
})
