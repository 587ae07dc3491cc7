import { randomBytes, timingSafeEqual } from 'node:crypto'

/** A browser that has shown the secret of the log. */
export interface Session {
  readonly id: string
  /** Where GitHub reaches the App, when it was entered. */
  address?: string
  /** The organization that is to own the App; none for the account that is signed in. */
  organization?: string
  /** Proof that an answer of GitHub belongs to a page of this session; each is good for one answer. */
  readonly states: Set<string>
}

const MAX_SESSIONS = 20
const MAX_STATES = 20

/** Who may set the App up: whoever has the secret that stands in the log of this start. */
export class Sessions {
  /** 32 random bytes in hexadecimal, new at each start. */
  readonly secret = random()
  readonly #sessions = new Map<string, Session>()

  /** A new session for the right secret; undefined for a wrong one. */
  open(secret: string): Session | undefined {
    if (!isSame(secret, this.secret)) return undefined
    const session: Session = { id: random(), states: new Set() }
    this.#sessions.set(session.id, session)
    dropOldest(this.#sessions, MAX_SESSIONS)
    return session
  }

  /** The session that a cookie names. */
  find(id: string | undefined): Session | undefined {
    return id === undefined ? undefined : this.#sessions.get(id)
  }
}

/** A new state for a page that leads to GitHub. */
export function newState({ states }: Session): string {
  const state = random()
  states.add(state)
  dropOldest(states, MAX_STATES)
  return state
}

function random(): string {
  return randomBytes(32).toString('hex')
}

function dropOldest(kept: Map<string, unknown> | Set<string>, max: number): void {
  const [oldest] = kept.keys()
  if (kept.size > max && oldest !== undefined) kept.delete(oldest)
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
