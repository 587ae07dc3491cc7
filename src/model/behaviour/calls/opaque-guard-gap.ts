import type { Place } from '../../../lib/place.ts'
import type { Interpreter } from '../interpreter.ts'

const CHECK =
  /(?:^|\.)(?:(?:require|ensure|assert|enforce|verify|validate|check|guard)_?\w*?(?:auth|user|session|admin|signed_?in|logged_?in|log_?in|access|permission|role|api_?key|token|member|owner|bearer|jwt)\w*|(?:authenticate|authori[sz]e|protect)(?:_?(?:request|user|route|api|endpoint|(?:access_?)?token|jwt|bearer|session|admin|caller|api_?key))?)$/i
const WRAPPER =
  /(?:^|\.)(?:with|require|ensure|wrap|create|make|protect|secure)_?\w*(?:auth|session|user|admin|guard|permission|role|api_?key|token)\w*$|(?:^|\.)(?:protected?|secured?|authenticated?|authorized?|authed)(?:_?\w+)?$/i

/**
 * Notes that something which by its name checks the caller could not be followed: a function of a package that nothing is known of, or
 * of a file that is not in the repository. What comes after it may be guarded by it, and what it refuses is not seen.
 */
export function noteUnreadCheck(it: Interpreter, name: string, at: Place, kind: 'call' | 'wrapper' = 'call'): void {
  if ((kind === 'call' ? CHECK : WRAPPER).test(name)) it.gap(at, `${name}() is not in the repository`, 'check')
}
