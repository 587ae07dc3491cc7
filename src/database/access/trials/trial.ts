import { identOf, literal } from '../sql.ts'
import { Tampered } from '../tampered.ts'
import { type AccessSession, actAs, SqlFailure } from './access-session.ts'
import { USERS, type User } from './seed-values.ts'

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
   * Runs statements as a caller and undoes them. `prepare` runs before, `inspect` after, both as the owner. Errors of row level
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
      const tried = await session.exec(`${first} ${actAs('client')} ${become(caller)} ${statement}`, 'client')
      const answer = options.inspect ? await session.exec(`${actAs('owner')} ${options.inspect}`) : tried
      return { result: answer.rows.length || (!options.inspect && answer.affected) ? 'allowed' : 'refused', rows: answer.rows }
    } catch (error) {
      return failure(error)
    } finally {
      await session.exec(undo)
    }
  }

  /** What the owner reads, for comparison; functions that are called on the way change nothing for good. Undefined when it cannot be read. */
  async look(sql: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    try {
      return (await this.session.exec(`begin; ${sql}`)).rows[0]
    } catch (error) {
      if (error instanceof SqlFailure) return undefined
      throw error
    } finally {
      await this.session.exec('rollback')
    }
  }

  /** Fills a materialized view with what was seeded since. Throws `Tampered` when what it calls changes who may do what. */
  async refresh(view: string): Promise<void> {
    const before = await this.session.securityState()
    await this.session.exec(`refresh materialized view ${identOf(view)}`).catch(() => undefined)
    if ((await this.session.securityState()) !== before) throw new Tampered(`refreshing ${view} changed who may do what`)
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
