/** The part of the embedded engine that is read here: its linear memory, which a growing instance replaces. */
export interface EngineMemory {
  readonly HEAPU8: Uint8Array
}

/** The words before and after the current user in which the authenticated one is looked for. */
const NEAR_WORDS = 16
/** Static data of the engine lies below; what is above is its heap. */
const STATIC_BYTES = 8 * 2 ** 20

/** The engine's authenticated user cannot be set: no SQL of a repository may run in it. */
export class CannotConfine extends Error {}

/** What finding the authenticated user needs of an engine that was started by a superuser. */
export interface Probe {
  /** Runs SQL; rejects when the engine refuses it. */
  exec(sql: string): Promise<unknown>
  readonly memory: () => EngineMemory
  /** Object ids of the superuser that the engine was started as, and of two other roles. */
  readonly superuser: number
  readonly others: readonly [name: string, oid: number][]
}

/**
 * The user as whom the engine believes the connection to be authenticated (`AuthenticatedUserId` of PostgreSQL's miscinit.c). What a session may become is
 * decided by that user and not by SET SESSION AUTHORIZATION, and an embedded engine authenticates everybody as its bootstrap superuser. The word lies
 * in the engine's linear memory, which its host can write and no SQL can: set to a plain role, no statement, function, trigger, cast or setting
 * leads back to the superuser.
 */
export class AuthenticatedUser {
  readonly #memory: () => EngineMemory
  readonly #word: number

  private constructor(memory: () => EngineMemory, word: number) {
    this.#memory = memory
    this.#word = word
  }

  /**
   * Finds the word by what it does: the current and the session user follow SET SESSION AUTHORIZATION, and of the words beside them that hold the
   * superuser it is the one with which another user may no longer come back. Throws `CannotConfine` when there is none or more than one.
   */
  static async find({ exec, memory, superuser, others }: Probe): Promise<AuthenticatedUser> {
    let following: readonly number[] | undefined
    for (const [name, oid] of others) {
      await exec(`set session authorization ${name}`)
      const words = wordsOf(memory())
      following = following ? following.filter((i) => words[i] === oid) : indexesOf(words.subarray(0, STATIC_BYTES / 4), oid)
      await exec('set session authorization supabase_admin')
      const back = wordsOf(memory())
      following = following.filter((i) => back[i] === superuser)
    }
    const candidates = new Set<number>()
    for (const at of following ?? [])
      for (let i = Math.max(0, at - NEAR_WORDS); i <= at + NEAR_WORDS; i++) if (wordsOf(memory())[i] === superuser && !following?.includes(i)) candidates.add(i)
    const found: AuthenticatedUser[] = []
    const [other] = others
    if (!other) throw new CannotConfine('no role to try with')
    for (const word of candidates) {
      const user = new AuthenticatedUser(memory, word)
      await exec(`set session authorization ${other[0]}`)
      user.set(other[1])
      const confined = await exec('set session authorization supabase_admin').then(
        () => false,
        (error: { code?: unknown }) => error.code === '42501',
      )
      user.set(superuser)
      await exec('set session authorization supabase_admin')
      if (confined) found.push(user)
    }
    const [user] = found
    if (!user || found.length > 1) throw new CannotConfine('the engine keeps its authenticated user elsewhere than expected')
    return user
  }

  /** From now on the connection counts as authenticated as the role with this object id. */
  set(oid: number): void {
    wordsOf(this.#memory())[this.#word] = oid
  }
}

function wordsOf({ HEAPU8 }: EngineMemory): Uint32Array {
  return new Uint32Array(HEAPU8.buffer)
}

function indexesOf(words: Uint32Array, value: number): number[] {
  const found: number[] = []
  for (let i = words.indexOf(value); i >= 0; i = words.indexOf(value, i + 1)) found.push(i)
  return found
}
