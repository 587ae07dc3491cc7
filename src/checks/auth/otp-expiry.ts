import { defineCheck } from '../define-check.ts'
import { notImplemented } from '../not-implemented.ts'

export default defineCheck({
  number: 11,
  id: 'auth/otp-expiry',
  category: 'Authentication',
  rule: 'Magic link and OTP expiry is configured.',
  needs: ['auth', 'routes'],
  doubtedBy: ['code', 'config'],
  run: notImplemented,
})
