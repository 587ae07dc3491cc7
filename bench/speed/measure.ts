import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** What a process took, its children included. */
export interface Cost {
  readonly wallMs: number
  readonly cpuMs: number
  readonly peakMb: number
}

const TICK_MS = 10
/** Seldom enough to cost nothing: reading the memory of a large process takes milliseconds. */
const LOOK_MS = 120

/** Runs a command and watches it and its descendants through /proc. Gives its output and what it took. */
export async function measure(
  command: string,
  args: readonly string[],
  cwd?: string,
): Promise<Cost & { readonly output: string; readonly status: number | null }> {
  const started = performance.now()
  const child = spawn(command, [...args], { stdio: ['ignore', 'pipe', 'pipe'], ...(cwd ? { cwd } : {}) })
  let peak = 0
  const reapedBefore = reapedMs()
  const cpu = new Map<number, number>()
  const look = () => {
    let resident = 0
    for (const pid of family(child.pid as number)) {
      const seen = usage(pid)
      if (!seen) continue
      resident += seen.residentMb
      cpu.set(pid, seen.cpuMs)
    }
    peak = Math.max(peak, resident)
  }
  const watch = setInterval(look, LOOK_MS)
  const output: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
  child.stderr.on('data', () => undefined)
  const status = await new Promise<number | null>((done) => {
    child.on('error', () => done(null))
    child.on('close', done)
  })
  clearInterval(watch)
  return {
    wallMs: performance.now() - started,
    // Looked at now and then, or told by the kernel when it ended: whoever saw more. Short programs are seen by the kernel alone.
    cpuMs: Math.max(
      [...cpu.values()].reduce((a, b) => a + b, 0),
      reapedMs() - reapedBefore,
    ),
    peakMb: peak,
    output: Buffer.concat(output).toString(),
    status,
  }
}

function family(root: number): number[] {
  const childrenOf = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid)) continue
    const parent = Number(fields(pid)?.[1])
    childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), pid])
  }
  const found = [root]
  for (const pid of found) found.push(...(childrenOf.get(pid) ?? []))
  return found
}

/** The fields of /proc/PID/stat after the name of the program. */
function fields(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

/** Processor time of all children of this process that have ended, and of theirs. */
function reapedMs(): number {
  const f = fields(process.pid)
  return f ? (Number(f[13]) + Number(f[14])) * TICK_MS : 0
}

function usage(pid: number): { readonly cpuMs: number; readonly residentMb: number } | undefined {
  const f = fields(pid)
  if (!f) return undefined
  return { cpuMs: (Number(f[11]) + Number(f[12])) * TICK_MS, residentMb: proportionalMb(pid) ?? (Number(f[21]) * 4096) / 1e6 }
}

/** Resident memory in which pages that processes share are counted once. */
function proportionalMb(pid: number): number | undefined {
  try {
    return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1000
  } catch {
    return undefined
  }
}

export const median = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN

/** Median with the smallest and the largest. */
export function spread(numbers: readonly number[], digits = 0): string {
  if (numbers.length === 0) return '–'
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)]
  const text = median(numbers).toFixed(digits)
  return numbers.length === 1 || low === high ? text : `${text} (${low.toFixed(digits)}–${high.toFixed(digits)})`
}
