import type { FunctionIR } from '../../facts/javascript.ts'
import { rememberFor } from '../../lib/remember-for.ts'
import { byteEncoding } from './byte-encodings.ts'
import { comparedInConstantTime } from './constant-time.ts'
import { copiesThroughout } from './deep-copies.ts'
import { isCalledLogger } from './own-loggers.ts'
import { remembersIn } from './remembered-answers.ts'

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
