import type { SchemaModel } from '../../../model/schema/schema-model.ts'

/**
 * A function of the repository's SQL that says whether auth.uid() may, and changes nothing. With the service role there is nobody to say it of: it
 * refuses, unless it takes that role for an answer.
 */
export function refusesTheServer(name: string, { functions }: Pick<SchemaModel, 'functions'>): boolean {
  const named = functions.filter((f) => f.name.toLowerCase() === name.toLowerCase())
  const refuses = (body: string) => /\bauth\s*\.\s*uid\s*\(/i.test(body) && !/service_role|auth\s*\.\s*uid\s*\(\s*\)\s+is\s+null/i.test(body)
  return named.length > 0 && named.every((f) => !f.stub && f.returns === 'boolean' && f.volatility !== 'volatile' && refuses(f.body))
}
