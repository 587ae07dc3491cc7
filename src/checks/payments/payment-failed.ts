import { defineCheck } from '../define-check.ts'
import { notImplemented } from '../not-implemented.ts'

export default defineCheck({
  number: 21,
  id: 'payments/payment-failed',
  category: 'Payments',
  rule: 'The payment-failed event is handled.',
  needs: ['payments'],
  doubtedBy: ['code'],
  run: notImplemented,
})
