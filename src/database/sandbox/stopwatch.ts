/** How much slower than its own computing time a step may be before the clock on the wall counts too. */
const PATIENCE = 4

/** A moment, by the wall's clock and by the processor time of this process. Plain data: it crosses threads. */
export interface Moment {
  readonly wallMs: number
  readonly cpuMs: number
}

export function now(): Moment {
  const cpu = process.cpuUsage()
  return { wallMs: Date.now(), cpuMs: (cpu.user + cpu.system) / 1000 }
}

/**
 * Milliseconds since a moment, as the step itself experienced them: on a busy machine its processor time, so that the same SQL
 * gives the same result there; what sleeps is still found by the wall's clock, later.
 */
export function elapsedMs(since: Moment, until: Moment = now()): number {
  const wall = until.wallMs - since.wallMs
  return Math.max(Math.min(wall, until.cpuMs - since.cpuMs), wall / PATIENCE)
}

/** A moment moved on by the time from another until now, as if that time had not passed. */
export function withoutSince(moment: Moment, from: Moment, until: Moment = now()): Moment {
  return { wallMs: moment.wallMs + until.wallMs - from.wallMs, cpuMs: moment.cpuMs + until.cpuMs - from.cpuMs }
}

/** The longest that something with this budget can take by the wall's clock. */
export function longestMs(budgetMs: number): number {
  return budgetMs * PATIENCE
}

/** Milliseconds of a replay's time budget that statements may not use: they are for the catalog and the trials. */
export const RESERVED_MS = 2500
