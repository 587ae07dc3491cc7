import { testDocumentedCases } from '../../support/documentation-tests.ts'

testDocumentedCases('rls/', { part: 1, of: 2 })
