import type { Catalog, SqlFunction } from '../../database.ts'
import { literal } from '../sql.ts'
import { type AccessSession, actAs, SqlFailure } from './access-session.ts'

/** Fields that a body reads out of the metadata. */
const METADATA_FIELD_SQL = /->>?\s*'([\w-]{1,40})'/g
/** Somebody who was never there before. */
export const NEWCOMER = { id: 'dddddddd-4444-4444-8444-000000000004', email: 'newcomer@example.com' }

/** A function that runs when somebody signs up and reads what the visitor sends, and whether it runs at the first row of the account or at a later change. */
export interface SignUpReader {
  readonly fn: SqlFunction
  readonly at: 'insert' | 'update'
  /** The fields of the metadata that it may read. */
  readonly fields: readonly string[]
}

/** Functions that triggers of `auth.users` call and that read the visitor's own word (`raw_user_meta_data`). */
export function readersOfSignUp({ triggers, functions }: Pick<Catalog, 'triggers' | 'functions'>): readonly SignUpReader[] {
  const listening = triggers.filter((t) => t.table === 'auth.users' && t.enabled && t.events.some((e) => e === 'insert' || e === 'update'))
  return functions.flatMap((fn): SignUpReader[] => {
    const calls = listening.filter((t) => `${fn.schema}.${fn.name}` === t.function.replace(/\(.*/, ''))
    if (!calls.length || !/raw_user_meta_data/i.test(fn.body)) return []
    const fields = [...new Set([...fn.body.matchAll(METADATA_FIELD_SQL)].map((m) => m[1] as string))]
    return [{ fn, at: calls.some((t) => t.events.includes('insert')) ? 'insert' : 'update', fields }]
  })
}

/** The one that writes a column of a table, by the words of its body. */
export function readerThatWrites(readers: readonly SignUpReader[], table: string, column: string): SignUpReader | undefined {
  const says = ({ fn }: SignUpReader, name: string) => new RegExp(`\\b${name.replace(/\W/g, '.')}\\b`, 'i').test(fn.body)
  const ofTable = readers.filter((r) => says(r, table))
  return ofTable.find((r) => says(r, column)) ?? ofTable[0] ?? readers[0]
}

/** What may stand in the fields that a trial does not choose, to be tried in turn: it matters only where the function wants something there. */
export const otherFields = (fields: readonly string[], chosen: readonly string[]): readonly Readonly<Record<string, string>>[] =>
  [undefined, 'x', '1'].map((filler) => (filler === undefined ? {} : Object.fromEntries(fields.filter((f) => !chosen.includes(f)).map((f) => [f, filler]))))

/**
 * What `inspect` finds after somebody signed up with this metadata, and sent it with a later change of the account; undefined when signing up fails.
 * `before` runs without triggers. Nothing of it stays.
 */
export async function simulateSignUp(
  session: AccessSession,
  before: string,
  metadata: object,
  inspect: string,
): Promise<readonly Record<string, unknown>[] | undefined> {
  const { id, email } = NEWCOMER
  const claimed = literal(JSON.stringify(metadata))
  try {
    await session.exec(`begin; set local session_replication_role = replica; ${before}; set local session_replication_role = origin`)
    // the service that keeps accounts, as on the platform: a trigger's function has its rights unless it is SECURITY DEFINER
    await session.exec(
      `${actAs('accounts')} insert into auth.users (id, aud, role, email, raw_app_meta_data, raw_user_meta_data, created_at) values (${literal(id)}, 'authenticated', 'authenticated', ${literal(email)}, '{"provider": "email"}', ${claimed}, now()); update auth.users set raw_user_meta_data = ${claimed}, email_confirmed_at = now() where id = ${literal(id)}`,
      'accounts',
    )
    const { rows } = await session.exec(`${actAs('owner')} ${inspect}`)
    return rows
  } catch (error) {
    if (error instanceof SqlFailure) return undefined
    throw error
  } finally {
    await session.exec('rollback')
  }
}
