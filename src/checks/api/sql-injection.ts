import { defineCheck } from '../define-check.ts'
import { notImplemented } from '../not-implemented.ts'

export default defineCheck({
  number: 19,
  id: 'api/sql-injection',
  category: 'API endpoints',
  rule: 'No endpoint concatenates user input into a query string.',
  needs: ['routes'],
  doubtedBy: ['code'],
  run: notImplemented,
})
