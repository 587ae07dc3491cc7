import type { Place } from '../../lib/place.ts'
import type { Val } from './domain/abstract-value.ts'
import type { Interpreter } from './interpreter.ts'

/** A function of the language or of a library that the interpreter runs itself. */
export const native = (name: string, call: (it: Interpreter, args: readonly Val[], at: Place) => Val): Val => ({ v: 'native', name, call })
