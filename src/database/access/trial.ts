import { USERS, type User } from './seed-values.ts'
import { type AccessSession, SqlFailure } from './session.ts'
import { literal } from './sql.ts'

/** What a trial shows. An error decides nothing. */
export interface TrialResult {
  readonly result: 'allowed' | 'refused' | 'error'
  readonly because?: string
  readonly rows?: readonly Readonly<Record<string, unknown>>[]
}

export type Caller = 'anon' | User

/** Statements that make the session a browser's: role and claims as the data API sets them. None of them gives rows. */
export function become(caller: Caller): string {
  const user = caller === 'anon' ? undefined : USERS[caller]
  const role = user ? 'authenticated' : 'anon'
  const claims = user
    ? { sub: user.id, role, email: user.email, aud: 'authenticated', aal: 'aal1', app_metadata: { provider: 'email' }, user_metadata: {} }
    : { role }
  return `set local request.jwt.claims = ${literal(JSON.stringify(claims))}; set local request.jwt.claim.sub = ${literal(user?.id ?? '')}; set local request.jwt.claim.role = '${role}'; set local role ${role};`
}

/** Runs trials. Every one is undone; a fix may be in force around some of them, and is undone too. */
export class Trier {
  readonly session: AccessSession
  #inFix = false

  constructor(session: AccessSession) {
    this.session = session
  }

  /**
   * Runs statements as a caller and undoes them. `prepare` runs before, `inspect` after, both with all rights. Errors of row level
   * security and missing privileges are refusals; constraint violations come after row level security let the row pass.
   */
  async attempt(caller: Caller, statement: string, options: { readonly prepare?: string; readonly inspect?: string } = {}): Promise<TrialResult> {
    const { session } = this
    const begin = this.#inFix ? 'savepoint prelaunch_trial' : 'begin'
    const undo = this.#inFix ? 'rollback to savepoint prelaunch_trial' : 'rollback'
    if (options.prepare) {
      try {
        await session.exec(`${begin}; set local session_replication_role = replica; ${options.prepare}; set local session_replication_role = origin`)
      } catch (error) {
        await session.exec(undo)
        return { result: 'error', because: `could not be prepared: ${text(error)}` }
      }
    }
    try {
      const first = options.prepare ? '' : `${begin};`
      const answer = await session.exec(`${first} ${become(caller)} ${statement}${options.inspect ? `; reset role; ${options.inspect}` : ''}`)
      return { result: answer.rows.length || (!options.inspect && answer.affected) ? 'allowed' : 'refused', rows: answer.rows }
    } catch (error) {
      return failure(error)
    } finally {
      await session.exec(undo)
    }
  }

  /** Runs `trial` while the statements of a fix are in force; undefined when they do not apply. */
  async withFix<T>(code: string, trial: () => Promise<T>): Promise<T | undefined> {
    try {
      await this.session.exec(`begin; ${code}`)
    } catch (error) {
      await this.session.exec('rollback')
      if (error instanceof SqlFailure) return undefined
      throw error
    }
    this.#inFix = true
    try {
      return await trial()
    } finally {
      this.#inFix = false
      await this.session.exec('rollback')
    }
  }
}

function failure(error: unknown): TrialResult {
  if (!(error instanceof SqlFailure)) throw error
  if (error.code === '42501') {
    if (/row-level security/.test(error.message)) return { result: 'refused', because: 'row level security' }
    return { result: 'refused', because: /permission denied/.test(error.message) ? 'no privilege' : error.message.slice(0, 120) }
  }
  if (error.code.startsWith('23') && error.code !== '23P01') return { result: 'allowed', because: `only a constraint stopped it (${error.code})` }
  return { result: 'error', because: text(error) }
}

function text(error: unknown): string {
  return error instanceof SqlFailure ? `${error.code} ${error.message}`.slice(0, 160) : String(error).slice(0, 160)
}
