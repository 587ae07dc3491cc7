import type { Sql } from './sql.ts'
import { StoreError } from './store-problem.ts'

/** The schema that the queue library and the store share. */
export const SCHEMA = 'prelaunch'

/** Each step runs once, in order; a released step is never changed. A version that does not know a step does not start on its store. */
const STEPS: readonly (readonly string[])[] = [
  [
    `create table ${SCHEMA}.facts (repository bigint not null, key text not null, value text not null, bytes integer not null, used date not null default current_date, primary key (repository, key))`,
    `create index facts_used on ${SCHEMA}.facts (used)`,
    `create table ${SCHEMA}.snapshots (repository bigint not null, commit_sha text not null, value text not null, bytes integer not null, used date not null default current_date, primary key (repository, commit_sha))`,
    `create table ${SCHEMA}.targets (
      key text primary key, repository bigint not null, installation bigint not null, head_sha text not null, body jsonb not null,
      version bigint not null default 1, done bigint not null default 0, state text not null, error text,
      check_run_id bigint, check_run_sha text, check_run_open boolean not null default false, comment_id bigint, findings jsonb not null default '[]',
      requested_at timestamptz not null default now(), changed_at timestamptz not null default now())`,
    `create index targets_repository on ${SCHEMA}.targets (repository, head_sha)`,
    `create index targets_installation on ${SCHEMA}.targets (installation)`,
    `create index targets_open on ${SCHEMA}.targets (changed_at) where done < version or check_run_open`,
    `create table ${SCHEMA}.deliveries (id text primary key, key text, version bigint, at timestamptz not null default now())`,
    `create index deliveries_at on ${SCHEMA}.deliveries (at)`,
    `create table ${SCHEMA}.suggestions (repository bigint not null, pull integer not null, fingerprint text not null, at timestamptz not null default now(), primary key (repository, pull, fingerprint))`,
    `create table ${SCHEMA}.marks (name text primary key, value text not null, at timestamptz not null default now())`,
  ],
  [
    `create table ${SCHEMA}.advisories (package text primary key, value text not null, asked bigint not null)`,
    `create table ${SCHEMA}.advisory_etags (url text primary key, etag text not null, at timestamptz not null default now())`,
  ],
  [`alter table ${SCHEMA}.targets add column starts integer not null default 0`],
]

/**
 * Steps that a version which does not know them can live with: a new table, or a new column that is nullable or has a default, and an index.
 * They do not raise the version of the store, so the version before starts and works beside this one (`test/store/version-before.test.ts`).
 * Each runs once, under its name. Whatever else changes is a step above, and happens two releases after the code that no longer needs the old form.
 */
export const ADDITIONS: Readonly<Record<string, readonly string[]>> = {
  verdicts: [
    `create table ${SCHEMA}.verdicts (
      repository bigint not null, commit_sha text not null, key text not null, number integer, base_ref text, conclusion text not null, output text not null,
      check_run_id bigint not null, open boolean not null, writes integer not null default 0, shown text, at timestamptz not null default now(),
      primary key (repository, commit_sha, key))`,
    `create index verdicts_key on ${SCHEMA}.verdicts (key)`,
  ],
}

/** Brings the store's tables to this version. Safe to run from several processes at once. */
export async function migrate(sql: Sql): Promise<void> {
  await sql.query(`create schema if not exists ${SCHEMA}`).catch(ignoreRace)
  await sql.query(`create table if not exists ${SCHEMA}.store_version (version integer primary key)`).catch(ignoreRace)
  for (let version = 1; version <= STEPS.length; version++) {
    // The statements of a step and its mark are one statement block, hence one transaction, guarded by a lock on the version table.
    const statements = (STEPS[version - 1] as readonly string[]).join(';\n')
    await sql.query(`do $step$ begin
      lock table ${SCHEMA}.store_version in exclusive mode;
      if not exists (select 1 from ${SCHEMA}.store_version where version = ${version}) then
        ${statements};
        insert into ${SCHEMA}.store_version values (${version});
      end if;
    end $step$`)
  }
  await sql.query(`create table if not exists ${SCHEMA}.store_additions (name text primary key)`).catch(ignoreRace)
  for (const [name, statements] of Object.entries(ADDITIONS))
    await sql.query(`do $step$ begin
      lock table ${SCHEMA}.store_additions in exclusive mode;
      if not exists (select 1 from ${SCHEMA}.store_additions where name = '${name}') then
        ${statements.join(';\n')};
        insert into ${SCHEMA}.store_additions values ('${name}');
      end if;
    end $step$`)
  const [newest] = await sql.query<{ version: number }>(`select max(version) as version from ${SCHEMA}.store_version`)
  if (newest && Number(newest.version) > STEPS.length)
    throw new StoreError(
      `The store was written by a newer version of Prelaunch (schema ${newest.version}, this one knows ${STEPS.length}). Start that version or another DATA_DIR.`,
    )
}

/** `create … if not exists` of two processes at once can still collide; the loser finds it there. */
function ignoreRace(error: unknown): undefined {
  if ((error as { code?: string }).code === '23505' || (error as { code?: string }).code === '42P06' || (error as { code?: string }).code === '42P07')
    return undefined
  throw error
}
