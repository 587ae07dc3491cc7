import { testDocumentedCases } from '../../support/documentation-tests.ts'

testDocumentedCases('rls/', { part: 2, of: 2 })
