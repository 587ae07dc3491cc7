import { defineCheck } from '../define-check.ts'
import { notImplemented } from '../not-implemented.ts'

export default defineCheck({
  number: 6,
  id: 'rls/storage',
  category: 'RLS',
  rule: 'Storage bucket policies exist per bucket. They are not open to all authenticated users. Users read and write only inside their own folder.',
  needs: ['schema', 'access'],
  doubtedBy: ['table', 'rls', 'policy', 'grant', 'function', 'view'],
  run: notImplemented,
})
