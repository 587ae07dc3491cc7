import { readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { executedText } from '../access/expression/executed-text.ts'
import { worldOf } from '../access/policies/name-resolution.ts'
import { tryAccess } from '../access/probe-access.ts'
import type { AccessSession } from '../access/trials/access-session.ts'
import type { ToldResult } from '../answer/outcome.ts'
import type { Catalog, DatabaseGap, DatabaseResult, ReplayInput, TableHint } from '../database.ts'
import { readCatalog } from './catalog.ts'
import { speaksOfColumn } from './classification/column-mention.ts'
import { Engine } from './engine.ts'
import type { Answer, HintsFollow } from './protocol.ts'
import { Replay, type Replayed, type ReplayHost } from './replay.ts'
import { securityState } from './security-state.ts'
import { loadParser, type Parser } from './statements/parser.ts'
import { elapsedMs, type Moment, now, withoutSince } from './stopwatch.ts'
import { buildTemplate } from './template.ts'

/** What the thread is started with; with `again` it replays more than once, each time in an engine made anew. */
export type WorkerTask = { readonly build: true } | { readonly template: string | Uint8Array; readonly again: boolean }

/** One replay. */
export interface WorkerJob {
  readonly input: ReplayInput
  readonly budgetMs: number
  readonly started: Moment
  readonly skip: readonly string[]
  /** Hints are told later, in a message of their own. */
  readonly hintsFollow: boolean
}

const port = parentPort
if (port) {
  const post = (answer: Answer) => port.postMessage(answer)
  const task = workerData as WorkerTask
  if ('build' in task) {
    post({ type: 'template', base64: Buffer.from(await buildTemplate()).toString('base64') })
  } else {
    // The job may arrive while the engine starts.
    let told = untold()
    port.on('message', (message: WorkerJob | HintsFollow) => ('type' in message ? told.hints.resolve(message.hints) : told.job.resolve(message)))
    const [started, parser] = await Promise.all([startEngine(task.template), loadParser()])
    let engine = started
    try {
      await exercise(engine, parser)
      for (;;) {
        const { job, hints } = told
        await run(await job.promise, hints.promise, engine, parser, post)
        if (!task.again) break
        told = untold()
        await engine.close()
        engine = await startEngine(task.template)
      }
    } catch (error) {
      post({ type: 'died', because: error instanceof Error ? error.message : String(error) })
    }
  }
}

/** What the thread waits for before and during a replay. */
function untold() {
  return { job: Promise.withResolvers<WorkerJob>(), hints: Promise.withResolvers<readonly TableHint[]>() }
}

function startEngine(template: string | Uint8Array): Promise<Engine> {
  return Engine.start(typeof template === 'string' ? readFileSync(template) : Uint8Array.from(template))
}

/** Runs what every replay runs once, so that V8 has compiled it when the job comes; leaves nothing behind. */
async function exercise(engine: Engine, parser: Parser): Promise<void> {
  const sql = `begin;
    create table public.warm_up (id uuid primary key default gen_random_uuid(), user_id uuid not null references auth.users on delete cascade, title text not null default '', created_at timestamptz default now(), check (title <> ' '));
    create index on public.warm_up (user_id);
    alter table public.warm_up enable row level security;
    create policy "own rows" on public.warm_up for select to authenticated using (auth.uid() = user_id and exists (select 1 from storage.buckets b where b.id = title));
    create function public.warm_up_now() returns trigger language plpgsql security definer set search_path = '' as $$ begin new.created_at = now(); return new; end $$;
    create trigger warm_up_now before update on public.warm_up for each row execute function public.warm_up_now();
    create view public.warm_up_view as select title, count(*) from public.warm_up group by 1;
    grant select on public.warm_up to anon;
    insert into storage.buckets (id, name) values ('warm_up', 'warm_up');
    set local role authenticated;
    select * from public.warm_up;
    rollback`
  parser.parse(sql)
  await engine.exec(sql)
}

/** One replay in an engine that was started for it, its trials included; answers go to `post`. */
export async function run(
  job: WorkerJob,
  laterHints: Promise<readonly TableHint[]>,
  engine: Engine,
  parser: Parser,
  post: (answer: Answer) => void,
): Promise<void> {
  const skip = new Set(job.skip)
  let { started } = job
  const host: ReplayHost = {
    mark: (label: string) => {
      if (skip.has(label)) return false
      post({ type: 'at', label })
      return true
    },
    remainingMs: () => job.budgetMs - elapsedMs(started),
    hints: async () => {
      if (!job.hintsFollow) return job.input.hints ?? []
      const from = now()
      post({ type: 'waiting' })
      const hints = await laterHints
      // Reading the code is not the replay's time.
      started = withoutSince(started, from)
      return hints
    },
  }
  const replayed = await new Replay(engine, parser, job.input, host).run()
  if (replayed.cutShort) return post({ type: 'result', result: halfApplied(job.input, replayed), halfApplied: true })
  host.mark('catalog')
  await engine.exec('set session authorization postgres; reset all')
  await takeOver(engine)
  const catalog = withExecutedText(await readCatalog(engine, replayed), parser, host)
  const gaps: DatabaseGap[] = replayed.gaps
  const result: ToldResult = { catalog, access: { objects: [] }, gaps, statements: replayed.statements, order: replayed.order, outcomes: replayed.outcomes }
  post({ type: 'replayed', result })
  host.mark('access')
  await engine.exec('set search_path = "$user", public, extensions')
  // a trial that hangs must not take with it what the parse trees show
  const access = await tryAccess(
    accessSession(engine, parser, host, gaps, job.input, () => readCatalog(engine, replayed)),
    catalog,
    job.input,
    (soFar) => post({ type: 'replayed', result: { ...result, access: soFar } }),
  )
  post({ type: 'result', result: { ...result, access } })
}

/**
 * The SQL of the repository is over: its event triggers fire no more, and the owner has the rights of every role that owns something, so that rows can be
 * made and fixes tried everywhere.
 */
async function takeOver(engine: Engine): Promise<void> {
  const { rows } = await engine.ask(
    "select quote_ident(r.rolname) as role from pg_roles r where not r.rolsuper and r.rolname <> 'postgres' and r.oid in (select relowner from pg_class union select proowner from pg_proc) order by 1",
  )
  await engine.administer(`set event_triggers = off; ${rows.map((r) => `grant ${String(r['role'])} to postgres;`).join(' ')} select 1`)
}

/** What functions execute, from their parse trees; a body that stops the parser counts as one that it does not take. */
function withExecutedText(catalog: Catalog, parser: Parser, host: { mark(label: string): boolean }): Catalog {
  const world = worldOf(parser, catalog)
  const enums = new Set(catalog.enums.flatMap((e) => [e.name, `${e.schema}.${e.name}`]))
  const functions = catalog.functions.map((fn) => {
    if (!/\bexecute\b/i.test(fn.body)) return fn
    const executes = host.mark(`text that ${fn.schema}.${fn.identity} executes`) ? executedText(world, fn, enums) : 'not parsed'
    return executes ? { ...fn, executes } : fn
  })
  return { ...catalog, functions }
}

/** Half a schema judges wrongly: a later statement may close what an earlier one opens. Nothing is said about it then. */
function halfApplied(input: ReplayInput, replayed: Replayed): DatabaseResult {
  const { applied, total } = replayed.statements
  const because = `the time budget ended after ${applied} of ${total} SQL statements; half a schema is not judged`
  return {
    catalog: { tables: [], policies: [], views: [], functions: [], buckets: [], enums: [], triggers: [], speaksOfStorage: replayed.speaksOfStorage },
    access: { objects: [] },
    gaps: [{ path: input.files[0]?.path ?? '', because, touches: [{ topic: 'anything' }], lost: true }],
    statements: replayed.statements,
    order: replayed.order,
  }
}

function accessSession(
  engine: Engine,
  parser: Parser,
  host: { mark(label: string): boolean; remainingMs(): number },
  gaps: DatabaseGap[],
  input: ReplayInput,
  catalog: () => Promise<Catalog>,
): AccessSession {
  return {
    exec: (sql, by) => engine.exec(sql, by),
    ask: (sql) => engine.ask(sql),
    securityState: () => securityState(engine),
    query: (sql, params) => engine.query(sql, params),
    attempt: async (label, attempt) => {
      if (host.mark(`access ${label}`)) return attempt()
      // an earlier run of the replay ended there
      gaps.push({ path: input.files[0]?.path ?? '', because: `${label}: could not be tried to the end`, touches: [] })
      return undefined
    },
    mayRead: (label) => host.mark(`access ${label}`),
    parse: (sql) => parser.parse(sql),
    parseExpression: (sql) => parser.parseExpression(sql),
    parsePlPgSql: (sql) => parser.parsePlPgSql(sql),
    catalog,
    remainingMs: () => host.remainingMs(),
    gap: (gap) => gaps.push(gap),
    speaksOfColumn: (table, column) => speaksOfColumn(input, table, column),
  }
}
