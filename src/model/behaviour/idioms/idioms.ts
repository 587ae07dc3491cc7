import type { FunctionIR } from '../../../facts/javascript.ts'
import { rememberFor } from '../../../lib/memo/memoize-by-object.ts'
import { byteEncoding } from './byte-encoding.ts'
import { comparedInConstantTime } from './constant-time-compare.ts'
import { copiesThroughout } from './deep-copy.ts'
import { isCalledLogger } from './logger.ts'
import { remembersIn } from './memoization.ts'

/** What a function is a written-out form of, if anything, and where it keeps its answers: its body is read once for all that it may be. */
export const idiomsOf = rememberFor((ir: FunctionIR) => {
  const text = JSON.stringify(ir.body)
  return {
    compared: comparedInConstantTime(ir, text),
    encoding: byteEncoding(ir, text),
    remembersIn: /"get"/.test(text) ? remembersIn(ir) : [],
    copies: copiesThroughout(ir, text),
    /** It is called like one that logs: what it does is looked at once for each run. */
    logger: ir.name !== undefined && isCalledLogger(ir.name),
  }
})

/** What is known of a function before it is run. */
export type Idioms = ReturnType<typeof idiomsOf>
