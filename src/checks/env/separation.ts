import { defineCheck } from '../define-check.ts'
import { notImplemented } from '../not-implemented.ts'

export default defineCheck({
  number: 15,
  id: 'env/separation',
  category: 'Environment variables',
  rule: 'Development and production use different variables, projects and keys.',
  needs: ['env', 'files'],
  doubtedBy: ['env-file', 'code'],
  run: notImplemented,
})
