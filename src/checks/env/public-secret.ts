import { defineCheck } from '../define-check.ts'
import { notImplemented } from '../not-implemented.ts'

export default defineCheck({
  number: 13,
  id: 'env/public-secret',
  category: 'Environment variables',
  rule: 'No secret key (beginning sk_, the service role token) is held in a variable with a public prefix.',
  needs: ['env', 'files'],
  doubtedBy: ['env-file', 'code'],
  run: notImplemented,
})
