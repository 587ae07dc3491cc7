import { defineCheck } from '../define-check.ts'
import { notImplemented } from '../not-implemented.ts'

export default defineCheck({
  number: 23,
  id: 'payments/idempotency',
  category: 'Payments',
  rule: 'The webhook handler is idempotent.',
  needs: ['payments'],
  doubtedBy: ['code'],
  run: notImplemented,
})
