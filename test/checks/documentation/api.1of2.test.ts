import { testDocumentedCases } from '../../support/documentation-tests.ts'

testDocumentedCases('api/', { part: 1, of: 2 })
