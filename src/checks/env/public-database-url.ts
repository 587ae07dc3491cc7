import { defineCheck } from '../define-check.ts'
import { notImplemented } from '../not-implemented.ts'

export default defineCheck({
  number: 12,
  id: 'env/public-database-url',
  category: 'Environment variables',
  rule: 'No database URL is held in a variable with a public prefix.',
  needs: ['env', 'files'],
  doubtedBy: ['env-file', 'code'],
  run: notImplemented,
})
