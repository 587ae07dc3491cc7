import type { SchemaModel } from '../../../model/schema/schema-model.ts'

const SCALAR_RESULT_TYPE = /^(?:integer|bigint|smallint|numeric|real|double precision|boolean)$/
/** What does more than look. */
const SIDE_EFFECT_SQL = /\b(?:insert|update|delete|merge|truncate|perform|execute|call|notify|pg_\w+|net\.|http\w*|dblink\w*)\b/i

/** Whether a function of the database takes nothing and answers with one figure about everybody (how many places are left): who asks is no matter. */
export function tellsOneFigure(name: string | undefined, { functions }: Pick<SchemaModel, 'functions'>): boolean {
  const found = functions.filter((f) => f.name === name)
  return (
    found.length > 0 && found.every((f) => !f.stub && !f.isTrigger && !f.args.length && SCALAR_RESULT_TYPE.test(f.returns) && !SIDE_EFFECT_SQL.test(f.body))
  )
}
