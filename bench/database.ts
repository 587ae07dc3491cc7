import { readFileSync } from 'node:fs'
import type { ReplayInput, SqlFile } from '../src/database/database.ts'
import { SandboxDatabase } from '../src/database/sandbox-database.ts'

/**
 * Replays a generated project: `node bench/database.ts [MIGRATIONS TABLES POLICIES]...`. Prints wall-clock and processor time of
 * the sandbox, warm (the sandbox was started ahead, as the command line and the server do) and cold.
 */
const SIZES: readonly (readonly [migrations: number, tables: number, policies: number])[] = [
  [30, 20, 60],
  [350, 170, 800],
]

function project(migrations: number, tables: number, policies: number): ReplayInput {
  const statements: string[] = []
  for (let t = 0; t < tables; t++) {
    const parent = t > 0 && t % 3 === 0 ? `parent_id uuid references public.table_${t - 1}, ` : ''
    statements.push(
      `create table public.table_${t} (id uuid primary key default gen_random_uuid(), user_id uuid not null references auth.users on delete cascade, ${parent}title text not null, amount numeric check (amount >= 0), created_at timestamptz not null default now())`,
      `alter table public.table_${t} enable row level security`,
      `create index on public.table_${t} (user_id)`,
      `grant select, insert, update, delete on public.table_${t} to authenticated`,
      `create function public.touch_${t}() returns trigger language plpgsql security definer set search_path = '' as $$ begin new.created_at = now(); return new; end $$`,
      `create trigger touch before update on public.table_${t} for each row execute function public.touch_${t}()`,
    )
  }
  const commands = ['select using', 'insert with check', 'update using', 'delete using']
  for (let p = 0; p < policies; p++) {
    const [command, clause] = (commands[p % 4] as string).split(/ (.*)/) as [string, string]
    statements.push(`create policy "policy ${p}" on public.table_${p % tables} for ${command} to authenticated ${clause} ((select auth.uid()) = user_id)`)
  }
  const files: SqlFile[] = Array.from({ length: migrations }, (_, i) => ({
    path: `supabase/migrations/${1000 + i}_m.sql`,
    text: '',
    role: 'migration' as const,
  }))
  const per = Math.ceil(statements.length / migrations)
  return {
    files: files.map((f, i) => ({
      ...f,
      text: statements
        .slice(i * per, (i + 1) * per)
        .map((s) => `${s};\n`)
        .join(''),
    })),
    exposedSchemas: ['public'],
    exposedToBrowsers: true,
  }
}

async function measure(input: ReplayInput, warm: boolean): Promise<string> {
  const database = new SandboxDatabase({ budgetMs: 60_000 })
  if (warm) {
    database.warm()
    await new Promise((resolve) => setTimeout(resolve, 5000))
  }
  const from = performance.now()
  const before = childrensMs()
  const result = await database.replay(input)
  const ms = performance.now() - from
  await database.close()
  // the kernel counts a process in when it is gone
  await new Promise((resolve) => setTimeout(resolve, 500))
  const busy = childrensMs() - before
  const { total, applied, explained } = result.statements
  return `${warm ? 'warm' : 'cold'} ${Math.round(ms)} ms (processor ${Math.round(busy)} ms), ${applied}+${explained} of ${total} statements, ${result.catalog.tables.length} tables, ${result.catalog.policies.length} policies, ${result.access.objects.length} objects tried`
}

/** Processor time of all child processes so far, those that still run included; 0 where the kernel does not say. */
function childrensMs(): number {
  const ticks = (pid: string, first: number) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return Number(fields[first]) + Number(fields[first + 1])
  }
  try {
    const running = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean)
    return 10 * running.reduce((sum, pid) => sum + ticks(pid, 11), ticks('self', 13))
  } catch {
    return 0
  }
}

const args = process.argv.slice(2).map(Number)
const sizes = args.length >= 3 ? [[args[0], args[1], args[2]] as [number, number, number]] : SIZES
for (const [migrations, tables, policies] of sizes) {
  const input = project(migrations, tables, policies)
  for (const warm of [true, true, false])
    console.log(
      `${migrations} migrations, ${tables} tables, ${policies} policies: ${await measure(input, warm)} (load ${readFileSync('/proc/loadavg', 'utf8').split(' ')[0]})`,
    )
}
