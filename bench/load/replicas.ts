import { burst } from './burst.ts'

/** The same work for one, two and four processes on one PostgreSQL, one audit at a time in each, with GitHub as far away as it is. */
export async function replicas(options: { readonly pulls: number; readonly latencyMs: number }): Promise<Record<string, unknown>> {
  const runs: Record<string, unknown>[] = []
  for (const count of [1, 2, 4]) runs.push(await burst({ ...options, replicas: count, postgres: true, concurrency: 1 }))
  return { runs }
}
