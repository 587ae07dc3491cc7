import type { Place } from '../../../lib/place.ts'
import type { ClassVal, Val } from '../domain/abstract-value.ts'
import type { Interpreter } from '../interpreter.ts'
import { construct, evaluate } from '../operations.ts'

/** The class that `cls` extends, when it is one of the repository's. */
export function parentOf(it: Interpreter, cls: ClassVal): ClassVal | undefined {
  const parent = cls.ir.extends ? evaluate(it, cls.ir.extends, cls.scope) : undefined
  return parent?.v === 'class' ? parent : undefined
}

/** What a class of a library is for the class of the repository that extends it: `class PrismaService extends PrismaClient`. */
export function libraryBase(it: Interpreter, cls: ClassVal): Val | undefined {
  let last: ClassVal = cls
  for (let parent = parentOf(it, cls), n = 0; parent && n < 8; parent = parentOf(it, parent), n++) last = parent
  const base = last.ir.extends ? evaluate(it, last.ir.extends, last.scope) : undefined
  return base?.v === 'lib' || base?.v === 'chain' ? construct(it, base, [], placeOfClass(last)) : undefined
}

/** Where a class begins, as far as its members tell. */
export const placeOfClass = (cls: ClassVal): Place => ({ path: cls.path, line: cls.ir.members[0]?.l ?? 1 })
