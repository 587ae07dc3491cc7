import { defineCheck } from '../define-check.ts'
import { notImplemented } from '../not-implemented.ts'

export default defineCheck({
  number: 17,
  id: 'api/ownership',
  category: 'API endpoints',
  rule: 'Resource endpoints verify that the resource belongs to the authenticated user.',
  needs: ['routes'],
  doubtedBy: ['code'],
  run: notImplemented,
})
