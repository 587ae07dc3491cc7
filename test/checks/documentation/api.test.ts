import { testDocumentedCases } from '../../support/documentation-tests.ts'

testDocumentedCases('api/')
