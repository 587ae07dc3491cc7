import type { JavaScriptFacts } from '../../../facts/javascript.ts'
import type { Interpreter } from '../interpreter.ts'

/** What tells who calls: no runtime has a global of one of these names, so who forgets the import or the declaration gets an exception. */
const WHO_CALLS =
  /^(?:auth|session|user|currentUser|authUser|sessionUser|userId|(?:get|require|use|verify|check|fetch)?(?:Server|Current|Auth|Authenticated)?(?:Session|User|Auth|Admin)|getUserId|verifyToken|isAdmin)$/

/** Frameworks that put names into scope without an import, by what their files import, and by where they lie. */
const BRINGS_NAMES = /^(?:#|h3$|nuxt|@nuxt|nitro|vinxi|\$)/
const BROUGHT_NAMES = /(?:^|\/)(?:server\/(?:api|routes|middleware|plugins|utils|tasks)|composables|layers)\/|\.d\.[cm]?ts$/

/**
 * Whether reading a name throws: nothing declares it, in a module, where no assignment makes it a global by accident. Such a check refuses everybody. What
 * the file calls by `typeof` is asked for, as a name that may be there.
 */
export function throwsWhenRead(it: Interpreter, name: string, path: string): boolean {
  if (!WHO_CALLS.test(name) || !/\.[cm]?[jt]sx?$/.test(path) || BROUGHT_NAMES.test(path)) return false
  const facts = it.program.facts(path)
  return facts !== undefined && isModule(facts) && !facts.imports.some((i) => BRINGS_NAMES.test(i.from))
}

const isModule = ({ imports, exports }: JavaScriptFacts): boolean => imports.some((i) => i.how === 'static' && !i.typeOnly) && exports.length > 0
