import type { Place } from '../../../lib/place.ts'
import type { Trust, Value } from '../../behaviour/types.ts'

/** Who is let in, and where that is decided. */
export interface Guard {
  readonly who: Who
  /** The place of the decision. */
  readonly at: Place
  readonly trust: Trust
  /** How the caller was established (`supabase.auth.getUser`), for people. */
  readonly how: string
  /** Where the caller was established, when that is known. */
  readonly identifiedAt?: Place
  /** What a cookie that nobody verifies has to say. */
  readonly says?: string
  /** What somebody without rights is answered. */
  readonly refusal: {
    readonly status?: number
    readonly how?: 'respond' | 'throw' | 'redirect' | 'not-found' | 'return' | 'next'
    /** It says that something went wrong, in the words of its body. */
    readonly error?: true
    /** It is thrown, and the status is what the handler of a `try` answers for whatever went wrong. */
    readonly caught?: true
    /** Nothing is refused: where nobody is signed in, nothing is found. */
    readonly nothing?: true
  }
  /** The guard lets everyone in when this environment variable is unset. */
  readonly opensWithout?: string
  /** The variable that a value of the request is compared with as it is: unset, it equals what is not sent. */
  readonly equalsUnset?: string
  /** It is not asked at all then. */
  readonly skipped?: true
  /** The row that a key names holds the secret of a signature that is only looked at where one is sent. */
  readonly unsigned?: true
  /** The variable that names the administrators: where it is not set, whoever is signed in gets past. */
  readonly roleless?: Roleless
}

/** A question for administrators that is not asked where a variable is not set. */
export interface Roleless {
  readonly without: string
  /** Where it is asked. */
  readonly at?: Place
}

/**
 * `user`: a signed-in user; `admin`: one with a role; `secret`: who knows a server secret or API key; `signature`: a signed
 * message; `token`: who knows an unguessable value; `check`: something that could not be followed but refuses.
 */
export type Who = 'user' | 'admin' | 'secret' | 'signature' | 'token' | 'check'

/** What a condition proves about the caller when it holds. */
export interface Proof {
  readonly who: Who
  readonly trust: Guard['trust']
  readonly how: string
  readonly at?: Place
  /** What a cookie that nobody verifies has to say. */
  readonly says?: string
  /** It also holds when this variable is unset. */
  readonly opensWithout?: string
  /** What of the request would have to be empty to pass without the variable. */
  readonly unlessEmpty?: Value
  /** The variable that a value of the request has to equal: where it is not set, whoever sends nothing equals it. */
  readonly equals?: string
  /** The variable without which it proves somebody who is signed in, and no administrator. */
  readonly roleless?: string
}
