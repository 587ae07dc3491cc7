import { defineCheck } from '../define-check.ts'
import { notImplemented } from '../not-implemented.ts'

export default defineCheck({
  number: 16,
  id: 'api/auth',
  category: 'API endpoints',
  rule: 'Every API route or serverless function that serves anything other than public content checks authentication before processing.',
  needs: ['routes'],
  doubtedBy: ['code'],
  run: notImplemented,
})
