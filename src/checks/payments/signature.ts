import { defineCheck } from '../define-check.ts'
import { notImplemented } from '../not-implemented.ts'

export default defineCheck({
  number: 20,
  id: 'payments/signature',
  category: 'Payments',
  rule: 'The webhook endpoint verifies the processor\'s signature.',
  needs: ['payments'],
  doubtedBy: ['code'],
  run: notImplemented,
})
