import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import type { Report } from '../../src/report/report.ts'

const validate = new Ajv({ allErrors: true, strict: false }).compile(JSON.parse(readFileSync(new URL('../../schema/report-v1.json', import.meta.url), 'utf8')))

/** Throws with every violation when a report does not follow the published schema. */
export function assertReport(report: Report): void {
  if (!validate(JSON.parse(JSON.stringify(report))))
    throw new Error(`the report breaks its schema:\n${validate.errors?.map((e) => `${e.instancePath} ${e.message}`).join('\n')}`)
}
