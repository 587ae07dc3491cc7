import { defineCheck } from '../define-check.ts'
import { notImplemented } from '../not-implemented.ts'

export default defineCheck({
  number: 14,
  id: 'env/committed',
  category: 'Environment variables',
  rule: 'Env files (.env, .env.local, .env.production and any other variant) are listed in .gitignore and were never committed.',
  needs: ['env', 'files'],
  doubtedBy: ['env-file', 'code'],
  run: notImplemented,
})
