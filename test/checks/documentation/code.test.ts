import { testDocumentedCases } from '../../support/documentation-tests.ts'

testDocumentedCases('code/')
