import { readFileSync } from 'node:fs'
import type { AppProcess } from '../../test/support/app-process.ts'

/** One look at a process: seconds since the start of the soak and MiB. */
export interface MemorySample {
  readonly seconds: number
  readonly residentMiB: number
  readonly heapMiB: number
}

const METRICS = { heap: /^nodejs_heap_size_used_bytes (\S+)$/m, resident: /^process_resident_memory_bytes (\S+)$/m }

/** What the process says of itself; the kernel's count where it does not answer in time. */
export async function sampleMemory(app: AppProcess, since: number): Promise<MemorySample> {
  const text = await fetch(`${app.url}/metrics`).then(
    (r) => r.text(),
    () => '',
  )
  const mib = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? Number.NaN) / 2 ** 20
  return { seconds: (Date.now() - since) / 1000, residentMiB: mib(METRICS.resident) || residentMiB(app.child.pid), heapMiB: mib(METRICS.heap) }
}

function residentMiB(pid: number | undefined): number {
  return (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096) / 2 ** 20
}

/** MiB an hour by which a value grows: the slope of the least squares line. */
export function growthPerHour(samples: readonly MemorySample[], value: (sample: MemorySample) => number): number {
  const points = samples.map((s) => [s.seconds / 3600, value(s)] as const).filter(([, y]) => Number.isFinite(y))
  const mean = (i: 0 | 1) => points.reduce((sum, p) => sum + p[i], 0) / points.length
  const [x, y] = [mean(0), mean(1)]
  const spread = points.reduce((sum, p) => sum + (p[0] - x) ** 2, 0)
  return spread ? points.reduce((sum, p) => sum + (p[0] - x) * (p[1] - y), 0) / spread : 0
}

/** The lowest value within each window: what is left after the garbage is collected. */
export function floors(samples: readonly MemorySample[], windowSeconds: number): MemorySample[] {
  const windows = new Map<number, MemorySample>()
  for (const sample of samples) {
    const window = Math.floor(sample.seconds / windowSeconds)
    const lowest = windows.get(window)
    if (!lowest || sample.heapMiB < lowest.heapMiB) windows.set(window, sample)
  }
  return [...windows.values()]
}
