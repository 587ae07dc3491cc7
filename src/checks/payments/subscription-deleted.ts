import { defineCheck } from '../define-check.ts'
import { notImplemented } from '../not-implemented.ts'

export default defineCheck({
  number: 22,
  id: 'payments/subscription-deleted',
  category: 'Payments',
  rule: 'The subscription-deleted event is handled.',
  needs: ['payments'],
  doubtedBy: ['code'],
  run: notImplemented,
})
