/** Tests of how many rows there are (`rows.length === 0`, `count > 0`): they say the same as that a row is there or is not. */
import type { Behaviour, Value } from '../../../model/behaviour/types.ts'

/** `rows.length === 0`, `rows.length`, `count > 0`: whether a statement found or changed any row. */
export function countedRows(test: Extract<Value, { v: 'op' }>, { steps }: Behaviour): { readonly rows: Value; readonly some: boolean } | undefined {
  const rowsOf = (x: Value | undefined): Value | undefined => {
    if (x?.v === 'op' && x.op === 'length' && x.of[0]?.v === 'row') return x.of[0]
    if (x?.v === 'result' && steps[x.step]?.effect.kind === 'db') return { v: 'row', table: '', step: x.step }
    if (x?.v !== 'row' || !ROW_COUNT_MEMBER.test(x.field ?? '')) return undefined
    const { field, ...rows } = x
    return rows
  }
  const whole = rowsOf(test)
  if (whole) return { rows: whole, some: true }
  const [a, b] = test.of
  const rows = rowsOf(a)
  if (!rows || b?.v !== 'const') return undefined
  const some = SOME[`${test.op.replace(/^([!=]=)=$/, '$1')} ${b.value}`]
  return some === undefined ? undefined : { rows, some }
}

/** What libraries call how many rows there are or were changed. */
const ROW_COUNT_MEMBER = /^(?:length|count|rowCount|rowsAffected|affectedRows|changes|numUpdatedRows|numDeletedRows|matchedCount|modifiedCount|deletedCount)$/

/** Whether a comparison of a count says that there are some. */
const SOME: Readonly<Record<string, boolean>> = {
  '== 0': false,
  '!= 0': true,
  '> 0': true,
  '>= 1': true,
  '< 1': false,
  '<= 0': false,
  '== 1': true,
  '!= 1': false,
}
