import { testDocumentedCases } from '../../support/documentation-tests.ts'

testDocumentedCases('api/', { part: 2, of: 2 })
