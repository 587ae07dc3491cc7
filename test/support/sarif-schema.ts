import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'

const require = createRequire(import.meta.url)

/**
 * The JSON schema of SARIF 2.1.0 as Microsoft's own SARIF matchers carry it (schemastore's edition of the OASIS file). Errata 01 of the
 * standard differs from this edition in two rules: a region says where it begins, and the pattern of languages is well-formed.
 */
export const validateSarif: ValidateFunction = (() => {
  const file = require.resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json')
  // Ajv reads draft 6 and later; of draft 4 the schema uses only `id` and `$schema` differently.
  const { id: _id, $schema: _draft, ...schema } = JSON.parse(readFileSync(file, 'utf8'))
  schema.definitions.region.anyOf = [{ required: ['startLine'] }, { required: ['charOffset'] }, { required: ['byteOffset'] }]
  for (const holder of [schema.definitions.run, schema.definitions.toolComponent]) holder.properties.language.pattern = '^[a-zA-Z]{2}(-[a-zA-Z]{2})?$'
  const ajv = new Ajv({ strict: false, allErrors: true })
  ;(formats as unknown as { default: typeof formats.default }).default(ajv)
  return ajv.compile(schema)
})()
